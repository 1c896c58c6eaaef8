"""Operations element by element on one, two or three tensors, with broadcast and fused activations."""
