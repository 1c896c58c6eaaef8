"""Does every header and name of a generated C++ tree exist in the ttnn release? Asked of an unpacked wheel.

The wheel ships the sources of some operations but few host headers. A header exists if the wheel has the file
or if its sources include it. A name exists if the wheel's sources use it as the tree does (as a member, in
that namespace, or plainly), or if a library of the wheel exports a function or class of that name. Categories
of operations are folders of the wheel.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tilesmith.errors import SpecError

_SOURCES = ("*.hpp", "*.cpp", "*.h", "*.inl")
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"doc\(.*?\)doc"|"(?:\\.|[^"\\])*"', re.DOTALL)
_MEMBER = re.compile(r"(?:\.|->)\s*([A-Za-z_]\w*)")
_QUALIFIED = re.compile(r"\b([A-Za-z_]\w*)\s*::\s*([A-Za-z_]\w*)")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
# A type and a name behind it; what stands behind `return` and its like is used, not declared.
_DECLARED = re.compile(
    r"(?<!using )\b(?!return\b|else\b|case\b|new\b)[\w>:]+[&*]?\s+([A-Za-z_]\w*)\s*(?=[;=({,)\[:]|$)",
    re.MULTILINE,
)
_KEYWORD = re.compile(
    r"auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum"
    r"|explicit|extern|false|float|for|if|inline|int|int32_t|int64_t|maybe_unused|namespace"
    r"|nullptr|operator|private|public|return|short|signed|size_t|sizeof|static|static_cast"
    r"|struct|switch|template|this|true|typename|uint16_t|uint32_t|uint64_t|uint8_t|unsigned"
    r"|using|virtual|void|volatile|while|include|pragma|once|reinterpret_cast"
)


@dataclass(frozen=True)
class UnknownInWheel:
    """Something a generated file names that the release does not have."""

    file: str
    category: str
    name: str

    def __str__(self) -> str:
        return f"{self.file}: {self.category} {self.name} is not in the wheel"


@dataclass(frozen=True)
class WheelNames:
    """What a wheel knows."""

    root: Path
    headers: frozenset[str]
    members: frozenset[str]
    qualified: frozenset[tuple[str, str]]
    names: frozenset[str]
    exported: frozenset[str]

    def has_header(self, path: str) -> bool:
        return path in self.headers


def check_tree(tree: Path, wheel: Path) -> list[UnknownInWheel]:
    """Every name of the C++ files below `tree` that the wheel does not have."""
    known = wheel_names(wheel)
    files = sorted(path for pattern in _SOURCES for path in tree.rglob(pattern))
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    plain = {path: _without_noise(text) for path, text in texts.items()}
    own = _declared_in(plain.values())
    found: list[UnknownInWheel] = []
    for path in files:
        place = path.relative_to(tree).as_posix()
        found += [
            UnknownInWheel(place, category, name)
            for category, name in _unknown(path, texts, plain, own, known, tree)
        ]
    return found


def wheel_names(wheel: Path) -> WheelNames:
    """Read a wheel; it takes some seconds the first time."""
    root = wheel / "ttnn" if (wheel / "ttnn" / "ttnn").is_dir() else wheel
    if not (root / "ttnn" / "cpp").is_dir():
        raise SpecError(
            f"{wheel} is not an unpacked ttnn wheel",
            remedy="unpack one: pip download ttnn==0.81.1 --no-deps; python -m zipfile -e ttnn-*.whl DIR",
        )
    return _read(root.resolve())


@lru_cache(maxsize=2)
def _read(root: Path) -> WheelNames:
    headers: set[str] = set()
    members: set[str] = set()
    qualified: set[tuple[str, str]] = set()
    names: set[str] = set()
    for path in _wheel_sources(root):
        text = path.read_text(encoding="utf-8", errors="replace")
        headers.update(one or two for one, two in _INCLUDE.findall(text))
        headers.update(_reachable_as(path, root))
        text = _without_noise(text)
        members.update(_MEMBER.findall(text))
        qualified.update(_QUALIFIED.findall(text))
        names.update(_NAME.findall(text))
    names.update(
        folder.name for folder in (root / "ttnn" / "cpp" / "ttnn" / "operations").iterdir() if folder.is_dir()
    )
    exported = frozenset(name for library in _libraries(root) for name in _exports(library))
    return WheelNames(
        root, frozenset(headers), frozenset(members), frozenset(qualified), frozenset(names), exported
    )


def _wheel_sources(root: Path) -> Iterator[Path]:
    folders = [root / "ttnn" / "cpp", root / "tt_metal" / "hw" / "inc", root / "tt_metal" / "hostdevcommon"]
    for folder in folders:
        for pattern in _SOURCES:
            yield from folder.rglob(pattern)


def _reachable_as(path: Path, root: Path) -> Iterator[str]:
    """The names under which a file can be included."""
    for base in (root / "ttnn" / "cpp", root / "tt_metal" / "hw" / "inc", root):
        if path.is_relative_to(base):
            yield path.relative_to(base).as_posix()


def _libraries(root: Path) -> list[Path]:
    return [
        path
        for path in (root / "build" / "lib").glob("*.so")
        if path.name in ("libtt_metal.so", "_ttnncpp.so")
    ]


def _exports(library: Path) -> set[str]:
    """Names in the exported symbols of a library, as far as `nm` can tell."""
    try:
        done = subprocess.run(
            ["nm", "-DC", "--defined-only", str(library)], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return set()
    signatures = re.sub(r"\(.*", "", done.stdout)
    return set(re.findall(r"::([A-Za-z_]\w*)\s*$", signatures, re.MULTILINE))


def _without_noise(text: str) -> str:
    """Without comments, strings and includes."""
    return _INCLUDE.sub("", _NOISE.sub(" ", text))


def _declared_in(texts: Iterable[str]) -> frozenset[str]:
    """Names the tree declares itself: types, functions, parameters, variables."""
    found: set[str] = set()
    for text in texts:
        found.update(_DECLARED.findall(text))
        found.update(re.findall(r"\b(?:const auto )\[([^\]]*)\]", text))
        for group in re.findall(r"\bauto \[([^\]]*)\]", text):
            found.update(name.strip() for name in group.split(","))
        found.update(re.findall(r"^\s*(?:[\w:<>, ]+?[&*]?)\s+(\w+)(?:\{\})?;", text, re.MULTILINE))
    return frozenset(found)


def _unknown(
    path: Path,
    texts: dict[Path, str],
    plain: dict[Path, str],
    own: frozenset[str],
    known: WheelNames,
    tree: Path,
) -> Iterator[tuple[str, str]]:
    for quoted, angled in _INCLUDE.findall(texts[path]):
        name = quoted or angled
        if not _is_standard(name) and not _is_own_header(name, path, tree) and not known.has_header(name):
            yield "header", name
    text = plain[path]
    for name in sorted(set(_MEMBER.findall(text))):
        if name not in own and name not in known.members and name not in known.exported:
            yield "member", name
    for space, name in sorted(set(_QUALIFIED.findall(text))):
        if space == "std" or name in own or name in known.exported:
            continue
        if (space, name) not in known.qualified:
            yield "name", f"{space}::{name}"
    for name in sorted(one for one in set(_NAME.findall(text)) - own if not _KEYWORD.fullmatch(one)):
        if (
            name not in known.names
            and name not in known.exported
            and not re.search(rf"std\s*::\s*{name}\b", text)
        ):
            yield "name", name


def _is_standard(name: str) -> bool:
    return "/" not in name and "." not in name


def _is_own_header(name: str, path: Path, tree: Path) -> bool:
    return (path.parent / name).is_file() or (tree / "ttnn" / "cpp" / name).is_file()
