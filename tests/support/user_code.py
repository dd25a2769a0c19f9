"""Typical calls of a user; `tests/test_surface.py` runs mypy --strict over them."""

import clusterbits as cb

truth = ["a", "a", "b", "b"]
pred = [1, 1, 1, 2]

table = cb.Contingency.from_labels(truth, pred, noise="singletons", missing="drop")
counted = cb.Contingency.from_counts([[30, 5], [10, 55]], classes=["cat", "dog"])
one = cb.Contingency.from_file("labels.csv", truth="species", pred="cluster")
many = cb.Contingency.from_file("labels.csv", truth="species", pred=["k*"])
frame = cb.Contingency.from_frame(object(), "species", "cluster", weights="size")
frames = cb.Contingency.from_frame(object(), "species", ["k10", "k20"])
year = cb.Contingency.from_batches([table, counted]) + one

bits = cb.q0(truth, pred)
share = cb.q2(table, worst="exact")
rand = cb.ari(truth, pred, weights=[1, 2, 1, 1])
like_sklearn = cb.adjusted_mutual_info_score(labels_true=truth, labels_pred=pred)
scores = cb.evaluate(truth, {"k2": pred, "k1": [0] * 4}, measures=["q0", "ari"])
best = scores.sorted_by("q0").clusterings[0]
why = cb.explain(table).merges[0].bits_saved
sure = cb.interval(truth, pred, measure="q2", confidence_level=0.9).low
chance = cb.permutation_test(table, measure="q0").p_value
ranking = cb.compare(truth, {"a": pred, "b": truth}).best
mean = cb.evaluate(truth, pred, groups=["x", "x", "y", "y"]).means[0].value
grouped = cb.interval(truth, pred, measure="q2", groups=["x", "x", "y", "y"]).low
scoring = cb.scorer(cb.q2.using(worst="exact"))
square = cb.pairwise({"a": pred, "b": truth}, measure="ari")["a", "b"]
soft = cb.covers.q0_soft(truth, cb.covers.Memberships([[0.9, 0.1], [0.5, 0.5], [0, 1], [0, 1]]))
helped = cb.covers.soft_code(truth, [[0.9, 0.1], [0.5, 0.5], [0, 1], [0, 1]]).gained
overlap = cb.covers.omega([{1, 2}, {2, 3}], [{1}, {2, 3}])
tree = cb.trees.Tree.from_children([[0, 1], [2, 3]])
code = cb.codec.encode(truth, pred)
worst = cb.worst_clustering([4, 3, 2]).bits
unlisted = cb.hamann(truth, pred)
paid = table.table_bits()
card = cb.paper.check("rand")["P2"].outcome
cards = cb.paper.check(["rand", "ari"])["rand"]
