"""An operation spec, understood: parameters, checks, outputs, circular buffers, kernels, tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tilesmith.opsmith.expressions import Expression, ShapePart


class ParameterCategory(Enum):
    TENSOR = "tensor"
    TENSORS = "tensors"
    ATTRIBUTE = "attribute"
    MEMORY_CONFIG = "memory config"


class KernelRole(Enum):
    READER = "reader"
    COMPUTE = "compute"
    WRITER = "writer"


class PageKind(Enum):
    TILE = "tile"
    STICK = "stick"
    TENSOR = "page of the tensor"
    BYTES = "bytes"


@dataclass(frozen=True)
class Place:
    """Where in the spec something was said."""

    section: str
    row: int
    line: int

    def __str__(self) -> str:
        return f"section {self.section!r}, row {self.row}" if self.row else f"section {self.section!r}"


@dataclass(frozen=True)
class Parameter:
    """One parameter of the API."""

    name: str
    category: ParameterCategory
    python_type: str
    cpp_type: str
    required: bool
    default: str | None  # as Python; None where it is required
    valid_range: str
    description: str
    place: Place
    shape: tuple[ShapePart, ...] | None = None  # of a tensor in tests, where the spec says it
    values: tuple[float, ...] | None = None  # a tensor's elements in tests are drawn from these
    choices: tuple[str, ...] = ()  # an attribute's values, as Python, where the spec lists them

    @property
    def is_tensor(self) -> bool:
        return self.category in (ParameterCategory.TENSOR, ParameterCategory.TENSORS)

    @property
    def short(self) -> str:
        """The name without the suffix people leave out in formulas."""
        return self.name.removesuffix("_tensor").removesuffix("_tensors")


@dataclass(frozen=True)
class Requirement:
    """A row of Input Tensor Requirements that can be checked: a condition, and what to say when it fails."""

    condition: Expression
    message: str
    place: Place
    said: str
    each_of: str = ""  # the list parameter whose tensors must all meet it, as `each`


@dataclass(frozen=True)
class Output:
    """One output tensor. Dtype and layout name a value, or the tensor they are copied from."""

    name: str
    shape: tuple[ShapePart, ...]
    dtype: str
    layout: str
    memory: str
    place: Place


@dataclass(frozen=True)
class CircularBufferPlan:
    """One row of Circular Buffer Requirements."""

    index: int
    name: str
    purpose: str
    producer: KernelRole
    consumer: KernelRole
    pages: Expression
    block: Expression
    once: bool  # filled once for the whole program, not for every unit of work
    tensor: str  # whose format it has
    dtype: str  # "" means that tensor's
    page: PageKind
    page_bytes: Expression | None
    place: Place


class Source(Enum):
    """Where the value of a kernel's argument comes from."""

    FORMULA = "formula"
    ADDRESS = "address"
    ACCESSOR = "accessor"


@dataclass(frozen=True)
class Argument:
    """A kernel's argument and where its value comes from."""

    name: str
    source: Source
    description: str
    value: Expression | None = None
    tensor: str = ""
    packed: bool = False  # a float as two bfloat16 in one word


@dataclass(frozen=True)
class KernelPlan:
    """A kernel with its two argument lists."""

    role: KernelRole
    compile_time: tuple[Argument, ...]
    runtime: tuple[Argument, ...]
    function: str


@dataclass(frozen=True)
class WorkPlan:
    """What a unit of work is, how many there are, and on how many cores."""

    unit: str
    total: Expression
    grid: tuple[int, int] | None  # None: all there are
    place: Place


@dataclass(frozen=True)
class Case:
    """A call of the stage tests: shapes of the tensors and values of the attributes, as Python."""

    name: str
    shapes: dict[str, tuple[int, ...]]
    attributes: dict[str, str]


@dataclass(frozen=True)
class Bounds:
    """How close to torch a result must be."""

    pcc: float
    rtol: float
    atol: float


@dataclass(frozen=True)
class Deviation:
    """Where what is made differs from what the spec says."""

    aspect: str
    said: str
    built: str
    reason: str


@dataclass(frozen=True)
class OpSpec:
    """All that is known of an operation before it is built."""

    path: Path
    form: str
    name: str
    category: str
    summary: str
    formula: str
    reference: str  # the body of a torch function; empty where the spec has none
    parameters: tuple[Parameter, ...]
    requirements: tuple[Requirement, ...]
    outputs: tuple[Output, ...]
    work: WorkPlan
    cbs: tuple[CircularBufferPlan, ...]
    kernels: tuple[KernelPlan, ...]
    compute: tuple[tuple[str, str], ...]  # fields of ComputeConfig, as Python
    cases: tuple[Case, ...]
    bounds: Bounds
    extraction: tuple[tuple[str, str, str], ...]
    decisions: tuple[tuple[str, str, str, str], ...]
    deviations: tuple[Deviation, ...]

    @property
    def pascal(self) -> str:
        """The name as a class.

        >>> "".join(part.capitalize() for part in "masked_softmax".split("_"))
        'MaskedSoftmax'
        """
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return tuple(one for one in self.parameters if one.is_tensor)

    @property
    def attributes(self) -> tuple[Parameter, ...]:
        return tuple(one for one in self.parameters if one.category is ParameterCategory.ATTRIBUTE)

    @property
    def has_memory_config(self) -> bool:
        return any(one.category is ParameterCategory.MEMORY_CONFIG for one in self.parameters)

    @property
    def has_compute(self) -> bool:
        return any(kernel.role is KernelRole.COMPUTE for kernel in self.kernels)

    def tensor(self, name: str) -> Parameter:
        return next(one for one in self.tensors if one.name == name)

    def kernel(self, role: KernelRole) -> KernelPlan:
        return next(one for one in self.kernels if one.role is role)
