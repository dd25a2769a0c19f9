"""The contingency table: cells, margins, statistics, chance."""
