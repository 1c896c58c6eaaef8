"""Where the time, the traffic and the memory of a run went."""

from tilesmith.profiling.advice import Advice
from tilesmith.profiling.collect import Recorder, recording
from tilesmith.profiling.memory import MemoryProfiler, MemoryReport
from tilesmith.profiling.monitor import PerformanceMonitor, ProgramRan
from tilesmith.profiling.performance import Bottleneck, PerformanceProfiler
from tilesmith.profiling.report import Profile
from tilesmith.profiling.summary import RunSummary
from tilesmith.profiling.torch_trace import export_chrome_trace

__all__ = [
    "Advice",
    "Bottleneck",
    "MemoryProfiler",
    "MemoryReport",
    "PerformanceMonitor",
    "PerformanceProfiler",
    "Profile",
    "ProgramRan",
    "Recorder",
    "RunSummary",
    "export_chrome_trace",
    "recording",
]
