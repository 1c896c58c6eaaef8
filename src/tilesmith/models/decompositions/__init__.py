"""Decompositions: operators that no kernel template covers, written with operators that one does."""
