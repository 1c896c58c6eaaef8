"""What a kernel's text and that of its own headers say about how it must be compiled."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from tilesmith.toolchain import Compiler

_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_PER_ROLE = re.compile(
    r"^[ \t]*#.*(?:\bTRISC_(?:UNPACK|MATH|PACK)\b|\bUCK_CHLKC_|\bCOMPILE_FOR_TRISC\s*==)", re.MULTILINE
)
# An unroll factor that is not a number: it may depend on a template parameter.
_NAMED_UNROLL = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+GCC[ \t]+unroll[ \t(]+[A-Za-z_]", re.MULTILINE)
_UNROLL = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+GCC[ \t]+unroll\b.*$", re.MULTILINE)
# An alias template, and in its body a member of a parameter of class type: before GCC 14 the compiler crashes
# where the argument is a variable template that depends on another parameter.
_ALIAS = re.compile(
    r"\btemplate\s*<(?P<params>[^;{}()]*)>\s*using\s+(?P<name>\w+)\s*=(?P<body>[^;{}]*);", re.DOTALL
)
_PARAMETER = re.compile(r"(?P<type>\b[A-Z][\w:]*)\s+(?P<name>\w+)\s*(?=$|,|=)")
_FIRST_GOOD_GCC = 14


@lru_cache(maxsize=256)
def read(path: str, _modified: int) -> str:
    """A file's text, read again when it has changed."""
    return Path(path).read_text(encoding="utf-8", errors="replace")


def own_texts(text: str, source: Path | None, include_paths: Sequence[str]) -> Iterator[str]:
    """The kernel's text and that of the headers it brings along."""
    pending = [(text, source.parent if source else None)]
    seen: set[Path] = set()
    while pending:
        text, folder = pending.pop()
        yield text
        for name in _QUOTED.findall(text):
            places = (place / name for place in (folder, *map(Path, include_paths)) if place)
            header = next((path for path in places if path.is_file()), None)
            if header and header not in seen:
                seen.add(header)
                pending.append((read(str(header), header.stat().st_mtime_ns), header.parent))


def asks_for_its_role(texts: Sequence[str]) -> bool:
    """Whether unpack, math and pack are told apart in the preprocessor."""
    return any(map(_PER_ROLE.search, texts))


def confuses(compiler: Compiler, texts: Sequence[str]) -> bool:
    """Whether there is something this compiler refuses or crashes on, and `simplified` takes away."""
    if (
        not compiler.present
        or compiler.family != "gcc"
        or int(compiler.version.split(".")[0]) >= _FIRST_GOOD_GCC
    ):
        return False
    return any(_NAMED_UNROLL.search(text) or with_deduced_parameters(text) != text for text in texts)


def with_deduced_parameters(text: str) -> str:
    """The same aliases, their parameters of class type deduced and converted where a member is asked for."""
    return _ALIAS.sub(_deduced, text)


def _deduced(alias: re.Match[str]) -> str:
    whole, body = alias[0], alias["body"]
    for found in _PARAMETER.finditer(alias["params"]):
        member = re.compile(rf"\b{found['name']}\s*\.")
        if member.search(body):
            whole = re.sub(rf"\b{re.escape(found['type'])}(\s+{found['name']}\b)", r"auto\1", whole, count=1)
            whole = member.sub(f"{found['type']}({found['name']}).", whole)
    return whole


def simplified(unit: str, compiler: Compiler, options: Sequence[str]) -> str:
    """The unit after the preprocessor, less what confuses the compiler. Lines keep their numbers and files.

    Unroll factors are hints and may be left out.
    """
    done = subprocess.run(
        [*compiler.command, *options, "-E", "-x", "c++", "-"],
        input=unit,
        capture_output=True,
        text=True,
        check=False,
        env=compiler.environment(),
    )
    # A unit that cannot be preprocessed is left to the compiler, which will say why.
    return unit if done.returncode else with_deduced_parameters(_UNROLL.sub("", done.stdout))
