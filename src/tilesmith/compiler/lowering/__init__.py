"""From the tile dialect to kernels in the tt dialect, one file per pass."""
