"""Runs: kept in a store, compared with each other, held against a baseline."""

from tilesmith.profiling.runs.baseline import BaselineFile
from tilesmith.profiling.runs.compare import Comparison, compare
from tilesmith.profiling.runs.figures import KernelFigures, RunFigures, figures_of
from tilesmith.profiling.runs.gate import Verdict, judge, parse_tolerance
from tilesmith.profiling.runs.store import Run, RunStore

__all__ = [
    "BaselineFile",
    "Comparison",
    "KernelFigures",
    "Run",
    "RunFigures",
    "RunStore",
    "Verdict",
    "compare",
    "figures_of",
    "judge",
    "parse_tolerance",
]
