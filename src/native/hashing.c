/* Integers numbered by a hash table. */

#include "native.h"

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
    return (size_t)(mix(table->seed, key, table->seed) * GOLDEN >> (64 - bits));
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
    Integers integers;
    Views views = {.taken = 0};
    Py_ssize_t room, more_room;
    Numbers table = {NULL, 12, 0, 0};
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &numbers_source, &distinct_source) ||
        !take_seed(&table.seed))
        return NULL;
    int64_t *numbers = NULL;
    if (take_integers(&views, source, &integers))
        numbers = take_output(&views, numbers_source, 8, &room);
    uint64_t *distinct = numbers ? take_output(&views, distinct_source, 8, &more_room) : NULL;
    if (!distinct)
        goto done;
    if (room < integers.length || more_room < integers.length) {
        PyErr_SetString(PyExc_ValueError, "the outputs are shorter than the integers");
        goto done;
    }
    int good = grow_numbers(&table), stopped = 0;
    for (Py_ssize_t begin = 0; good && !stopped && begin < integers.length;) {
        Py_ssize_t rest = integers.length - begin, end = begin + (rest < PIECE ? rest : PIECE);
        Py_BEGIN_ALLOW_THREADS
        uint64_t keys[BLOCK];
        for (; good && begin < end; begin += BLOCK) {
            Py_ssize_t count = end - begin < BLOCK ? end - begin : BLOCK;
            load_wide(&integers, begin, count, 0, keys);
            number_block(&table, keys, count, numbers + begin, distinct);
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
    return answer;
}
