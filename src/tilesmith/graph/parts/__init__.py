"""Operators that no kernel does by itself, written with others that kernels do: one file per kind."""
