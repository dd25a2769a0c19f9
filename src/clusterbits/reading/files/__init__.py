"""Label columns of files, read and counted by DuckDB."""
