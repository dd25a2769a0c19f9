"""Tables × measures → Scores: evaluation, all pairs of labelings, ranks and disagreements."""
