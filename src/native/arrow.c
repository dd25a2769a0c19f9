/* Columns of strings in Arrow's memory, given codes without a Python object for each. */

#include "coding.h"

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
    /* Whoever made them need not have aligned them. */
    const char *at = (const char *)source->offsets + (size_t)place * source->width;
    int32_t narrow;
    int64_t wide;
    if (source->width == 4) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
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
    if (total != count) {
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
