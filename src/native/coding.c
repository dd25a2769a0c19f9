/* Labels that are not integers, given codes 0, 1, … in the order in which they first occur. */

#include "coding.h"

static uint64_t hash_item(const Item *item, uint64_t seed)
{
    uint64_t hash = seed ^ item->length * GOLDEN;
    hash = mix(mix(hash, item->words[0], seed), item->words[1], seed);
    for (size_t i = 8; i + 8 < item->length && item->length > 16; i += 8)
        hash = mix(hash, load(item->bytes + i), seed);
    return hash * GOLDEN;
}

static int is_same(const Item *a, const Item *b)
{
    if (a->length != b->length || a->words[0] != b->words[0] || a->words[1] != b->words[1])
        return 0;
    for (size_t i = 8; i + 8 < a->length && a->length > 16; i += 8) {
        if (load(a->bytes + i) != load(b->bytes + i))
            return 0;
    }
    return 1;
}

static size_t place_of(uint64_t hash, int bits)
{
    return (size_t)(hash >> (64 - bits));
}

/* Make room for four times as many codes, which have 32 bits; 0 without memory. */
static int grow(Codes *table)
{
    int bits = table->bits + 2;
    size_t mask = ((size_t)1 << bits) - 1, room = (mask + 1) / 2;
    if (bits > 32)
        return 0;
    Known *known = realloc(table->known, room * sizeof *known);
    if (known)
        table->known = known;
    Slot *slots = known ? calloc(mask + 1, sizeof *slots) : NULL;
    if (!slots)
        return 0;
    for (size_t code = 0; code < table->found; code++) {
        size_t place = place_of(known[code].hash, bits);
        while (slots[place].code)
            place = (place + 1) & mask;
        slots[place] = (Slot){(uint32_t)known[code].hash, (uint32_t)code + 1};
    }
    free(table->slots);
    table->slots = slots;
    table->bits = bits;
    table->room = room;
    return 1;
}

/* Returns the code of an item, a new one where it is not known; -1 without memory. */
static int64_t find_code(Codes *table, const Item *item, uint64_t hash)
{
    size_t mask = ((size_t)1 << table->bits) - 1, place = place_of(hash, table->bits);
    for (;; place = (place + 1) & mask) {
        Slot slot = table->slots[place];
        if (!slot.code)
            break;
        if (slot.tag == (uint32_t)hash && is_same(&table->known[slot.code - 1].item, item))
            return (int64_t)slot.code - 1;
    }
    if (table->found == table->room) {
        if (!grow(table))
            return -1;
        return find_code(table, item, hash);
    }
    table->known[table->found++] = (Known){*item, hash};
    table->slots[place] = (Slot){(uint32_t)hash, (uint32_t)table->found};
    return (int64_t)table->found - 1;
}

/* Write the codes of a piece of the items, -1 for missing ones; 0 without memory. */
static int code_piece(Codes *table, const Source *source, Py_ssize_t begin, Py_ssize_t end,
                      int64_t *codes)
{
    Item items[GROUP];
    uint64_t hashes[GROUP];
    for (; begin < end; begin += GROUP) {
        Py_ssize_t count = end - begin < GROUP ? end - begin : GROUP;
        source->get(source, begin, count, items);
        for (Py_ssize_t i = 0; i < count; i++) {
            hashes[i] = items[i].bytes ? hash_item(&items[i], table->seed) : 0;
            PREFETCH(&table->slots[place_of(hashes[i], table->bits)]);
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            codes[begin + i] = -1;
            if (items[i].bytes && (codes[begin + i] = find_code(table, &items[i], hashes[i])) < 0)
                return 0;
        }
    }
    return 1;
}

int take_seed(uint64_t *seed)
{
    PyObject *text = PyUnicode_FromString("clusterbits");
    if (!text)
        return 0;
    *seed = (uint64_t)PyObject_Hash(text) * GOLDEN;
    Py_DECREF(text);
    return 1;
}

int make_codes(Codes *table)
{
    *table = (Codes){.bits = 8};
    if (!take_seed(&table->seed))
        return 0;
    if (grow(table))
        return 1;
    PyErr_NoMemory();
    return 0;
}

int code_all(Codes *table, const Source *source, int64_t *codes)
{
    int good = 1;
    for (Py_ssize_t begin = 0; good && begin < source->count; begin += PIECE) {
        Py_ssize_t end = source->count - begin < PIECE ? source->count : begin + PIECE;
        Py_BEGIN_ALLOW_THREADS
        good = code_piece(table, source, begin, end, codes);
        Py_END_ALLOW_THREADS
        if (good && PyErr_CheckSignals() < 0)
            return 0;
    }
    if (!good)
        PyErr_NoMemory();
    return good;
}

void free_codes(Codes *table)
{
    free(table->slots);
    free(table->known);
}

static void get_fixed(const Source *source, Py_ssize_t begin, Py_ssize_t count, Item *items)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        size_t at = (size_t)(begin + i) * source->width;
        items[i] = make_item(source->data + at, source->width, source->size - at);
    }
}

/* code_items(items, width, codes, first) -> int

   Write the code of each item of `width` bytes, and where each code first occurs; returns how
   many codes there are. */
PyObject *code_items(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *items_source, *codes_source, *first_source, *answer = NULL;
    Py_ssize_t width, size, room, places;
    if (!PyArg_ParseTuple(arguments, "OnOO", &items_source, &width, &codes_source, &first_source))
        return NULL;
    Views all = {.taken = 0};
    Codes table = {.slots = NULL};
    const unsigned char *items = take_input(&all, items_source, 1, &size);
    int64_t *codes = items ? take_output(&all, codes_source, 8, &room) : NULL;
    int64_t *first = codes ? take_output(&all, first_source, 8, &places) : NULL;
    if (!first)
        goto done;
    if (width <= 0 || size % width || room < size / width ||
        places < size / width) {
        PyErr_SetString(PyExc_ValueError, "items and outputs do not fit together");
        goto done;
    }
    Source source = {
        .get = get_fixed, .count = size / width, .data = items, .size = (size_t)size,
        .width = (size_t)width};
    if (make_codes(&table) && code_all(&table, &source, codes)) {
        for (size_t code = 0; code < table.found; code++)
            first[code] = (table.known[code].item.bytes - items) / width;
        answer = PyLong_FromSize_t(table.found);
    }
done:
    free_codes(&table);
    release_views(&all);
    return answer;
}
