"""What a workload did on a device, as data: its tensors, its programs, what went in and what came out.

A recording can be run again on another device of the same kind, compared, and exported.
"""

from tilesmith.recording.files import load_recording, save_recording
from tilesmith.recording.model import LaunchRecord, Recording
from tilesmith.recording.recorder import record
from tilesmith.recording.replay import replay
from tilesmith.recording.workload import Workload, workload_from

__all__ = [
    "LaunchRecord",
    "Recording",
    "Workload",
    "load_recording",
    "record",
    "replay",
    "save_recording",
    "workload_from",
]
