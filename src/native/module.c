/* The compiled kernels of clusterbits. Each has a twin in Python that gives the same result. */

#include "native.h"

static PyMethodDef methods[] = {
    {"count_dense", count_dense, METH_VARARGS, NULL},
    {"count_sparse", count_sparse, METH_VARARGS, NULL},
    {"merge_counts", merge_counts, METH_VARARGS, NULL},
    {"code_items", code_items, METH_VARARGS, NULL},
    {"code_objects", code_objects, METH_VARARGS, NULL},
    {"read_integers", read_integers, METH_VARARGS, NULL},
    {"join_pairs", join_pairs, METH_VARARGS, NULL},
    {"number_texts", number_texts, METH_VARARGS, NULL},
    {"draw_balls", draw_balls, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
