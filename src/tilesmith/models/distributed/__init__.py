"""torch.distributed for chips: ranks as threads of one process that drives a mesh, or as processes.

Importing this makes the backend "tilesmith" known to `init_process_group`.
"""

from tilesmith.models.distributed.launch import run_script_on_mesh, spawn
from tilesmith.models.distributed.ordered import OrderedProcessGroup

__all__ = ["OrderedProcessGroup", "run_script_on_mesh", "spawn"]
