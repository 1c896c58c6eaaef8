"""Golden files, as for the passes."""

from tests.passes.conftest import golden

__all__ = ["golden"]
