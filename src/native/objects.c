/* Lists and arrays of Python objects: integers, and codes of whatever can be hashed. */

#include "native.h"

/* The objects of a list, or of a one-dimensional numpy array, where they lie. */
typedef struct {
    PyObject *list; /* NULL where it is an array */
    Py_buffer view;
} Objects;

/* Take the objects of a list or an array; 0 and an exception where it is neither. */
static int take_objects(PyObject *source, Objects *all)
{
    all->list = PyList_Check(source) ? source : NULL;
    if (all->list)
        return 1;
    if (PyObject_GetBuffer(source, &all->view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
        return 0;
    const char *format = all->view.format ? all->view.format : "B";
    if (all->view.ndim == 1 && all->view.itemsize == sizeof(PyObject *) && !strcmp(format, "O"))
        return 1;
    PyBuffer_Release(&all->view);
    PyErr_SetString(PyExc_TypeError, "a list or a one-dimensional array of objects is needed");
    return 0;
}

static void release_objects(Objects *all)
{
    if (!all->list)
        PyBuffer_Release(&all->view);
}

static Py_ssize_t count_objects(const Objects *all)
{
    return all->list ? PyList_Size(all->list) : all->view.shape[0];
}

/* Returns an object, which the list or array may let go of as soon as Python code runs. */
static PyObject *object_at(const Objects *all, Py_ssize_t i)
{
    if (all->list)
        return PyList_GetItem(all->list, i);
    PyObject *object; /* it may lie askew, in an array of structures */
    memcpy(&object, (const char *)all->view.buf + i * all->view.strides[0], sizeof object);
    return object ? object : Py_None; /* as numpy reads what was never set */
}

/* Objects seen lately: labels are often the same few again and again. */
#define SEEN_BITS 10

typedef struct {
    PyObject *object;
    Py_hash_t hash;
    int64_t code;
} Seen;

/* Whether an object is of a type whose hash and equality are Python's own, and never change. */
static int is_plain(PyObject *object)
{
    return PyUnicode_CheckExact(object) || PyLong_CheckExact(object) || object == Py_None ||
           PyBytes_CheckExact(object) || PyFloat_CheckExact(object);
}

/* Returns the code of an object, as the dictionary has it, or a new one; -1 and an exception. */
static int64_t look_up(PyObject *book, PyObject *object)
{
    PyObject *known = PyDict_GetItemWithError(book, object);
    if (known)
        return PyLong_AsLongLong(known);
    if (PyErr_Occurred())
        return -1;
    int64_t code = PyDict_Size(book);
    PyObject *number = PyLong_FromLongLong(code);
    if (!number || PyDict_SetItem(book, object, number) < 0)
        code = -1;
    Py_XDECREF(number);
    return code;
}

/* Returns the code of a plain object, from those seen lately where it is one of them. */
static int64_t recall(PyObject *book, PyObject *object, Seen *seen)
{
    Py_hash_t hash = PyObject_Hash(object);
    uint64_t mixed = (uint64_t)hash * GOLDEN;
    Seen *place = &seen[mixed >> (64 - SEEN_BITS)];
    if (place->object == object ||
        (place->object && place->hash == hash && PyUnicode_CheckExact(object) &&
         PyUnicode_CheckExact(place->object) && PyUnicode_Compare(object, place->object) == 0))
        return place->code;
    int64_t code = look_up(book, object);
    if (code >= 0) {
        /* A list that changes lets go of its objects: they are held here, too. */
        Py_XDECREF(place->object);
        *place = (Seen){Py_NewRef(object), hash, code};
    }
    return code;
}

/* code_objects(objects: list or array, book: dict, codes) -> None

   Write the code of each object, as the dictionary has it; new objects get the next code. */
PyObject *code_objects(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *source, *book, *codes_source, *answer = NULL;
    Objects objects;
    if (!PyArg_ParseTuple(arguments, "OO!O", &source, &PyDict_Type, &book, &codes_source) ||
        !take_objects(source, &objects))
        return NULL;
    Views all = {.taken = 0};
    Seen *seen = NULL;
    Py_ssize_t room, count = count_objects(&objects), i;
    int64_t *codes = take_output(&all, codes_source, 8, &room);
    if (!codes)
        goto done;
    if (room < count) {
        PyErr_SetString(PyExc_ValueError, "the output is shorter than the labels");
        goto done;
    }
    seen = calloc((size_t)1 << SEEN_BITS, sizeof *seen);
    if (!seen) {
        PyErr_NoMemory();
        goto done;
    }
    /* __hash__ and __eq__ of a label may change the list: it is asked for its size each time. */
    for (i = 0; i < count && i < count_objects(&objects); i++) {
        PyObject *object = Py_NewRef(object_at(&objects, i));
        codes[i] = is_plain(object) ? recall(book, object, seen) : look_up(book, object);
        Py_DECREF(object);
        if (codes[i] < 0 || check_signals(i) < 0)
            break;
    }
    if (i == count)
        answer = Py_NewRef(Py_None);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the list of labels changed while it was read");
    for (size_t place = 0; place < (size_t)1 << SEEN_BITS; place++)
        Py_XDECREF(seen[place].object);
done:
    free(seen);
    release_views(&all);
    release_objects(&objects);
    return answer;
}

/* read_integers(objects: list, integers) -> bool

   Write a list of Python's own integers as int64; False where one is not, or does not fit. */
PyObject *read_integers(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *objects, *integers_source;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyList_Type, &objects, &integers_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t room, count = PyList_Size(objects), i;
    int64_t *integers = take_output(&all, integers_source, 8, &room);
    PyObject *answer = NULL;
    if (!integers)
        goto done;
    if (room < count) {
        PyErr_SetString(PyExc_ValueError, "the output is shorter than the labels");
        goto done;
    }
    /* What runs on a signal may change the list. */
    for (i = 0; i < count && i < PyList_Size(objects); i++) {
        PyObject *object = PyList_GetItem(objects, i);
        int overflow = 1;
        if (PyLong_CheckExact(object))
            integers[i] = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (overflow)
            break;
        if (check_signals(i) < 0)
            goto done;
    }
    answer = PyBool_FromLong(i == count);
done:
    release_views(&all);
    return answer;
}
