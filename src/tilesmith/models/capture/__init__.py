"""How PyTorch's graphs are captured, for inference and for training."""
