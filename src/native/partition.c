/* Clusters numbered by first appearance. */

#include "native.h"

/* Returns how many clusters there are now; -1 where a label lies outside. */
static int64_t number_all(const Integers *labels, int64_t *numbers, int64_t *sizes,
                          uint64_t places, int64_t count, uint32_t *out)
{
    uint64_t offsets[BLOCK];
    for (Py_ssize_t begin = 0; begin < labels->length; begin += BLOCK) {
        Py_ssize_t some = labels->length - begin < BLOCK ? labels->length - begin : BLOCK;
        load_wide(labels, begin, some, 0, offsets);
        for (Py_ssize_t i = 0; i < some; i++) {
            if (offsets[i] >= places)
                return -1;
            int64_t number = numbers[offsets[i]];
            if (number < 0)
                number = numbers[offsets[i]] = count++;
            /* Only numbers from elsewhere can be too large. */
            if ((uint64_t)number >= places)
                return -1;
            sizes[number] = (int64_t)((uint64_t)sizes[number] + 1);
            out[begin + i] = (uint32_t)number;
        }
    }
    return count;
}

/* number_clusters(labels, numbers, sizes, count, out) -> count

   Number labels in the order in which they first appear, after `count` that are known. `numbers`
   and `sizes` have a place for each label from 0 on: its number, or -1, and by number how many
   there are. `out` is given the number of each label. */
PyObject *number_clusters(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *labels_source, *numbers_source, *sizes_source, *out_source, *answer = NULL;
    Py_ssize_t places, same, room;
    long long count;
    Integers labels;
    if (!PyArg_ParseTuple(arguments, "OOOLO", &labels_source, &numbers_source, &sizes_source,
                          &count, &out_source))
        return NULL;
    Views all = {.taken = 0};
    int64_t *numbers = NULL;
    if (take_integers(&all, labels_source, &labels))
        numbers = take_output(&all, numbers_source, 8, &places);
    int64_t *sizes = numbers ? take_output(&all, sizes_source, 8, &same) : NULL;
    uint32_t *out = sizes ? take_output(&all, out_source, 4, &room) : NULL;
    if (!out)
        goto done;
    int64_t now = -1;
    if (count >= 0 && count <= places && same == places && room >= labels.length) {
        Py_BEGIN_ALLOW_THREADS
        now = number_all(&labels, numbers, sizes, (uint64_t)places, count, out);
        Py_END_ALLOW_THREADS
    }
    if (now < 0)
        PyErr_SetString(PyExc_ValueError, "labels, numbers and outputs do not fit together");
    else
        answer = PyLong_FromLongLong(now);
done:
    release_views(&all);
    return answer;
}
