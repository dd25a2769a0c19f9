/* What the entropy coder and its models share. */

#ifndef CLUSTERBITS_RANS_H
#define CLUSTERBITS_RANS_H

#include "native.h"

/* Part of the format; as in codec/rans.py. */
#define SLOT_BITS 28
#define SLOTS ((uint64_t)1 << SLOT_BITS)
#define LOW ((uint64_t)1 << 32)

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

/* How coding ends: well, out of words, with arguments that do not fit, with a class that is used
   more often than it was counted, or out of memory. */
enum { GOOD, SHORT, WRONG, USED_UP, NO_MEMORY };

#endif
