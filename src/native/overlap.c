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
