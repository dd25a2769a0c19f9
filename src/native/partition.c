/* Clusters numbered by first appearance, and the cells of objects. */

#include "native.h"

/* Labels read at a time: they stay in the first cache. */
#define BLOCK 2048

/* Returns how many clusters there are now; -1 where a label lies outside. */
static int64_t number_all(const Integers *labels, uint64_t low, int64_t *numbers, int64_t *sizes,
                          uint64_t places, int64_t count, uint32_t *out)
{
    uint64_t offsets[BLOCK];
    for (Py_ssize_t begin = 0; begin < labels->length; begin += BLOCK) {
        Py_ssize_t some = labels->length - begin < BLOCK ? labels->length - begin : BLOCK;
        if (!load_wide(labels, begin, some, low, places, offsets))
            return -1;
        for (Py_ssize_t i = 0; i < some; i++) {
            int64_t number = numbers[offsets[i]];
            if (number < 0)
                number = numbers[offsets[i]] = count++;
            /* Only numbers from elsewhere can be too large. */
            if ((uint64_t)number >= places)
                return -1;
            sizes[number]++;
            out[begin + i] = (uint32_t)number;
        }
    }
    return count;
}

/* number_labels(labels, low, numbers, sizes, count, out) -> count

   Number labels in the order in which they first appear, after `count` that are known. `numbers`
   and `sizes` have a place for each label from `low` on: its number, or -1, and by number how many
   there are. `out` is given the number of each label. */
PyObject *number_labels(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *labels_source, *numbers_source, *sizes_source, *out_source, *answer = NULL;
    Py_buffer view, numbers, sizes, out;
    unsigned long long low;
    long long count;
    Integers labels;
    if (!PyArg_ParseTuple(arguments, "OKOOLO", &labels_source, &low, &numbers_source,
                          &sizes_source, &count, &out_source))
        return NULL;
    if (!take_integers(labels_source, &view, &labels))
        return NULL;
    if (!take_output(numbers_source, &numbers, 8))
        goto labels_taken;
    if (!take_output(sizes_source, &sizes, 8))
        goto numbers_taken;
    if (!take_output(out_source, &out, 4))
        goto sizes_taken;
    int64_t now = -1;
    if (count >= 0 && sizes.len == numbers.len && out.len / 4 >= labels.length) {
        Py_BEGIN_ALLOW_THREADS
        now = number_all(&labels, low, numbers.buf, sizes.buf, (uint64_t)numbers.len / 8, count,
                         out.buf);
        Py_END_ALLOW_THREADS
    }
    if (now < 0)
        PyErr_SetString(PyExc_ValueError, "labels, numbers and outputs do not fit together");
    else
        answer = PyLong_FromLongLong(now);
    PyBuffer_Release(&out);
sizes_taken:
    PyBuffer_Release(&sizes);
numbers_taken:
    PyBuffer_Release(&numbers);
labels_taken:
    PyBuffer_Release(&view);
    return answer;
}

static int look_up(const Pairs *pairs, const int64_t *table, int64_t *out)
{
    uint32_t rows[BLOCK], columns[BLOCK];
    const Box *box = &pairs->box;
    for (Py_ssize_t begin = 0; begin < pairs->c.length; begin += BLOCK) {
        Py_ssize_t left = pairs->c.length - begin, some = left < BLOCK ? left : BLOCK;
        if (!load_narrow(&pairs->c, begin, some, box->low_c, box->height, rows) ||
            !load_narrow(&pairs->k, begin, some, box->low_k, box->width, columns))
            return 0;
        for (Py_ssize_t i = 0; i < some; i++)
            out[begin + i] = table[rows[i] * box->width + columns[i]];
    }
    return 1;
}

/* find_cells(c, k, low_c, low_k, height, width, table, out)

   Look up each pair of labels in an int64 table of height x width, c and k less their lows. */
PyObject *find_cells(PyObject *module, PyObject *arguments)
{
    (void)module;
    Pairs pairs;
    if (!take_pairs(arguments, 2, &pairs))
        return NULL;
    const Box *box = &pairs.box;
    int fits = !(box->height >> 31 || box->width >> 31) &&
               (uint64_t)pairs.first.len == 8 * box->height * box->width &&
               pairs.second.len / 8 >= pairs.c.length;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        fits = look_up(&pairs, pairs.first.buf, pairs.second.buf);
        Py_END_ALLOW_THREADS
    }
    release_pairs(&pairs);
    if (fits)
        return Py_NewRef(Py_None);
    PyErr_SetString(PyExc_ValueError, "labels, box and outputs do not fit together");
    return NULL;
}
