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

#if SIZE_MAX < UINT64_MAX
#error "64-bit systems only: elsewhere numpy does the work"
#endif

/* A second version of a function for processors with wider registers, chosen when it is loaded:
   by glibc, as other C libraries cannot. GCC knows this architecture's name from 12 on. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 &&            \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
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
/* Items whose memory is prefetched together, before they are looked up. */
#define GROUP 64
/* Items between checks for Ctrl-C. */
#define PIECE ((Py_ssize_t)1 << 20)

/* 2^64 divided by the golden ratio: the first bits of its multiples are spread evenly. */
#define GOLDEN 0x9E3779B97F4A7C15ull

/* Returns -1 and an exception where a Ctrl-C came, which is checked once for each PIECE. */
static inline int check_signals(Py_ssize_t i)
{
    return i % PIECE ? 0 : PyErr_CheckSignals();
}

/* The buffers of one call, released together. */
typedef struct {
    Py_buffer views[9];
    int taken;
} Views;

/* One-dimensional integers, native, of any width, contiguous or strided. */
typedef struct {
    const char *data;
    Py_ssize_t length;
    Py_ssize_t stride;
    int width; /* bytes */
    int is_signed;
} Integers;

/* Take the buffer of a one-dimensional array of integers; 0 and an exception where it is not one. */
int take_integers(Views *all, PyObject *source, Integers *out);

/* Write up to BLOCK integers from `begin` on, less `low`; 0 where one lies outside low … low +
   limit - 1. The limit is at most 2^32. */
int load_narrow(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                uint64_t limit, uint32_t *out);

/* Write up to BLOCK integers from `begin` on, less `low`, modulo 2^64; returns the bits that occur
   in any of them. */
uint64_t load_wide(const Integers *from, Py_ssize_t begin, Py_ssize_t count, uint64_t low,
                   uint64_t *out);

/* Take a contiguous, aligned buffer of integers of this many bytes; NULL and an exception where it
   is not one. `count` becomes the number of items. */
const void *take_input(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count);
void *take_output(Views *all, PyObject *source, Py_ssize_t width, Py_ssize_t *count);
void release_views(Views *all);

/* Two label sequences, the lowest label of each, and how many there are from there on; or how
   many bits those have. */
typedef struct {
    Integers c, k;
    uint64_t low_c, low_k, size_c, size_k;
} Pairs;

/* Take two label sequences of one length; 0 and an exception for anything else. */
int take_pairs(Views *all, PyObject *c, PyObject *k, Pairs *pairs);

PyObject *count_dense(PyObject *module, PyObject *arguments);
PyObject *count_sparse(PyObject *module, PyObject *arguments);
PyObject *merge_counts(PyObject *module, PyObject *arguments);
PyObject *code_items(PyObject *module, PyObject *arguments);
PyObject *code_objects(PyObject *module, PyObject *arguments);
PyObject *read_integers(PyObject *module, PyObject *arguments);
PyObject *join_pairs(PyObject *module, PyObject *arguments);
PyObject *number_texts(PyObject *module, PyObject *arguments);
PyObject *draw_balls(PyObject *module, PyObject *arguments);

#endif
