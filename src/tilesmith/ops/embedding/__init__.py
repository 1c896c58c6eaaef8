"""embedding: rows of a table, by index."""
