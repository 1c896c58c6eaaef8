"""Golden files, as for the passes."""

from tests.compiler.passes.conftest import golden

__all__ = ["golden"]
