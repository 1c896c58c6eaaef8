"""Every error a user can meet. Each says what was wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class TilesmithError(Exception):
    """Base of all errors. `what` happened, `where` (file:line, core, argument), and the `remedy`."""

    default_remedy: ClassVar[str] = ""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy or self.default_remedy

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  at: {self.where}")
        if self.remedy:
            lines.append(f"  fix: {self.remedy}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only arguments: the default would lose them on the way between processes.
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(cls: type[TilesmithError], args: tuple[Any, ...], fields: dict[str, Any]) -> TilesmithError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


# ---- the three families ----


class UserError(TilesmithError):
    """A mistake in a user's program, kernel, argument or environment."""


class EmulatorGap(TilesmithError):
    """The program may be right, but the emulator does not model something it uses."""

    default_remedy = "this is a limit of the emulator, not your mistake: please report it with the kernel"


class InternalFault(TilesmithError):
    """A bug in tilesmith."""

    default_remedy = "this is a bug in tilesmith: please report it with the program that showed it"


# ---- host side ----


class ProgramError(UserError):
    """A Program that cannot run on the chosen chip."""


class DeviceError(UserError):
    """A device used wrongly: out of memory, closed, or given something it cannot hold."""


class FormatError(UserError):
    """Data that does not fit the format, tile shape or layout asked for."""


class SettingsError(UserError):
    """An environment variable or option with a value that means nothing."""


class CommandLineError(UserError):
    """Arguments of the `tilesmith` command that mean nothing. It ends with exit code 2."""


class ScriptError(UserError):
    """A script or module that is not there, or a place for a new one that is taken."""


class ProfileError(UserError):
    """A script that cannot be profiled, or a profile that cannot be read."""


class RunStoreError(ProfileError):
    """A run that does not exist, or a store of runs that cannot be read or written."""


# ---- building kernels ----


class ToolchainError(UserError):
    """No usable C++ compiler."""

    default_remedy = (
        "install g++ 11 or newer, clang++ 14 or newer, or `pip install ziglang` (tilesmith[compiler])"
    )


class KernelCompileError(UserError):
    """The C++ compiler refused a source. `output` is all it said, `sources` what it was given."""

    def __init__(
        self, what: str, *, output: str = "", sources: Sequence[str] = (), where: str = "", remedy: str = ""
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.output = output
        self.sources = tuple(sources)

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n{self.output.rstrip()}" if self.output else text


class CacheError(UserError):
    """The build cache cannot be used, and nothing else could be used in its place."""

    default_remedy = "free some disk space, or point TILESMITH_CACHE_DIR at a directory that can be written"


# ---- running kernels ----


class KernelFindings(UserError):
    """A run broke the chip's rules. `findings` holds one structured entry per broken rule."""

    def __init__(
        self,
        findings: Sequence[Any],
        *,
        what: str = "",
        where: str = "",
        remedy: str = "",
        suppressed: Sequence[Any] = (),
    ) -> None:
        count = len(findings)
        what = what or f"the kernels broke {count} rule{'s' if count != 1 else ''}"
        if suppressed:
            places = ", ".join(f"{finding.check} at {finding.where}" for finding in suppressed)
            what = f"{what}, and {len(suppressed)} suppressed: {places}"
        super().__init__(what, where=where, remedy=remedy)
        self.findings = list(findings)
        self.suppressed = list(suppressed)

    def __str__(self) -> str:
        return "\n\n".join([super().__str__(), *(str(finding) for finding in self.findings)])


class CheckNameError(UserError):
    """A check that does not exist was to be suppressed."""


class GeneratedCodeFault(InternalFault):
    """Code that tilesmith generated broke the chip's rules. `findings` as of KernelFindings."""

    default_remedy = (
        "tilesmith generated this code; this is a fault of tilesmith, please report it with the kernel;"
        ' checks="off" runs it as it is'
    )

    def __init__(self, findings: Sequence[Any], *, where: str = "") -> None:
        count = len(findings)
        super().__init__(f"generated code broke {count} rule{'s' if count != 1 else ''}", where=where)
        self.findings = list(findings)

    def __str__(self) -> str:
        return "\n\n".join([super().__str__(), *(str(finding) for finding in self.findings)])


class TilesmithWarning(UserWarning):
    """Something a user should know that does not make the result wrong."""


# ---- host checks on a Program, one class each ----


class CoreOffGridError(ProgramError):
    """Something is placed on a core the chip does not have."""


class KernelSourceMissingError(ProgramError):
    """A kernel's file is not where it was looked for."""


class KernelOverlapError(ProgramError):
    """Two kernels want the same RISC or NoC of one core."""


class KernelArgumentError(ProgramError):
    """A kernel's arguments, defines or configuration cannot be what was meant."""


class CircularBufferError(ProgramError):
    """A circular buffer with an index, size or format the chip cannot have."""


class SemaphoreError(ProgramError):
    """A semaphore with an id or value the chip cannot have."""


class L1BudgetError(ProgramError):
    """Circular buffers and tensors do not fit into L1 together. `table` says what takes which bytes."""

    def __init__(self, what: str, *, table: str = "", where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.table = table

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.table}" if self.table else super().__str__()


class UnwrittenPagesError(ProgramError):
    """The host reads a tensor of which kernels have written some pages and left others out."""

    def __init__(self, name: str, declared_at: str, missing: Sequence[int], pages: int) -> None:
        some = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
        super().__init__(
            f"mem.page-never-written: {name} is read back, and nothing has written {len(missing)} of its"
            f" {pages} pages: {some}",
            where=declared_at,
            remedy="let the kernels write every page, or upload the tensor before they write a part of it",
        )
        self.missing = tuple(missing)


# ---- compiling kernels ----


class KernelError(UserError):
    """A kernel the tile compiler refuses. `where` is the line of the kernel."""


class UnsupportedKernelError(KernelError):
    """A kernel that uses what cannot be lowered; the remedy is what can be used instead."""


class LayoutError(KernelError):
    """A buffer used in ways that ask for two layouts, or a format its tensor cannot have."""


class BadCallError(UserError):
    """A compiled kernel called with tensors that are not what it was compiled for."""


class IndexOutOfBoundsError(UserError, IndexError, RuntimeError):
    """An index that names no element. torch raises an IndexError, or for some operators a RuntimeError."""


class IRError(UserError):
    """Textual IR that cannot be read, or that does not verify."""

    default_remedy = "what `tilesmith opt` prints can be read again: compare with it"


class UnknownPassError(UserError):
    """A pass name that is not in the pipeline."""


class PassOrderError(UserError):
    """A pass was called on a module that lacks what earlier passes make, or that is past this one."""


# ---- operations ----


class OperationError(UserError, RuntimeError):
    """An operation that refuses its arguments, in ttnn's words. A RuntimeError, as ttnn raises it."""


# ---- devices ----


class DeviceClosedError(DeviceError):
    """A device, or a tensor on it, used after the device was closed."""

    default_remedy = "do the work inside `with tilesmith.open_device(...) as device:`, or open it again"


class OutOfDeviceMemoryError(DeviceError):
    """No room for a buffer. `table` says who holds what."""

    def __init__(self, what: str, *, table: str = "", where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.table = table

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.table}" if self.table else super().__str__()


# ---- opsmith ----


class SpecError(UserError):
    """An operation spec that cannot be read, or that contradicts itself."""


class StageError(UserError):
    """A stage of an operation asked for before its time, or an operation that is not there."""


class MissingPackageError(UserError):
    """Work that needs a package that is not installed."""


# ---- models ----


class CaptureError(UserError):
    """A model that PyTorch cannot turn into a graph. `where` is the line of the model."""


class CollectiveError(UserError, RuntimeError):
    """A collective between processes that one of them left, or did not reach in time."""


class WeightsMissingError(UserError):
    """A model of the zoo without its weights, or without the package it is built with."""


class WeightsMismatchError(UserError):
    """A checkpoint that cannot be read, or whose tensors are not those of the model."""
