"""PyTorch models -> kernels: capture, decompositions, graph passes, planning, backends."""
