"""Operations on one, two or three tensors, element by element: unary, binary, ternary; with broadcast and fusion."""
