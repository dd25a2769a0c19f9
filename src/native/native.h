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

/* A second version of a function for processors with wider registers, chosen when it is loaded:
   by glibc, as other C libraries cannot. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define PREFETCH(address) ((void)0)
#endif

/* Labels that are read before they are counted: few, so that reading on overlaps with counting. */
#define BLOCK 256

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

/* Write up to BLOCK integers from `begin` on, less `low`; 0 where one lies outside low … low +
   limit - 1. The limit is at most 2^32. */
int load_narrow(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                uint64_t limit, uint32_t *out);

/* Write up to BLOCK integers from `begin` on, less `low`, modulo 2^64; returns the bits that occur
   in any of them. */
uint64_t load_wide(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                   uint64_t *out);

/* The buffers of one call, released together. */
typedef struct {
    Py_buffer views[9];
    int taken;
} Views;

/* Take a contiguous buffer of integers of this many bytes; NULL and an exception where it is none.
   `count` becomes the number of items. */
const void *take_input(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count);
void *take_output(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count);
void release_views(Views *all);

/* Two label sequences, the lowest label of each, and how many there are from there on; or how
   many bits those have. */
typedef struct {
    Py_buffer c_view, k_view;
    Integers c, k;
    uint64_t low_c, low_k, size_c, size_k;
} Pairs;

/* Take two label sequences of one length; 0 and an exception where they are none. */
int take_pairs(PyObject *c, PyObject *k, Pairs *pairs);
void release_pairs(Pairs *pairs);

/* Cells in the order of their rows, then columns. */
typedef struct {
    int64_t *rows, *columns, *counts;
    Py_ssize_t room;
} CellArrays;

/* Take three buffers of int64, of one length; 0 and an exception where that is below `needed`. */
int take_cells(Views *all, PyObject *const *sources, Py_ssize_t needed, int writable,
               CellArrays *cells);

/* Take a number that differs from process to process, as Python's hashes of strings do, so that no
   labels can be made up in advance that collide; 0 and an exception on errors. */
int take_seed(uint64_t *seed);

PyObject *find_range(PyObject *module, PyObject *source);
PyObject *mark_present(PyObject *module, PyObject *arguments);
PyObject *count_dense(PyObject *module, PyObject *arguments);
PyObject *count_sparse(PyObject *module, PyObject *arguments);
PyObject *find_cells(PyObject *module, PyObject *arguments);
PyObject *merge_cells(PyObject *module, PyObject *arguments);
PyObject *code_items(PyObject *module, PyObject *arguments);
PyObject *code_arrow(PyObject *module, PyObject *arguments);
PyObject *code_objects(PyObject *module, PyObject *arguments);
PyObject *read_integers(PyObject *module, PyObject *arguments);
PyObject *types_of(PyObject *module, PyObject *objects);
PyObject *overlap_columns(PyObject *module, PyObject *arguments);
PyObject *join_columns(PyObject *module, PyObject *arguments);
PyObject *join_pairs(PyObject *module, PyObject *arguments);
PyObject *number_integers(PyObject *module, PyObject *arguments);
PyObject *number_texts(PyObject *module, PyObject *arguments);
PyObject *number_clusters(PyObject *module, PyObject *arguments);
PyObject *look_up_cells(PyObject *module, PyObject *arguments);
PyObject *rans_push_cells(PyObject *module, PyObject *arguments);
PyObject *rans_pull_cells(PyObject *module, PyObject *arguments);
PyObject *rans_pull_uniform(PyObject *module, PyObject *arguments);
PyObject *rans_push_slots(PyObject *module, PyObject *arguments);
PyObject *arrange_slots(PyObject *module, PyObject *arguments);
PyObject *arrange_pull(PyObject *module, PyObject *arguments);

#endif
