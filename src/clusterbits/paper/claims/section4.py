"""Section 4: what the paper says of entropy, of the code for the table and of the best clustering.

The best clustering is checked by exhaustion: every clustering of a few small sets of classes.
"""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.code_length import q0
from clusterbits.measures.extremes import best_bits
from clusterbits.paper.claims.claim import Claim, score_model
from clusterbits.paper.family import Grid, Model
from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import Records

SMALL = ((2, 1), (3, 3), (2, 2, 1), (3, 2, 2), (2, 1, 1, 1))
COLUMNS = tuple(product(range(1, 7), range(2, 5)))  # sizes of a cluster, numbers of classes
USUAL = 0.05  # "usually" has exceptions no more frequent than this
Column = tuple[int, ...]


def rows() -> Records:
    """Return one row per vector of class sizes: the best of all clusterings, and the formula."""
    records = []
    for sizes in SMALL:
        tables = (list(zip(*columns, strict=True)) for columns in clusterings(sizes, sizes))
        bits = [q0.score_table(Contingency.from_counts(table)) for table in tables]
        best = min(bits)
        records.append(
            {
                "class_sizes": " ".join(map(str, sizes)),
                "clusterings": len(bits),
                "best": best,
                "formula": best_bits(sizes),
                "reached_by": sum(b - best < 1e-12 for b in bits),
            }
        )
    return records


def clusterings(sizes: Column, largest: Column) -> Iterator[list[Column]]:
    """Yield every table with these class sizes: its columns, in falling order from `largest` on."""
    if not any(sizes):
        yield []
        return
    for column in product(*(range(size + 1) for size in sizes)):
        if any(column) and column <= largest:
            rest = tuple(a - b for a, b in zip(sizes, column, strict=True))
            for columns in clusterings(rest, column):
                yield [column, *columns]


def claims(records: Records) -> list[Claim]:
    """Return the claims of the section."""
    right = all(abs(row["best"] - row["formula"]) <= 1e-12 for row in records)
    tried = sum(row["clusterings"] for row in records)
    title = f"the minimum of Q0, of all {tried} clusterings of {len(records)} small sets"
    minimum = Claim("§4", title, "correct", "correct" if right else "wrong")
    return [*_entropies(), *_table_code(), *_second_term(), minimum]


def _entropies() -> list[Claim]:
    perfect = Model().expected()
    useless = Model(epsilon1=0.8).expected()  # every cluster has all classes alike
    entropy = perfect.class_entropy
    p = [size / perfect.n for size in perfect.class_sizes.tolist()]
    as_printed = sum(x * math.log2(x) for x in p)
    with_perfect = f"{perfect.class_entropy_given_cluster:.6g}"
    with_useless = f"{useless.class_entropy_given_cluster:.6f}"
    return [
        Claim(
            "§4",
            "H(C) = Σ p(c) log p(c), five equal classes",
            f"{entropy:.3f}",
            f"{as_printed:.3f}",
            f"The formula lacks its minus sign: Σ p log p is {as_printed:.3f}, H(C) {entropy:.3f}.",
        ),
        Claim("§4", "H(C|K) where k predicts c perfectly", "0", with_perfect),
        Claim("§4", "H(C|K) where k says nothing about c: H(C)", f"{entropy:.6f}", with_useless),
    ]


def _table_code() -> list[Claim]:
    same = sum(_count_columns(size, n) == math.comb(size + n - 1, n - 1) for size, n in COLUMNS)
    table = Model().expected()
    bits = table.n * table.table_bits()
    return [
        Claim("§4", "(3) is the number of possible columns, cases", str(len(COLUMNS)), str(same)),
        Claim(
            "§4",
            "2 to the power of (4) is the prior of the table",
            "below 1",
            f"2^{bits:.1f}",
            f"For five pure clusters of 100, (4) is {bits:.4f} bits, and 2 to that power is the "
            "number of tables. The prior is its inverse.",
            holds=bits <= 0,
        ),
    ]


def _count_columns(size: int, classes: int) -> int:
    """Return the number of columns with this sum, counted one by one."""
    return sum(sum(column) == size for column in product(range(size + 1), repeat=classes))


def disputed() -> dict[bool, tuple[int, int]]:
    """Return the number of pairs of models, and of those that H(C|K) and Q0 order differently.

    The key is whether the two have the same number of clusters. A tie by one is a difference.
    """
    models = list(Grid().models())
    clusters = np.array([model.clusters for model in models])
    a, b = np.triu_indices(len(models), 1)

    def order(measure: str) -> NDArray[np.float64]:
        scores = np.array([score_model(measure, model) for model in models])
        difference = scores[a] - scores[b]
        return np.where(abs(difference) < 1e-12, 0, np.sign(difference))

    differ, same = order("conditional_entropy") != order("q0"), clusters[a] == clusters[b]
    return {
        key: (int((same == key).sum()), int(differ[same == key].sum())) for key in (True, False)
    }


def _second_term() -> list[Claim]:
    pairs = disputed()
    same, different = (pairs[key][1] / pairs[key][0] for key in (True, False))
    title = "without (4), pairs of models with one |K| reordered"
    more = "the same with different |K|"
    return [
        Claim("§4", title, "few", f"{same:.1%}", holds=same <= USUAL),
        Claim("§4", more, "more", f"{different:.1%}", holds=different > same),
    ]
