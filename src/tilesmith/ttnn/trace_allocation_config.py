"""ttnn.trace_allocation_config: where the buffers of traces were allocated is not kept track of here."""

from __future__ import annotations

TRACE_ALLOC_TRACKING = False
TRACE_ALLOC_DIAGNOSTICS = False
TRACE_ALLOC_REFERRER_DEPTH = 10
