/* The entropy coder, as docs/reference/code_format.md describes it: one state, symbol by symbol.

   Nothing here trusts its arguments: indexes are checked, and whatever the slots say, only the
   state can come out wrong. */

#include "rans.h"

/* --- encoding ------------------------------------------------------------------------------- */

/* A symbol ready to be pushed: state / freq is the high product of state + bias and `inverse`,
   shifted (Robison, N-bit unsigned division via N-bit multiply-add, 2005). */
typedef struct {
    uint64_t inverse;
    uint64_t most; /* the largest state that does not grow past 2^64 */
    uint32_t start, growth;
    uint16_t bias, shift;
} Symbol;

/* 0 where `freq` is none. */
static int make_symbol(uint64_t start, uint64_t freq, Symbol *out)
{
    if (freq - 1 >= SLOTS)
        return 0;
    unsigned shift = 0;
    while (freq >> (shift + 1))
        shift++;
    /* 2^(64 + shift) / freq, by long division. */
    uint64_t over = (uint64_t)1 << (32 + shift), high = over / freq;
    uint64_t rest = (over - high * freq) << 32, low = rest / freq;
    out->inverse = (high << 32) + low;
    out->bias = 1;
    rest -= low * freq;
    if (!(freq & (freq - 1)))
        out->inverse = UINT64_MAX; /* the quotient is 2^64 */
    else if (freq - rest <= (uint64_t)1 << shift) {
        out->inverse++;
        out->bias = 0;
    }
    out->shift = (uint16_t)shift;
    /* All slots are 2^64 - 1: such a symbol changes nothing, whatever state + bias is. */
    out->most = (freq << (64 - SLOT_BITS)) - 1;
    out->start = (uint32_t)(start & (SLOTS - 1));
    out->growth = (uint32_t)(SLOTS - freq);
    return 1;
}

static inline void push_symbol(Coder *to, const Symbol *symbol)
{
    uint64_t state = to->state;
    if (state > symbol->most) {
        to->words[to->top++] = (uint32_t)state;
        state >>= 32;
    }
    uint64_t quotient = high_product(state + symbol->bias, symbol->inverse) >> symbol->shift;
    to->state = state + symbol->start + quotient * symbol->growth;
}

static inline void push_divided(Coder *to, uint64_t start, uint64_t freq)
{
    uint64_t state = to->state;
    if (state > (freq << (64 - SLOT_BITS)) - 1) {
        to->words[to->top++] = (uint32_t)state;
        state >>= 32;
    }
    to->state = state + (start & (SLOTS - 1)) + state / freq * (SLOTS - freq);
}

/* 0 where a value is no cell. */
static int push_all(Coder *coder, const int64_t *values, Py_ssize_t count, const Symbol *symbols,
                    uint64_t cells)
{
    Coder to = *coder;
    for (Py_ssize_t i = count; i-- > 0;) {
        if ((uint64_t)values[i] >= cells)
            return 0;
        push_symbol(&to, &symbols[values[i]]);
    }
    *coder = to;
    return 1;
}

/* rans_push_cells(values, edges, state, words) -> (state, words written)

   Encode cells, the last value first. `edges` are the first slots of all cells and the end of the
   last; `words` has room for one word for each value. */
PyObject *rans_push_cells(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *values_source, *edges_source, *words_source, *answer = NULL;
    unsigned long long state;
    if (!PyArg_ParseTuple(arguments, "OOKO", &values_source, &edges_source, &state, &words_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t count = 0, cells = 0, room = 0;
    const int64_t *values = take_input(&all, values_source, 8, &count);
    const uint64_t *edges = values ? take_input(&all, edges_source, 8, &cells) : NULL;
    Coder coder = {state, edges ? take_output(&all, words_source, 4, &room) : NULL, 0};
    Symbol *symbols = NULL;
    int good = room >= count && cells-- > 0;
    if (!coder.words)
        goto done;
    symbols = malloc((size_t)(good ? cells + 1 : 1) * sizeof *symbols);
    if (!symbols) {
        PyErr_NoMemory();
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; good && i < cells; i++)
        good = make_symbol(edges[i], edges[i + 1] - edges[i], &symbols[i]);
    good = good && push_all(&coder, values, count, symbols, (uint64_t)cells);
    Py_END_ALLOW_THREADS
    if (good)
        answer = Py_BuildValue("Kn", (unsigned long long)coder.state, coder.top);
    else
        PyErr_SetString(PyExc_ValueError, "values, cells and words do not fit together");
done:
    free(symbols);
    release_views(&all);
    return answer;
}

/* rans_push_slots(starts, freqs, state, words) -> (state, words written)

   Encode symbols by their slots, the last one first. */
PyObject *rans_push_slots(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *starts_source, *freqs_source, *words_source, *answer = NULL;
    unsigned long long state;
    if (!PyArg_ParseTuple(arguments, "OOKO", &starts_source, &freqs_source, &state, &words_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t count = 0, same = 0, room = 0;
    const uint32_t *starts = take_input(&all, starts_source, 4, &count);
    const uint32_t *freqs = starts ? take_input(&all, freqs_source, 4, &same) : NULL;
    Coder coder = {state, freqs ? take_output(&all, words_source, 4, &room) : NULL, 0};
    int good = same == count && room >= count;
    if (!coder.words)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = count; good && i-- > 0;) {
        good = (uint64_t)freqs[i] - 1 < SLOTS;
        if (good)
            push_divided(&coder, starts[i], freqs[i]);
    }
    Py_END_ALLOW_THREADS
    if (good)
        answer = Py_BuildValue("Kn", (unsigned long long)coder.state, coder.top);
    else
        PyErr_SetString(PyExc_ValueError, "slots and words do not fit together");
done:
    release_views(&all);
    return answer;
}

/* --- decoding ------------------------------------------------------------------------------- */

/* Cells of groups: those of group g are begins[g] … begins[g + 1] - 1. */
typedef struct {
    const uint64_t *edges;
    const int64_t *begins;
    uint64_t n_groups, n_cells;
} Groups;

static int group_fits(const Groups *groups, uint64_t group)
{
    return group < groups->n_groups && groups->begins[group] >= 0 &&
           groups->begins[group] < groups->begins[group + 1] &&
           (uint64_t)groups->begins[group + 1] <= groups->n_cells;
}

/* Decode by binary search. */
static int pull_searching(Coder *from, const Groups *groups, const int64_t *wanted,
                          Py_ssize_t count, int64_t *found)
{
    const uint64_t *edges = groups->edges;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t group = (uint64_t)wanted[i];
        if (!group_fits(groups, group))
            return WRONG;
        uint64_t slot = (group << SLOT_BITS) + (from->state & (SLOTS - 1));
        int64_t cell = groups->begins[group], end = groups->begins[group + 1];
        while (end - cell > 1) {
            int64_t middle = cell + (end - cell) / 2;
            if (edges[middle] <= slot)
                cell = middle;
            else
                end = middle;
        }
        if (!advance(from, edges[cell + 1] - edges[cell], slot - edges[cell]))
            return SHORT;
        found[i] = cell;
    }
    return GOOD;
}

/* The slots of a group in 256 equal parts; each says in which cell its first slot lies. */
#define PART_BITS 8
#define PARTS ((size_t)1 << PART_BITS)

typedef struct {
    uint32_t start, end;
} Slots;

/* Fill both tables; the last cell of a group ends with it, so that a search ends there. */
static int divide(const Groups *groups, Slots *slots, uint32_t *parts)
{
    for (uint64_t group = 0; group < groups->n_groups; group++) {
        if (!group_fits(groups, group))
            return 0;
        int64_t begin = groups->begins[group], end = groups->begins[group + 1];
        for (int64_t cell = begin; cell < end; cell++) {
            slots[cell].start = (uint32_t)(groups->edges[cell] & (SLOTS - 1));
            slots[cell].end = (uint32_t)(groups->edges[cell + 1] & (SLOTS - 1));
        }
        slots[end - 1].end = (uint32_t)SLOTS;
        for (size_t part = 0, cell = (size_t)begin; part < PARTS; part++) {
            while (slots[cell].end <= part << (SLOT_BITS - PART_BITS))
                cell++;
            parts[group * PARTS + part] = (uint32_t)cell;
        }
    }
    return 1;
}

static int pull_by_part(Coder *coder, uint64_t n_groups, const Slots *slots, const uint32_t *parts,
                        const int64_t *wanted, Py_ssize_t count, int64_t *found)
{
    Coder from = *coder;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t group = (uint64_t)wanted[i];
        if (group >= n_groups)
            return WRONG;
        uint32_t slot = (uint32_t)(from.state & (SLOTS - 1));
        uint32_t cell = parts[group * PARTS + (slot >> (SLOT_BITS - PART_BITS))];
        while (slots[cell].end <= slot)
            cell++;
        if (!advance(&from, slots[cell].end - slots[cell].start, slot - slots[cell].start))
            return SHORT;
        found[i] = cell;
    }
    *coder = from;
    return GOOD;
}

static int pull(Coder *from, const Groups *groups, const int64_t *wanted, Py_ssize_t count,
                int64_t *found)
{
    Slots *slots = NULL;
    uint32_t *parts = NULL;
    int outcome;
    /* Worth it where a group is decoded often. */
    if ((uint64_t)count >= groups->n_groups * (PARTS / 4) &&
        (uint64_t)count >= groups->n_cells && groups->n_cells < UINT32_MAX) {
        slots = malloc((size_t)(groups->n_cells + 1) * sizeof *slots);
        parts = malloc((size_t)(groups->n_groups * PARTS + 1) * sizeof *parts);
    }
    if (!slots || !parts)
        outcome = pull_searching(from, groups, wanted, count, found);
    else if (!divide(groups, slots, parts))
        outcome = WRONG;
    else
        outcome = pull_by_part(from, groups->n_groups, slots, parts, wanted, count, found);
    free(slots);
    free(parts);
    return outcome;
}

static PyObject *pulled(int outcome, const Coder *from)
{
    if (outcome == WRONG) {
        PyErr_SetString(PyExc_ValueError, "groups, cells and outputs do not fit together");
        return NULL;
    }
    if (outcome == SHORT)
        return Py_NewRef(Py_None);
    return Py_BuildValue("Kn", (unsigned long long)from->state, from->top);
}

/* rans_pull_cells(groups, edges, begins, state, words, found) -> (state, words left) or None

   Decode one cell for each group. `edges` are the first slots of all cells and the end of the
   last, `begins` the first cell of each group and the end of the last. None where words run out. */
PyObject *rans_pull_cells(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *wanted_source, *edges_source, *begins_source, *words_source, *found_source;
    PyObject *answer = NULL;
    unsigned long long state;
    if (!PyArg_ParseTuple(arguments, "OOOKOO", &wanted_source, &edges_source, &begins_source,
                          &state, &words_source, &found_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t count = 0, n_edges = 0, n_begins = 0, top = 0, room = 0;
    const int64_t *wanted = take_input(&all, wanted_source, 8, &count);
    const uint64_t *edges = wanted ? take_input(&all, edges_source, 8, &n_edges) : NULL;
    const int64_t *begins = edges ? take_input(&all, begins_source, 8, &n_begins) : NULL;
    uint32_t *words = begins ? (uint32_t *)take_input(&all, words_source, 4, &top) : NULL;
    int64_t *found = words ? take_output(&all, found_source, 8, &room) : NULL;
    if (found) {
        Coder coder = {state, words, top};
        int outcome = WRONG;
        if (room >= count && n_edges > 0 && n_begins > 0) {
            Groups groups = {edges, begins, (uint64_t)n_begins - 1, (uint64_t)n_edges - 1};
            Py_BEGIN_ALLOW_THREADS
            outcome = pull(&coder, &groups, wanted, count, found);
            Py_END_ALLOW_THREADS
        }
        answer = pulled(outcome, &coder);
    }
    release_views(&all);
    return answer;
}

/* rans_pull_uniform(totals, state, words, found) -> (state, words left) or None

   Decode one of `totals` equally likely values each. */
PyObject *rans_pull_uniform(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *totals_source, *words_source, *found_source, *answer = NULL;
    unsigned long long state;
    if (!PyArg_ParseTuple(arguments, "OKOO", &totals_source, &state, &words_source, &found_source))
        return NULL;
    Views all = {.taken = 0};
    Py_ssize_t count = 0, top = 0, room = 0;
    const uint64_t *totals = take_input(&all, totals_source, 8, &count);
    uint32_t *words = totals ? (uint32_t *)take_input(&all, words_source, 4, &top) : NULL;
    int64_t *found = words ? take_output(&all, found_source, 8, &room) : NULL;
    if (found) {
        Coder coder = {state, words, top};
        int outcome = room >= count ? GOOD : WRONG;
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; outcome == GOOD && i < count; i++) {
            uint64_t slot = coder.state & (SLOTS - 1), total = totals[i];
            if (total - 1 >= SLOTS) {
                outcome = WRONG;
                break;
            }
            uint64_t value = ((slot + 1) * total - 1) >> SLOT_BITS;
            uint64_t start = (value << SLOT_BITS) / total;
            uint64_t freq = ((value + 1) << SLOT_BITS) / total - start;
            outcome = advance(&coder, freq, slot - start) ? GOOD : SHORT;
            found[i] = (int64_t)value;
        }
        Py_END_ALLOW_THREADS
        answer = pulled(outcome, &coder);
    }
    release_views(&all);
    return answer;
}
