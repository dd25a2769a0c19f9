"""Labels, DataFrames, files, engines and devices as tallies, counted by their engines."""
