"""Calls of grid_sample: which there are, and running one of them."""
