/* Counting pairs of integer labels: into an array of all cells, or by sorting keys. */

#include "native.h"

/* Pairs whose keys are computed before they are counted: they stay in the first cache. */
#define BLOCK 2048
/* Up to this many cells there are four tables, so that one count need not wait for the last. */
#define FEW_CELLS 2048
/* Past this many cells a table leaves the second cache. */
#define MANY_CELLS 65536
#define AHEAD 24

WIDE static void make_keys(uint32_t *rows, const uint32_t *columns, Py_ssize_t count,
                           uint32_t width)
{
    for (Py_ssize_t i = 0; i < count; i++)
        rows[i] = rows[i] * width + columns[i];
}

/* Add the counts of up to 2^32 - 1 pairs to a table of uint32; 0 where a label is outside. */
static int count_block(const Pairs *pairs, Py_ssize_t begin, Py_ssize_t end, uint32_t *table)
{
    uint32_t keys[BLOCK + AHEAD] = {0}, columns[BLOCK];
    const Box *box = &pairs->box;
    uint64_t cells = box->height * box->width;
    for (; begin < end; begin += BLOCK) {
        Py_ssize_t count = end - begin < BLOCK ? end - begin : BLOCK, i = 0;
        if (!load_narrow(&pairs->c, begin, count, box->low_c, box->height, keys) ||
            !load_narrow(&pairs->k, begin, count, box->low_k, box->width, columns))
            return 0;
        make_keys(keys, columns, count, (uint32_t)box->width);
        if (cells <= FEW_CELLS) {
            for (; i + 4 <= count; i += 4) {
                table[keys[i]]++;
                table[cells + keys[i + 1]]++;
                table[2 * cells + keys[i + 2]]++;
                table[3 * cells + keys[i + 3]]++;
            }
        } else if (cells > MANY_CELLS) {
            for (; i < count; i++) {
                PREFETCH(&table[keys[i + AHEAD]]);
                table[keys[i]]++;
            }
        }
        for (; i < count; i++)
            table[keys[i]]++;
    }
    return 1;
}

/* Add the counts of all pairs to `out`; 0 where a label is outside. */
static int count_all(const Pairs *pairs, uint32_t *table, int copies, int64_t *out)
{
    const Py_ssize_t most = (Py_ssize_t)1 << 30;
    uint64_t cells = pairs->box.height * pairs->box.width;
    for (Py_ssize_t begin = 0; begin < pairs->c.length; begin += most) {
        Py_ssize_t end = pairs->c.length - begin < most ? pairs->c.length : begin + most;
        memset(table, 0, cells * copies * sizeof *table);
        if (!count_block(pairs, begin, end, table))
            return 0;
        for (int copy = 0; copy < copies; copy++) {
            for (uint64_t i = 0; i < cells; i++)
                out[i] += table[copy * cells + i];
        }
    }
    return 1;
}

/* count_dense(c, k, low_c, low_k, height, width, table) -> bool

   Add the counts of pairs to an int64 table of height x width cells, c and k less their lows
   (modulo 2^64). False where a label lies outside; the table is then of no use. */
PyObject *count_dense(PyObject *module, PyObject *arguments)
{
    (void)module;
    Pairs pairs;
    if (!take_pairs(arguments, 1, &pairs))
        return NULL;
    Box *box = &pairs.box;
    uint64_t cells = box->height * box->width;
    uint32_t *table = NULL;
    PyObject *answer = NULL;
    if (box->height >> 31 || box->width >> 31 || cells >> 31 ||
        (uint64_t)pairs.first.len != 8 * cells) {
        PyErr_SetString(PyExc_ValueError, "the table does not have the cells of the box");
        goto done;
    }
    int copies = cells <= FEW_CELLS ? 4 : 1, inside;
    table = malloc((cells * copies + 1) * sizeof *table);
    if (!table) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    inside = count_all(&pairs, table, copies, pairs.first.buf);
    Py_END_ALLOW_THREADS
    answer = PyBool_FromLong(inside);
done:
    free(table);
    release_pairs(&pairs);
    return answer;
}
