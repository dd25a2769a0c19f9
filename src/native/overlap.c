/* What columns of counts have in common, from a table of x·log2 x: sums of whole numbers. */

#include "native.h"

/* Counts as the rows of an array, and the logarithms that they point to. */
typedef struct {
    const uint32_t *counts;
    const int64_t *table, *log_sums;
    size_t width, mask; /* classes; the table's length is a power of two */
} Columns;

/* Add up the logarithms of two columns' sums. The mask keeps wrong counts within the table. */
WIDE static uint64_t add_all(const Columns *all, const uint32_t *one, const uint32_t *other)
{
    const int64_t *table = all->table;
    uint32_t mask = (uint32_t)all->mask;
    uint64_t total = 0; /* wraps, whatever the table holds */
    for (size_t c = 0; c < all->width; c++)
        total += (uint64_t)table[(one[c] + other[c]) & mask];
    return total;
}

/* The same for the classes in `rows` alone, less the logarithms of the other column. */
static uint64_t add_some(const Columns *all, const uint32_t *one, const uint32_t *other,
                         const uint32_t *rows, size_t count)
{
    const int64_t *table = all->table;
    uint32_t mask = (uint32_t)all->mask;
    uint64_t total = 0;
    for (size_t r = 0; r < count; r++) {
        uint32_t y = other[rows[r]];
        total += (uint64_t)table[(one[rows[r]] + y) & mask] - (uint64_t)table[y & mask];
    }
    return total;
}

static int overlap_all(const Columns *all, size_t i, const int64_t *others, size_t count,
                       int64_t *out)
{
    const uint32_t *one = all->counts + i * all->width;
    uint32_t *rows = malloc((all->width + 1) * sizeof *rows);
    size_t filled = 0;
    if (!rows)
        return 0;
    for (size_t c = 0; c < all->width; c++) {
        rows[filled] = (uint32_t)c;
        filled += one[c] > 0;
    }
    for (size_t k = 0; k < count; k++) {
        size_t j = (size_t)others[k];
        const uint32_t *other = all->counts + j * all->width;
        /* Two look-ups for each class of this column, or one for every class. */
        uint64_t sum = 2 * filled < all->width
                           ? add_some(all, one, other, rows, filled)
                           : add_all(all, one, other) - (uint64_t)all->log_sums[j];
        out[k] = (int64_t)(sum - (uint64_t)all->log_sums[i]);
    }
    free(rows);
    return 1;
}

/* overlap_columns(counts, width, table, log_sums, i, others, out) -> None

   Write Σ T(x + y) - T(x) - T(y) for column i and each of the others. The counts are 32-bit ones,
   column after column; T is given by `table`, whose length is a power of two, and `log_sums` holds
   Σ T(x) of each column. */
PyObject *overlap_columns(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[5], *answer = NULL;
    Py_ssize_t width, i, sizes, length, columns, count, room;
    Views views = {.taken = 0};
    if (!PyArg_ParseTuple(arguments, "OnOOnOO", &sources[0], &width, &sources[1], &sources[2], &i,
                          &sources[3], &sources[4]))
        return NULL;
    const uint32_t *counts = take_input(&views, sources[0], 4, &sizes);
    const int64_t *table = counts ? take_input(&views, sources[1], 8, &length) : NULL;
    const int64_t *log_sums = table ? take_input(&views, sources[2], 8, &columns) : NULL;
    const int64_t *others = log_sums ? take_input(&views, sources[3], 8, &count) : NULL;
    int64_t *out = others ? take_output(&views, sources[4], 8, &room) : NULL;
    if (!out)
        goto done;
    int fit = width >= 0 && width < INT32_MAX && (width == 0 || sizes / width >= columns) &&
              i >= 0 && i < columns && length > 0 && length <= (Py_ssize_t)1 << 31 &&
              !(length & (length - 1)) && room >= count;
    for (Py_ssize_t k = 0; fit && k < count; k++)
        fit = (uint64_t)others[k] < (uint64_t)columns;
    if (!fit) {
        PyErr_SetString(PyExc_ValueError, "counts, table and outputs do not fit together");
        goto done;
    }
    Columns all = {counts, table, log_sums, (size_t)width, (size_t)length - 1};
    int good;
    Py_BEGIN_ALLOW_THREADS
    good = overlap_all(&all, (size_t)i, others, (size_t)count, out);
    Py_END_ALLOW_THREADS
    answer = good ? Py_NewRef(Py_None) : PyErr_NoMemory();
done:
    release_views(&views);
    return answer;
}

/* Sparse columns: the keys of their cells, ascending, and where each column begins. A key is
   column * height + row, so that keys of two columns are compared by what lies above that. */
typedef struct {
    const int64_t *starts, *keys;
    uint64_t height;
} SparseCells;

/* Where the outputs of a join are, and how many cells still have room. */
typedef struct {
    int64_t *pair, *mine, *theirs;
    int64_t found, room;
} Joined;

/* Skip cells before this row: twice as far each time, then by halves. */
static int64_t skip_to(const int64_t *keys, int64_t at, int64_t end, uint64_t base, uint64_t row)
{
    int64_t step = 1;
    while (at + step < end && (uint64_t)keys[at + step] - base < row) {
        at += step;
        step *= 2;
    }
    while (at < end && (uint64_t)keys[at] - base < row) {
        while (step > 1 && (at + step >= end || (uint64_t)keys[at + step] - base >= row))
            step /= 2;
        at += step;
    }
    return at;
}

/* Write the cells that two columns share; 0 where there is no room. */
static int join_two(const SparseCells *all, int64_t first, int64_t second, int64_t number,
                    Joined *out)
{
    uint64_t one = (uint64_t)first * all->height, two = (uint64_t)second * all->height;
    int64_t i = all->starts[first], i_end = all->starts[first + 1];
    int64_t j = all->starts[second], j_end = all->starts[second + 1];
    while (i < i_end && j < j_end) {
        uint64_t row = (uint64_t)all->keys[i] - one, other = (uint64_t)all->keys[j] - two;
        if (row < other) {
            i = skip_to(all->keys, i, i_end, one, other);
        } else if (other < row) {
            j = skip_to(all->keys, j, j_end, two, row);
        } else {
            if (out->found == out->room)
                return 0;
            out->pair[out->found] = number;
            out->mine[out->found] = i++;
            out->theirs[out->found++] = j++;
        }
    }
    return 1;
}

static int join_all(const SparseCells *all, int64_t columns, const int64_t *first,
                    const int64_t *second, int64_t count, Joined *out)
{
    for (int64_t k = 0; k < count; k++) {
        if ((uint64_t)first[k] >= (uint64_t)columns || (uint64_t)second[k] >= (uint64_t)columns ||
            !join_two(all, first[k], second[k], k, out))
            return 0;
    }
    return 1;
}

/* join_columns(starts, keys, height, first, second, pair, mine, theirs) -> int

   Write the cells that each pair of sparse columns shares: the number of the pair, and where the
   cell is in either column; returns how many there are. */
PyObject *join_columns(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *sources[7], *answer = NULL;
    unsigned long long height;
    Py_ssize_t lengths[7];
    const int64_t *inputs[4];
    int64_t *outputs[3];
    Views views = {.taken = 0};
    if (!PyArg_ParseTuple(arguments, "OOKOOOOO", &sources[0], &sources[1], &height, &sources[2],
                          &sources[3], &sources[4], &sources[5], &sources[6]))
        return NULL;
    for (int i = 0; i < 4; i++)
        if (!(inputs[i] = take_input(&views, sources[i], 8, &lengths[i])))
            goto done;
    for (int i = 0; i < 3; i++)
        if (!(outputs[i] = take_output(&views, sources[4 + i], 8, &lengths[4 + i])))
            goto done;
    const int64_t *starts = inputs[0];
    int64_t columns = lengths[0] - 1, count = lengths[2];
    Joined out = {outputs[0], outputs[1], outputs[2], 0, lengths[4]};
    int fit = columns >= 0 && lengths[3] == count && lengths[5] == lengths[4] &&
              lengths[6] == lengths[4] && starts[0] >= 0 && starts[columns] <= lengths[1];
    for (int64_t i = 0; fit && i < columns; i++)
        fit = starts[i] <= starts[i + 1];
    SparseCells all = {starts, inputs[1], height};
    if (fit) {
        Py_BEGIN_ALLOW_THREADS
        fit = join_all(&all, columns, inputs[2], inputs[3], count, &out);
        Py_END_ALLOW_THREADS
    }
    if (fit)
        answer = PyLong_FromLongLong(out.found);
    else
        PyErr_SetString(PyExc_ValueError, "columns, pairs and outputs do not fit together");
done:
    release_views(&views);
    return answer;
}
