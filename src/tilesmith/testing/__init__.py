"""Help for tests of kernels: comparing what a chip computed with what it should have."""

from tilesmith.testing.compare import Comparison, Tolerance, assert_close, compare

__all__ = ["Comparison", "Tolerance", "assert_close", "compare"]
