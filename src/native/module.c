/* The compiled kernels of clusterbits. Each has a twin in Python that gives the same result. */

#include "native.h"

static PyMethodDef methods[] = {
    {"count_dense", count_dense, METH_VARARGS, NULL},
    {"count_sparse", count_sparse, METH_VARARGS, NULL},
    {"code_items", code_items, METH_VARARGS, NULL},
    {"code_objects", code_objects, METH_VARARGS, NULL},
    {"types_of", types_of, METH_O, NULL},
    {"number_labels", number_labels, METH_VARARGS, NULL},
    {"find_cells", find_cells, METH_VARARGS, NULL},
    {"rans_push_cells", rans_push_cells, METH_VARARGS, NULL},
    {"rans_pull_cells", rans_pull_cells, METH_VARARGS, NULL},
    {"rans_pull_uniform", rans_pull_uniform, METH_VARARGS, NULL},
    {"rans_push_slots", rans_push_slots, METH_VARARGS, NULL},
    {"arrange_slots", arrange_slots, METH_VARARGS, NULL},
    {"arrange_pull", arrange_pull, METH_VARARGS, NULL},
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
