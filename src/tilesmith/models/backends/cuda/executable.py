"""A model on a GPU: prepared at its first call, then replayed as a CUDA graph where it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Any

import torch
from torch.fx import GraphModule

from tilesmith.errors import DeviceError
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.base import Executable
from tilesmith.models.backends.cuda.batches import with_joined_batches
from tilesmith.models.backends.cuda.choice import chosen_steps, kernel_ways
from tilesmith.models.backends.cuda.copies import without_double_copies
from tilesmith.models.backends.cuda.dense_results import with_dense_results
from tilesmith.models.backends.cuda.fused_copies import with_fused_copies
from tilesmith.models.backends.cuda.graphs import Graphs
from tilesmith.models.backends.cuda.kernels import compile_all, cuda_source, key_of
from tilesmith.models.backends.cuda.library import Call, Way
from tilesmith.models.backends.cuda.rotary import with_rotary_kernels
from tilesmith.models.backends.cuda.runner import Runner
from tilesmith.models.backends.cuda.timing import WayTimer, graph_microseconds
from tilesmith.models.backends.cuda.values import moved
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.plan import constants_of
from tilesmith.models.planning.steps import Launch, Plan, Step
from tilesmith.models.report import KernelLine, Report

_is_capturing = torch.cuda.is_current_stream_capturing


class CudaExecutable(Executable):
    """Storages are matrices in GPU memory, all stored by rows.

    Tensors on the GPU stay there: nothing waits for it. Models that cannot be recorded as a CUDA graph, and
    calls while the caller records one, run step by step.
    """

    def __init__(
        self, module: GraphModule, plan: Plan, arch: str, options: ModelOptions, report: Report
    ) -> None:
        constants = {node.name: value for node, value in constants_of(module).items()}
        prepared = without_double_copies(with_joined_batches(plan))
        dense = with_dense_results(with_rotary_kernels(prepared, constants))
        self.plan = with_fused_copies(dense)
        self.arch = arch
        self.options = options
        self.why_no_graph = ""
        self.timings: list[dict[str, Any]] = []
        self._module = module
        self._lock = RLock()
        self._runner: Runner | None = None
        self._graphs: Graphs | None = None
        self._stream: torch.cuda.Stream | None = None
        self._stream_number: int | None = None
        self._report = report
        self.steps: Sequence[Step | Call] = self._by_rule()
        self.report = self._reported()

    def sources(self) -> dict[str, str]:
        """The CUDA code of every distinct kernel, also where a library would do its work."""
        launches = [kernel_ways(step, 1)[0][0] for step in self.plan.steps if isinstance(step, Launch)]
        launches += [step for step in self.steps if isinstance(step, Launch)]
        distinct = {key_of(step): step for step in launches if isinstance(step, Launch)}
        return {
            f"{number}_{step.template.name}": cuda_source(step, self.arch)
            for number, step in enumerate(distinct.values())
        }

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        with self._lock:
            graphs = self._graphs
            found = graphs.free(inputs) if graphs is not None and not _is_capturing() else None
            if graphs is not None and found is not None:
                self._after_other_streams()
                outputs = graphs.run(found, inputs)
            else:
                with torch.inference_mode(False):  # what stays is written to in either mode
                    outputs = self._run(self._runner or self._prepared(inputs), inputs)
        for value in inputs:
            if isinstance(value, torch.Tensor) and value.is_cuda:
                return outputs
        return [moved(one, torch.device("cpu")) for one in outputs]

    def _run(self, runner: Runner, inputs: Sequence[Any]) -> list[Any]:
        """The first calls, those while others hold all results, and those that no graph can be made of."""
        if _is_capturing():
            return self._step_by_step(runner, inputs)
        self._after_other_streams()
        if self._graphs is None:
            self._graphs = Graphs(runner)
            self._graphs.note(inputs)
        elif not self.why_no_graph:
            try:
                return self._graphs.run(self._graphs.record(inputs), inputs)
            except RuntimeError as error:
                self.why_no_graph = str(error).split("\n")[0]
                torch.cuda.synchronize()
        return self._step_by_step(runner, inputs)

    def _step_by_step(self, runner: Runner, inputs: Sequence[Any]) -> list[Any]:
        return runner.run([moved(one, runner.device) for one in inputs], runner.own_memory())

    def _after_other_streams(self) -> None:
        """All calls share memory: one on another stream than the last waits for it.

        Called after a graph was found free: whoever read its results has asked for that before.
        """
        assert self._runner is not None
        number = torch._C._cuda_getCurrentRawStream(self._runner.device.index)
        if number != self._stream_number:
            stream = torch.cuda.current_stream(self._runner.device)
            if self._stream is not None:
                stream.wait_stream(self._stream)
            self._stream, self._stream_number = stream, number

    # ---- preparing ----

    def _by_rule(self) -> Sequence[Step | Call]:
        if self.options.level < 2:
            return [
                piece
                for step in self.plan.steps
                for piece in (kernel_ways(step, 1)[0] if isinstance(step, Launch) else (step,))
            ]
        return chosen_steps(self.plan, 1)

    def _prepared(self, inputs: Sequence[Any]) -> Runner:
        if not torch.cuda.is_available():
            raise DeviceError(
                "there is no CUDA device here to run the kernels on",
                where='backend "cuda"',
                remedy="run on a computer with an NVIDIA GPU and a CUDA build of torch; "
                "`sources()` has the code of the kernels without one",
            )
        devices = [one.device for one in inputs if isinstance(one, torch.Tensor) and one.is_cuda]
        device = devices[0] if devices else torch.device("cuda", torch.cuda.current_device())
        runner = Runner(self._module, self.plan, device)
        if self.options.tunes:
            ways = [self._that_compiled(one) for one in (self._by_the_clock(runner), self.steps)]
            self.steps = self._faster(runner, ways, inputs)
        else:
            self.steps = self._that_compiled(self.steps)
        runner.bind(self.steps, self._kernels(self.steps))
        self._runner = runner
        self.report = self._reported()
        return runner

    def _kernels(self, steps: Sequence[Step | Call]) -> Mapping[Any, Any]:
        return compile_all((one for one in steps if isinstance(one, Launch)), self.arch)

    def _faster(
        self, runner: Runner, ways: Sequence[Sequence[Step | Call]], inputs: Sequence[Any]
    ) -> Sequence[Step | Call]:
        """Of several ways to run all of a model, the one whose graph takes the least time.

        What is fastest alone may not be beside the others: what the last kernel left in L2 counts.
        """
        given = [moved(one, runner.device) for one in inputs]
        times = []
        for steps in ways:
            runner.bind(steps, self._kernels(steps))
            own = runner.own_memory()
            try:
                times.append(graph_microseconds(partial(runner.run, given, own)))
            except RuntimeError:  # no CUDA graph can be made of it
                torch.cuda.synchronize()
                return ways[0]
            runner.forget_all_but_constants()
        self.timings.append({"ways": ["all by the clock", "all by rule"], "us": times})
        return ways[times.index(min(times))]

    def _by_the_clock(self, runner: Runner) -> Sequence[Step | Call]:
        """Compile every way that is timed, and what the rules would take, all at once; then time them."""
        met: list[Way] = []

        def meet(ways: Sequence[Way]) -> list[float]:
            met.extend(ways)
            return [0.0] * len(ways)

        chosen_steps(self.plan, self.options.candidates, meet)
        launches = [step for way in met for step in way if isinstance(step, Launch)]
        weights = frozenset(
            storage
            for step in self.plan.steps
            if isinstance(step, Launch) and isinstance(step.template, Linear)
            for name, storage in step.storages.items()
            if name.startswith("w")
        )
        timer = WayTimer(runner, self._kernels([*launches, *self.steps]), weights)
        steps = chosen_steps(self.plan, self.options.candidates, timer)
        self.timings = timer.log
        runner.forget_all_but_constants()
        return steps

    def _that_compiled(self, steps: Sequence[Step | Call]) -> Sequence[Step | Call]:
        """The steps, with another schedule for kernels that the compiler refused."""
        kernels = self._kernels(steps)
        result: list[Step | Call] = []
        for step in steps:
            found = kernels[key_of(step)] if isinstance(step, Launch) else None
            if isinstance(step, Launch) and isinstance(found, Exception):
                result.append(self._another(step, found))
            else:
                result.append(step)
        return result

    def _another(self, step: Launch, reason: Exception) -> Launch:
        ways = [way[0] for way in kernel_ways(step, 100)]
        tried = compile_all((one for one in ways if isinstance(one, Launch)), self.arch)
        for way in ways:
            assert isinstance(way, Launch)
            if not isinstance(tried[key_of(way)], Exception):
                return way
        raise DeviceError(
            f"TileLang cannot compile the kernel {step.template.name} for {self.arch}: {reason}",
            where='backend "cuda"',
            remedy="report the model; until then run it with torch",
        ) from reason

    def _reported(self) -> Report:
        """The report, with what runs each launch."""
        lines = []
        for step in self.steps:
            if isinstance(step, Launch):
                lines.append(KernelLine(step.template.name, step.ops))
            elif isinstance(step, Call):
                lines.append(KernelLine(step.name, step.ops))
        distinct = {key_of(step) for step in self.steps if isinstance(step, Launch)}
        return replace(self._report, kernels=tuple(lines), distinct=len(distinct))
