"""A web page over saved profiles: the newest run, its history, and what got slower."""

from tilesmith.dashboard.collector import Metrics, PerformanceCollector
from tilesmith.dashboard.history import History, Regression, SavedRun

__all__ = ["History", "Metrics", "PerformanceCollector", "Regression", "SavedRun"]
