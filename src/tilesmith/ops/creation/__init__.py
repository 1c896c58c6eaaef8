"""Tensors from nothing: zeros, ones, full, empty, arange, rand; and from torch and back."""
