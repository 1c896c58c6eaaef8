"""Where the time and the traffic of a run went."""

from tilesmith.profiling.summary import RunSummary

__all__ = ["RunSummary"]
