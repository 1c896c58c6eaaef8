"""Rewrites within the tile dialect, one file each; `tilesmith.compiler.pipeline` lists them in order."""
