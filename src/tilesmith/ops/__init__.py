"""Operations shaped like ttnn's, one folder each: API, validation, program factories, kernels, reference."""
