"""From a captured model to kernels: passes over torch.fx graphs, fusion, layout and memory planning."""
