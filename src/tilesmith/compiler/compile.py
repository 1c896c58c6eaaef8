"""From a TileLang kernel to something that can be called with tensors."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, ModuleOp

from tilesmith import settings
from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.choices import APPROXIMATIONS
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.elements import bits_of, numpy_type
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.kernel_trial import KernelTrial, Maker, with_stages
from tilesmith.compiler.launch import Launch
from tilesmith.compiler.lowering.fit_circular_buffers import shortened_pipelines
from tilesmith.compiler.pass_group import tree
from tilesmith.compiler.pipeline import Choices, lower, pipeline
from tilesmith.compiler.signature import Call, Parameter, Signature, packed, signature_of
from tilesmith.errors import BadCallError, SettingsError, TilesmithWarning, UnknownPassError
from tilesmith.extras import naming_extras
from tilesmith.garbage import without_collections
from tilesmith.notebook import html_table
from tilesmith.profiling import Advice, Profile, RunSummary, recording
from tilesmith.program import MathFidelity, Program
from tilesmith.runtime import RunReport
from tilesmith.runtime.observers import labelled, originating
from tilesmith.runtime.torch_bridge import numpy_from_torch, torch_like

__all__ = ["CompiledKernel", "compile_kernel"]

Array = NDArray[Any]

# How many sets of shapes keep their tensors on the device.
_LAUNCHES_KEPT = 4


def compile_kernel(
    kernel: Any,
    target: str | Arch | None = None,
    *,
    formats: Mapping[str, str] | None = None,
    out_idx: Sequence[int] | int | None = None,
    fidelity: str = "HiFi4",
    keeps_blocks: bool = False,
    approximate: str = "none",
) -> CompiledKernel:
    """Compile a TileLang prim_func, or a module of the tile dialect, for a chip.

    `target` is "wormhole", "blackhole", a product such as "p150", or an Arch; left out, the settings decide.
    `formats` gives parameters another format than their type's: {"B": "Bfp8_b"}. `out_idx` says which
    parameters are outputs; left out, those that are written and never read.
    `keeps_blocks` says that the kernel is cut for this chip already. `approximate` is "none", "bfloat16" or
    "fast": what may be less than exact, as `compiler.choices` says.
    """
    arch = target if isinstance(target, Arch) else load_arch(target or settings.current().arch)
    requested = ",".join(f"{name}={wanted}" for name, wanted in (formats or {}).items())
    if fidelity not in MathFidelity.__members__:
        raise SettingsError(
            f"there is no fidelity {fidelity!r}",
            where="compile(fidelity=...)",
            remedy=f"choose one of: {', '.join(MathFidelity.__members__)}",
        )
    if approximate not in APPROXIMATIONS:
        raise SettingsError(
            f"there is no approximation {approximate!r}",
            where="compile(approximate=...)",
            remedy=f"choose one of: {', '.join(APPROXIMATIONS)}",
        )
    choices = Choices(arch.name, requested, fidelity, keeps_blocks, approximate)
    with without_collections():
        return CompiledKernel(imported_modules(kernel), arch, choices, out_idx)


def imported_modules(kernel: Any) -> list[ModuleOp]:
    """A module of the tile dialect for each grid of the kernel."""
    if isinstance(kernel, ModuleOp):
        return [kernel.clone()]
    with naming_extras():
        from tilesmith.compiler.importer.tilelang import import_kernels

    return import_kernels(kernel)


class CompiledKernel:
    """A kernel lowered to three C++ kernels per grid. Call it with torch tensors or numpy arrays.

    With all parameters given, outputs are written in place and returned; left out, they are made.

    >>> from tilesmith.compiler.dialects.context import parse
    >>> tensor, block = "!tile.tensor<[32, 32], f32>", "!tile.buffer<[32, 32], f32, shared>"
    >>> text = f'''
    ...     tile.func @copy(%x: {tensor}, %y: {tensor}) {{
    ...       %n = arith.constant 1 : index
    ...       tile.grid (%b) in (%n) {{
    ...         %z = arith.constant 0 : index
    ...         %block = tile.alloc "block" : {block}
    ...         tile.load %x[%z, %z] -> %block sizes [32, 32] dims [0, 1] : {tensor} -> {block}
    ...         tile.store %block -> %y[%z, %z] sizes [32, 32] dims [0, 1] accumulate "" : {block} -> {tensor}
    ...       }}
    ...     }}'''
    >>> compile_kernel(parse(text), "wormhole")(np.ones((32, 32), np.float32)).sum()
    np.float32(1024.0)
    """

    def __init__(
        self,
        modules: Sequence[ModuleOp],
        arch: Arch,
        choices: Choices,
        out_idx: Sequence[int] | int | None = None,
    ) -> None:
        self.arch = arch
        self.signature: Signature = signature_of(modules, out_idx)
        self.modules: tuple[ModuleOp, ...] = tuple(module.clone() for module in modules)
        self.imported: tuple[ModuleOp, ...] = tuple(modules)
        self.choices = choices
        self.maker: Maker | None = None
        """Of a kernel that `jit` made: what makes it again with other arguments."""
        self._out_idx = out_idx
        self._launches: OrderedDict[tuple[tuple[str, int], ...], Launch] = OrderedDict()
        self._last: tuple[RunReport, ...] = ()
        self._called: Call | None = None
        self._ir: dict[str, str] = {}
        for module in self.modules:
            lower(module, choices)

    def __repr__(self) -> str:
        return f"CompiledKernel({self.signature} for {self.arch.product})"

    def _repr_html_(self) -> str:
        parameters = self.signature.tensors.items()
        rows = [(name, tensor, "output" if tensor.is_written else "input") for name, tensor in parameters]
        return f"<b>{escape(repr(self))}</b>" + html_table(("parameter", "tensor", ""), rows)

    def __call__(self, *args: Any, **named: Any) -> Any:
        given = dict(zip(self.signature.names_of(len(args) + len(named)), args, strict=False))
        self._check_names(given, named)
        given.update(named)
        call = self.signature.bind(given)
        launch = self._launch(call.symbols)
        with launch.lock:
            launch.upload({**self._zeros(call), **call.arrays})
            with labelled(self.signature.kernel), originating(KernelTrial(self, call)):
                self._last = launch.run()
                self._called = call
            results = launch.download(name for name, one in self.signature.tensors.items() if one.is_written)
        return self._returned(given, {**self._untouched(call), **results})

    # ---- what it became ----

    def sources(self) -> dict[str, str]:
        """The C++ of every kernel, by its name."""
        kernels = [op for module in self.modules for op in operations_of(module, tt.KernelOp)]
        return {op.sym_name.data: op.source.data for op in kernels if op.source is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not done as the kernel asked, though its result is the same: one sentence each."""
        return (*annotation_notes(self.imported), *shortened_pipelines(self.modules))

    @property
    def program(self) -> Program:
        """The Program of the last call; of a kernel without symbols also before the first."""
        return self.programs[0]

    @property
    def programs(self) -> tuple[Program, ...]:
        """A Program for each grid of the kernel; most have one."""
        return self._recent_launch().programs

    @property
    def plan(self) -> dict[str, Any]:
        """What runs where, as plan.json has it, for the first grid."""
        return self.plans[0]

    @property
    def plans(self) -> tuple[dict[str, Any], ...]:
        """The same for every grid."""
        from tilesmith.compiler.codegen.plan import plan_of

        pairs = zip(self.modules, self.programs, strict=True)
        return tuple(plan_of(module, self.arch, program) for module, program in pairs)

    def warn(self, stacklevel: int = 2) -> None:
        """Tell the user the notes, as warnings at the caller's line."""
        for note in self.notes:
            warnings.warn(note, TilesmithWarning, stacklevel=stacklevel + 1)

    def ir(self, after: str = "") -> str:
        """The module after a pass; "import" is what the front end made. Left out, after the last one."""
        names = ["import", *(step.name for step, _ in tree(pipeline(self.choices)))]
        chosen = after or names[-1]
        if chosen not in names:
            raise UnknownPassError(
                f"there is no pass {chosen!r}",
                where="ir(after=...)",
                remedy=f"choose one of: {', '.join(names)}",
            )
        if chosen not in self._ir:
            self._ir[chosen] = "\n".join(self._texts_after(chosen))
        return self._ir[chosen]

    def profile(self, *args: Any, **named: Any) -> Profile:
        """Where the time of a run with these arguments goes; without any, the last run is done again."""
        self._check_has_run(args or named, "profile()")
        name = self.signature.kernel
        with recording(name) as recorder:
            if args or named:
                self(*args, **named)
            else:
                launch = self._recent_launch()
                trial = KernelTrial(self, self._called) if self._called else None
                with launch.lock, labelled(name), originating(trial):
                    launch.run()
        return recorder.profile

    def varied(self, changes: Mapping[str, Any]) -> CompiledKernel:
        """The kernel with other settings: `fidelity` and `formats` of compile, `num_stages` of its pipelined
        loops, `arguments` of the function that makes it."""
        modules = self.imported
        if changes.get("arguments"):
            if self.maker is None:
                raise BadCallError(
                    f"{self.signature.kernel} does not know what made it",
                    where="arguments",
                    remedy="decorate the function that returns it with @tilesmith.jit",
                )
            modules = tuple(imported_modules(self.maker.kernel_with(changes["arguments"])))
        if "num_stages" in changes:
            modules = with_stages(modules, changes["num_stages"])
        formats = {**self.choices.format_of, **changes.get("formats", {})}
        chosen = replace(
            self.choices,
            fidelity=changes.get("fidelity", self.choices.fidelity),
            formats=",".join(f"{name}={wanted}" for name, wanted in formats.items()),
        )
        varied = CompiledKernel(modules, self.arch, chosen, self._out_idx)
        varied.maker = self.maker and self.maker.changed(changes.get("arguments", {}))
        return varied

    def advised(self, advice: Advice) -> CompiledKernel:
        """The kernel with the settings of an advice of its profile."""
        return self.varied(advice.settings)

    def predicted_us(self, call: Call) -> float:
        """The time of a call, launches and all. Nothing is computed, and the arguments stay as they are."""
        launch = self._launch(call.symbols)
        with launch.lock, settings.using(checks="off", numbers="none"):
            launch.upload({**self._zeros(call), **call.arrays})
            reports = launch.run()
        return sum(self.arch.microseconds(report.cycles) + report.launch_us for report in reports)

    def results(self, call: Call) -> dict[str, Array]:
        """What a call gives, by name; the arguments stay as they are."""
        launch = self._launch(call.symbols)
        with launch.lock:
            launch.upload({**self._zeros(call), **call.arrays})
            launch.run()
            return launch.download(
                name for name, tensor in self.signature.tensors.items() if tensor.is_written
            )

    def summary(self, *args: Any, **named: Any) -> RunSummary:
        """Cycles, traffic and waiting of the last run, or of one with these arguments. Costs no trace."""
        self._check_has_run(args or named, "summary()")
        if args or named:
            self(*args, **named)
        return RunSummary.of(self.signature.kernel, self.arch, self._last)

    def _check_has_run(self, runs_now: object, where: str) -> None:
        if not runs_now and not self._last:
            raise BadCallError(
                f"{self.signature.kernel} has not run yet",
                where=where,
                remedy=f"call the kernel first, or pass its arguments to {where[:-2]}",
            )

    # ---- calling ----

    def _check_names(self, given: Mapping[str, Any], named: Mapping[str, Any]) -> None:
        unknown = [name for name in named if name not in self.signature.order]
        twice = [name for name in named if name in given]
        if unknown or twice:
            problem = f"has no parameter {unknown[0]}" if unknown else f"got {twice[0]} twice"
            raise BadCallError(
                f"{self.signature.kernel} {problem}",
                where=str(self.signature),
                remedy=f"its parameters are {', '.join(self.signature.order)}",
            )

    def _launch(self, symbols: Mapping[str, int]) -> Launch:
        key = tuple(sorted(symbols.items()))
        launch = self._launches.get(key)
        if launch is None or launch.device.is_closed:
            launch = self._launches[key] = Launch(self.modules, self.arch, symbols)
            if len(self._launches) > _LAUNCHES_KEPT:
                self._launches.popitem(last=False)
        else:
            self._launches.move_to_end(key)
        return launch

    def _recent_launch(self) -> Launch:
        if self._launches:
            return next(reversed(self._launches.values()))
        if self.signature.symbols:
            raise BadCallError(
                f"the program of {self.signature.kernel} depends on {', '.join(self.signature.symbols)}",
                where=str(self.signature),
                remedy="call the kernel once with tensors of the sizes you mean",
            )
        return self._launch({})

    def _zeros(self, call: Call) -> dict[str, Array]:
        """Outputs left out that the kernel adds to start from zero."""
        return self._made(call, [one for one in self.signature.tensors.values() if one.is_read])

    def _untouched(self, call: Call) -> dict[str, Array]:
        """Outputs, by the user's word, that the kernel does not write."""
        outputs = [self.signature.tensors[name] for name in self.signature.outputs]
        return self._made(call, [one for one in outputs if not one.is_written])

    @staticmethod
    def _made(call: Call, parameters: Sequence[Parameter]) -> dict[str, Array]:
        missing = [one for one in parameters if one.name not in call.arrays]
        return {one.name: np.zeros(one.shape_with(call.symbols), numpy_type(one.element)) for one in missing}

    def _returned(self, given: Mapping[str, Any], results: Mapping[str, Array]) -> Any:
        as_torch = any(not isinstance(value, np.ndarray | int | float) for value in given.values())
        results = {name: self._for_user(name, values) for name, values in results.items()}
        for name, values in results.items():
            if name in given:
                _write_back(given[name], values)
        chosen = self.signature.outputs or tuple(results)
        converted = {name: torch_like(values) if as_torch else values for name, values in results.items()}
        returned = [given[name] if name in given else converted[name] for name in chosen]
        return returned[0] if len(returned) == 1 else tuple(returned)

    def _for_user(self, name: str, values: Array) -> Array:
        return packed(values) if bits_of(self.signature.tensors[name].element) == 4 else values

    def _texts_after(self, chosen: str) -> list[str]:
        """What every grid's module is after a pass; it is lowered again, and printed only there."""
        if chosen == "import":
            return [str(module) for module in self.imported]
        texts: list[str] = []

        def note(name: str, module: ModuleOp) -> None:
            if name == chosen:
                texts.append(str(module))

        for module in self.imported:
            lower(module.clone(), self.choices, note)
        return texts


def annotation_notes(modules: Iterable[ModuleOp]) -> tuple[str, ...]:
    """What the front end noted about annotations it did not follow."""
    noted = [op.attributes.get("notes") for module in modules for op in module.ops]
    found = [note.data for notes in noted if isinstance(notes, ArrayAttr) for note in notes]
    return tuple(dict.fromkeys(found))


def _write_back(target: Any, values: Array) -> None:
    if isinstance(target, np.ndarray):
        target[...] = values.view(target.dtype)
    elif not isinstance(target, int | float):
        same = numpy_from_torch(target)
        if same.ctypes.data == target.data_ptr():
            same[...] = values.view(same.dtype)
        else:
            target.detach().copy_(torch_like(values.view(same.dtype)))
