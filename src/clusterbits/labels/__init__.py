"""Labels as codes, the options of how they are read, and what counts: tally and settle."""
