"""Counting where the data lives: each module turns one kind of source into `Cells`."""
