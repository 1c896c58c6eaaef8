"""The vendor's numeric vectors: reading them, running their kernels, judging what comes out."""
