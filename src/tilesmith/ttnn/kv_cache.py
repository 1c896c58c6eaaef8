"""ttnn.kv_cache: operations under that name."""

from __future__ import annotations

from tilesmith.ttnn.namespaces import namespace

__getattr__, __dir__ = namespace("ttnn.kv_cache")
