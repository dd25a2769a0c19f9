"""The value itself: the contingency table, how it is counted, added up and stored."""
