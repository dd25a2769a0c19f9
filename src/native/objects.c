/* Lists of Python objects: their types, integers, and codes of whatever can be hashed. */

#include "native.h"

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

/* code_objects(objects: list, book: dict, codes) -> None

   Write the code of each object, as the dictionary has it; new objects get the next code. */
PyObject *code_objects(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *objects, *book, *codes_source, *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O!O", &PyList_Type, &objects, &PyDict_Type, &book,
                          &codes_source))
        return NULL;
    Views all = {.taken = 0};
    Seen *seen = NULL;
    Py_ssize_t room, count = PyList_Size(objects), i;
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
    for (i = 0; i < count && i < PyList_Size(objects); i++) {
        PyObject *object = Py_NewRef(PyList_GetItem(objects, i));
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
    return answer;
}

/* Add a type, held meanwhile: its metaclass may have a hash that drops the last of its objects. */
static int add_type(PyObject *types, PyTypeObject *type)
{
    PyObject *held = Py_NewRef((PyObject *)type);
    int outcome = PySet_Add(types, held);
    Py_DECREF(held);
    return outcome;
}

/* read_integers(objects: list, integers) -> bool

   Write a list of Python's own integers as int64; False where one is none or does not fit. */
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
        if (type != last && add_type(types, type) < 0)
            Py_CLEAR(types);
        if (types && check_signals(i) < 0)
            Py_CLEAR(types);
        last = type;
    }
    return types;
}
