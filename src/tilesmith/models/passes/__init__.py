"""Passes over torch.fx graphs, one file each. The graph stays one that torch can run."""
