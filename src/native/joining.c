/* Pairs of ids: their connected components, and integers numbered by a hash table. */

#include "native.h"

/* Blocks between two looks for Ctrl-C. */
#define ROUNDS 4096

/* Find the first object of a component; on the way, every other object skips one. */
static int64_t find_first(int64_t *parents, int64_t object)
{
    while (parents[object] != object) {
        parents[object] = parents[parents[object]];
        object = parents[object];
    }
    return object;
}

/* Join some pairs of objects; 0 where one is out of range. Their memory is asked for beforehand. */
static int join_block(int64_t *parents, uint64_t n, const uint64_t *left, const uint64_t *right,
                      Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (left[i] >= n || right[i] >= n)
            return 0;
        PREFETCH(&parents[left[i]]);
        PREFETCH(&parents[right[i]]);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t one = find_first(parents, (int64_t)left[i]);
        int64_t other = find_first(parents, (int64_t)right[i]);
        if (one < other)
            parents[other] = one;
        else
            parents[one] = other;
    }
    return 1;
}

/* join_pairs(left, right, low, parents) -> bool

   Join the components of each pair of objects, less `low` (modulo 2^64). The int64 `parents` hold
   an earlier object of each object's component, or itself; in the end, the first. False where an
   object or a parent is out of range; the parents are then of no use. */
PyObject *join_pairs(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *left_source, *right_source, *parents_source;
    unsigned long long low;
    Py_buffer left_view, right_view;
    Integers left, right;
    Views views = {.taken = 0};
    Py_ssize_t n;
    PyObject *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OOKO", &left_source, &right_source, &low, &parents_source))
        return NULL;
    if (!take_integers(left_source, &left_view, &left))
        return NULL;
    if (!take_integers(right_source, &right_view, &right))
        goto no_right;
    int64_t *parents = take_output(&views, parents_source, 8, &n);
    if (!parents)
        goto done;
    if (left.length != right.length) {
        PyErr_SetString(PyExc_ValueError, "the two columns of ids differ in length");
        goto done;
    }
    int inside = 1, stopped = 0;
    for (int64_t i = 0; i < n; i++)
        inside &= parents[i] >= 0 && parents[i] <= i;
    for (Py_ssize_t begin = 0; inside && !stopped && begin < left.length;) {
        Py_BEGIN_ALLOW_THREADS
        uint64_t ones[BLOCK], others[BLOCK];
        for (int block = 0; inside && block < ROUNDS && begin < left.length; block++) {
            Py_ssize_t count = left.length - begin < BLOCK ? left.length - begin : BLOCK;
            load_wide(&left, begin, count, low, ones);
            load_wide(&right, begin, count, low, others);
            inside = join_block(parents, (uint64_t)n, ones, others, count);
            begin += count;
        }
        Py_END_ALLOW_THREADS
        stopped = PyErr_CheckSignals() < 0;
    }
    if (stopped)
        goto done;
    /* Earlier objects have found their first already. */
    for (int64_t i = 0; inside && i < n; i++)
        parents[i] = parents[parents[i]];
    answer = PyBool_FromLong(inside);
done:
    release_views(&views);
    PyBuffer_Release(&right_view);
no_right:
    PyBuffer_Release(&left_view);
    return answer;
}

/* An open table of integers and their numbers plus one; 0 is an empty slot. */
typedef struct {
    uint64_t key, number;
} Numbered;

typedef struct {
    Numbered *slots;
    int bits;
    uint64_t found, seed;
} Numbers;

static size_t slot_of(const Numbers *table, uint64_t key, int bits)
{
    uint64_t hash = (key ^ table->seed ^ (key >> 32)) * 0x9E3779B97F4A7C15ull;
    return (size_t)((hash ^ (hash << 27)) >> (64 - bits));
}

/* Make room for four times as many integers. */
static int grow_numbers(Numbers *table)
{
    int bits = table->bits + 2;
    size_t mask = ((size_t)1 << bits) - 1;
    Numbered *slots = calloc(mask + 1, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++) {
        if (!table->slots[i].number)
            continue;
        size_t place = slot_of(table, table->slots[i].key, bits);
        while (slots[place].number)
            place = (place + 1) & mask;
        slots[place] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->bits = bits;
    return 1;
}

/* The numbers of one block; there is room for all its keys. New ones are added to `distinct`. */
static void number_block(Numbers *table, const uint64_t *keys, Py_ssize_t count, int64_t *numbers,
                         uint64_t *distinct)
{
    size_t mask = ((size_t)1 << table->bits) - 1, places[BLOCK];
    for (Py_ssize_t i = 0; i < count; i++) {
        places[i] = slot_of(table, keys[i], table->bits);
        PREFETCH(&table->slots[places[i]]);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        size_t place = places[i];
        while (table->slots[place].number && table->slots[place].key != keys[i])
            place = (place + 1) & mask;
        if (!table->slots[place].number) {
            distinct[table->found++] = keys[i];
            table->slots[place] = (Numbered){keys[i], table->found};
        }
        numbers[i] = (int64_t)table->slots[place].number - 1;
    }
}

/* number_integers(integers, numbers, distinct) -> int

   Write the number of each integer, 0, 1, … in the order in which they first occur, and the
   distinct ones modulo 2^64, in that order; returns how many there are. */
PyObject *number_integers(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *source, *numbers_source, *distinct_source, *answer = NULL;
    Py_buffer view;
    Integers integers;
    Views views = {.taken = 0};
    Py_ssize_t room, more_room;
    Numbers table = {NULL, 12, 0, 0};
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &numbers_source, &distinct_source) ||
        !take_seed(&table.seed) || !take_integers(source, &view, &integers))
        return NULL;
    int64_t *numbers = take_output(&views, numbers_source, 8, &room);
    uint64_t *distinct = numbers ? take_output(&views, distinct_source, 8, &more_room) : NULL;
    if (!distinct)
        goto done;
    if (room < integers.length || more_room < integers.length) {
        PyErr_SetString(PyExc_ValueError, "the outputs are shorter than the integers");
        goto done;
    }
    int good = grow_numbers(&table), stopped = 0;
    for (Py_ssize_t begin = 0; good && !stopped && begin < integers.length;) {
        Py_BEGIN_ALLOW_THREADS
        uint64_t keys[BLOCK];
        for (int block = 0; good && block < ROUNDS && begin < integers.length; block++) {
            Py_ssize_t count = integers.length - begin < BLOCK ? integers.length - begin : BLOCK;
            load_wide(&integers, begin, count, 0, keys);
            number_block(&table, keys, count, numbers + begin, distinct);
            begin += count;
            /* At most half the slots are taken, and those of a block are few. */
            good = table.found < (uint64_t)1 << (table.bits - 1) || grow_numbers(&table);
        }
        Py_END_ALLOW_THREADS
        stopped = PyErr_CheckSignals() < 0;
    }
    if (!good)
        PyErr_NoMemory();
    else if (!stopped)
        answer = PyLong_FromUnsignedLongLong(table.found);
done:
    free(table.slots);
    release_views(&views);
    PyBuffer_Release(&view);
    return answer;
}
