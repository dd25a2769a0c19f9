/* Labels that are not integers, given codes 0, 1, … in the order in which they first occur. */

#include "native.h"

#define SEED 0x9E3779B97F4A7C15ull

static uint64_t hash_bytes(const unsigned char *bytes, size_t length)
{
    uint64_t hash = length * SEED;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * SEED;
        hash ^= hash >> 29;
        bytes += 8;
        length -= 8;
    }
    if (length) {
        uint64_t word = 0;
        memcpy(&word, bytes, length);
        hash = (hash ^ word) * SEED;
        hash ^= hash >> 29;
    }
    return hash * SEED;
}

/* An open table of codes, by hash: a slot holds a code plus one, or 0, and part of its hash. */
typedef struct {
    uint32_t tag;
    uint32_t code;
} Slot;

typedef struct {
    Slot *slots;
    int bits;
    uint64_t *hashes; /* of each code */
    size_t room, found;
} Codes;

static size_t place_of(uint64_t hash, int bits)
{
    return hash >> (64 - bits);
}

/* Make room for four times as many codes. */
static int grow(Codes *table)
{
    int bits = table->bits + 2;
    size_t mask = ((size_t)1 << bits) - 1, room = (mask + 1) / 2;
    uint64_t *hashes = realloc(table->hashes, room * sizeof *hashes);
    if (hashes)
        table->hashes = hashes;
    Slot *slots = hashes ? calloc(mask + 1, sizeof *slots) : NULL;
    if (!slots)
        return 0;
    for (size_t code = 0; code < table->found; code++) {
        size_t place = place_of(hashes[code], bits);
        while (slots[place].code)
            place = (place + 1) & mask;
        slots[place] = (Slot){(uint32_t)hashes[code], (uint32_t)code + 1};
    }
    free(table->slots);
    table->slots = slots;
    table->bits = bits;
    table->room = room;
    return 1;
}

/* Items whose hashes are computed, and their slots asked for, before they are looked up. */
#define BLOCK 64

/* Returns how many items differ, or -1 without memory; fewer than 2^31 may. */
static Py_ssize_t code_all(const unsigned char *items, size_t count, size_t width, int64_t *codes,
                           int64_t *first)
{
    Codes table = {NULL, 8, NULL, 0, 0};
    uint64_t hashes[BLOCK];
    int good = grow(&table);
    for (size_t begin = 0; good && begin < count; begin += BLOCK) {
        size_t end = count - begin < BLOCK ? count : begin + BLOCK;
        for (size_t i = begin; i < end; i++) {
            hashes[i - begin] = hash_bytes(items + i * width, width);
            PREFETCH(&table.slots[place_of(hashes[i - begin], table.bits)]);
        }
        for (size_t i = begin; good && i < end; i++) {
            uint64_t hash = hashes[i - begin];
            size_t mask = ((size_t)1 << table.bits) - 1, place = place_of(hash, table.bits);
            Slot *slot = &table.slots[place];
            while (slot->code &&
                   (slot->tag != (uint32_t)hash ||
                    memcmp(items + i * width, items + (size_t)first[slot->code - 1] * width,
                           width))) {
                place = (place + 1) & mask;
                slot = &table.slots[place];
            }
            if (!slot->code) {
                first[table.found] = (int64_t)i;
                table.hashes[table.found++] = hash;
                *slot = (Slot){(uint32_t)hash, (uint32_t)table.found};
            }
            codes[i] = (int64_t)slot->code - 1;
            good = table.found < table.room || grow(&table);
        }
    }
    free(table.slots);
    free(table.hashes);
    return good ? (Py_ssize_t)table.found : -1;
}

/* code_items(items, width, codes, first) -> int

   Write the code of each item of `width` bytes, and where each code first occurs; returns how
   many codes there are. */
PyObject *code_items(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *source, *codes_source, *first_source;
    Py_ssize_t width, found;
    if (!PyArg_ParseTuple(arguments, "OnOO", &source, &width, &codes_source, &first_source))
        return NULL;
    Py_buffer items, codes, first;
    if (PyObject_GetBuffer(source, &items, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *answer = NULL;
    if (!take_output(codes_source, &codes, 8))
        goto no_codes;
    if (!take_output(first_source, &first, 8))
        goto no_first;
    if (width <= 0 || items.len % width || codes.len / 8 < items.len / width ||
        first.len / 8 < items.len / width || items.len / width >= INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "items and outputs do not fit together");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    found = code_all(items.buf, (size_t)(items.len / width), (size_t)width, codes.buf, first.buf);
    Py_END_ALLOW_THREADS
    answer = found < 0 ? PyErr_NoMemory() : PyLong_FromSsize_t(found);
done:
    PyBuffer_Release(&first);
no_first:
    PyBuffer_Release(&codes);
no_codes:
    PyBuffer_Release(&items);
    return answer;
}

/* Objects seen lately, by their address: labels are often the same few objects again and again. */
#define SEEN_BITS 12

/* code_objects(objects: list, book: dict, codes) -> None

   Write the code of each object, as the dictionary has it; new objects get the next code. */
PyObject *code_objects(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *objects, *book, *codes_source;
    if (!PyArg_ParseTuple(arguments, "O!O!O", &PyList_Type, &objects, &PyDict_Type, &book,
                          &codes_source))
        return NULL;
    Py_buffer view;
    if (!take_output(codes_source, &view, 8))
        return NULL;
    Py_ssize_t count = PyList_Size(objects);
    if (view.len / 8 < count) {
        PyBuffer_Release(&view);
        PyErr_SetString(PyExc_ValueError, "the output is shorter than the labels");
        return NULL;
    }
    int64_t *codes = view.buf, *seen_codes = malloc(sizeof(int64_t) << SEEN_BITS);
    PyObject **seen = calloc((size_t)1 << SEEN_BITS, sizeof *seen);
    int good = seen && seen_codes;
    if (!good)
        PyErr_NoMemory();
    /* __hash__ and __eq__ of a label may change the list: it is asked for its size each time. */
    for (Py_ssize_t i = 0; good && i < count; i++) {
        PyObject *object = i < PyList_Size(objects) ? PyList_GetItem(objects, i) : NULL;
        if (!object) {
            PyErr_SetString(PyExc_RuntimeError, "the list of labels changed while it was read");
            good = 0;
            break;
        }
        size_t place = (((uintptr_t)object >> 4) * SEED) >> (64 - SEEN_BITS);
        if (seen[place] == object) {
            codes[i] = seen_codes[place];
            continue;
        }
        Py_INCREF(object);
        PyObject *known = PyDict_GetItemWithError(book, object);
        int64_t code = -1;
        if (known) {
            code = PyLong_AsLongLong(known);
        } else if (!PyErr_Occurred()) {
            code = PyDict_Size(book);
            PyObject *number = PyLong_FromLongLong(code);
            if (!number || PyDict_SetItem(book, object, number) < 0)
                code = -1;
            Py_XDECREF(number);
        }
        good = code >= 0;
        codes[i] = seen_codes[place] = code;
        /* Held by the list; a list that changes lets go of it, so it is held here, too. */
        Py_XDECREF(seen[place]);
        seen[place] = object;
    }
    for (size_t place = 0; seen && place < (size_t)1 << SEEN_BITS; place++)
        Py_XDECREF(seen[place]);
    free(seen);
    free(seen_codes);
    PyBuffer_Release(&view);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

/* types_of(objects: list) -> set

   Return the types of the objects of a list. */
PyObject *types_of(PyObject *module, PyObject *objects)
{
    (void)module;
    if (!PyList_Check(objects)) {
        PyErr_SetString(PyExc_TypeError, "a list is needed");
        return NULL;
    }
    PyObject *types = PySet_New(NULL);
    PyTypeObject *last = NULL;
    for (Py_ssize_t i = 0; types && i < PyList_Size(objects); i++) {
        PyTypeObject *type = Py_TYPE(PyList_GetItem(objects, i));
        if (type != last && PySet_Add(types, (PyObject *)type) < 0)
            Py_CLEAR(types);
        last = type;
    }
    return types;
}
