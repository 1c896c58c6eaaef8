"""Reductions along axes: sum, mean, max, min."""
