/* Pairs of ids: their connected components, and integers numbered by a hash table. */

#include "native.h"

/* Pairs whose memory is asked for before they are joined, and how often between two looks for
   Ctrl-C. */
#define AT_ONCE 1024
#define ROUNDS 1024

/* Find the first object of a component; on the way, every other object skips one. */
static int64_t find_first(int64_t *parents, int64_t object)
{
    while (parents[object] != object) {
        parents[object] = parents[parents[object]];
        object = parents[object];
    }
    return object;
}

static void join_block(int64_t *parents, const uint64_t *left, const uint64_t *right,
                       Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
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
    Py_buffer left_view, right_view, parents_view;
    Integers left, right;
    PyObject *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OOKO", &left_source, &right_source, &low, &parents_source))
        return NULL;
    if (!take_integers(left_source, &left_view, &left))
        return NULL;
    if (!take_integers(right_source, &right_view, &right))
        goto no_right;
    if (!take_output(parents_source, &parents_view, 8))
        goto no_parents;
    if (left.length != right.length) {
        PyErr_SetString(PyExc_ValueError, "the two columns of ids differ in length");
        goto done;
    }
    int64_t *parents = parents_view.buf, n = parents_view.len / 8;
    int inside = 1, stopped = 0;
    for (int64_t i = 0; i < n; i++)
        inside &= parents[i] >= 0 && parents[i] <= i;
    for (Py_ssize_t begin = 0; inside && !stopped && begin < left.length;) {
        Py_BEGIN_ALLOW_THREADS
        uint64_t ones[AT_ONCE], others[AT_ONCE];
        for (int block = 0; inside && block < ROUNDS && begin < left.length; block++) {
            Py_ssize_t count = left.length - begin < AT_ONCE ? left.length - begin : AT_ONCE;
            inside = load_wide(&left, begin, count, low, (uint64_t)n, ones) &&
                     load_wide(&right, begin, count, low, (uint64_t)n, others);
            if (inside)
                join_block(parents, ones, others, count);
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
    PyBuffer_Release(&parents_view);
no_parents:
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
    uint64_t found;
} Numbers;

static size_t slot_of(uint64_t key, int bits)
{
    uint64_t hash = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15ull;
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
        size_t place = slot_of(table->slots[i].key, bits);
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
    size_t mask = ((size_t)1 << table->bits) - 1, places[AT_ONCE];
    for (Py_ssize_t i = 0; i < count; i++) {
        places[i] = slot_of(keys[i], table->bits);
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
    Py_buffer view, numbers, distinct;
    Integers integers;
    Numbers table = {NULL, 12, 0};
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &numbers_source, &distinct_source) ||
        !take_integers(source, &view, &integers))
        return NULL;
    if (!take_output(numbers_source, &numbers, 8))
        goto no_numbers;
    if (!take_output(distinct_source, &distinct, 8))
        goto no_distinct;
    if (numbers.len / 8 < integers.length || distinct.len / 8 < integers.length) {
        PyErr_SetString(PyExc_ValueError, "the outputs are shorter than the integers");
        goto done;
    }
    int good = grow_numbers(&table), stopped = 0;
    for (Py_ssize_t begin = 0; good && !stopped && begin < integers.length;) {
        Py_BEGIN_ALLOW_THREADS
        uint64_t keys[AT_ONCE];
        for (int block = 0; good && block < ROUNDS && begin < integers.length; block++) {
            Py_ssize_t count = integers.length - begin < AT_ONCE ? integers.length - begin : AT_ONCE;
            load_wide(&integers, begin, count, 0, 0, keys);
            number_block(&table, keys, count, (int64_t *)numbers.buf + begin, distinct.buf);
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
    PyBuffer_Release(&distinct);
no_distinct:
    PyBuffer_Release(&numbers);
no_numbers:
    PyBuffer_Release(&view);
    return answer;
}
