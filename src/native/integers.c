/* Reading integers of any width without a copy of the whole array. */

#include "native.h"

/* Returns -1 for signed integers in the machine's byte order, 1 for unsigned ones and booleans, and
   0 for anything else: objects among it, which must not be written over. */
static int integer_kind(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    /* "<" or ">" where a file or zarr spelt out the order that the machine has anyway. */
    if (*format == '@' || *format == '=' || *format == (PY_BIG_ENDIAN ? '>' : '<'))
        format++;
    if (!*format || format[1])
        return 0;
    return strchr("bhilqn", *format) ? -1 : strchr("BHILQN?", *format) ? 1 : 0;
}

/* Take the next buffer; NULL and an exception where that fails. */
static Py_buffer *take_view(Views *all, PyObject *source, int flags)
{
    if (all->taken == sizeof all->views / sizeof *all->views) {
        PyErr_SetString(PyExc_SystemError, "more buffers than a call has room for");
        return NULL;
    }
    Py_buffer *view = &all->views[all->taken];
    if (PyObject_GetBuffer(source, view, flags | PyBUF_FORMAT) < 0)
        return NULL;
    all->taken++;
    return view;
}

int take_integers(Views *all, PyObject *source, Integers *out)
{
    Py_buffer *view = take_view(all, source, PyBUF_STRIDES);
    if (!view)
        return 0;
    int kind = integer_kind(view);
    Py_ssize_t width = view->itemsize;
    if (view->ndim != 1 || !kind || (width != 1 && width != 2 && width != 4 && width != 8)) {
        PyErr_SetString(PyExc_TypeError, "one-dimensional native integers are needed");
        return 0;
    }
    out->data = view->buf;
    out->length = view->shape[0];
    out->stride = view->strides[0];
    out->width = (int)width;
    out->is_signed = kind < 0;
    return 1;
}

static void *take(Views *all, PyObject *source, Py_ssize_t width, int flags, Py_ssize_t *count)
{
    Py_buffer *view = take_view(all, source, flags);
    if (!view)
        return NULL;
    void *data = view->len ? view->buf : (void *)view; /* an empty one may be anywhere */
    if (view->itemsize != width || !integer_kind(view) || (uintptr_t)data % (size_t)width) {
        PyErr_SetString(PyExc_TypeError, "integers of another size, or aligned ones, are needed");
        return NULL;
    }
    *count = view->len / width;
    return data;
}

const void *take_input(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count)
{
    return take(all, source, width, PyBUF_CONTIG_RO, count);
}

void *take_output(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count)
{
    return take(all, source, width, PyBUF_CONTIG, count);
}

void release_views(Views *all)
{
    while (all->taken)
        PyBuffer_Release(&all->views[--all->taken]);
}

/* Integers as an array of their type: where they lie, or copied if strided or unaligned. */
#define IN_PLACE(type)                                                                            \
    type copy[BLOCK];                                                                             \
    const type *values = (const type *)data;                                                      \
    if (stride != sizeof(type) || (uintptr_t)data % sizeof(type)) {                               \
        for (Py_ssize_t i = 0; i < count; i++)                                                    \
            memcpy(&copy[i], data + i * stride, sizeof(type));                                    \
        values = copy;                                                                            \
    }

/* Short integers are compared as they are: nothing wraps, and more of them fit a register. */
#define SHORT_LOADER(name, type)                                                                  \
    WIDE static int narrow_##name(const char *data, Py_ssize_t stride, Py_ssize_t count,          \
                                  uint64_t low, uint64_t limit, uint32_t *out)                    \
    {                                                                                             \
        IN_PLACE(type)                                                                            \
        type least, most;                                                                         \
        memcpy(&least, data, sizeof least);                                                       \
        most = least;                                                                             \
        uint32_t shift = (uint32_t)low;                                                           \
        for (Py_ssize_t i = 0; i < count; i++) {                                                  \
            type value = values[i];                                                               \
            least = value < least ? value : least;                                                \
            most = value > most ? value : most;                                                   \
            out[i] = (uint32_t)value - shift;                                                     \
        }                                                                                         \
        return (uint64_t)least - low < limit && (uint64_t)most - low < limit;                     \
    }

#define LONG_LOADER(name, type)                                                                   \
    WIDE static int narrow_##name(const char *data, Py_ssize_t stride, Py_ssize_t count,          \
                                  uint64_t low, uint64_t limit, uint32_t *out)                    \
    {                                                                                             \
        IN_PLACE(type)                                                                            \
        uint64_t bits = 0;                                                                        \
        uint32_t most = 0;                                                                        \
        for (Py_ssize_t i = 0; i < count; i++) {                                                  \
            uint64_t offset = (uint64_t)values[i] - low;                                          \
            uint32_t own = (uint32_t)offset;                                                      \
            bits |= offset;                                                                       \
            most = own > most ? own : most;                                                       \
            out[i] = own;                                                                         \
        }                                                                                         \
        return !(bits >> 32) && most < limit;                                                     \
    }

#define WIDE_LOADER(name, type)                                                                   \
    WIDE static uint64_t wide_##name(const char *data, Py_ssize_t stride, Py_ssize_t count,       \
                                     uint64_t low, uint64_t *out)                                 \
    {                                                                                             \
        IN_PLACE(type)                                                                            \
        uint64_t bits = 0;                                                                        \
        for (Py_ssize_t i = 0; i < count; i++) {                                                  \
            out[i] = (uint64_t)values[i] - low;                                                   \
            bits |= out[i];                                                                       \
        }                                                                                         \
        return bits;                                                                              \
    }

#define FOR_ALL_TYPES(SHORT, LONG)                                                                \
    SHORT(i8, int8_t)                                                                             \
    SHORT(u8, uint8_t)                                                                            \
    SHORT(i16, int16_t)                                                                           \
    SHORT(u16, uint16_t)                                                                          \
    SHORT(i32, int32_t)                                                                           \
    SHORT(u32, uint32_t)                                                                          \
    LONG(i64, int64_t)                                                                            \
    LONG(u64, uint64_t)

FOR_ALL_TYPES(SHORT_LOADER, LONG_LOADER)
FOR_ALL_TYPES(WIDE_LOADER, WIDE_LOADER)

/* Call the function of this kind for the integers' type. */
#define DISPATCH(from, kind, arguments)                                                           \
    switch ((from)->is_signed ? (from)->width : -(from)->width) {                                 \
    case 1: return kind##_i8 arguments;                                                           \
    case 2: return kind##_i16 arguments;                                                          \
    case 4: return kind##_i32 arguments;                                                          \
    case 8: return kind##_i64 arguments;                                                          \
    case -1: return kind##_u8 arguments;                                                          \
    case -2: return kind##_u16 arguments;                                                         \
    case -4: return kind##_u32 arguments;                                                         \
    default: return kind##_u64 arguments;                                                         \
    }

int load_narrow(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                uint64_t limit, uint32_t *out)
{
    if (!count)
        return 1;
    const char *data = from->data + begin * from->stride;
    DISPATCH(from, narrow, (data, from->stride, count, low, limit, out))
}

uint64_t load_wide(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                   uint64_t *out)
{
    const char *data = from->data + begin * from->stride;
    DISPATCH(from, wide, (data, from->stride, count, low, out))
}
