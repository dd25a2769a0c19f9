/* Balls drawn from urns, as docs/reference/code_format.md describes them: the one kernel of the code.

   Its twin is `_draw_in_python` in codec/urns.py. Nothing here trusts its arguments: indexes are
   checked, and whatever a code says, only the balls can come out wrong. */

#include "native.h"

/* Below this the range is widened by a byte. Part of the format. */
#define LEAST ((uint64_t)1 << 56)
/* A draw widens the range by up to this many bytes. */
#define MOST_BYTES 4

/* `low` is where the range begins; when decoding, how far above that the code lies. */
typedef struct {
    uint64_t low, range;
    uint8_t *code;
    uint64_t at, length;
    int decoding;
} Coder;

/* The balls of urn u are counts[begins[u]] … counts[begins[u + 1] - 1]. Sums of counts are kept in
   binary indexed trees (Fenwick, 1994). */
typedef struct {
    const int64_t *begins;
    int64_t *counts;
    uint64_t n_urns, n_kinds;
    uint32_t *trees, *totals;
} Urns;

enum { GOOD, DAMAGED, WRONG, NO_MEMORY };

/* Narrow the range to `count` balls after `before` others, each of them `each` wide. */
static inline void narrow(Coder *coder, uint64_t before, uint64_t count, uint64_t each)
{
    uint64_t skipped = before * each;
    coder->range = count * each;
    if (coder->decoding)
        coder->low -= skipped;
    else {
        coder->low += skipped;
        if (coder->low < skipped) /* carry */
            for (uint64_t i = coder->at; i-- > 0 && !++coder->code[i];)
                ;
    }
    for (; coder->range < LEAST; coder->range <<= 8, coder->at++) {
        if (!coder->decoding) {
            coder->code[coder->at] = (uint8_t)(coder->low >> 56);
            coder->low <<= 8;
        } else
            coder->low = coder->low << 8 | (coder->at < coder->length ? coder->code[coder->at] : 0);
    }
}

/* Fill in trees and totals; 0 where the arguments do not fit. */
static int fill(Urns *urns)
{
    for (uint64_t u = 0; u < urns->n_urns; u++) {
        int64_t begin = urns->begins[u], end = urns->begins[u + 1];
        if (begin < 0 || end < begin || (uint64_t)end > urns->n_kinds)
            return 0;
        uint32_t *tree = urns->trees + begin;
        uint64_t width = (uint64_t)(end - begin), total = 0;
        for (uint64_t i = 0; i < width; i++) {
            uint64_t count = (uint64_t)urns->counts[begin + (int64_t)i];
            if (count > UINT32_MAX || (total += count) > UINT32_MAX)
                return 0;
            tree[i] = (uint32_t)count;
        }
        for (uint64_t i = 1; i <= width; i++) {
            uint64_t parent = i + (i & (~i + 1));
            if (parent <= width)
                tree[parent - 1] += tree[i - 1];
        }
        urns->totals[u] = (uint32_t)total;
    }
    return 1;
}

/* Return the kind of the ball at a place below the total, and how many balls are of kinds before. */
static inline uint64_t find(const uint32_t *tree, uint64_t width, uint64_t place, uint64_t *before)
{
    uint64_t kind = 0, step = 1;
    *before = 0;
    while (step <= width / 2)
        step *= 2;
    for (; step; step /= 2)
        if (kind + step <= width && *before + tree[kind + step - 1] <= place) {
            kind += step;
            *before += tree[kind - 1];
        }
    return kind;
}

static int draw_all(Coder *coder, Urns *urns, const uint32_t *drawn, Py_ssize_t n, int putting_back,
                    uint32_t *balls)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        if (drawn[i] >= urns->n_urns || !urns->totals[drawn[i]])
            return WRONG;
        uint64_t begin = (uint64_t)urns->begins[drawn[i]], total = urns->totals[drawn[i]];
        uint64_t width = (uint64_t)urns->begins[drawn[i] + 1] - begin;
        uint64_t each = coder->range / total, kind, before = 0, place = 0;
        uint32_t *tree = urns->trees + begin;
        if (coder->decoding) {
            place = coder->low / each;
            kind = find(tree, width, place < total ? place : total - 1, &before);
            balls[i] = (uint32_t)(begin + kind);
        } else {
            kind = balls[i] - begin;
            if (kind >= width)
                return WRONG;
            for (uint64_t j = kind; j; j &= j - 1)
                before += tree[j - 1];
        }
        uint64_t count = (uint64_t)urns->counts[begin + kind];
        if (!count)
            return WRONG;
        if (count < total) { /* what is certain takes no bits */
            if (place >= total)
                return DAMAGED;
            narrow(coder, before, count, each);
        }
        if (!putting_back) {
            urns->counts[begin + kind]--;
            urns->totals[drawn[i]]--;
            for (uint64_t j = kind + 1; j <= width; j += j & (~j + 1))
                tree[j - 1]--;
        }
    }
    return GOOD;
}

/* Take (code, state, urns, begins, counts, balls); 0 and an exception where one is not such a buffer. */
static int take_all(Views *all, PyObject *const *sources, int decoding, void **taken,
                    Py_ssize_t *sizes)
{
    const int widths[] = {1, 8, 4, 8, 8, 4}, writable[] = {!decoding, 1, 0, 0, 1, 1};
    for (int i = 0; i < 6; i++)
        if (!(taken[i] = writable[i] ? take_output(all, sources[i], widths[i], &sizes[i])
                                     : (void *)take_input(all, sources[i], widths[i], &sizes[i])))
            return 0;
    return 1;
}

static int sizes_fit(const uint64_t *state, const Py_ssize_t *sizes, int decoding)
{
    if (sizes[1] != 3 || sizes[3] < 1 || sizes[5] != sizes[2] || state[1] < LEAST)
        return 0;
    uint64_t length = (uint64_t)sizes[0], balls = (uint64_t)sizes[2];
    return decoding || (state[2] <= length && (length - state[2]) / MOST_BYTES >= balls);
}

/* Draw from buffers that fit together, and bring the state up to date; NO_MEMORY where it lacks. */
static int draw_taken(void *const *taken, const Py_ssize_t *sizes, int decoding, int putting_back)
{
    uint64_t *state = taken[1];
    Coder coder = {state[0], state[1], taken[0], state[2], (uint64_t)sizes[0], decoding};
    Urns urns = {taken[3], taken[4], (uint64_t)sizes[3] - 1, (uint64_t)sizes[4], NULL, NULL};
    urns.trees = malloc(((size_t)urns.n_kinds + 1) * sizeof *urns.trees);
    urns.totals = malloc(((size_t)urns.n_urns + 1) * sizeof *urns.totals);
    int outcome = NO_MEMORY;
    if (urns.trees && urns.totals)
        outcome = fill(&urns)
                      ? draw_all(&coder, &urns, taken[2], sizes[2], putting_back, taken[5])
                      : WRONG;
    free(urns.trees);
    free(urns.totals);
    state[0] = coder.low;
    state[1] = coder.range;
    state[2] = coder.at;
    return outcome;
}

/* draw_balls(code, state, urns, begins, counts, balls, decoding, putting_back) -> bool

   Code one ball of each urn. `state` holds low, range and the place in `code`, which has room for
   four more bytes for each ball when encoding. `balls` are given, or found when decoding. Without
   putting back, `counts` are brought up to date. False where the code is damaged. */
PyObject *draw_balls(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[6], *answer = NULL;
    int decoding, putting_back, outcome = WRONG;
    if (!PyArg_ParseTuple(arguments, "OOOOOOpp", &sources[0], &sources[1], &sources[2], &sources[3],
                          &sources[4], &sources[5], &decoding, &putting_back))
        return NULL;
    Views all = {.taken = 0};
    void *taken[6];
    Py_ssize_t sizes[6];
    if (take_all(&all, sources, decoding, taken, sizes)) {
        if (sizes_fit(taken[1], sizes, decoding)) {
            Py_BEGIN_ALLOW_THREADS
            outcome = draw_taken(taken, sizes, decoding, putting_back);
            Py_END_ALLOW_THREADS
        }
        if (outcome == WRONG)
            PyErr_SetString(PyExc_ValueError, "urns, balls and code do not fit together");
        else
            answer = outcome == NO_MEMORY ? PyErr_NoMemory() : PyBool_FromLong(outcome == GOOD);
    }
    release_views(&all);
    return answer;
}
