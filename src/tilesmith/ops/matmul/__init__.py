"""Products of matrices: matmul, linear, addmm."""
