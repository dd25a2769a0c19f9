/* What the entropy coder and its models share. */

#ifndef CLUSTERBITS_RANS_H
#define CLUSTERBITS_RANS_H

#include "native.h"

#define SLOT_BITS 28
#define SLOTS ((uint64_t)1 << SLOT_BITS)
#define LOW ((uint64_t)1 << 32)

/* Buffers of items of known size, contiguous; released together. */
typedef struct {
    Py_buffer views[8];
    int taken;
} Buffers;

static inline void *take(Buffers *all, PyObject *source, Py_ssize_t width, int writable, Py_ssize_t *count)
{
    Py_buffer *view = &all->views[all->taken];
    if (PyObject_GetBuffer(source, view, writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO) < 0)
        return NULL;
    all->taken++;
    if (view->itemsize != width) {
        PyErr_SetString(PyExc_TypeError, "a buffer has items of another size");
        return NULL;
    }
    *count = view->len / width;
    return view->buf ? view->buf : (void *)view; /* an empty one may be nowhere */
}

static inline void release(Buffers *all)
{
    while (all->taken)
        PyBuffer_Release(&all->views[--all->taken]);
}

/* The state and its stack of words, while symbols are pushed or pulled. */
typedef struct {
    uint64_t state;
    uint32_t *words;
    Py_ssize_t top;
} Coder;

/* Leave a symbol behind; 0 where a word is needed and none is left. */
static inline int advance(Coder *from, uint64_t freq, uint64_t rest)
{
    uint64_t next = (from->state >> SLOT_BITS) * freq + rest;
    if (next < LOW) {
        if (!from->top)
            return 0;
        next = next << 32 | from->words[--from->top];
    }
    from->state = next;
    return 1;
}

/* How coding ends: well, for want of words, with arguments that do not fit, with a class that is used
   more often than it was counted, or for want of memory. */
enum { GOOD, SHORT, WRONG, USED_UP, NO_MEMORY };

#endif
