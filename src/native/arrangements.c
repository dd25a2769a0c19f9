/* Labels by their arrangement: each with the frequency of its class among those still to come.

   Frequencies stay for a round, in which a cluster sends a share of its labels. A binary indexed
   tree keeps the sums of counts that slots are computed from (Fenwick, 1994), so that a label takes
   log2 of the number of cells, and not all of them once a round. */

#include "rans.h"

/* Of so many labels to come, one is sent before the frequencies are updated. Part of the format; as
   in codec/arrangements.py. */
#define SHARE 64

/* A cluster with objects in the chunk. */
typedef struct {
    uint32_t *tree;       /* tree[i - 1] is the sum of the lowest-bit-of-i counts up to count i */
    int64_t *left;        /* labels to come of each cell */
    uint64_t width;       /* cells */
    uint64_t members;     /* labels to come */
    Py_ssize_t next, end; /* of the chunk's objects, in their order by cluster */
    int64_t first;        /* number of the first cell */
} Cluster;

/* The objects of a chunk, and where their slots go or their cells come from. */
typedef struct {
    const int64_t *order;
    int64_t *cells;
    Py_ssize_t n_objects, n_cells;
    uint32_t *starts, *freqs; /* NULL when decoding */
    Coder coder;
} Chunk;

static void build_tree(Cluster *cluster)
{
    uint64_t width = cluster->width;
    for (uint64_t i = 0; i < width; i++)
        cluster->tree[i] = (uint32_t)cluster->left[i];
    for (uint64_t i = 1; i <= width; i++) {
        uint64_t parent = i + (i & (~i + 1));
        if (parent <= width)
            cluster->tree[parent - 1] += cluster->tree[i - 1];
    }
}

/* Return the sum of the first `count` counts. */
static uint64_t sum_before(const Cluster *cluster, uint64_t count)
{
    uint64_t sum = 0;
    for (; count; count &= count - 1)
        sum += cluster->tree[count - 1];
    return sum;
}

static void take_one(Cluster *cluster, uint64_t cell)
{
    cluster->left[cell]--;
    for (uint64_t i = cell + 1; i <= cluster->width; i += i & (~i + 1))
        cluster->tree[i - 1]--;
}

/* Return the first slot of a cell, with `sum` labels in the cells before it. */
static inline uint64_t first_slot(const Cluster *cluster, uint64_t cell, uint64_t sum)
{
    uint64_t members = cluster->members ? cluster->members : 1;
    return cell < cluster->width ? sum * (SLOTS - cluster->width) / members + cell : SLOTS;
}

/* Return the cell that owns a slot, and the sum of the counts before it. */
static uint64_t find_cell(const Cluster *cluster, uint64_t slot, uint64_t *sum)
{
    uint64_t cell = 0, members = cluster->members ? cluster->members : 1, step = 1;
    *sum = 0;
    while (step <= cluster->width / 2)
        step *= 2;
    for (; step; step /= 2) {
        uint64_t next = cell + step;
        if (next >= cluster->width || next > slot)
            continue;
        uint64_t before = *sum + cluster->tree[next - 1];
        /* first_slot(next) <= slot, without a division. */
        if (before * (SLOTS - cluster->width) < (slot - next + 1) * members) {
            cell = next;
            *sum = before;
        }
    }
    return cell;
}

/* Code the next labels of a cluster with the counts as they are, then bring these up to date. */
static int code_share(Chunk *chunk, Cluster *cluster, Py_ssize_t count, Py_ssize_t *sent)
{
    int outcome = GOOD;
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t *found = &chunk->cells[chunk->order[cluster->next + i]];
        uint64_t slot = chunk->coder.state & (SLOTS - 1), sum, cell;
        if (chunk->starts) {
            cell = (uint64_t)(*found - cluster->first);
            if (cell >= cluster->width)
                return WRONG;
            sum = sum_before(cluster, cell);
        } else
            cell = find_cell(cluster, slot, &sum);
        uint64_t start = first_slot(cluster, cell, sum);
        uint64_t freq = first_slot(cluster, cell + 1, sum + (uint64_t)cluster->left[cell]) - start;
        if (chunk->starts) {
            chunk->starts[*sent + i] = (uint32_t)start;
            chunk->freqs[*sent + i] = (uint32_t)freq;
        } else if (!advance(&chunk->coder, freq, slot - start))
            return SHORT;
        *found = cluster->first + (int64_t)cell;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t cell = (uint64_t)(chunk->cells[chunk->order[cluster->next + i]] - cluster->first);
        take_one(cluster, cell);
        if (cluster->left[cell] < 0)
            outcome = USED_UP;
    }
    cluster->next += count;
    cluster->members -= (uint64_t)count;
    *sent += count;
    return outcome;
}

/* Code the chunk in rounds; clusters that have sent all are dropped. */
static int code_rounds(Chunk *chunk, Cluster *clusters, Py_ssize_t active)
{
    Py_ssize_t sent = 0;
    while (active) {
        Py_ssize_t kept = 0;
        int used_up = 0;
        for (Py_ssize_t k = 0; k < active; k++) {
            Cluster cluster = clusters[k];
            Py_ssize_t waiting = cluster.end - cluster.next;
            uint64_t share = cluster.members / SHARE ? cluster.members / SHARE : 1;
            Py_ssize_t count = (uint64_t)waiting < share ? waiting : (Py_ssize_t)share;
            int outcome = code_share(chunk, &cluster, count, &sent);
            used_up |= outcome == USED_UP;
            if (outcome == SHORT || outcome == WRONG)
                return outcome;
            if (cluster.next < cluster.end)
                clusters[kept++] = cluster;
        }
        if (used_up)
            return USED_UP;
        active = kept;
    }
    return GOOD;
}

/* Clusters as numpy has them: which are present, how many objects each has in the chunk, and of all
   clusters the first cell and the number of cells. */
typedef struct {
    const int64_t *present, *waiting, *begins, *widths;
    Py_ssize_t n_present, n_clusters;
} Layout;

/* Fill in the present clusters, all but their trees; returns the cells of all, -1 if they do not
   fit. */
static int64_t lay_out(const Layout *layout, const Chunk *chunk, int64_t *left, Cluster *clusters)
{
    int64_t cells = 0, objects = 0, last = -1;
    for (Py_ssize_t i = 0; i < layout->n_present; i++) {
        int64_t k = layout->present[i], count = layout->waiting[i];
        if (k <= last || k >= layout->n_clusters || count < 1 || count > chunk->n_objects - objects)
            return -1;
        last = k;
        int64_t begin = layout->begins[k], width = layout->widths[k], members = 0;
        if (begin < 0 || width < 1 || width >= (int64_t)SLOTS || begin > chunk->n_cells - width)
            return -1;
        for (int64_t cell = begin; cell < begin + width; cell++) {
            if (left[cell] < 0 || left[cell] >> 31)
                return -1;
            members += left[cell];
        }
        if (members < count || members >> 31)
            return -1;
        clusters[i] = (Cluster){NULL, left + begin, (uint64_t)width, (uint64_t)members,
                                objects, objects + count, begin};
        objects += count;
        cells += width;
    }
    return objects == chunk->n_objects ? cells : -1;
}

/* An object is cells[i] for some i of `order`, below n_found. */
static int code_chunk(const Layout *layout, Chunk *chunk, int64_t *left, Py_ssize_t n_found)
{
    for (Py_ssize_t i = 0; i < chunk->n_objects; i++)
        if (chunk->order[i] < 0 || chunk->order[i] >= n_found)
            return WRONG;
    Cluster *clusters = malloc(((size_t)layout->n_present + 1) * sizeof *clusters);
    int64_t cells = clusters ? lay_out(layout, chunk, left, clusters) : 0;
    uint32_t *tree = cells < 0 ? NULL : malloc(((size_t)cells + 1) * sizeof *tree);
    int outcome = cells < 0 ? WRONG : NO_MEMORY;
    if (clusters && tree) {
        uint32_t *next = tree;
        for (Py_ssize_t k = 0; k < layout->n_present; k++) {
            clusters[k].tree = next;
            build_tree(&clusters[k]);
            next += clusters[k].width;
        }
        outcome = code_rounds(chunk, clusters, layout->n_present);
    }
    free(tree);
    free(clusters);
    return outcome;
}

static PyObject *raised(int outcome)
{
    if (outcome == NO_MEMORY)
        return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, "clusters and cells do not fit together");
    return NULL;
}

/* Take (order, present, waiting, begins, widths, left, cells); 0 and an exception where one is no
   buffer of int64. */
static int take_chunk(Views *all, PyObject **sources, Layout *layout, Chunk *chunk,
                      int64_t **left, Py_ssize_t *n_found)
{
    void *taken[7];
    Py_ssize_t counts[7];
    for (int i = 0; i < 7; i++)
        if (!(taken[i] = i < 5 ? (void *)take_input(all, sources[i], 8, &counts[i])
                             : take_output(all, sources[i], 8, &counts[i])))
            return 0;
    *layout = (Layout){taken[1], taken[2], taken[3], taken[4], counts[1], counts[3]};
    *chunk = (Chunk){.order = taken[0], .cells = taken[6], .n_objects = counts[0],
                     .n_cells = counts[5]};
    *left = taken[5];
    *n_found = counts[6];
    if (counts[1] == counts[2] && counts[3] == counts[4])
        return 1;
    PyErr_SetString(PyExc_ValueError, "clusters and cells do not fit together");
    return 0;
}

/* arrange_slots(order, present, waiting, begins, widths, left, cells, slots)

   Write the slots of a chunk's cells, in the order in which they are sent: `slots` is an array of
   uint32, the first half for the starts and the second for the frequencies. Objects are cells[order],
   waiting[i] of them in cluster present[i], and so on. `left` counts the labels to come in each cell,
   and is brought up to date. */
PyObject *arrange_slots(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[7], *slots_source, *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOO", &sources[0], &sources[1], &sources[2],
                          &sources[3], &sources[4], &sources[5], &sources[6], &slots_source))
        return NULL;
    Views all = {.taken = 0};
    Layout layout;
    Chunk chunk;
    int64_t *left;
    Py_ssize_t n_found, room;
    if (take_chunk(&all, sources, &layout, &chunk, &left, &n_found) &&
        (chunk.starts = take_output(&all, slots_source, 4, &room))) {
        int outcome = WRONG;
        if (room == 2 * chunk.n_objects) {
            chunk.freqs = chunk.starts + chunk.n_objects;
            Py_BEGIN_ALLOW_THREADS
            outcome = code_chunk(&layout, &chunk, left, n_found);
            Py_END_ALLOW_THREADS
        }
        answer = outcome == GOOD ? Py_NewRef(Py_None) : raised(outcome);
    }
    release_views(&all);
    return answer;
}

/* arrange_pull(order, present, waiting, begins, widths, left, cells, state, words)
   -> (state, words left), None or False

   Decode the cells of a chunk. None where words run out, False where a class has more labels than
   were left. */
PyObject *arrange_pull(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[7], *words_source, *answer = NULL;
    unsigned long long state;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOKO", &sources[0], &sources[1], &sources[2],
                          &sources[3], &sources[4], &sources[5], &sources[6], &state,
                          &words_source))
        return NULL;
    Views all = {.taken = 0};
    Layout layout;
    Chunk chunk;
    int64_t *left;
    Py_ssize_t n_found;
    if (take_chunk(&all, sources, &layout, &chunk, &left, &n_found) &&
        (chunk.coder.words = (uint32_t *)take_input(&all, words_source, 4, &chunk.coder.top))) {
        int outcome;
        chunk.coder.state = state;
        Py_BEGIN_ALLOW_THREADS
        outcome = code_chunk(&layout, &chunk, left, n_found);
        Py_END_ALLOW_THREADS
        if (outcome == GOOD)
            answer = Py_BuildValue("Kn", (unsigned long long)chunk.coder.state, chunk.coder.top);
        else if (outcome == SHORT || outcome == USED_UP)
            answer = Py_NewRef(outcome == SHORT ? Py_None : Py_False);
        else
            answer = raised(outcome);
    }
    release_views(&all);
    return answer;
}
