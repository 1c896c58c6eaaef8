"""embedding: rows of a table, by number."""
