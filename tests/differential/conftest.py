"""Drawn kernels are verified after each pass, too."""

from tests.compiler.passes.conftest import verified_after_each_pass

__all__ = ["verified_after_each_pass"]
