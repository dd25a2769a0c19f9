/* Counting pairs by sorting keys: a radix sort, whose time does not depend on the labels. */

#include "native.h"

/* Few enough places that the first cache holds what is written at each of them. */
#define DIGIT_BITS 8
#define MOST_PASSES 8

static int passes_for(int bits)
{
    return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

/* Sort keys of `bits` bits by their digits, the lowest first. The result lies in `keys` after an
   even number of passes, else in `spare`. */
#define SORTER(name, type)                                                                        \
    static void name(type *keys, type *spare, size_t count, int bits, size_t *places)            \
    {                                                                                             \
        int passes = passes_for(bits), digit = passes ? (bits + passes - 1) / passes : 0;         \
        size_t size = (size_t)1 << digit;                                                         \
        type mask = (type)(size - 1);                                                             \
        memset(places, 0, passes * size * sizeof *places);                                        \
        /* A few keys at a time, which stay at hand for all passes. */                            \
        for (size_t begin = 0; begin < count; begin += BLOCK) {                                   \
            size_t end = count - begin < BLOCK ? count : begin + BLOCK;                           \
            for (int pass = 0; pass < passes; pass++) {                                           \
                size_t *place = places + pass * size;                                             \
                int shift = pass * digit;                                                         \
                for (size_t i = begin; i < end; i++)                                              \
                    place[(keys[i] >> shift) & mask]++;                                           \
            }                                                                                     \
        }                                                                                         \
        for (int pass = 0; pass < passes; pass++) {                                               \
            size_t *place = places + pass * size, sum = 0;                                        \
            for (size_t value = 0; value < size; value++) {                                       \
                size_t own = place[value];                                                        \
                place[value] = sum;                                                               \
                sum += own;                                                                       \
            }                                                                                     \
            for (size_t i = 0; i < count; i++)                                                    \
                spare[place[(keys[i] >> (pass * digit)) & mask]++] = keys[i];                     \
            type *swapped = keys;                                                                 \
            keys = spare;                                                                         \
            spare = swapped;                                                                      \
        }                                                                                         \
    }

/* Write the cells of sorted keys; returns how many there are. Every key writes its cell anew, as
   there is no telling whether it is the last of its kind. A cell is never written over a key that
   is still to be read: see `sort_pairs`. */
#define READER(name, type)                                                                        \
    static Py_ssize_t name(const type *keys, Py_ssize_t count, int column_bits,                   \
                           const CellArrays *out)                                                 \
    {                                                                                             \
        uint64_t mask = ((uint64_t)1 << column_bits) - 1;                                         \
        int64_t *rows = out->rows, *columns = out->columns, *counts = out->counts;                \
        Py_ssize_t found = 0, begin = 0;                                                          \
        for (Py_ssize_t i = 0; i < count; i++) {                                                  \
            type key = keys[i];                                                                   \
            int64_t row = (int64_t)((uint64_t)key >> column_bits);                                \
            memcpy(&rows[found], &row, sizeof row); /* over keys, of another type */              \
            columns[found] = (int64_t)(key & mask);                                               \
            counts[found] = i + 1 - begin;                                                        \
            int last = i + 1 == count || keys[i + 1] != key;                                      \
            found += last;                                                                        \
            begin = last ? i + 1 : begin;                                                         \
        }                                                                                         \
        return found;                                                                             \
    }

WIDE static void join_keys(uint32_t *rows, const uint32_t *columns, Py_ssize_t count, int bits)
{
    for (Py_ssize_t i = 0; i < count; i++)
        rows[i] = rows[i] << bits | columns[i];
}

/* Write the keys of the pairs, row << column_bits | column; 0 where they have more bits. */
static int keys_u32(const Pairs *pairs, uint32_t *keys)
{
    uint32_t columns[BLOCK];
    uint64_t height = (uint64_t)1 << pairs->size_c, width = (uint64_t)1 << pairs->size_k;
    for (Py_ssize_t begin = 0; begin < pairs->c.length; begin += BLOCK) {
        Py_ssize_t rest = pairs->c.length - begin, count = rest < BLOCK ? rest : BLOCK;
        if (!load_narrow(&pairs->c, begin, count, pairs->low_c, height, keys + begin) ||
            !load_narrow(&pairs->k, begin, count, pairs->low_k, width, columns))
            return 0;
        join_keys(keys + begin, columns, count, (int)pairs->size_k);
    }
    return 1;
}

static int keys_u64(const Pairs *pairs, uint64_t *keys)
{
    uint64_t columns[BLOCK], of_rows = 0, of_columns = 0;
    for (Py_ssize_t begin = 0; begin < pairs->c.length; begin += BLOCK) {
        Py_ssize_t rest = pairs->c.length - begin, count = rest < BLOCK ? rest : BLOCK;
        of_rows |= load_wide(&pairs->c, begin, count, pairs->low_c, keys + begin);
        of_columns |= load_wide(&pairs->k, begin, count, pairs->low_k, columns);
        for (Py_ssize_t i = 0; i < count; i++)
            keys[begin + i] = keys[begin + i] << pairs->size_k | columns[i];
    }
    return !(of_rows >> pairs->size_c) && !(of_columns >> pairs->size_k);
}

SORTER(sort_u32, uint32_t)
SORTER(sort_u64, uint64_t)
READER(read_u32, uint32_t)
READER(read_u64, uint64_t)

/* Sort in the outputs themselves. Keys of 4 bytes take the two halves of `rows`, and end in the
   upper one: cell i begins at byte 8 i, and its key lay at 4 n + 4 i or after. Keys of 8 bytes take
   `rows` and `columns`, and end in `rows`. Returns how many cells there are, or -1. */
static Py_ssize_t sort_pairs(const Pairs *pairs, const CellArrays *out, size_t *places)
{
    Py_ssize_t count = pairs->c.length;
    int column_bits = (int)pairs->size_k, bits = (int)pairs->size_c + column_bits;
    int odd = passes_for(bits) % 2;
    if (bits <= 32) {
        uint32_t *lower = (uint32_t *)out->rows, *upper = lower + count;
        uint32_t *first = odd ? lower : upper;
        if (!keys_u32(pairs, first))
            return -1;
        sort_u32(first, odd ? upper : lower, (size_t)count, bits, places);
        return read_u32(upper, count, column_bits, out);
    }
    uint64_t *rows = (uint64_t *)out->rows, *columns = (uint64_t *)out->columns;
    uint64_t *first = odd ? columns : rows;
    if (!keys_u64(pairs, first))
        return -1;
    sort_u64(first, odd ? rows : columns, (size_t)count, bits, places);
    return read_u64(rows, count, column_bits, out);
}

/* count_sparse(c, k, low_c, low_k, row_bits, column_bits, rows, columns, counts) -> int

   Write the distinct pairs, less their lows, in order, and how often each occurs; returns how many
   there are. Labels less their lows have that many bits, 1 to 63 and together 64 at most. The
   outputs, of int64, have room for all pairs. */
PyObject *count_sparse(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *c, *k, *sources[3], *answer = NULL;
    unsigned long long low_c, low_k, row_bits, column_bits;
    if (!PyArg_ParseTuple(arguments, "OOKKKKOOO", &c, &k, &low_c, &low_k, &row_bits, &column_bits,
                          &sources[0], &sources[1], &sources[2]))
        return NULL;
    Pairs pairs = {.low_c = low_c, .low_k = low_k, .size_c = row_bits, .size_k = column_bits};
    Views views = {.taken = 0};
    CellArrays out;
    size_t *places = NULL;
    Py_ssize_t found = -1;
    if (!take_pairs(&views, c, k, &pairs) || !take_cells(&views, sources, pairs.c.length, 1, &out))
        goto done;
    if (row_bits - 1 > 62 || column_bits - 1 > 62 || row_bits + column_bits > 64) {
        PyErr_SetString(PyExc_ValueError, "keys of 64 bits are not enough");
        goto done;
    }
    places = malloc(((size_t)MOST_PASSES << DIGIT_BITS) * sizeof *places);
    if (!places) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    found = sort_pairs(&pairs, &out, places);
    Py_END_ALLOW_THREADS
    if (found < 0)
        PyErr_SetString(PyExc_ValueError, "a label has more bits than allowed for");
    else
        answer = PyLong_FromSsize_t(found);
done:
    free(places);
    release_views(&views);
    return answer;
}
