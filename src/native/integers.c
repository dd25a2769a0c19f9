/* Reading integers of any width without a copy of the whole array. */

#include "native.h"

int take_integers(PyObject *source, Py_buffer *view, Integers *out)
{
    if (PyObject_GetBuffer(source, view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
        return 0;
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=')
        format++;
    int is_signed = strchr("bhilqn", *format) != NULL;
    int is_unsigned = strchr("BHILQN?", *format) != NULL;
    if (view->ndim != 1 || !*format || format[1] || !(is_signed || is_unsigned)) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "one-dimensional native integers are needed");
        return 0;
    }
    out->data = view->buf;
    out->length = view->shape[0];
    out->stride = view->strides[0];
    out->width = (int)view->itemsize;
    out->is_signed = is_signed;
    return 1;
}

int take_output(PyObject *source, Py_buffer *view, Py_ssize_t width)
{
    if (PyObject_GetBuffer(source, view, PyBUF_CONTIG) < 0)
        return 0;
    if (view->itemsize != width) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "the output has items of another size");
        return 0;
    }
    return 1;
}

#define LOADER(name, type, result)                                                                \
    WIDE static int name(const char *data, Py_ssize_t stride, Py_ssize_t count, uint64_t low,     \
                         uint64_t limit, result *out)                                             \
    {                                                                                             \
        uint64_t outside = 0;                                                                     \
        if (stride == sizeof(type)) {                                                             \
            const type *values = (const type *)data;                                              \
            for (Py_ssize_t i = 0; i < count; i++) {                                              \
                uint64_t offset = (uint64_t)values[i] - low;                                      \
                outside |= offset >= limit;                                                       \
                out[i] = (result)offset;                                                          \
            }                                                                                     \
        } else {                                                                                  \
            for (Py_ssize_t i = 0; i < count; i++) {                                              \
                uint64_t offset = (uint64_t) * (const type *)(data + i * stride) - low;           \
                outside |= offset >= limit;                                                       \
                out[i] = (result)offset;                                                          \
            }                                                                                     \
        }                                                                                         \
        return !outside;                                                                          \
    }

#define LOADERS(load, result)                                                                     \
    LOADER(load##_i8, int8_t, result)                                                             \
    LOADER(load##_u8, uint8_t, result)                                                            \
    LOADER(load##_i16, int16_t, result)                                                           \
    LOADER(load##_u16, uint16_t, result)                                                          \
    LOADER(load##_i32, int32_t, result)                                                           \
    LOADER(load##_u32, uint32_t, result)                                                          \
    LOADER(load##_i64, int64_t, result)                                                           \
    LOADER(load##_u64, uint64_t, result)                                                          \
                                                                                                  \
    int load(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,              \
             uint64_t limit, result *out)                                                         \
    {                                                                                             \
        const char *data = from->data + begin * from->stride;                                     \
        Py_ssize_t stride = from->stride;                                                         \
        switch (from->is_signed ? from->width : -from->width) {                                   \
        case 1: return load##_i8(data, stride, count, low, limit, out);                           \
        case 2: return load##_i16(data, stride, count, low, limit, out);                          \
        case 4: return load##_i32(data, stride, count, low, limit, out);                          \
        case 8: return load##_i64(data, stride, count, low, limit, out);                          \
        case -1: return load##_u8(data, stride, count, low, limit, out);                          \
        case -2: return load##_u16(data, stride, count, low, limit, out);                         \
        case -4: return load##_u32(data, stride, count, low, limit, out);                         \
        default: return load##_u64(data, stride, count, low, limit, out);                         \
        }                                                                                         \
    }

LOADERS(load_narrow, uint32_t)
LOADERS(load_wide, uint64_t)

int take_pairs(PyObject *arguments, int outputs, Pairs *pairs)
{
    PyObject *c, *k, *first, *second = NULL;
    unsigned long long low_c, low_k, height, width;
    pairs->taken = 0;
    if (!PyArg_ParseTuple(arguments, outputs == 2 ? "OOKKKKOO" : "OOKKKKO", &c, &k, &low_c,
                          &low_k, &height, &width, &first, &second))
        return 0;
    pairs->box = (Box){low_c, low_k, height, width};
    /* Released in this order, as many as were taken. */
    if (take_integers(c, &pairs->c_view, &pairs->c) && ++pairs->taken &&
        take_integers(k, &pairs->k_view, &pairs->k) && ++pairs->taken &&
        take_output(first, &pairs->first, 8) && ++pairs->taken &&
        (outputs == 1 || (take_output(second, &pairs->second, 8) && ++pairs->taken))) {
        if (pairs->c.length == pairs->k.length)
            return 1;
        PyErr_SetString(PyExc_ValueError, "the two label sequences differ in length");
    }
    release_pairs(pairs);
    return 0;
}

void release_pairs(Pairs *pairs)
{
    Py_buffer *views[] = {&pairs->c_view, &pairs->k_view, &pairs->first, &pairs->second};
    for (int i = 0; i < pairs->taken; i++)
        PyBuffer_Release(views[i]);
}
