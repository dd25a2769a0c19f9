/* The connected components of pairs of ids. */

#include "native.h"

/* Find the first object of a component; on the way, every other object skips one. */
static int64_t find_first(int64_t *parents, int64_t object)
{
    while (parents[object] != object) {
        parents[object] = parents[parents[object]];
        object = parents[object];
    }
    return object;
}

/* Join some pairs of objects; 0 where one is out of range. Parents are prefetched. */
static int join_block(int64_t *parents, uint64_t n, const uint64_t *left, const uint64_t *right,
                      Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (left[i] >= n || right[i] >= n)
            return 0;
        PREFETCH(&parents[left[i]]);
        PREFETCH(&parents[right[i]]);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t one = find_first(parents, (int64_t)left[i]);
        int64_t other = find_first(parents, (int64_t)right[i]);
        if (one < other)
            parents[other] = one;
        else
            parents[one] = other;
    }
    return 1;
}

/* join_pairs(left, right, parents)

   Join the components of each pair of objects. The int64 `parents` hold an earlier object of each
   object's component, or itself; in the end, the first. */
PyObject *join_pairs(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *left, *right, *parents_source, *answer = NULL;
    Pairs pairs;
    Views views = {.taken = 0};
    Py_ssize_t n;
    int64_t *parents = NULL;
    if (!PyArg_ParseTuple(arguments, "OOO", &left, &right, &parents_source))
        return NULL;
    if (take_pairs(&views, left, right, &pairs))
        parents = take_output(&views, parents_source, 8, &n);
    if (!parents)
        goto done;
    int inside = 1, stopped = 0;
    for (int64_t i = 0; i < n; i++)
        inside &= parents[i] >= 0 && parents[i] <= i;
    for (Py_ssize_t begin = 0; inside && !stopped && begin < pairs.c.length;) {
        Py_ssize_t rest = pairs.c.length - begin, end = begin + (rest < PIECE ? rest : PIECE);
        Py_BEGIN_ALLOW_THREADS
        uint64_t ones[BLOCK], others[BLOCK];
        for (; inside && begin < end; begin += BLOCK) {
            Py_ssize_t count = end - begin < BLOCK ? end - begin : BLOCK;
            load_wide(&pairs.c, begin, count, 0, ones);
            load_wide(&pairs.k, begin, count, 0, others);
            inside = join_block(parents, (uint64_t)n, ones, others, count);
        }
        Py_END_ALLOW_THREADS
        stopped = PyErr_CheckSignals() < 0;
    }
    if (stopped)
        goto done;
    /* Earlier objects have found their first already. */
    for (int64_t i = 0; inside && i < n; i++)
        parents[i] = parents[parents[i]];
    if (inside)
        answer = Py_NewRef(Py_None);
    else
        PyErr_SetString(PyExc_ValueError, "an object or a parent is out of range");
done:
    release_views(&views);
    return answer;
}
