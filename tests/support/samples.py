"""Tables to try: drawn ones, and the degenerate ones by name."""

from hypothesis import strategies as st

import clusterbits as cb

DEGENERATE = {
    "one object": [[1]],
    "one class, one cluster": [[7]],
    "one class, many clusters": [[3, 1, 2]],
    "many classes, one cluster": [[3], [1], [2]],
    "all singletons": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "singleton clusters": [[1, 1, 0, 0], [0, 0, 1, 1]],
    "singleton classes": [[1, 0], [1, 0], [0, 1]],
    "independent": [[4, 8], [2, 4]],
    "near int64": [[2**61, 1], [1, 2**61]],
    "large": [[2**60, 3], [5, 2**61]],
}


def tables(max_classes: int = 5, max_clusters: int = 6, max_count: int = 40):
    """Draw small tables of whole counts, sparse ones often."""
    count = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, max_count))
    shape = st.tuples(st.integers(1, max_classes), st.integers(1, max_clusters))
    return (
        shape.flatmap(
            lambda s: st.lists(
                st.lists(count, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0]
            )
        )
        .filter(lambda rows: any(map(any, rows)))
        .map(cb.Contingency.from_counts)
    )


def labels_of(table: cb.Contingency) -> tuple[list, list]:
    """Return two label lists with this table."""
    truth, pred = [], []
    for row, column, count in zip(table.rows, table.columns, table.counts, strict=True):
        truth += [table.classes[row]] * int(count)
        pred += [table.clusters[column]] * int(count)
    return truth, pred


def perfect_table(table: cb.Contingency) -> cb.Contingency:
    """Return the table of the classes against themselves."""
    names = list(table.classes)
    sizes = table.class_sizes.tolist()
    diagonal = [[sizes[i] if i == j else 0 for j in range(len(names))] for i in range(len(names))]
    return cb.Contingency.from_counts(diagonal, classes=names, clusters=names)
