"""Models as Tenstorrent programs, on the emulator or on the chip ttnn finds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule

from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.compiler.launch import shared_device
from tilesmith.errors import TilesmithWarning
from tilesmith.models.backends import weights
from tilesmith.models.backends.autotune import tune_blocks
from tilesmith.models.backends.base import ONE_AT_A_TIME, Backend, Executable
from tilesmith.models.backends.host import HostCalls
from tilesmith.models.backends.infinities import Ends, ends_of, may_make_nan
from tilesmith.models.backends.inputs import check_dtype
from tilesmith.models.backends.kept_trials import trial_key
from tilesmith.models.backends.kernels import buffer_bytes
from tilesmith.models.backends.l1_placement import bank_bytes, live_slots, place_in_l1
from tilesmith.models.backends.launch_program import kernel_of, program_of, stored_format
from tilesmith.models.backends.memory import MemoryPlan, Slot, plan_memory
from tilesmith.models.backends.mesh_collectives import MeshCollective, mesh_collectives, uploads_behind_waits
from tilesmith.models.backends.nonfinite import GivenNaN, Reference, refuse_infinity, refuse_nan
from tilesmith.models.backends.precision import Lowering, lowered
from tilesmith.models.backends.resident import Resident, row_in_tile, tile_written
from tilesmith.models.backends.routing import route_evenly
from tilesmith.models.backends.transfers import from_matrix, to_matrix
from tilesmith.models.capture.dtypes import check_dtypes
from tilesmith.models.capture.fx import PARAMETER
from tilesmith.models.capture.output_strides import laid_out
from tilesmith.models.custom_ops.bounds import check_bounds
from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.lower_custom_ops import lower_custom_ops
from tilesmith.models.passes.pipeline import FOR_TENSTORRENT, optimise
from tilesmith.models.planning.approximations import safely_approximated
from tilesmith.models.planning.blocks import choose_blocks
from tilesmith.models.planning.finite import has_nan, is_finite
from tilesmith.models.planning.formats import stored_as
from tilesmith.models.planning.lower_group_norm import CORES_SHARE
from tilesmith.models.planning.plan import constants_of, plan
from tilesmith.models.planning.row_masks import drop_row_masks
from tilesmith.models.planning.specialize import OPEN_SIZES, copied
from tilesmith.models.planning.steps import Download, HostCall, Kept, Launch, Plan, Upload
from tilesmith.models.planning.tied_tables import tied_tables
from tilesmith.models.planning.tile_images import tile_images
from tilesmith.models.planning.views import Storage
from tilesmith.models.report import report_of
from tilesmith.program import Program
from tilesmith.program.site import declared_by
from tilesmith.progress import tracked
from tilesmith.runtime import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, Device, RunReport, Tensor
from tilesmith.runtime.observers import labelled
from tilesmith.schedules.tuning_database import Tuned, known_schedules

# Of L1, what tensors that stay there may take; kernels need the rest.
_L1_SHARE = 0.2


@dataclass(frozen=True)
class TenstorrentBackend(Backend):
    """Kernels where the library has them, the host for the rest, op by op, as the report says."""

    name: ClassVar[str] = "tenstorrent"
    keeps_state: ClassVar[bool] = True

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        check_dtypes(module)
        lower_custom_ops(module)
        captured, is_open = copied(module), module.meta.get(OPEN_SIZES)
        reference = Reference(captured)

        def executable_of(own: GraphModule, backend: TenstorrentBackend) -> TenstorrentExecutable:
            planned = uploads_behind_waits(backend.planned(own), own.graph)
            return TenstorrentExecutable(own, planned, backend.options, ops, reference, inputs)

        if not self.options.tunes:
            return executable_of(module, self)

        def lower(lowering: Lowering) -> TenstorrentExecutable:
            return executable_of(copied(captured), replace(self, options=lowering.of(self.options)))

        keeps = shared_device(load_arch(self.options.target or settings.current().arch)).can_place
        key = trial_key(captured, inputs) if keeps and not is_open else ""
        executable = lowered(lambda: executable_of(module, self), lower, self.options, inputs, key)
        if not is_open:
            executable.tuned = tune_blocks(executable)
            executable.settle()
        return executable

    def begin(self) -> None:
        given = {key: getattr(self.options, key) for key in ("checks", "numbers")}
        with settings.using(**{key: value for key, value in given.items() if value}):
            shared_device(load_arch(self.options.target or settings.current().arch)).begin()

    def planned(self, module: GraphModule) -> Plan:
        """The plan of a graph, which is rewritten in place."""
        chooses = self.options.places and not module.meta.get(OPEN_SIZES)
        module.meta[CORES_SHARE] = chooses
        optimise(module, self.options, FOR_TENSTORRENT)
        arch, fidelity = load_arch(self.options.target or settings.current().arch), self.options.fidelity
        planned = plan(
            module,
            self.options.stored,
            self.options.fuses,
            convolution=self.options.convolution,
            folds=chooses,
            guards_nan=True,
            cores=arch.num_cores,
        )
        if chooses:
            planned = tile_images(planned, arch, fidelity, self.options.weights)
            planned = drop_row_masks(planned)
        planned = stored_as(planned, self.options.weights, self.options.activations, self.options.cache)
        values = {node.name: value for node, value in constants_of(module).items()}
        if shared_device(arch).can_place:
            planned = tied_tables(planned, values)
        if self.options.approximate == "safe":
            planned = safely_approximated(planned, values)
        if not chooses:
            return planned
        known = known_schedules(self.options.schedules)
        return choose_blocks(planned, arch, fidelity, self.options.approximation, known)

    def check_input(self, number: int, value: Any) -> None:
        check_dtype(f"input {number}", value)


class TenstorrentExecutable(Executable):
    """Programs with their tensors in place: a call uploads inputs, runs them, and downloads the results."""

    def __init__(
        self,
        module: GraphModule,
        plan: Plan,
        options: ModelOptions,
        ops: int,
        reference: Reference,
        inputs: Sequence[Any] = (),
    ) -> None:
        self._reference = reference
        self.options = options
        self.plan = plan
        self.report = report_of(plan, module, ops)
        self.arch = load_arch(options.target or settings.current().arch)
        self.device: Device = shared_device(self.arch)
        self.cycles = 0
        self.launch_us = 0.0
        self.tuned: tuple[Tuned, ...] = ()
        self._chooses = options.tunes
        self._last: list[RunReport] = []
        self._infinite: dict[str, Ends] = {}
        self._constant_nan = ""
        self._ceiling = self.device.l1_lowest
        self.memory = self._placed(plan)
        self._host = HostCalls(module)
        self._rewritten = module.graph
        self._tensors: dict[Storage | Slot, Tensor] = {}
        self._inputs = [node.name for node in module.graph.nodes if node.op == "placeholder"]
        self._fixed: Mapping[str, torch.Tensor] = {
            node.name: value for node, value in constants_of(module).items()
        }
        self._programs: dict[int, Program] = {}
        self._parameters = {
            node.name: node.meta[PARAMETER] for node in module.graph.nodes if PARAMETER in node.meta
        }
        self._moved: dict[tuple[int, int], Program] = {}
        given = dict(zip(self._inputs, inputs, strict=False))
        self._residents: dict[str, Resident] = {name: given[name] for name in plan.residents}
        for name, view in plan.residents.items():
            self._tensors[view.storage] = self._residents[name].placed(self.device, view)
        self.take(plan)

    @property
    def is_closed(self) -> bool:
        return self.device.is_closed

    def take(self, plan: Plan) -> None:
        """Run this plan from now on. Steps it shares with the one before stay as they are."""
        kept = {upload.view.storage for upload in plan.constants}
        kept |= {view.storage for view in plan.residents.values()}
        for storage in [one for one in self._tensors if isinstance(one, Storage) and one not in kept]:
            del self._tensors[storage]
        for upload in plan.constants:
            if upload.view.storage not in self._tensors:
                self.place(upload)
        self._moved = {}
        self._built = False
        self.plan = plan
        steps = {id(step) for step in self._launches}
        self._programs = {step: program for step, program in self._programs.items() if step in steps}
        if not self._chooses:
            self._compile()
        self._on_mesh = mesh_collectives(plan, self._rewritten)
        self._live = live_slots(plan, self.memory.slots)

    @property
    def _launches(self) -> list[Launch]:
        return [step for step in (*self.plan.steps, *self.plan.commits) if isinstance(step, Launch)]

    def _compile(self) -> None:
        """Make the program of every launch. While schedules are chosen, that waits until one is run."""
        for step in tracked(self._launches, "compiling kernels"):
            self._program_of(step)

    def _program_of(self, step: Launch) -> Program:
        if id(step) not in self._programs:
            self._programs[id(step)] = self.program(step)
        return self._programs[id(step)]

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        values = self.values(inputs)
        if self._constant_nan:
            return self._on_host(inputs, values, f"NaN in {self._constant_nan}")
        with ONE_AT_A_TIME, self.settings():
            self._make_room()
            self.build()
            self.cycles, self.launch_us, self._last = 0, 0.0, []
            self._infinite = {}
            try:
                self._do_all(values)
            except GivenNaN as why:
                return self._on_host(inputs, values, str(why))
            results = self.plan.results(values)
            if self._reference.doubts(results):
                return self._on_host(inputs, values, "results are not finite")
            for step in self.plan.commits:
                self.do(step, values)
            return laid_out(results, self._reference.strides, inputs)

    def build(self) -> None:
        """Compile what the first call needs at once; later ones find it loaded."""
        if not self._built:
            self._compile()
            self.device.build(list(self._programs.values()))
            self._built = True

    def _do_all(self, values: dict[str, Any]) -> None:
        done = 0
        for at, step in enumerate(tracked(self.plan.steps, "running kernels")):
            if at < done:
                continue
            if at in self._on_mesh and self._moved_on_chips(self._on_mesh[at]):
                done = at + self._on_mesh[at].steps
            else:
                self.do(step, values)

    def _moved_on_chips(self, step: MeshCollective) -> bool:
        """Do a collective over the chips of a mesh, where the ranks that take part drive one."""
        from tilesmith.models.distributed.on_chips import moved_on_chips

        ends = self.tensor(step.download.view.storage), self.tensor(step.upload.view.storage)
        return moved_on_chips(step, *ends, self.do)

    def _on_host(self, inputs: Sequence[Any], values: Mapping[str, Any], why: str) -> list[Any]:
        """The results as torch has them."""
        if not self.report.recomputed:
            warnings.warn(f"a call was computed on the host: {why}", TilesmithWarning, stacklevel=2)
        self.report = replace(self.report, recomputed=self.report.recomputed + 1)
        given = [value.read() if isinstance(value, Resident) else value for value in inputs]
        results = self._reference.run(given, values)
        for place, out in enumerate(self.plan.outputs):
            if isinstance(out, Kept):
                self._residents[out.node].write(results[place])
                results[place] = None
        return laid_out(results, self._reference.strides, inputs)

    def wanted(self, inputs: Sequence[Any]) -> list[Any]:
        """The results as torch has them."""
        return self._reference.run(inputs, self.values(inputs))

    def values(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """What is known before the first step, by the name of its node."""
        return {**self._fixed, **dict(zip(self._inputs, inputs, strict=True))}

    def do(self, step: Any, values: dict[str, Any]) -> None:
        """One step of the plan."""
        if isinstance(step, Launch):
            held = (self._tensors[slot] for slot in self._live.get(id(step), ()) if slot in self._tensors)
            with labelled("+".join(step.ops), str(step.source)), self.device.holding(held):
                report = self.device.run(self._program_now(step, values))
            self.cycles += report.cycles
            self.launch_us += report.launch_us
            self._last.append(report)
        elif isinstance(step, Upload):
            self._upload(step, values)
        elif isinstance(step, HostCall):
            values[step.node] = self._host.call(step.node, values)
        elif isinstance(step, Download):
            matrix = self.tensor(step.view.storage).to_numpy()
            values[step.node] = from_matrix(matrix, step.view, self._host.dtype_of(step.node))
            if step.finite and settings.current().numbers in ("chip", "fast"):
                refuse_infinity(step.node, values[step.node])

    def _program_now(self, step: Launch, values: Mapping[str, Any]) -> Program:
        """The program of a step, for the place that it writes now."""
        if not step.cursor:
            return self._program_of(step)
        tile = tile_written(step, values[step.cursor])
        key = (id(step), tile)
        if key not in self._moved:
            numbers = {**step.numbers, **{name: step.numbers[name] + tile for name in step.moving}}
            self._moved[key] = self.program(replace(step, numbers=numbers))
        return self._moved[key]

    def place(self, upload: Upload) -> None:
        """Bring a constant to the device, unless it is there."""
        value = {**self._fixed, **self.plan.added_constants}[upload.node]
        if has_nan(value):
            self._constant_nan = upload.node
        storage = upload.view.storage
        matrix = to_matrix(value, upload.view, upload.additive)
        key, held = weights.find(self.device, storage, matrix)
        if held is None:
            with declared_by(self._parameters.get(upload.node, "")):
                held = self.tensor(storage)
            held.copy_from_numpy(matrix)
            weights.hold(key, held)
        self._tensors[storage] = held

    def _upload(self, step: Upload, values: Mapping[str, Any]) -> None:
        value = values[step.node]
        if step.below is not None:
            check_bounds(value, 0, step.below)
        refuse_nan(step.node, value)
        self._look_for_infinity(step.node, value)
        given = row_in_tile(value, step.one_hot) if step.one_hot else value
        matrix = to_matrix(given, step.view, step.additive)
        self.tensor(step.view.storage).copy_from_numpy(matrix)

    def _look_for_infinity(self, name: str, value: torch.Tensor) -> None:
        """Leave a call to torch whose infinities would become NaN there."""
        if is_finite(value):
            return
        self._infinite[name] = ends_of(value)
        on_host = {step.node for step in self.plan.steps if isinstance(step, HostCall)}
        if may_make_nan(self._rewritten, self._infinite, on_host):
            raise GivenNaN(f"NaN may come of infinity in {name}")

    @property
    def microseconds(self) -> float:
        """What the last call would take on the chip: its kernels, and their launches."""
        return self.arch.microseconds(self.cycles) + self.launch_us

    @property
    def dram_bytes(self) -> int:
        """What the kernels of the last call read from DRAM and wrote to it."""
        return sum(
            traffic.dram_read_bytes + traffic.dram_written_bytes
            for report in self._last
            for traffic in report.traffic
        )

    def predicted_us(self, inputs: Sequence[Any]) -> float:
        """What a call would take on the chip. Kernels compute nothing; the host gets what memory holds."""
        values = self.values(inputs)
        with ONE_AT_A_TIME, self.settings(), settings.using(checks="off", numbers="none"):
            self.cycles, self.launch_us, self._last = 0, 0.0, []
            for step in self.plan.steps:
                if isinstance(step, Launch):
                    route_evenly(step, self.tensor)
                self.do(step, values)
        return self.microseconds

    def _placed(self, plan: Plan) -> MemoryPlan:
        """Where results lie. Kernels that are still to be chosen need room for any circular buffers."""
        if not self.options.places or self._chooses or not self.device.can_place:
            return plan_memory(plan, self._l1_room())
        return place_in_l1(
            plan,
            self._ceiling,
            lambda step: (
                self.arch.l1_unreserved_base + buffer_bytes(kernel_of(step, self.arch, self.options))
            ),
            lambda storage: bank_bytes(storage, self.arch),
        )

    def _make_room(self) -> None:
        """Lie elsewhere, if others took memory at the top of L1 since results were placed."""
        if not any(slot.address for slot in self.memory.slots.values()):
            return
        if self.device.l1_lowest >= self._ceiling:
            return
        self._ceiling = self.device.l1_lowest
        self._replace_results()

    def settle(self) -> None:
        """Kernels are chosen for good: what they hand to each other lies in L1 where it fits beside them."""
        self._chooses = False
        self._replace_results()

    def _replace_results(self) -> None:
        self.memory = self._placed(self.plan)
        self._tensors = {key: one for key, one in self._tensors.items() if isinstance(key, Storage)}
        self._programs = {}
        self.take(self.plan)

    def _l1_room(self) -> int:
        """How much of all cores' L1 tensors may take; the rest is for the kernels' circular buffers."""
        if not self.options.places:
            return 0
        return int(_L1_SHARE * (self.arch.l1_size - self.arch.l1_unreserved_base) * len(self.arch.l1_banks))

    def tensor(self, storage: Storage) -> Tensor:
        """Where a storage is on the device."""
        slot = self.memory.slots.get(storage, storage)
        if slot not in self._tensors:
            shape = (storage.rows, storage.cols)
            if storage.tiles is not None:
                whole = self.tensor(storage.tiles)
                return self._tensors.setdefault(slot, self.device.seen_as(whole, shape, storage.layout))
            memory = L1_MEMORY_CONFIG if isinstance(slot, Slot) and slot.in_l1 else DRAM_MEMORY_CONFIG
            stored = stored_format(storage)
            if isinstance(slot, Slot) and slot.address:
                tensor = self.device.placed(shape, stored, storage.layout, memory, slot.address)
            else:
                tensor = self.device.empty(shape, stored, storage.layout, memory)
            self._tensors[slot] = tensor
        return self._tensors[slot]

    def program(self, step: Launch) -> Program:
        """The program of a launch, with its tensors in place."""
        return program_of(step, self.arch, self.options, self.tensor)

    @contextmanager
    def settings(self) -> Iterator[None]:
        """The settings the user chose for this model, in force for a block."""
        chosen = {
            key: getattr(self.options, key) for key in ("checks", "numbers") if getattr(self.options, key)
        }
        with settings.using(**chosen):
            yield
