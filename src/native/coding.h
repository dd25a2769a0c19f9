/* Items of bytes given codes by a hash table: what its users share. */

#ifndef CLUSTERBITS_CODING_H
#define CLUSTERBITS_CODING_H

#include "native.h"

/* A string of bytes. Up to 16 of them are the two words, followed by zeros; of more, those are the
   first and the last eight. The bytes are NULL where an item is missing. */
typedef struct {
    const unsigned char *bytes;
    size_t length;
    uint64_t words[2];
} Item;

static inline uint64_t load(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

/* Make an item; `after` bytes can be read from its first on, at least its length. Nothing here
   depends on how long a short one is: labels of 7 and 8 bytes in turn are no surprise. */
static inline Item make_item(const unsigned char *bytes, size_t length, size_t after)
{
    static const unsigned char masks[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                            255, 255, 255, 255, 255, 255, 255, 255};
    unsigned char copy[16] = {0};
    if (length > 16)
        return (Item){bytes, length, {load(bytes), load(bytes + length - 8)}};
    const unsigned char *from = bytes, *mask = masks + 16 - length;
    if (after < 16) {
        memcpy(copy, bytes, length);
        from = copy;
    }
    return (Item){bytes, length, {load(from) & load(mask), load(from + 8) & load(mask + 8)}};
}

/* An open table of codes, by hash: a slot holds a code plus one, or 0, and part of its hash. */
typedef struct {
    uint32_t tag;
    uint32_t code;
} Slot;

/* What is known of a code. */
typedef struct {
    Item item;
    uint64_t hash;
} Known;

typedef struct {
    Slot *slots;
    Known *known;
    int bits;
    size_t room, found;
    uint64_t seed;
} Codes;

/* Where items come from: `get` writes up to GROUP of them from `begin` on. */
typedef struct Source {
    void (*get)(const struct Source *source, Py_ssize_t begin, Py_ssize_t count, Item *items);
    Py_ssize_t count;
    const unsigned char *data; /* of fixed-width items, or of strings by offsets */
    size_t size;               /* of the data, where it matters */
    size_t width;              /* of items, or of offsets */
    const void *offsets, *const *buffers;
    const uint8_t *valid; /* a bit for each item, or NULL */
    Py_ssize_t skipped;   /* items before the first */
} Source;

/* Make an empty table; 0 and an exception where that fails. Its seed is another in each process,
   as that of Python's own hashes: nobody can make up labels that share a slot. */
int make_codes(Codes *table);
void free_codes(Codes *table);

/* Write the codes of all items, -1 for missing ones; 0 and an exception where that fails. */
int code_all(Codes *table, const Source *source, int64_t *codes);

#endif
