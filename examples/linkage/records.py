"""
Link records, and find the wrong links
======================================

Two records are linked when they look alike. Which threshold is best? Pair precision and recall
pull in two directions; bits have a best threshold. Just below it different people are merged, and
``explain`` names them. The people are synthetic: 81, with one to four records each and typing
errors.
"""

from difflib import SequenceMatcher
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

import clusterbits as cb

rng = np.random.default_rng(3)
first = ["Anna", "Hanna", "Jon", "Joan", "Maria", "Marie", "Peter", "Petra", "Paula"]
last = ["Smith", "Smyth", "Schmidt", "Miller", "Muller", "Brown", "Braun", "Young", "Jung"]


def mistype(text):
    """Return the text with one character changed, or as it is."""
    place, letter = rng.integers(len(text)), rng.choice(list("aeinorst"))
    return text[:place] + letter + text[place + 1 :] if rng.random() < 0.5 else text


people, typed = [], []
for name in [f"{a} {b}" for a in first for b in last]:
    person = f"{name}, {rng.integers(1, 29)}.{rng.integers(1, 13)}.{rng.integers(1930, 2010)}"
    for _ in range(rng.integers(1, 5)):
        people.append(person)
        typed.append(mistype(mistype(person)))

# %%
# Linkage tools give pairs of records. ``from_pairs`` needs no more: records that are linked through
# others belong together, and ``ids`` adds those in no pair.
pairs = list(combinations(range(len(people)), 2))
truth = [(a, b) for a, b in pairs if people[a] == people[b]]
alike = [SequenceMatcher(None, typed[a], typed[b]).ratio() for a, b in pairs]
thresholds = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
tables = {
    f"above {threshold}": cb.Contingency.from_pairs(
        truth,
        [pair for pair, ratio in zip(pairs, alike, strict=True) if ratio > threshold],
        ids=range(len(people)),
    )
    for threshold in thresholds
}
tables["no links"] = cb.Contingency.from_pairs(truth, [], ids=range(len(people)))
measures = ["share_saved", "pair_precision", "pair_recall"]
scores = cb.evaluate(tables, measures=[*measures, "pair_f1"])
print(scores)

# %%
# No links save nothing, too many cost more than they tell, and in between is a best threshold.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for measure, style in zip(measures, ("C0o-", "C1s--", "C2^:"), strict=True):
    values = [scores[measure][f"above {threshold}"] for threshold in thresholds]
    ax.plot(thresholds, values, style, label=measure)
ax.set(xlabel="link records above this likeness", title="Bits have a best threshold")
ax.legend()
plt.show()

# %%
# Which people are merged at 0.8? Components are called by their first record.
table = tables["above 0.8"]
for split in cb.explain(table).splits[:3]:
    column = table.to_dense()[:, table.clusters.index(split.cluster)]
    merged = [people[table.classes[row]] for row in np.flatnonzero(column)]
    print(f"{split.bits_saved:.3f} bits:", " | ".join(merged))
