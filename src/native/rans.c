/* The entropy coder with one state, as docs/code_format.md describes it. */

#include "native.h"

#define SLOT_BITS 28
#define SLOT_MASK (((uint64_t)1 << SLOT_BITS) - 1)
#define LOW ((uint64_t)1 << 32)

/* Buffers of 8-byte or 4-byte items, contiguous; released together. */
typedef struct {
    Py_buffer views[5];
    int taken;
} Buffers;

static void *take(Buffers *all, PyObject *source, Py_ssize_t width, int writable, Py_ssize_t *count)
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
    return view->buf;
}

static void release(Buffers *all)
{
    while (all->taken)
        PyBuffer_Release(&all->views[--all->taken]);
}

/* push(starts, freqs, state, words) -> (state, words written)

   Encode symbols from the last to the first. `words` has room for one word for each. */
PyObject *rans_push(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *starts_source, *freqs_source, *words_source, *answer = NULL;
    unsigned long long given;
    if (!PyArg_ParseTuple(arguments, "OOKO", &starts_source, &freqs_source, &given, &words_source))
        return NULL;
    Buffers all = {.taken = 0};
    Py_ssize_t count, same, room, top = 0;
    const uint64_t *starts = take(&all, starts_source, 8, 0, &count);
    const uint64_t *freqs = starts ? take(&all, freqs_source, 8, 0, &same) : NULL;
    uint32_t *words = freqs ? take(&all, words_source, 4, 1, &room) : NULL;
    uint64_t state = given;
    if (!words)
        goto done;
    if (same != count || room < count) {
        PyErr_SetString(PyExc_ValueError, "symbols and words do not fit together");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = count; i-- > 0;) {
        uint64_t freq = freqs[i] ? freqs[i] : 1;
        /* A symbol that owns all slots has freq << 36 = 2^64, which no state reaches. */
        if (freq >> SLOT_BITS == 0 && state >= freq << (64 - SLOT_BITS)) {
            words[top++] = (uint32_t)state;
            state >>= 32;
        }
        uint64_t quotient = state / freq;
        state = (quotient << SLOT_BITS) + (state - quotient * freq) + starts[i];
    }
    Py_END_ALLOW_THREADS
    answer = Py_BuildValue("Kn", (unsigned long long)state, top);
done:
    release(&all);
    return answer;
}

/* One step of decoding; 0 where a word is needed and none is left. */
static inline int advance(uint64_t *state, uint64_t freq, uint64_t rest, const uint32_t *words,
                          Py_ssize_t *top)
{
    uint64_t next = (*state >> SLOT_BITS) * freq + rest;
    if (next < LOW) {
        if (!*top)
            return 0;
        next = next << 32 | words[--*top];
    }
    *state = next;
    return 1;
}

/* Shortcuts into the cells of a group: where the search for a slot begins, by its highest bits. */
#define JUMP_BITS 8

/* pull_cells(groups, edges, begins, state, words, found) -> (state, words left) or None

   Decode one cell for each group. `edges` are the first slots of all cells and the end of the
   last, `begins` the first cell of each group and the end of the last. None where words run out. */
PyObject *rans_pull_cells(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *groups_source, *edges_source, *begins_source, *words_source, *found_source;
    PyObject *answer = NULL;
    unsigned long long given;
    if (!PyArg_ParseTuple(arguments, "OOOKOO", &groups_source, &edges_source, &begins_source,
                          &given, &words_source, &found_source))
        return NULL;
    Buffers all = {.taken = 0};
    Py_ssize_t count, cells, n_groups, top, room;
    const int64_t *groups = take(&all, groups_source, 8, 0, &count);
    const uint64_t *edges = groups ? take(&all, edges_source, 8, 0, &cells) : NULL;
    const int64_t *begins = edges ? take(&all, begins_source, 8, 0, &n_groups) : NULL;
    const uint32_t *words = begins ? take(&all, words_source, 4, 0, &top) : NULL;
    int64_t *found = words ? take(&all, found_source, 8, 1, &room) : NULL;
    uint32_t *jumps = NULL;
    uint64_t state = given;
    int good = 1;
    if (!found)
        goto done;
    cells--;
    n_groups--;
    if (room < count || n_groups < 0 || cells < 0 || begins[n_groups] != cells) {
        PyErr_SetString(PyExc_ValueError, "groups, cells and outputs do not fit together");
        goto done;
    }
    /* Worth it where a group is decoded often. */
    if (count >= n_groups << (JUMP_BITS - 2) && cells < UINT32_MAX)
        jumps = malloc(((size_t)n_groups << JUMP_BITS) * sizeof *jumps + 1);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t g = 0; jumps && g < n_groups; g++) {
        int64_t cell = begins[g];
        for (uint64_t part = 0; part < 1 << JUMP_BITS; part++) {
            uint64_t slot = ((uint64_t)g << SLOT_BITS) + (part << (SLOT_BITS - JUMP_BITS));
            while (cell + 1 < begins[g + 1] && edges[cell + 1] <= slot)
                cell++;
            jumps[((uint64_t)g << JUMP_BITS) + part] = (uint32_t)cell;
        }
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t group = (uint64_t)groups[i], base = group << SLOT_BITS;
        if (group >= (uint64_t)n_groups) {
            good = 0;
            break;
        }
        uint64_t part = state & SLOT_MASK, slot = base + part;
        int64_t cell;
        if (jumps) {
            cell = jumps[(group << JUMP_BITS) + (part >> (SLOT_BITS - JUMP_BITS))];
            while (cell + 1 < cells && edges[cell + 1] <= slot)
                cell++;
        } else {
            int64_t end = begins[group + 1];
            cell = begins[group];
            while (end - cell > 1) {
                int64_t middle = cell + (end - cell) / 2;
                if (edges[middle] <= slot)
                    cell = middle;
                else
                    end = middle;
            }
        }
        if (!advance(&state, edges[cell + 1] - edges[cell], slot - edges[cell], words, &top)) {
            good = 0;
            break;
        }
        found[i] = cell;
    }
    Py_END_ALLOW_THREADS
    answer = good ? Py_BuildValue("Kn", (unsigned long long)state, top) : Py_NewRef(Py_None);
done:
    free(jumps);
    release(&all);
    return answer;
}

/* pull_uniform(totals, state, words, found) -> (state, words left) or None

   Decode one of `totals` equally likely values each. */
PyObject *rans_pull_uniform(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *totals_source, *words_source, *found_source, *answer = NULL;
    unsigned long long given;
    if (!PyArg_ParseTuple(arguments, "OKOO", &totals_source, &given, &words_source, &found_source))
        return NULL;
    Buffers all = {.taken = 0};
    Py_ssize_t count, top, room;
    const uint64_t *totals = take(&all, totals_source, 8, 0, &count);
    const uint32_t *words = totals ? take(&all, words_source, 4, 0, &top) : NULL;
    int64_t *found = words ? take(&all, found_source, 8, 1, &room) : NULL;
    uint64_t state = given;
    int good = 1;
    if (!found)
        goto done;
    if (room < count) {
        PyErr_SetString(PyExc_ValueError, "the output is shorter than what is asked for");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; good && i < count; i++) {
        uint64_t slot = state & SLOT_MASK, total = totals[i] ? totals[i] : 1;
        uint64_t value = ((slot + 1) * total - 1) >> SLOT_BITS;
        uint64_t start = (value << SLOT_BITS) / total;
        uint64_t freq = ((value + 1) << SLOT_BITS) / total - start;
        good = advance(&state, freq, slot - start, words, &top);
        found[i] = (int64_t)value;
    }
    Py_END_ALLOW_THREADS
    answer = good ? Py_BuildValue("Kn", (unsigned long long)state, top) : Py_NewRef(Py_None);
done:
    release(&all);
    return answer;
}
