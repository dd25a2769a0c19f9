/* Sorting and counting keys of pairs: a radix sort, whose time does not depend on the labels. */

#include "native.h"

#define DIGIT_BITS 11
#define BLOCK 1024

/* Sort keys of `bits` bits by their digits, the lowest first; returns where the result lies. */
#define SORTER(name, type)                                                                        \
    static type *name(type *keys, type *spare, size_t count, int bits, size_t *places)           \
    {                                                                                             \
        int passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;                                        \
        int digit = passes ? (bits + passes - 1) / passes : 0;                                    \
        size_t size = (size_t)1 << digit;                                                         \
        type mask = (type)(size - 1);                                                             \
        memset(places, 0, passes * size * sizeof *places);                                        \
        for (size_t i = 0; i < count; i++) {                                                      \
            for (int pass = 0; pass < passes; pass++)                                             \
                places[pass * size + ((keys[i] >> (pass * digit)) & mask)]++;                     \
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
        return keys;                                                                              \
    }

SORTER(sort_u32, uint32_t)
SORTER(sort_u64, uint64_t)

/* Write the distinct keys and their counts; returns how many there are. */
#define RUNS(name, type)                                                                          \
    static size_t name(const type *keys, size_t count, uint64_t *distinct, int64_t *counts)       \
    {                                                                                             \
        size_t found = 0;                                                                         \
        for (size_t i = 0; i < count;) {                                                          \
            size_t begin = i;                                                                     \
            type key = keys[i];                                                                   \
            while (++i < count && keys[i] == key) {                                               \
            }                                                                                     \
            distinct[found] = key;                                                                \
            counts[found++] = (int64_t)(i - begin);                                               \
        }                                                                                         \
        return found;                                                                             \
    }

RUNS(runs_u32, uint32_t)
RUNS(runs_u64, uint64_t)

/* Write the keys of the pairs; 0 where a label lies outside the box. */
#define KEYS(name, type)                                                                          \
    static int name(const Integers *c, const Integers *k, const Box *box, type *keys)             \
    {                                                                                             \
        uint64_t rows[BLOCK], columns[BLOCK];                                                     \
        for (Py_ssize_t begin = 0; begin < c->length; begin += BLOCK) {                           \
            Py_ssize_t count = c->length - begin < BLOCK ? c->length - begin : BLOCK;             \
            if (!load_wide(c, begin, count, box->low_c, box->height, rows) ||             \
                !load_wide(k, begin, count, box->low_k, box->width, columns))             \
                return 0;                                                                         \
            for (Py_ssize_t i = 0; i < count; i++)                                                \
                keys[begin + i] = (type)(rows[i] * box->width + columns[i]);                      \
        }                                                                                         \
        return 1;                                                                                 \
    }

KEYS(keys_u32, uint32_t)
KEYS(keys_u64, uint64_t)

static int bit_length(uint64_t value)
{
    int bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

/* count_sparse(c, k, low_c, low_k, height, width, keys, counts) -> int

   Write the distinct keys (c - low_c) * width + (k - low_k), ascending, and how often each occurs;
   returns how many there are, or -1 where a label lies outside. Both outputs, of 8-byte integers,
   have room for all pairs. The box has fewer than 2^63 cells. */
PyObject *count_sparse(PyObject *module, PyObject *arguments)
{
    (void)module;
    Pairs pairs;
    if (!take_pairs(arguments, 2, &pairs))
        return NULL;
    size_t count = (size_t)pairs.c.length, room = 8 * count, *places = NULL;
    uint64_t cells = pairs.box.height * pairs.box.width;
    int bits = bit_length(cells ? cells - 1 : 0), narrow = bits <= 32;
    Py_ssize_t found = -1;
    PyObject *answer = NULL;
    char *spare = NULL;
    if ((size_t)pairs.first.len < room || (size_t)pairs.second.len < room) {
        PyErr_SetString(PyExc_ValueError, "the outputs are shorter than the labels");
        goto done;
    }
    /* Narrow keys are sorted within `spare`; wide ones between it and the output of keys,
       which the runs may overwrite: they are never longer than what they were read from. */
    spare = malloc(room + 8);
    places = malloc(((size_t)(bits / DIGIT_BITS + 1) << DIGIT_BITS) * sizeof *places);
    if (!spare || !places) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    if (narrow) {
        uint32_t *keys = (uint32_t *)spare;
        if (keys_u32(&pairs.c, &pairs.k, &pairs.box, keys)) {
            keys = sort_u32(keys, keys + count, count, bits, places);
            found = (Py_ssize_t)runs_u32(keys, count, pairs.first.buf, pairs.second.buf);
        }
    } else {
        uint64_t *keys = (uint64_t *)spare;
        if (keys_u64(&pairs.c, &pairs.k, &pairs.box, keys)) {
            uint64_t *sorted = sort_u64(keys, pairs.first.buf, count, bits, places);
            found = (Py_ssize_t)runs_u64(sorted, count, pairs.first.buf, pairs.second.buf);
        }
    }
    Py_END_ALLOW_THREADS
    answer = PyLong_FromSsize_t(found);
done:
    free(spare);
    free(places);
    release_pairs(&pairs);
    return answer;
}
