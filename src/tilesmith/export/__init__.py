"""A recording as projects that need no tilesmith: C++ for tt-metal, and a Python script for ttnn."""

from tilesmith.export.project import write_project

__all__ = ["write_project"]
