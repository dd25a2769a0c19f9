"""Coreference written out plainly: documents to draw, files of them, every score by its links."""

from itertools import combinations, permutations

from hypothesis import strategies as st

from clusterbits.coreference.mention_counts import Quality


def write_columns(documents, tokens=60):
    """Return clusters of spans as text in the columns of CoNLL-2012."""
    lines = []
    for name, clusters in documents.items():
        marks = [[] for _ in range(tokens)]
        for entity, cluster in enumerate(clusters):
            for start, end in cluster:
                if start == end:
                    marks[start].append(f"({entity})")
                else:
                    marks[start].append(f"({entity}")
                    marks[end].append(f"{entity})")
        lines.append(f"#begin document ({name});\n")
        lines += [f"{name}   0   {i}   word   {'|'.join(m) or '-'}\n" for i, m in enumerate(marks)]
        lines.append("\n#end document\n")
    return "".join(lines)


def of_entities(assigned):
    """Return the clusters of mentions 0, 1, … by the entity of each; None is no mention."""
    found = {}
    for mention, entity in enumerate(assigned):
        if entity is not None:
            found.setdefault(entity, []).append(mention)
    return list(found.values())


side = st.lists(st.none() | st.integers(0, 3), max_size=7).map(of_entities)
documents = st.lists(st.tuples(side, side), min_size=1, max_size=3)


def links(clusters):
    return {frozenset(pair) for cluster in clusters for pair in combinations(cluster, 2)}


def pairs(clusters):
    return {frozenset(pair) for pair in combinations([m for c in clusters for m in c], 2)}


def muc(one, other):
    """Return links of `one` that remain, cut by `other`, and all: Vilain's partitions."""
    hits = 0
    for cluster in one:
        parts = [set(cluster) & set(of) for of in other if set(cluster) & set(of)]
        alone = [m for m in cluster if not any(m in of for of in other)]
        hits += len(cluster) - len(parts) - len(alone)
    return hits, sum(len(cluster) - 1 for cluster in one)


def bcubed(one, other):
    where = {m: set(cluster) for cluster in other for m in cluster}
    hits = sum(
        len(set(cluster) & where.get(m, set())) / len(cluster) for cluster in one for m in cluster
    )
    return hits, sum(map(len, one))


def lea(one, other):
    hits = 0
    for cluster in one:
        if len(cluster) == 1:
            hits += list(cluster) in [list(of) for of in other]
        else:
            own = links([cluster])
            hits += len(cluster) * len(own & links(other)) / len(own)
    return hits, sum(map(len, one))


def found_mentions(one, other):
    known = {m for cluster in other for m in cluster}
    return sum(m in known for cluster in one for m in cluster), sum(map(len, one))


def ceaf(likeness):
    def of(one, other):
        few, many = sorted((one, other), key=len)
        best = max(
            sum(likeness(set(a), set(b)) for a, b in zip(few, some, strict=True))
            for some in permutations(many, len(few))
        )
        return best, sum(likeness(set(a), set(a)) for a in one)

    return of


def coreferent(one, other):
    return len(links(one) & links(other)), len(links(one))


def apart(one, other):
    own, theirs = (pairs(some) - links(some) for some in (one, other))
    return len(own & theirs), len(own)


PLAIN = {
    "muc": muc,
    "bcubed": bcubed,
    "ceaf_m": ceaf(lambda a, b: len(a & b)),
    "ceaf_e": ceaf(lambda a, b: 2 * len(a & b) / (len(a) + len(b))),
    "lea": lea,
    "mentions": found_mentions,
}


def rate(score, drawn):
    """Return precision, recall and F1 of sums over documents, and the denominator of recall."""
    recall, precision = (
        [sum(part) for part in zip(*(score(*order(one)) for one in drawn), strict=True)]
        for order in (lambda one: one, lambda one: one[::-1])
    )
    r, p = (hits / of if of else 0 for hits, of in (recall, precision))
    return Quality(p, r, 2 * p * r / (p + r) if p + r else 0), recall[1]


def rate_all(drawn):
    """Return precision, recall and F1 of every measure, with BLANC's special cases."""
    found = {name: rate(score, drawn)[0] for name, score in PLAIN.items()}
    kinds = [quality for quality, of in (rate(coreferent, drawn), rate(apart, drawn)) if of]
    found["blanc"] = Quality(
        *(sum(part) / len(kinds) for part in zip(*kinds, strict=True))
        if kinds
        else (0, 0, 0)
    )  # fmt: skip
    three = [found[name] for name in ("muc", "bcubed", "ceaf_e")]
    found["conll"] = Quality(*(sum(part) / 3 for part in zip(*three, strict=True)))
    return found
