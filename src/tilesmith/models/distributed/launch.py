"""Running a function or a script once for every chip of a mesh, in one process."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache, partial, wraps
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch._dynamo import config as dynamo_config
from torch._dynamo.backends.registry import lookup_backend
from torch.distributed import device_mesh, distributed_c10d

from tilesmith import settings
from tilesmith.arch.boards import board_with
from tilesmith.compiler.launch import own_device
from tilesmith.errors import CollectiveError, TilesmithWarning
from tilesmith.models.distributed.host_transfers import HostTransfers
from tilesmith.models.distributed.meetings import Group, Meetings
from tilesmith.models.distributed.process_group import MeshProcessGroup, Transfers
from tilesmith.models.distributed.ranks import Ranks, current_rank
from tilesmith.models.distributed.transfers import MeshTransfers
from tilesmith.runtime import Mesh, open_mesh
from tilesmith.runtime.emulated_mesh import EmulatedChips

_BACKEND = "threaded"  # torch knows by this name that ranks are threads
_variables: ContextVar[Mapping[str, str]] = ContextVar("environment of a rank", default=MappingProxyType({}))


def spawn(
    function: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = 2, board: str = ""
) -> list[Any]:
    """Call `function(rank, *args)` for every rank, each with a chip of one mesh; what each has returned.

    As `torch.multiprocessing.spawn`, in one process: `torch.distributed` is ready for
    `init_process_group()`, and its collectives are programs of the mesh. `board` is one of arch/boards.toml.
    """
    chosen = board or board_with((1, nprocs), settings.current().arch)
    with open_mesh((1, nprocs), chosen) as mesh:
        world = _World(mesh)
        with world.installed():
            return world.ranks.run(lambda rank: world.call(rank, function, args))


def run_script_on_mesh(script: str, nprocs: int, board: str = "") -> None:
    """Run a script as `torchrun --nproc-per-node` does, with ranks that are threads of this process."""
    path = Path(script).resolve()
    sys.path.insert(0, str(path.parent))
    spawn(partial(_execute, path.read_bytes(), script), nprocs=nprocs, board=board)


def _execute(text: bytes, script: str, _: int) -> None:
    """Every rank has a `__main__` of its own."""
    main = ModuleType("__main__")
    main.__file__ = script
    sys.modules["__main__"] = main
    exec(compile(text, script, "exec"), main.__dict__)


class _World:
    """The ranks of a run and the mesh of their chips."""

    def __init__(self, mesh: Mesh) -> None:
        assert isinstance(mesh.chips, EmulatedChips)
        self.mesh, self.chips = mesh, mesh.chips
        self.ranks = Ranks(mesh.num_chips)
        self.meetings = Meetings(self.ranks)
        self.store = vars(dist)["HashStore"]()
        self.devices = list(mesh.chips.devices.values())

    def call(self, rank: int, function: Callable[..., Any], args: Sequence[Any]) -> Any:
        """As a process that torchrun has started would."""
        _variables.set({"RANK": str(rank), "LOCAL_RANK": str(rank)})
        with own_device(self.devices[rank]), settings.using(arch=self.chips.arch.name):
            return function(rank, *args)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """torch.distributed and torch.compile as they must be while ranks are threads."""
        from torch.testing._internal.distributed.multi_threaded_pg import ThreadLocalWorld

        size = str(self.ranks.size)
        shared = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size, "GROUP_RANK": "0"}
        shared |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "0"}
        dist.Backend.register_backend(_BACKEND, self._group, extended_api=True, devices=["cpu"])
        isolate = vars(torch._C._distributed_c10d)["_set_thread_isolation_mode"]
        isolate(True)
        try:
            with ExitStack() as held:
                held.enter_context(patch.object(distributed_c10d, "_world", ThreadLocalWorld()))
                for module in (dist, distributed_c10d, device_mesh):
                    held.enter_context(patch.object(module, "init_process_group", self._init_process_group))
                held.enter_context(patch.object(torch, "compile", _compiled_apart(torch.compile)))
                held.enter_context(
                    dynamo_config.patch(recompile_limit=dynamo_config.recompile_limit * self.ranks.size)
                )
                held.enter_context(patch.dict(os.environ, shared))
                held.enter_context(patch.object(os, "environ", _Environment()))
                yield
        finally:
            isolate(False)

    def _init_process_group(self, *_: Any, timeout: Any = None, **given: Any) -> None:
        """As torch's, whatever backend and rendezvous it is asked for: the ranks are there already."""
        self._check_world(given)
        rank = current_rank()
        assert rank is not None
        _INIT(backend=_BACKEND, rank=rank, world_size=self.ranks.size, store=self.store, timeout=timeout)

    def _check_world(self, given: Mapping[str, Any]) -> None:
        wanted = given.get("world_size", -1)
        if wanted not in (-1, None, self.ranks.size):
            raise CollectiveError(
                f"init_process_group is told of {wanted} ranks, and there are {self.ranks.size}",
                remedy="leave world_size out, or start as many ranks as it says",
            )

    def _group(self, options: Any, _: Any = None) -> MeshProcessGroup:
        """The group that torch asks for."""
        group: Group = tuple(options.global_ranks_in_group) or tuple(range(self.ranks.size))
        return MeshProcessGroup(
            options.group_rank, group, options.group_id, self._transfers(group), self.meetings
        )

    def _transfers(self, group: Group) -> Transfers:
        first, count = group[0], len(group)
        if group == tuple(range(first, first + count)):
            return MeshTransfers(Mesh((1, count), self.chips.in_row(first, count)))
        warnings.warn(
            f"the chips of ranks {list(group)} are not neighbours: their collectives run on the host",
            TilesmithWarning,
            stacklevel=2,
        )
        return HostTransfers()


def _compiled_apart(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """torch.compile for ranks that share code: what it makes of it may depend on the rank, unseen by guards.

    It keeps apart what it compiled with different backends: every rank of every run gets one of its own. The
    chips of an earlier run are closed.
    """
    backend_of = cache(_backend_of)

    @wraps(compiled)
    def wrapped(*args: Any, backend: Any = "inductor", **options: Any) -> Any:
        return compiled(*args, backend=backend_of(current_rank(), backend), **options)

    return wrapped


def _backend_of(rank: int | None, backend: Any) -> Callable[..., Any]:  # noqa: ARG001 - one for each
    found = lookup_backend(backend)

    @wraps(found)
    def of_rank(*args: Any, **options: Any) -> Any:
        return found(*args, **options)

    return of_rank


class _Environment(os._Environ[str]):
    """The environment of the process, over which lies that of the rank whose code runs."""

    def __init__(self) -> None:
        true = os.environ
        super().__init__(
            vars(true)["_data"], true.encodekey, true.decodekey, true.encodevalue, true.decodevalue
        )

    def __getitem__(self, key: str) -> str:
        return _variables.get().get(key) or super().__getitem__(key)


_INIT = dist.init_process_group
