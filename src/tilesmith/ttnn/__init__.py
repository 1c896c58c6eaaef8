"""ttnn's face of the operations and the runtime: `from tilesmith import ttnn`."""

from __future__ import annotations
