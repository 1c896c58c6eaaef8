"""What a profile says: plain data, saved as JSON and shown by every view and export."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilesmith.profiling.summary import KernelTime
from tilesmith.program.executor import KernelTraffic

ROLES = ("reader", "unpack", "math", "pack", "writer")  # in the order data passes through them


@dataclass(frozen=True)
class WaitShare:
    """A role's waits for one thing. `cause` names the kind, `what` the thing, `place` a source line."""

    cause: str
    what: str
    cycles: int
    count: int
    place: str

    @property
    def is_on_partner(self) -> bool:
        """Whether another role or core kept it waiting, rather than a memory or the NoC."""
        return self.cause not in ("READ_BARRIER", "WRITE_BARRIER", "ATOMIC_BARRIER")


@dataclass(frozen=True)
class RoleProfile:
    """One role of one core. `work` has the cycles of each kind of work."""

    x: int
    y: int
    role: str
    kernel: str
    cycles: int
    waited: int
    work: dict[str, int]
    waits: tuple[WaitShare, ...]
    transfers: int = 0
    bytes_moved: int = 0

    @property
    def busy(self) -> int:
        return self.cycles - self.waited

    @property
    def own(self) -> int:
        """Cycles it needs by itself: work, and waits for memory, but none for other roles or cores."""
        return self.cycles - sum(wait.cycles for wait in self.waits if wait.is_on_partner)


@dataclass(frozen=True)
class HeldTensor:
    """A tensor that had memory while the program ran. `id` is its own as long as the profile goes."""

    id: int
    shape: tuple[int, ...]
    dtype: str
    layout: str
    memory: str
    address: int
    size_per_bank: int
    page_size: int
    in_dram: bool


@dataclass(frozen=True)
class TensorTraffic:
    """What the kernels moved of one tensor."""

    id: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    layout: str
    memory: str
    size: int
    read: int
    written: int
    in_dram: bool

    @property
    def times_read(self) -> float:
        return self.read / self.size if self.size else 0.0


@dataclass(frozen=True)
class BankTraffic:
    """What one DRAM bank gave and took. `utilisation` is the part of its peak rate over the whole run."""

    bank: int
    read: int
    written: int
    transfers: int
    utilisation: float


@dataclass(frozen=True)
class NocLinks:
    """Bytes on the links of one NoC, by the router they leave, row by row over the chip's NoC grid."""

    noc: int
    along_x: tuple[int, ...]
    along_y: tuple[int, ...]


@dataclass(frozen=True)
class L1Block:
    """Bytes of L1 that something holds on some cores: rectangles of them, corners included."""

    name: str
    address: int
    size: int
    areas: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class Utilisation:
    """Parts of what the chip could do in the time, from 0 to 1; `_used`: of the cores that have kernels."""

    matrix: float
    matrix_used: float
    vector_used: float
    unpack_used: float
    pack_used: float
    dram: float
    noc: tuple[float, float]
    busiest_noc: float


@dataclass(frozen=True)
class Roofline:
    """The least number of cycles the work can take on the whole chip, by what would limit it."""

    math_cycles: float
    dram_cycles: float
    dram_bytes: int
    dram_bytes_moved: int
    flops: int
    intensity: float
    peak_tflops: float = 0.0
    """Of the matrix engines of all cores at the program's fidelity; 0 without products."""

    @property
    def limit(self) -> str:
        return "math" if self.math_cycles >= self.dram_cycles else "DRAM"

    @property
    def cycles(self) -> float:
        return max(self.math_cycles, self.dram_cycles)


@dataclass(frozen=True)
class Bound:
    """What holds the program back, and what to change, best first. `share` is of the whole time."""

    kind: str
    role: str
    x: int
    y: int
    share: float
    sentence: str
    changes: tuple[str, ...]

    @property
    def change(self) -> str:
        return self.changes[0]


@dataclass(frozen=True)
class Lane:
    """One role's timeline: begin, end and state of each interval; states index `Timeline.states`."""

    x: int
    y: int
    role: str
    begin: tuple[int, ...]
    end: tuple[int, ...]
    state: tuple[int, ...]


@dataclass(frozen=True)
class Timeline:
    """When every role did what. `resolution` is 1 where intervals are exact, else the cycles of one step."""

    states: tuple[str, ...]
    lanes: tuple[Lane, ...]
    resolution: int = 1
    dram: tuple[tuple[float, ...], ...] = ()  # per bank: utilisation of each step
    dram_step: int = 0


@dataclass(frozen=True)
class CircularBufferUse:
    """A circular buffer as the program declares it, and the L1 bytes it takes on each of its cores."""

    indices: tuple[int, ...]
    address: int
    size: int
    page_size: int
    format: str
    cores: int
    on_tensor: bool
    core_ranges: str
    declared_at: str


@dataclass(frozen=True)
class FindingLine:
    """A broken rule the run found."""

    check: str
    title: str
    message: str
    place: str
    kernel: str
    role: str


@dataclass(frozen=True)
class Zone:
    """A span that a kernel marked with DeviceZoneScopedN, in cycles."""

    x: int
    y: int
    role: str
    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class KernelSource:
    """A kernel of the program and its text."""

    name: str
    role: str
    path: str
    text: str


@dataclass(frozen=True)
class Accuracy:
    """How well a tensor agrees with its reference."""

    tensor: int
    wanted_pcc: float
    pcc: float

    @property
    def matches(self) -> bool:
        return self.pcc >= self.wanted_pcc


@dataclass(frozen=True)
class ProgramProfile:
    """One run of one program."""

    name: str
    cycles: int
    microseconds: float
    launch_us: float
    cores: int
    fidelity: str
    approximate: bool
    roles: tuple[RoleProfile, ...]
    traffic: tuple[KernelTraffic, ...]
    held: tuple[HeldTensor, ...]
    tensors: tuple[TensorTraffic, ...]
    banks: tuple[BankTraffic, ...]
    utilisation: Utilisation
    roofline: Roofline
    bound: Bound
    timeline: Timeline
    circular_buffers: tuple[CircularBufferUse, ...]
    sources: tuple[KernelSource, ...]
    zones: tuple[Zone, ...] = ()
    findings: tuple[FindingLine, ...] = ()
    dropped_events: int = 0
    accuracy: tuple[Accuracy, ...] = ()
    launched_ns: int = 0
    """When the host had run it, in nanoseconds since 1970; 0 if nobody looked."""
    links: tuple[NocLinks, ...] = ()
    l1: tuple[L1Block, ...] = ()
    made_for: str = ""
    """The module of a model, and its line, whose work this is."""
    reader: str = "metal"
    """Whose settings can change it: those of a model, of a TileLang kernel, or of the program itself."""

    @property
    def distance(self) -> float:
        """How many times longer than the physical limit it takes; 0 where there is none."""
        return self.cycles / self.roofline.cycles if self.roofline.cycles else 0.0

    @property
    def hints(self) -> tuple[str, ...]:
        """What to change in the kernels, untried: for those who write kernels."""
        return self.bound.changes if self.reader == "metal" else ()

    @property
    def hint(self) -> str:
        """The most promising hint, or nothing."""
        return self.hints[0] if self.hints else ""

    def with_accuracy(self, told: Accuracy) -> ProgramProfile:
        return replace(self, accuracy=(*self.accuracy, told))

    def kernel_times(self) -> tuple[KernelTime, ...]:
        """Each role of each kernel, over all its cores."""
        groups: dict[tuple[str, str], list[RoleProfile]] = {}
        for role in self.roles:
            groups.setdefault((role.kernel, role.role), []).append(role)
        return tuple(
            KernelTime(
                name=kernel,
                role=role,
                cores=len(mine),
                cycles=max(one.cycles for one in mine),
                waiting=sum(one.waited for one in mine) / max(1, sum(one.cycles for one in mine)),
            )
            for (kernel, role), mine in groups.items()
        )
