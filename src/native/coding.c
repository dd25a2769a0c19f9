/* Labels that are not integers, given codes 0, 1, … in the order in which they first occur. */

#include "native.h"

#define SEED 0x9E3779B97F4A7C15ull

/* Items looked up at a time: their hashes are computed, and their slots asked for, beforehand. */
#define GROUP 64
/* Items looked up before a Ctrl-C is heeded. */
#define PIECE ((Py_ssize_t)1 << 20)

/* A string of bytes. Up to 16 of them are the two words, followed by zeros; of more, those are the
   first and the last eight. The bytes are NULL where an item is missing. */
typedef struct {
    const unsigned char *bytes;
    size_t length;
    uint64_t words[2];
} Item;

static uint64_t load(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Make an item; `after` bytes can be read from its first on, at least its length. Nothing here
   depends on how long a short one is: labels of 7 and 8 bytes in turn are no surprise. */
static Item make_item(const unsigned char *bytes, size_t length, size_t after)
{
    static const unsigned char masks[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                            255, 255, 255, 255, 255, 255, 255, 255};
    unsigned char copy[16] = {0};
    if (length > 16)
        return (Item){bytes, length, {load(bytes), load(bytes + length - 8)}};
    const unsigned char *from = bytes, *mask = masks + 16 - length;
    if (after < 16) {
        memcpy(copy, bytes, length);
        from = copy;
    }
    return (Item){bytes, length, {load(from) & load(mask), load(from + 8) & load(mask + 8)}};
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * SEED;
    return hash ^ hash >> 29;
}

static uint64_t hash_item(const Item *item, uint64_t seed)
{
    uint64_t hash = mix(mix(seed ^ item->length * SEED, item->words[0]), item->words[1]);
    for (size_t i = 8; i + 8 < item->length && item->length > 16; i += 8)
        hash = mix(hash, load(item->bytes + i));
    return hash * SEED;
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

/* An open table of codes, by hash: a slot holds a code plus one, or 0, and part of its hash. */
typedef struct {
    uint32_t tag;
    uint32_t code;
} Slot;

/* What is known of a code. */
typedef struct {
    Item item;
    uint64_t hash;
} Known;

typedef struct {
    Slot *slots;
    Known *known;
    int bits;
    size_t room, found;
    uint64_t seed;
} Codes;

static size_t place_of(uint64_t hash, int bits)
{
    return (size_t)(hash >> (64 - bits));
}

/* Make room for four times as many codes. */
static int grow(Codes *table)
{
    int bits = table->bits + 2;
    size_t mask = ((size_t)1 << bits) - 1, room = (mask + 1) / 2;
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

/* Where items come from: `get` writes up to GROUP of them from `begin` on. */
typedef struct Source {
    void (*get)(const struct Source *source, Py_ssize_t begin, Py_ssize_t count, Item *items);
    Py_ssize_t count;
    const unsigned char *data; /* of fixed-width items, or of strings by offsets */
    size_t size;               /* of the data, where it matters */
    size_t width;              /* of items, or of offsets */
    const void *offsets, *const *buffers;
    const uint8_t *valid; /* a bit for each item, or NULL */
    Py_ssize_t skipped;   /* items before the first */
} Source;

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

/* Make an empty table; 0 and an exception where that fails. Its seed is another in each process,
   as that of Python's own hashes: nobody can make up labels that share a slot. */
static int make_codes(Codes *table)
{
    PyObject *text = PyUnicode_FromString("clusterbits");
    *table = (Codes){.bits = 8};
    if (!text)
        return 0;
    table->seed = (uint64_t)PyObject_Hash(text) * SEED;
    Py_DECREF(text);
    if (grow(table))
        return 1;
    PyErr_NoMemory();
    return 0;
}

/* Write the codes of all items; 0 and an exception where that fails. */
static int code_all(Codes *table, const Source *source, int64_t *codes)
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

static void free_codes(Codes *table)
{
    free(table->slots);
    free(table->known);
}

/* --- items of one width ------------------------------------------------------------------------ */

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
    if (width <= 0 || size % width || size / width >= INT32_MAX || room < size / width ||
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

/* --- strings of Arrow -------------------------------------------------------------------------- */

/* The C data interface, as https://arrow.apache.org/docs/format/CDataInterface.html has it. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

static int is_absent(const Source *source, Py_ssize_t place)
{
    return source->valid && !(source->valid[place >> 3] >> (place & 7) & 1);
}

static int64_t get_offset(const Source *source, Py_ssize_t place)
{
    return source->width == 4 ? ((const int32_t *)source->offsets)[place]
                              : ((const int64_t *)source->offsets)[place];
}

static void get_by_offsets(const Source *source, Py_ssize_t begin, Py_ssize_t count, Item *items)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t place = source->skipped + begin + i;
        size_t at = (size_t)get_offset(source, place);
        size_t length = (size_t)get_offset(source, place + 1) - at;
        items[i] = make_item(source->data + at, length, source->size - at);
        if (is_absent(source, place))
            items[i].bytes = NULL;
    }
}

/* A string of up to 12 bytes lies in its view, a longer one where its view says. */
static void get_views(const Source *source, Py_ssize_t begin, Py_ssize_t count, Item *items)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t place = source->skipped + begin + i;
        const unsigned char *view = source->data + 16 * (size_t)place, *bytes = view + 4;
        int32_t words[4];
        memcpy(words, view, 16);
        size_t length = (size_t)words[0], after = 12;
        if (is_absent(source, place)) {
            items[i].bytes = NULL;
            continue;
        }
        if (length > 12) {
            bytes = (const unsigned char *)source->buffers[words[2]] + words[3];
            after = length;
        } else if (i + 1 < count) {
            after = 28; /* another view follows */
        }
        items[i] = make_item(bytes, length, after);
    }
}

/* Where a chunk's strings are, in the format "u", "U" or "vu". Empty data may be NULL. */
static Source source_of(const struct ArrowArray *array, const char *format)
{
    static const unsigned char nothing[1];
    Source source = {.count = (Py_ssize_t)array->length, .skipped = (Py_ssize_t)array->offset};
    source.valid = array->null_count ? array->buffers[0] : NULL;
    if (*format == 'v') {
        source.get = get_views;
        source.data = array->buffers[1];
        source.buffers = array->buffers + 2;
    } else {
        source.get = get_by_offsets;
        source.width = *format == 'u' ? 4 : 8;
        source.offsets = array->buffers[1];
        source.data = array->buffers[2] ? array->buffers[2] : nothing;
        source.size = source.count ? (size_t)get_offset(&source, source.skipped + source.count) : 0;
    }
    return source;
}

/* The chunks of a stream: all are kept until the last string was compared with the first. */
typedef struct {
    struct ArrowArray *arrays;
    size_t count, room;
} Chunks;

/* Read all chunks; 0 and an exception where that fails. */
static int read_chunks(struct ArrowArrayStream *stream, Chunks *chunks)
{
    for (;; chunks->count++) {
        if (chunks->count == chunks->room) {
            size_t room = 2 * chunks->room + 4;
            struct ArrowArray *arrays = realloc(chunks->arrays, room * sizeof *arrays);
            if (!arrays) {
                PyErr_NoMemory();
                return 0;
            }
            chunks->arrays = arrays;
            chunks->room = room;
        }
        struct ArrowArray *next = &chunks->arrays[chunks->count];
        memset(next, 0, sizeof *next);
        if (stream->get_next(stream, next)) {
            const char *why = stream->get_last_error(stream);
            PyErr_SetString(PyExc_ValueError, why ? why : "the column cannot be read");
            return 0;
        }
        if (!next->release)
            return 1;
    }
}

static void free_chunks(Chunks *chunks)
{
    for (size_t i = 0; i < chunks->count; i++)
        chunks->arrays[i].release(&chunks->arrays[i]);
    free(chunks->arrays);
}

/* Code the strings of all chunks; returns the distinct ones, or NULL and an exception. */
static PyObject *code_chunks(const Chunks *chunks, const char *format, int64_t *codes,
                             Py_ssize_t count)
{
    Codes table;
    PyObject *names = NULL;
    int64_t total = 0;
    for (size_t i = 0; i < chunks->count; i++)
        total += chunks->arrays[i].length;
    if (total != count || count >= INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "strings and codes do not fit together");
        return NULL;
    }
    if (!make_codes(&table))
        goto done;
    for (size_t i = 0; i < chunks->count; i++) {
        Source source = source_of(&chunks->arrays[i], format);
        if (!code_all(&table, &source, codes))
            goto done;
        codes += source.count;
    }
    names = PyList_New((Py_ssize_t)table.found);
    for (size_t code = 0; names && code < table.found; code++) {
        Item item = table.known[code].item;
        PyObject *name =
            PyUnicode_DecodeUTF8((const char *)item.bytes, (Py_ssize_t)item.length, NULL);
        if (!name || PyList_SetItem(names, (Py_ssize_t)code, name) < 0)
            Py_CLEAR(names);
    }
done:
    free_codes(&table);
    return names;
}

/* Whether strings are laid out in a way that is read here. */
static int is_readable(const struct ArrowSchema *schema)
{
    const char *format = schema->format;
    return !schema->dictionary &&
           (!strcmp(format, "u") || !strcmp(format, "U") || !strcmp(format, "vu"));
}

/* Code a stream of chunks; as `code_arrow`. */
static PyObject *code_stream(PyObject *capsule, int64_t *codes, Py_ssize_t count)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    struct ArrowSchema schema = {.release = NULL};
    Chunks chunks = {.arrays = NULL};
    PyObject *answer = NULL;
    if (!stream)
        return NULL;
    if (!stream->release || stream->get_schema(stream, &schema)) {
        PyErr_SetString(PyExc_ValueError, "the column cannot be read");
        return NULL;
    }
    if (!is_readable(&schema))
        answer = Py_NewRef(Py_None);
    else if (read_chunks(stream, &chunks))
        answer = code_chunks(&chunks, schema.format, codes, count);
    free_chunks(&chunks);
    schema.release(&schema);
    return answer;
}

/* Code one array, which its capsule keeps; as `code_arrow`. */
static PyObject *code_array(PyObject *pair, int64_t *codes, Py_ssize_t count)
{
    PyObject *of_schema, *of_array;
    if (!PyArg_ParseTuple(pair, "OO", &of_schema, &of_array))
        return NULL;
    struct ArrowSchema *schema = PyCapsule_GetPointer(of_schema, "arrow_schema");
    struct ArrowArray *array = schema ? PyCapsule_GetPointer(of_array, "arrow_array") : NULL;
    if (!array)
        return NULL;
    if (!schema->release || !array->release) {
        PyErr_SetString(PyExc_ValueError, "the column was released");
        return NULL;
    }
    if (!is_readable(schema))
        return Py_NewRef(Py_None);
    Chunks chunks = {.arrays = array, .count = 1};
    return code_chunks(&chunks, schema->format, codes, count);
}

/* code_arrow(capsule, codes) -> list of strings, or None

   Write the code of each string, -1 for missing ones; returns what the codes stand for. Takes what
   `__arrow_c_stream__` or `__arrow_c_array__` returns. None where that does not hold strings. */
PyObject *code_arrow(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *source, *codes_source, *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", &source, &codes_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t count;
    int64_t *codes = take_output(&all, codes_source, 8, &count);
    if (codes)
        answer = (PyTuple_Check(source) ? code_array : code_stream)(source, codes, count);
    release_views(&all);
    return answer;
}
