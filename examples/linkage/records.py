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
# Linkage tools score pairs of records. At each threshold, records are together if a chain of pairs
# connects them: a cut of a tree, and all cuts are scored at once.
pairs = list(combinations(range(len(people)), 2))
alike = [SequenceMatcher(None, typed[a], typed[b]).ratio() for a, b in pairs]
tree = cb.trees.Tree.from_edges(pairs, alike, len(people))
measures = ["share_saved", "pair_precision", "pair_recall"]
cuts = cb.trees.cuts(people, tree, ["q0", *measures, "pair_f1"])
print(cuts)

# %%
# No links save nothing, too many cost more than they tell, and in between is a best threshold.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for measure, style in zip(measures, ("C0-", "C1--", "C2:"), strict=True):
    ax.plot(cuts.thresholds, cuts[measure], style, drawstyle="steps-pre", label=measure)
best = cuts.best_threshold()
ax.axvline(best, color="0.5", linewidth=1)
ax.set(xlim=(0.7, 1), ylim=(-0.05, 1.05), xlabel="link records at least this alike")
ax.set_title(f"Links of records at least {best} alike cost the fewest bits")
ax.legend()
plt.show()

# %%
# Which people are merged at 0.8?
table = cuts.table(int(cuts.clusters[cuts.thresholds >= 0.8][0]))
for split in cb.explain(table).splits[:3]:
    column = table.to_dense()[:, table.clusters.index(split.cluster)]
    merged = [table.classes[row] for row in np.flatnonzero(column)]
    print(f"{split.bits_saved:.3f} bits:", " | ".join(merged))
