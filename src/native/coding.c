/* Items of one width, strings or integers, given codes 0, 1, … as they first occur. */

#include "native.h"

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#include <intrin.h>
#endif

/* What is known of a code: where it first occurs, and its hash. */
typedef struct {
    const unsigned char *item;
    uint64_t hash;
} Known;

/* An open table of codes, by hash: a slot holds a code plus one, or 0, and part of its hash. */
typedef struct {
    uint32_t tag, code;
} Slot;

typedef struct {
    Slot *slots;
    Known *known;
    int bits;
    size_t room, found; /* for codes; codes */
    uint64_t seed;
} Codes;

static inline uint64_t high_product(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    return (uint64_t)((unsigned __int128)a * b >> 64);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    return __umulh(a, b);
#else
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), cross = (a >> 32) * (b & UINT32_MAX);
    uint64_t middle = (a & UINT32_MAX) * (b >> 32) + (low >> 32) + (cross & UINT32_MAX);
    return (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32);
#endif
}

/* Mix a word into a hash: multiply by the secret seed, and fold both halves of the product. If the
   factor were known, changes of two words could be chosen that cancel for every seed. */
static inline uint64_t mix(uint64_t hash, uint64_t word, uint64_t seed)
{
    uint64_t mixed = hash ^ word, factor = seed | 1;
    return mixed * factor ^ high_product(mixed, factor);
}

static inline uint64_t load(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    memcpy(&word, bytes, count);
    return word;
}

static inline uint64_t hash_item(const unsigned char *item, size_t width, uint64_t seed)
{
    uint64_t last = width < 8 ? load(item, width) : load(item + width - 8, 8);
    uint64_t hash = mix(seed, last, seed);
    for (size_t i = 0; i + 8 < width; i += 8)
        hash = mix(hash, load(item + i, 8), seed);
    return hash * GOLDEN;
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
static inline int64_t find_code(Codes *table, const unsigned char *item, size_t width,
                                uint64_t hash)
{
    if (table->found == table->room && !grow(table))
        return -1;
    size_t mask = ((size_t)1 << table->bits) - 1, place = place_of(hash, table->bits);
    for (;; place = (place + 1) & mask) {
        Slot slot = table->slots[place];
        if (!slot.code)
            break;
        if (slot.tag == (uint32_t)hash &&
            !memcmp(table->known[slot.code - 1].item, item, width))
            return (int64_t)slot.code - 1;
    }
    table->known[table->found++] = (Known){item, hash};
    table->slots[place] = (Slot){(uint32_t)hash, (uint32_t)table->found};
    return (int64_t)table->found - 1;
}

/* Write the codes of a piece of the items; 0 without memory. */
static inline int code_piece(Codes *table, const unsigned char *items, size_t width,
                             Py_ssize_t count, int64_t *codes)
{
    uint64_t hashes[GROUP];
    for (Py_ssize_t begin = 0; begin < count; begin += GROUP) {
        Py_ssize_t some = count - begin < GROUP ? count - begin : GROUP;
        const unsigned char *first = items + (size_t)begin * width;
        for (Py_ssize_t i = 0; i < some; i++) {
            hashes[i] = hash_item(first + (size_t)i * width, width, table->seed);
            PREFETCH(&table->slots[place_of(hashes[i], table->bits)]);
        }
        for (Py_ssize_t i = 0; i < some; i++) {
            codes[begin + i] = find_code(table, first + (size_t)i * width, width, hashes[i]);
            if (codes[begin + i] < 0)
                return 0;
        }
    }
    return 1;
}

/* Take a number that differs from process to process, as Python's hashes of strings do, so that no
   labels can be made up in advance that collide; 0 and an exception on errors. */
static int take_seed(uint64_t *seed)
{
    PyObject *text = PyUnicode_FromString("clusterbits");
    if (!text)
        return 0;
    *seed = (uint64_t)PyObject_Hash(text) * GOLDEN;
    Py_DECREF(text);
    return 1;
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
    Codes table = {.bits = 8};
    const unsigned char *items = take_input(&all, items_source, 1, &size);
    int64_t *codes = items ? take_output(&all, codes_source, 8, &room) : NULL;
    int64_t *first = codes ? take_output(&all, first_source, 8, &places) : NULL;
    if (!first || !take_seed(&table.seed))
        goto done;
    if (width <= 0 || size % width || room < size / width || places < size / width) {
        PyErr_SetString(PyExc_ValueError, "items and outputs do not fit together");
        goto done;
    }
    int good = grow(&table), stopped = 0;
    for (Py_ssize_t begin = 0; good && !stopped && begin < size / width; begin += PIECE) {
        Py_ssize_t rest = size / width - begin, count = rest < PIECE ? rest : PIECE;
        Py_BEGIN_ALLOW_THREADS
        if (width == 8) /* integers: the compiler knows how to compare these */
            good = code_piece(&table, items + begin * width, 8, count, codes + begin);
        else
            good = code_piece(&table, items + begin * width, (size_t)width, count, codes + begin);
        Py_END_ALLOW_THREADS
        stopped = PyErr_CheckSignals() < 0;
    }
    if (!good)
        PyErr_NoMemory();
    if (!good || stopped)
        goto done;
    for (size_t code = 0; code < table.found; code++)
        first[code] = (table.known[code].item - items) / width;
    answer = PyLong_FromSize_t(table.found);
done:
    free(table.slots);
    free(table.known);
    release_views(&all);
    return answer;
}
