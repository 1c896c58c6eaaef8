"""A kernel as a user names it on the command line: `file.py:kernel` or `file.py:maker(256, 256)`."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesmith.errors import BadCallError, TilesmithError
from tilesmith.extras import naming_extras


@dataclass(frozen=True)
class Request:
    """`file.py:kernel`, or `file.py:maker(256, 256)` where a function with arguments makes the kernel."""

    path: Path
    name: str
    args: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()


def parsed(text: str) -> Request:
    """What the user asks for.

    >>> parsed("gemm.py:gemm(64, 64, stages=3)")
    Request(path=PosixPath('gemm.py'), name='gemm', args=(64, 64), named=(('stages', 3),))
    """
    file, colon, what = text.rpartition(":")
    try:
        call = ast.parse(what, mode="eval").body
    except SyntaxError:
        call = None
    if not colon or not isinstance(call, ast.Name | ast.Call):
        raise _misread(text)
    if isinstance(call, ast.Name):
        return Request(Path(file), call.id)
    if not isinstance(call.func, ast.Name):
        raise _misread(text)
    try:
        args = tuple(ast.literal_eval(arg) for arg in call.args)
        named = tuple((one.arg or "", ast.literal_eval(one.value)) for one in call.keywords)
    except ValueError:
        raise _misread(text) from None
    return Request(Path(file), call.func.id, args, named)


def _misread(text: str) -> BadCallError:
    return BadCallError(
        f"{text!r} names no kernel",
        remedy="write file.py:kernel, or file.py:maker(64, 64, dtype='bfloat16') with plain values",
    )


def kernel_from(request: Request) -> Any:
    """The kernel: the object of that name, or what the function of that name returns."""
    found = attribute_of(request)
    if request.args or request.named or _is_function(found):
        check_call(request, found)
        return found(*request.args, **dict(request.named))
    return found


def attribute_of(request: Request) -> Any:
    """What the file calls by that name."""
    found = getattr(_module(request.path), request.name, None)
    if found is None:
        raise BadCallError(
            f"{request.path} has no {request.name}", remedy="name a kernel, or a function that returns one"
        )
    return found


def check_call(request: Request, function: Any, *first: object) -> None:
    """That a function takes the arguments written, after those it gets `first`."""
    try:
        inspect.signature(function).bind(*first, *request.args, **dict(request.named))
    except TypeError as problem:
        takes = inspect.signature(function)
        raise BadCallError(
            f"{request.name} cannot be called so: {problem}",
            where=str(request.path),
            remedy=f"it takes {takes}: write {request.path}:{request.name}(...) with plain values",
        ) from None
    except ValueError:
        # It does not tell its parameters; the call itself will.
        return


def _is_function(found: Any) -> bool:
    return type(found).__name__ == "function"


def _module(path: Path) -> Any:
    if not path.is_file():
        raise BadCallError(f"there is no file {path}", remedy="give the path of a Python file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadCallError(f"{path} is no Python file", remedy="name one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # As for a script what lies beside it can be imported, and as for `python -m` what lies here.
    sys.path[:0] = [str(path.parent.resolve()), str(Path.cwd())]
    sys.modules[path.stem] = module
    try:
        with naming_extras():
            spec.loader.exec_module(module)
    except TilesmithError:
        raise
    except (Exception, SystemExit) as problem:
        raise _unreadable(path, problem) from problem
    return module


def _unreadable(path: Path, problem: BaseException) -> BadCallError:
    """What stopped the user's own code, and the line of that file that it stopped at."""
    frames = traceback.extract_tb(problem.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    line = problem.lineno if isinstance(problem, SyntaxError) else next(iter(lines), None)
    return BadCallError(
        f"{path} cannot be loaded: {type(problem).__name__}: {problem}",
        where=f"{path}:{line}" if line else str(path),
        remedy="make it load in Python; what it imports is looked for beside it and in the current directory",
    )
