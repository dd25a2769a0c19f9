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

/* Write each of the sorted keys once, and how often it occurs; returns how many there are. Every
   key is written anew, as there is no telling whether it is the last of its kind. None is written
   over one that is still to be read: see `sort_pairs`. */
#define READER(name, type)                                                                        \
    static Py_ssize_t name(const type *keys, Py_ssize_t count, int64_t *out, int64_t *counts)     \
    {                                                                                             \
        Py_ssize_t found = 0, begin = 0;                                                          \
        for (Py_ssize_t i = 0; i < count; i++) {                                                  \
            type key = keys[i];                                                                   \
            int64_t wide = (int64_t)key;                                                          \
            int last = i + 1 == count || keys[i + 1] != key;                                      \
            memcpy(&out[found], &wide, sizeof wide); /* over keys, of another type */             \
            counts[found] = i + 1 - begin;                                                        \
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

/* Sort in the outputs themselves. Keys of 4 bytes take the two halves of `keys`, and end in the
   upper one: result i begins at byte 8 i, and its key lay at 4 n + 4 i or after. Keys of 8 bytes
   take `keys` and `counts`, and end in `keys`, one result never after its key; the counts are
   written last. Returns how many there are, or -1. */
static Py_ssize_t sort_pairs(const Pairs *pairs, int64_t *keys, int64_t *counts, size_t *places)
{
    Py_ssize_t count = pairs->c.length;
    int bits = (int)(pairs->size_c + pairs->size_k), odd = passes_for(bits) % 2;
    if (bits <= 32) {
        uint32_t *lower = (uint32_t *)keys, *upper = lower + count;
        uint32_t *first = odd ? lower : upper;
        if (!keys_u32(pairs, first))
            return -1;
        sort_u32(first, odd ? upper : lower, (size_t)count, bits, places);
        return read_u32(upper, count, keys, counts);
    }
    uint64_t *one = (uint64_t *)keys, *other = (uint64_t *)counts, *first = odd ? other : one;
    if (!keys_u64(pairs, first))
        return -1;
    sort_u64(first, odd ? one : other, (size_t)count, bits, places);
    return read_u64(one, count, keys, counts);
}

/* count_sparse(c, k, low_c, low_k, row_bits, column_bits, keys, counts) -> int

   Write the distinct keys of the pairs, row << column_bits | column, in order, and how often each
   occurs; returns how many there are. Labels less their lows have that many bits, together 63 at
   most. The outputs, of int64, have room for all pairs. */
PyObject *count_sparse(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *c, *k, *keys_source, *counts_source, *answer = NULL;
    unsigned long long low_c, low_k, row_bits, column_bits;
    if (!PyArg_ParseTuple(arguments, "OOKKKKOO", &c, &k, &low_c, &low_k, &row_bits, &column_bits,
                          &keys_source, &counts_source))
        return NULL;
    Pairs pairs = {.low_c = low_c, .low_k = low_k, .size_c = row_bits, .size_k = column_bits};
    Views views = {.taken = 0};
    Py_ssize_t room, more_room, found = -1;
    int64_t *keys = NULL, *counts = NULL;
    size_t *places = NULL;
    if (take_pairs(&views, c, k, &pairs))
        keys = take_output(&views, keys_source, 8, &room);
    if (keys)
        counts = take_output(&views, counts_source, 8, &more_room);
    if (!counts)
        goto done;
    if (row_bits > 63 || column_bits > 63 || row_bits + column_bits > 63 ||
        room < pairs.c.length || more_room < pairs.c.length) {
        PyErr_SetString(PyExc_ValueError, "keys of 63 bits, or the outputs, are not enough");
        goto done;
    }
    places = malloc(((size_t)MOST_PASSES << DIGIT_BITS) * sizeof *places);
    if (!places) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    found = sort_pairs(&pairs, keys, counts, places);
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

/* merge_counts(keys, counts, keys, counts, keys, counts) -> int

   Write the keys of two lists, each in order, as one; keys of both once, their counts added.
   Returns how many there are. The third list, the output, has room for both. */
PyObject *merge_counts(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[6], *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOOOO", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &sources[5]))
        return NULL;
    Views views = {.taken = 0};
    int64_t *arrays[6];
    Py_ssize_t sizes[6], found = 0;
    for (int i = 0; i < 6; i++) {
        const void *taken = i < 4 ? take_input(&views, sources[i], 8, &sizes[i])
                                  : take_output(&views, sources[i], 8, &sizes[i]);
        if (!taken)
            goto done;
        arrays[i] = (int64_t *)taken;
    }
    Py_ssize_t n = sizes[0], m = sizes[2];
    if (sizes[1] != n || sizes[3] != m || sizes[4] < n + m || sizes[5] < n + m) {
        PyErr_SetString(PyExc_ValueError, "keys and counts do not fit together");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    const int64_t *a = arrays[0], *b = arrays[2];
    for (Py_ssize_t i = 0, j = 0; i < n || j < m; found++) {
        int from_a = j == m || (i < n && a[i] <= b[j]), from_b = i == n || (j < m && b[j] <= a[i]);
        /* Unsigned, where an overflow wraps: whatever is given, nothing worse than a wrong sum. */
        uint64_t count = (from_a ? (uint64_t)arrays[1][i] : 0) +
                         (from_b ? (uint64_t)arrays[3][j] : 0);
        arrays[4][found] = from_a ? a[i] : b[j];
        arrays[5][found] = (int64_t)count;
        i += from_a;
        j += from_b;
    }
    Py_END_ALLOW_THREADS
    answer = PyLong_FromSsize_t(found);
done:
    release_views(&views);
    return answer;
}
