"""explanation."""
