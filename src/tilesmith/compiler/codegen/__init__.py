"""From the tt dialect to C++ kernels and a Program."""
