"""The IR after every pass, as one HTML file that shows what each pass changed."""

from __future__ import annotations

import html
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from time import perf_counter
from types import TracebackType

from xdsl.dialects.builtin import ModuleOp

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px/1.45 system-ui, sans-serif; margin: 0; display: flex; color: #1b1b1b; background: #fff; }}
nav {{ position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1em; min-width: 17em;
      background: #f3f3f3; box-sizing: border-box; }}
nav a {{ display: block; color: inherit; text-decoration: none; padding: .1em 0; }}
nav a:hover {{ text-decoration: underline; }}
main {{ padding: 0 1.5em 3em; overflow-x: auto; flex: 1; }}
h2 {{ font-size: 1.05em; margin: 1.6em 0 .4em; }}
h2 small {{ font-weight: normal; color: #666; }}
pre {{ font: 12px/1.4 ui-monospace, monospace; margin: 0; }}
pre span {{ display: block; white-space: pre; }}
.new {{ background: #dff5e1; }}
.gone {{ background: #fbe3e3; color: #8a5a5a; }}
.error {{ background: #fbe3e3; padding: .8em; white-space: pre-wrap; }}
label {{ display: block; margin-bottom: .8em; }}
body.after .gone {{ display: none; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #1c1c1c; color: #ddd; }} nav {{ background: #262626; }}
  .new {{ background: #1f3d25; }} .gone, .error {{ background: #432626; color: #c99; }}
}}
</style></head><body class="after">
<nav><b>{title}</b>
<label><input type="checkbox" onchange="document.body.classList.toggle('after', !this.checked)">
what a pass removed</label>
</nav><main>
<script>
// Sections are appended as passes finish, so the list of them is made here.
addEventListener("DOMContentLoaded", () => {{
  for (const h of document.querySelectorAll("h2")) {{
    const a = document.createElement("a");
    a.href = "#" + h.id; a.textContent = h.firstChild.textContent;
    document.querySelector("nav").append(a);
  }}
}});
</script>
"""


class Trace:
    """An observer of the pipeline. The file is complete after every pass, so it survives a pass that fails.

    >>> from tempfile import TemporaryDirectory
    >>> from tilesmith.compiler.dialects.context import parse
    >>> with TemporaryDirectory() as folder:
    ...     with Trace(Path(folder) / "trace.html") as trace:
    ...         trace("import", parse("builtin.module {}"))
    ...     "builtin.module" in (Path(folder) / "trace.html").read_text()
    True
    """

    def __init__(self, path: str | Path, title: str = "IR after every pass") -> None:
        self.path = Path(path)
        self._before: list[str] = []
        self._count = 0
        self._clock = perf_counter()
        self.path.write_text(_HEAD.format(title=html.escape(title)), encoding="utf-8")

    def __call__(self, name: str, module: ModuleOp) -> None:
        """Add what a pass made of the module."""
        elapsed = perf_counter() - self._clock
        after = str(module).splitlines()
        new, gone = _counts(self._before, after)
        note = f"{elapsed * 1000:.1f} ms, {len(after)} lines"
        note += f", {new} new, {gone} gone" if self._count else ""
        self._section(name, note, "\n".join(_marked(self._before, after)))
        self._before = after
        self._clock = perf_counter()

    def fail(self, error: BaseException) -> None:
        """Add the error that ended the pipeline."""
        self._append(
            f'<h2 id="error">{type(error).__name__}</h2><div class="error">{html.escape(str(error))}</div>\n'
        )

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is not None:
            self.fail(error)

    def _section(self, name: str, note: str, body: str) -> None:
        self._count += 1
        heading = f'<h2 id="pass{self._count}">{html.escape(name)} <small>{note}</small></h2>'
        self._append(f"{heading}\n<pre>{body}</pre>\n")

    def _append(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield tag, before[i1:i2], after[j1:j2]


def _counts(before: list[str], after: list[str]) -> tuple[int, int]:
    changed = [(gone, new) for tag, gone, new in _changes(before, after) if tag != "equal"]
    return sum(len(new) for _, new in changed), sum(len(gone) for gone, _ in changed)


def _marked(before: list[str], after: list[str]) -> Iterator[str]:
    """The lines as HTML; the first module is all plain."""
    for tag, gone, new in _changes(before, after) if before else [("equal", [], after)]:
        if tag == "equal":
            yield from (f"<span>{html.escape(line)}</span>" for line in new)
        else:
            yield from (f'<span class="gone">{html.escape(line)}</span>' for line in gone)
            yield from (f'<span class="new">{html.escape(line)}</span>' for line in new)
