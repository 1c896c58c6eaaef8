"""generic_op: a program given as ttnn's descriptors, run on tensors."""
