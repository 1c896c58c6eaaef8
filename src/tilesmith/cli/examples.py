"""`tilesmith examples`: list those that came with the package, and copy them to where they can be changed."""

from __future__ import annotations

import ast
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tilesmith.cli.output import AsJson, tell
from tilesmith.errors import ScriptError

examples = typer.Typer(no_args_is_help=True, help="Examples to read, run and change.")

_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^\s*from examples\.(\w+)\.(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A folder or file below `examples/`. `starts` is the file that Python runs, or an operation's spec."""

    name: str
    starts: Path
    sentence: str

    @property
    def command(self) -> str:
        if self.starts.suffix == ".md":
            return f"tilesmith op new {self.starts}"
        return f"tilesmith run -m {'.'.join(self.starts.with_suffix('').parts)}"


def root() -> Path:
    """Inside the package where that was installed from a wheel, beside the source in a checkout."""
    places = (_PACKAGE / "examples", _PACKAGE.parents[1] / "examples")
    found = next((place for place in places if (place / "metal").is_dir()), None)
    if found is None:
        raise ScriptError("the examples are not installed", remedy="pip install --force-reinstall tilesmith")
    return found


def catalogue() -> list[Example]:
    """Every example, by kind."""
    top = root()
    hosts = [(f"metal/{path.parent.name}", path) for path in sorted(top.glob("metal/*/host.py"))]
    scripts = [(f"{path.parent.name}/{path.stem}", path) for path in sorted(top.glob("[pt]*/*.py"))]
    specs = [(f"ops/{path.stem.removesuffix('_spec')}", path) for path in sorted(top.glob("ops/*_spec.md"))]
    return [
        Example(name, Path("examples") / path.relative_to(top), _sentence(path))
        for name, path in (*hosts, *scripts, *specs)
        if name != "metal/common" and path.stem != "__init__"
    ]


def _sentence(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return f"the spec of an operation: {text.splitlines()[0].removeprefix('# ')}"
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


@examples.command("list")
def list_examples(as_json: AsJson = False) -> None:
    """List the examples, and what each shows."""
    found = catalogue()
    width = max(len(one.name) for one in found)
    data = [{"name": one.name, "shows": one.sentence, "command": one.command} for one in found]
    tell(as_json, data, "\n".join(f"{one.name:{width}}  {one.sentence}" for one in found))


@examples.command()
def copy(
    name: Annotated[str, typer.Argument(help="a name that `examples list` prints, or all")],
    to: Annotated[Path, typer.Option(help="the folder that gets an examples/", metavar="DIR")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Copy an example, with what it imports, to examples/ here; what is there already is not overwritten."""
    chosen = [one for one in catalogue() if name in ("all", one.name)]
    if not chosen:
        names = ", ".join(one.name for one in catalogue())
        raise ScriptError(f"there is no example {name!r}", remedy=f"choose all, or one of: {names}")
    copied = [path for one in chosen for path in copy_one(one, to)]
    lines = [*dict.fromkeys(map(str, copied)), *(f"run it with `{one.command}`" for one in chosen[:1])]
    tell(as_json, {"files": list(dict.fromkeys(copied)), "command": chosen[0].command}, "\n".join(lines))


def copy_one(example: Example, to: Path) -> list[Path]:
    """The files that were copied."""
    copied = []
    for source in _with_imports(root(), example.starts.relative_to("examples")):
        target = to / "examples" / source.relative_to(root())
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            copied.append(target)
    return copied


def _with_imports(top: Path, starts: Path) -> list[Path]:
    """The example's own files, and those of the examples it imports from."""
    pending, seen, files = [starts], set[Path](), list[Path]()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        own = _own(top, at)
        files += own
        for path in own:
            if path.suffix == ".py":
                names = _IMPORT.findall(path.read_text(encoding="utf-8"))
                pending += [Path(kind, module, "host.py") for kind, module in names]
    return sorted(files)


def _own(top: Path, at: Path) -> list[Path]:
    if at.parts[0] in ("metal", "profile"):
        return [
            path
            for path in (top / at).parent.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        ]
    kernels = top / "ops" / "kernels" / at.stem.removesuffix("_spec")
    return [top / at, *(path for path in kernels.rglob("*") if path.is_file())]
