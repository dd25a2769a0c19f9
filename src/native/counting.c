/* Pairs of integer labels, counted into an array of all cells. */

#include "native.h"

int take_pairs(Views *all, PyObject *c, PyObject *k, Pairs *pairs)
{
    if (!take_integers(all, c, &pairs->c) || !take_integers(all, k, &pairs->k))
        return 0;
    if (pairs->c.length == pairs->k.length)
        return 1;
    PyErr_SetString(PyExc_ValueError, "the two label sequences differ in length");
    return 0;
}

/* Up to this many cells there are two tables, so that one count need not wait for the last. */
#define FEW_CELLS 16384
/* Past this many cells a table leaves the second cache, and counts are prefetched: those of many
   keys at a time, as the last ones have none ahead. */
#define MANY_CELLS 65536
#define MANY_KEYS (8 * BLOCK)
#define AHEAD 24

WIDE static void make_keys(uint32_t *rows, const uint32_t *columns, Py_ssize_t count,
                           uint32_t width)
{
    for (Py_ssize_t i = 0; i < count; i++)
        rows[i] = rows[i] * width + columns[i];
}

/* Write the keys of some pairs; 0 where a label is outside. */
static int load_keys(const Pairs *pairs, Py_ssize_t begin, Py_ssize_t count, uint32_t *keys)
{
    uint32_t columns[BLOCK];
    for (Py_ssize_t end = begin + count; begin < end; begin += BLOCK, keys += BLOCK) {
        Py_ssize_t some = end - begin < BLOCK ? end - begin : BLOCK;
        if (!load_narrow(&pairs->c, begin, some, pairs->low_c, pairs->size_c, keys) ||
            !load_narrow(&pairs->k, begin, some, pairs->low_k, pairs->size_k, columns))
            return 0;
        make_keys(keys, columns, some, (uint32_t)pairs->size_k);
    }
    return 1;
}

/* Add the counts of fewer than 2^32 pairs to tables of uint32; 0 where a label is outside. */
static int count_some(const Pairs *pairs, Py_ssize_t begin, Py_ssize_t end, uint32_t *table,
                      int copies)
{
    uint32_t keys[MANY_KEYS + AHEAD] = {0};
    uint64_t cells = pairs->size_c * pairs->size_k;
    uint32_t *second = table + cells;
    Py_ssize_t step = cells > MANY_CELLS ? MANY_KEYS : BLOCK;
    for (; begin < end; begin += step) {
        Py_ssize_t count = end - begin < step ? end - begin : step, i = 0;
        if (!load_keys(pairs, begin, count, keys))
            return 0;
        if (copies == 2) {
            for (; i + 2 <= count; i += 2) {
                table[keys[i]]++;
                second[keys[i + 1]]++;
            }
        } else if (cells > MANY_CELLS) {
            /* The keys after the last are of an earlier block, or 0: inside as well. */
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
    uint64_t cells = pairs->size_c * pairs->size_k;
    for (Py_ssize_t begin = 0; begin < pairs->c.length; begin += most) {
        Py_ssize_t end = pairs->c.length - begin < most ? pairs->c.length : begin + most;
        memset(table, 0, cells * copies * sizeof *table);
        if (!count_some(pairs, begin, end, table, copies))
            return 0;
        for (int copy = 0; copy < copies; copy++) {
            for (uint64_t i = 0; i < cells; i++)
                out[i] = (int64_t)((uint64_t)out[i] + table[copy * cells + i]);
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
    PyObject *c, *k, *table_source, *answer = NULL;
    unsigned long long low_c, low_k, height, width;
    if (!PyArg_ParseTuple(arguments, "OOKKKKO", &c, &k, &low_c, &low_k, &height, &width,
                          &table_source))
        return NULL;
    Pairs pairs = {.low_c = low_c, .low_k = low_k, .size_c = height, .size_k = width};
    Views views = {.taken = 0};
    Py_ssize_t room;
    uint32_t *tables = NULL;
    int64_t *table = NULL;
    if (take_pairs(&views, c, k, &pairs))
        table = take_output(&views, table_source, 8, &room);
    if (!table)
        goto done;
    uint64_t cells = height * width;
    if (height >> 31 || width >> 31 || cells >> 31 || (uint64_t)room != cells) {
        PyErr_SetString(PyExc_ValueError, "the table does not have height x width cells");
        goto done;
    }
    int inside, copies = cells <= FEW_CELLS && pairs.c.length / 8 >= (Py_ssize_t)cells ? 2 : 1;
    tables = malloc((cells * copies + 1) * sizeof *tables);
    if (!tables) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    inside = count_all(&pairs, tables, copies, table);
    Py_END_ALLOW_THREADS
    answer = PyBool_FromLong(inside);
done:
    free(tables);
    release_views(&views);
    return answer;
}
