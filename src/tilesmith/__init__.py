"""Compile PyTorch models and TileLang kernels into Tenstorrent programs, and run those programs on any computer."""
