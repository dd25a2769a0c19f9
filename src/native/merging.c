/* What columns of counts have in common, from a table of x·log2 x: sums of whole numbers. */

#include "native.h"

/* Counts as the rows of an array, and the logarithms that they point to. */
typedef struct {
    const uint32_t *counts;
    const int64_t *table, *log_sums;
    size_t width, mask; /* classes; the table's length is a power of two */
} Columns;

/* Add up the logarithms of two columns' sums. The mask keeps wrong counts within the table. */
WIDE static int64_t add_all(const Columns *all, const uint32_t *one, const uint32_t *other)
{
    const int64_t *table = all->table;
    uint32_t mask = (uint32_t)all->mask;
    int64_t total = 0;
    for (size_t c = 0; c < all->width; c++)
        total += table[(one[c] + other[c]) & mask];
    return total;
}

/* The same for the classes in `rows` alone, less the logarithms of the other column. */
static int64_t add_some(const Columns *all, const uint32_t *one, const uint32_t *other,
                        const uint32_t *rows, size_t count)
{
    const int64_t *table = all->table;
    uint32_t mask = (uint32_t)all->mask;
    int64_t total = 0;
    for (size_t r = 0; r < count; r++) {
        uint32_t y = other[rows[r]];
        total += table[(one[rows[r]] + y) & mask] - table[y & mask];
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
        out[k] = 2 * filled < all->width
                     ? add_some(all, one, other, rows, filled) - all->log_sums[i]
                     : add_all(all, one, other) - all->log_sums[i] - all->log_sums[j];
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
    PyObject *sources[5];
    Py_buffer views[5];
    const Py_ssize_t sizes[5] = {4, 8, 8, 8, 8};
    Py_ssize_t width, i;
    int taken = 0, good = 0;
    if (!PyArg_ParseTuple(arguments, "OnOOnOO", &sources[0], &width, &sources[1], &sources[2], &i,
                          &sources[3], &sources[4]))
        return NULL;
    for (; taken < 5; taken++)
        if (!take_output(sources[taken], &views[taken], sizes[taken]))
            goto done;
    Py_ssize_t columns = views[2].len / 8, length = views[1].len / 8, count = views[3].len / 8;
    int fit = width >= 0 && width < INT32_MAX &&
              (width == 0 || views[0].len / 4 / width >= columns) && i >= 0 && i < columns &&
              length > 0 && length <= (Py_ssize_t)1 << 31 && !(length & (length - 1)) &&
              views[4].len / 8 >= count;
    for (Py_ssize_t k = 0; fit && k < count; k++)
        fit = (uint64_t)((int64_t *)views[3].buf)[k] < (uint64_t)columns;
    if (!fit) {
        PyErr_SetString(PyExc_ValueError, "counts, table and outputs do not fit together");
        goto done;
    }
    Columns all = {views[0].buf, views[1].buf, views[2].buf, (size_t)width, (size_t)length - 1};
    Py_BEGIN_ALLOW_THREADS
    good = overlap_all(&all, (size_t)i, views[3].buf, (size_t)count, views[4].buf);
    Py_END_ALLOW_THREADS
    if (!good)
        PyErr_NoMemory();
done:
    while (taken)
        PyBuffer_Release(&views[--taken]);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}
