"""Judging measures by how they behave: the paper's section 6 as a tool, and later axioms.

``check(measure)`` gives a measure's report card: Dom's five desiderata on the family p(c,k), for
few objects and for many, Amigó's four constraints, properties tried by brute force on all small
partitions, and baselines. A failure comes with a witness: tables, values and parameters that a
reader can verify by hand.
"""
