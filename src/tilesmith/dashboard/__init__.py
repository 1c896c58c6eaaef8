"""A web page over runs: what runs now, their history, comparisons, and what got slower."""

from tilesmith.dashboard.collector import Metrics, PerformanceCollector
from tilesmith.dashboard.history import History, SavedRun

__all__ = ["History", "Metrics", "PerformanceCollector", "SavedRun"]
