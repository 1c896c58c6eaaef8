"""The kernel files inside a ttnn wheel and what each of them is."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_ENTRY = re.compile(r"\bkernel_main\s*\(\s*\)|\bvoid\s+MAIN\b|\bTT_KERNEL\b")
_METAL2 = re.compile(r"\b(?:args|dfb|tensor|sem|scratch)::|\bTT_KERNEL\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAMED_ARGUMENT = re.compile(r"get_named_(?:compile_time|ct)_arg(?:_val)?\(\s*\"([^\"]+)\"")
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def without_comments(text: str) -> str:
    return _COMMENT.sub("", text)


@dataclass(frozen=True)
class VendorKernel:
    """One kernel file, named by its path inside the wheel's `ttnn` folder."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return without_comments(self.path.read_text(errors="replace"))

    @property
    def is_kernel(self) -> bool:
        return bool(_ENTRY.search(self.text))

    @property
    def is_metal2(self) -> bool:
        """Written for generated argument namespaces instead of positions."""
        return bool(_METAL2.search(self.text))

    @cached_property
    def includes(self) -> tuple[str, ...]:
        return tuple(_INCLUDE.findall(self.text))

    @property
    def is_compute(self) -> bool:
        if any(name.startswith("api/dataflow/dataflow_api") for name in self.includes):
            return False
        words = ("compute", "kernel_lib/eltwise")
        return "/compute" in self.name or any(word in name for name in self.includes for word in words)


@dataclass(frozen=True)
class Wheel:
    """An unpacked wheel."""

    root: Path

    @classmethod
    def open(cls, path: Path, scratch: Path) -> Wheel:
        """A wheel file is unpacked into `scratch`; an unpacked one is used where it is."""
        if path.is_dir():
            return cls(path.resolve())
        with zipfile.ZipFile(path) as archive:
            wanted = [n for n in archive.namelist() if n.endswith((".cpp", ".hpp", ".h", ".inl"))]
            archive.extractall(scratch, members=[n for n in wanted if n.startswith("ttnn/")])
        return cls(scratch)

    @property
    def package(self) -> Path:
        return self.root / "ttnn"

    @cached_property
    def kernels(self) -> tuple[VendorKernel, ...]:
        found = (
            VendorKernel(str(p.relative_to(self.package)), p) for p in sorted(self.package.rglob("*.cpp"))
        )
        return tuple(kernel for kernel in found if kernel.is_kernel)

    @cached_property
    def named_arguments(self) -> tuple[str, ...]:
        """Every name any kernel or helper header asks for."""
        sources = self.package / "ttnn" / "cpp"
        files = (p for suffix in ("*.cpp", "*.hpp", "*.h") for p in sources.rglob(suffix))
        names = {n for p in files for n in _NAMED_ARGUMENT.findall(p.read_text(errors="replace"))}
        return tuple(sorted(names))
