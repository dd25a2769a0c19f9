"""Section 5: what the paper says of H(C|K), of classification error and of the Hamming measure."""

import numpy as np

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.claims.claim import LEFT_OUT, Claim
from clusterbits.paper.claims.violations import verdicts
from clusterbits.paper.family import Model
from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import Records

# The measure left out, and the one that the paper says repairs it.
REPAIRED = dict(zip(LEFT_OUT, ("q0", "hamming_similarity"), strict=True))
MORE_CLUSTERS = ("P1.2", "P2")
ERROR = 0.2


def rows() -> Records:
    """Return one row per place of the errors: in all other clusters, or in a single one."""
    tables = {
        "none": Model().expected(),
        "in all other clusters": Model(epsilon1=ERROR).expected(),
        "in one other cluster": _errors_in_one_cluster(),
    }
    measures = [get_measure(name) for name in ("classification_error", "hamming_similarity", "q0")]
    return [
        {"errors": name, **{measure.name: measure.score_table(table) for measure in measures}}
        for name, table in tables.items()
    ]


def _errors_in_one_cluster() -> Contingency:
    """Return the table in which all errors of a class go to the cluster of the next."""
    right = np.eye(5)
    return Contingency.expected(((1 - ERROR) * right + ERROR * np.roll(right, 1, axis=1)) / 5, 500)


def claims(records: Records) -> list[Claim]:
    """Return the claims of the section."""
    perfect, spread, single = records
    same = abs(spread["classification_error"] - single["classification_error"]) < 1e-12
    return [
        *_unsuitable(),
        Claim("§5.2", "classification error sees where errors go", "no", "no" if same else "yes"),
        Claim(
            "§5.2",
            "errors in all other clusters against one, Q0",
            "much worse",
            f"{spread['q0']:.3f} > {single['q0']:.3f}",
            holds=spread["q0"] > single["q0"],
        ),
        Claim(
            "§5.2",
            "(12) is a distance: its value for K = C",
            "0",
            f"{perfect['hamming_similarity']:.6g}",
            f"It is a similarity: {perfect['hamming_similarity']:.6g} for K = C, "
            f"{spread['hamming_similarity']:.6g} with ε1 = {ERROR}.",
        ),
    ]


def _unsuitable() -> list[Claim]:
    """Return the claims that two measures fail with more clusters, and that they are repaired."""
    result, names = [], " and ".join(MORE_CLUSTERS)
    for measure, repair in REPAIRED.items():
        broken = {name: verdicts(measure)[name] for name in MORE_CLUSTERS}
        repaired = {name: verdicts(repair)[name] for name in MORE_CLUSTERS}
        before, after = (", ".join(v.fraction for v in by.values()) for by in (broken, repaired))
        violated = {name: verdict.violated_sequences for name, verdict in repaired.items()}
        better = [name for name in violated if violated[name] < broken[name].violated_sequences]
        exceptions = sum(violated[name] for name in better)
        result += [
            Claim(
                "§5",
                f"{measure} with more clusters: {names} violated",
                "unsuitable",
                before,
                holds=all(verdict.violated_sequences for verdict in broken.values()),
            ),
            Claim(
                "§7",
                f"{measure} is repaired by {repair}: {names} violated",
                "none",
                after if sum(violated.values()) else "none",
                f"Sequences violated, {names}: {after} by {repair}, {before} by {measure}.",
                within=f"for {' and '.join(better)} only, with {exceptions} exceptions"
                if better
                else "",
            ),
        ]
    return result
