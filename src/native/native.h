/* What the kernels share: the stable ABI, integers of any width, and speed where compilers offer it. */

#ifndef CLUSTERBITS_NATIVE_H
#define CLUSTERBITS_NATIVE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A second version of a function for processors with wider registers, chosen when it is loaded. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define PREFETCH(address) ((void)0)
#endif

/* One-dimensional integers, native, of any width, contiguous or strided. */
typedef struct {
    const char *data;
    Py_ssize_t length;
    Py_ssize_t stride;
    int width; /* bytes */
    int is_signed;
} Integers;

/* Take the buffer of a one-dimensional array of integers; 0 and an exception where it is none. */
int take_integers(PyObject *source, Py_buffer *view, Integers *out);

/* Take a writable, contiguous buffer with items of this many bytes. */
int take_output(PyObject *source, Py_buffer *view, Py_ssize_t width);

/* Write integers begin … begin + count - 1, less `low`, modulo 2^64.

   Returns whether all are below `limit`; narrow ones take a limit of at most 2^32. */
int load_narrow(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                uint64_t limit, uint32_t *out);
int load_wide(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
              uint64_t limit, uint64_t *out);

/* A rectangle of labels: `height` classes from `low_c`, `width` clusters from `low_k`. */
typedef struct {
    uint64_t low_c, low_k, height, width;
} Box;

/* Two label sequences, a box and two outputs, as the counting functions take them. */
typedef struct {
    Py_buffer c_view, k_view, first, second;
    Integers c, k;
    Box box;
    int taken;
} Pairs;

/* Take (c, k, low_c, low_k, height, width, first[, second]); 0 and an exception if they do not fit. */
int take_pairs(PyObject *arguments, int outputs, Pairs *pairs);
void release_pairs(Pairs *pairs);

PyObject *count_dense(PyObject *module, PyObject *arguments);
PyObject *count_sparse(PyObject *module, PyObject *arguments);
PyObject *code_items(PyObject *module, PyObject *arguments);
PyObject *code_objects(PyObject *module, PyObject *arguments);
PyObject *types_of(PyObject *module, PyObject *objects);
PyObject *number_labels(PyObject *module, PyObject *arguments);
PyObject *find_cells(PyObject *module, PyObject *arguments);
PyObject *rans_push_cells(PyObject *module, PyObject *arguments);
PyObject *rans_pull_cells(PyObject *module, PyObject *arguments);
PyObject *rans_pull_uniform(PyObject *module, PyObject *arguments);
PyObject *rans_push_slots(PyObject *module, PyObject *arguments);
PyObject *arrange_slots(PyObject *module, PyObject *arguments);
PyObject *arrange_pull(PyObject *module, PyObject *arguments);

#endif
