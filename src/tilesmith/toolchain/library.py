"""Compiles C++ sources to a shared library, once per content, flags, compiler and kind of CPU."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tilesmith import settings
from tilesmith.errors import KernelCompileError, ToolchainError
from tilesmith.toolchain import includes, prebuilt, precompiled
from tilesmith.toolchain.announce import announced
from tilesmith.toolchain.cache import Cache
from tilesmith.toolchain.fallback import private_root
from tilesmith.toolchain.host import host_cpu, loaded_libc
from tilesmith.toolchain.invoke import run_compiler, side_by_side
from tilesmith.toolchain.known import known_compiler
from tilesmith.toolchain.toolchain import Compiler

Source = Path | tuple[str, str]  # a file, or a name and the text itself

VERSION_SCRIPT = ".map"
_NATIVE = "-march=native"
_ALWAYS = ("-std=c++20", "-fPIC", "-pipe")
# Zig turns its own run-time checks on unless told not to, and strips symbols that only another library uses.
_ALWAYS_ZIG = ("-fno-sanitize=undefined", "-Wno-unused-command-line-argument")


@dataclass(frozen=True)
class Job:
    """One shared library to build. Paths are absolute: the compiler runs in a directory of its own.

    `unit_flags` are (name of a source, flag) pairs, for units that are better compiled another way.
    `precompiled` is text that every source may start with, parsed once for all of them.
    `title` is what people are told that it compiles, if it takes long. What is `bare` calls nothing of the
    C++ library: zig, which would build one first, need not. `stand_in` is a source of what the others call of
    that library, for zig alone; a version script beside it says what of it others may not see.
    """

    sources: tuple[Source, ...]
    include_dirs: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    unit_flags: tuple[tuple[str, str], ...] = ()
    precompiled: str = ""
    title: str = ""
    bare: bool = False
    stand_in: Path | None = None

    def __post_init__(self) -> None:
        sources = tuple(s.absolute() if isinstance(s, Path) else s for s in self.sources)
        object.__setattr__(self, "sources", sources)
        object.__setattr__(self, "include_dirs", tuple(Path(d).absolute() for d in self.include_dirs))

    def key(self, compiler: Compiler, cpu: str = "") -> str:
        """Changes whenever the library might. `cpu` is what it is compiled for, if not for this computer."""
        directories = [includes.known_as(str(directory)) for directory in self.include_dirs]
        parts = (compiler.id, cpu or host_cpu(), self.flags, self.link, self.unit_flags, directories)
        sources = self.sources
        if compiler.family == "zig" and self.stand_in is not None:
            sources = (*sources, self.stand_in, self.stand_in.with_suffix(VERSION_SCRIPT))
        content = includes.digest_of([_read(source) for source in sources], self.include_dirs)
        return hashlib.sha256(f"{parts!r}{content}".encode()).hexdigest()[:40]

    def compiled_for(self, march: str) -> Job:
        """The same for every CPU of a kind."""
        return replace(
            self, flags=tuple(f"-march={march}" if flag == _NATIVE else flag for flag in self.flags)
        )


def compile_shared(
    sources: Sequence[Source],
    include_dirs: Sequence[Path] = (),
    flags: Sequence[str] = (),
    link: Sequence[str] = (),
    bare: bool = False,
) -> Path:
    """The shared library made of `sources`; compiled only if the cache has none for just this content."""
    return build(Job(tuple(sources), tuple(include_dirs), tuple(flags), tuple(link), bare=bare))


def compile_many(jobs: Sequence[Job]) -> list[Path]:
    """The library of each job, built side by side. They start in this order: put the slowest first."""
    return side_by_side([partial(build, job) for job in jobs])


def build(job: Job) -> Path:
    """The shared library of one job."""
    if (installed := _of_wheel(job)) is not None:
        return installed
    compiler = known_compiler()
    cache = Cache(settings.current().cache_dir)
    key = job.key(compiler)
    if (installed := prebuilt.find(key) or _kept(key, compiler, cache)) is not None:
        return installed
    if not compiler.present:
        raise ToolchainError(f"{', '.join(names_of(job))} must be compiled, and no C++20 compiler was found")
    try:
        return cache.get_or_build(key, partial(_build_under, key, job, compiler))
    except _SourceChanged:
        # Someone is editing. Take what the compiler makes of the sources now, but let nobody else find it.
        unique = f"{key}-{uuid.uuid4().hex}"
        return Cache(private_root()).get_or_build(unique, partial(build_to, job, compiler))


def wheel_compiler(source: str) -> Compiler | None:
    """The compiler of the wheel, if that brought something of this name compiled.

    Not for somebody who asks for a compiler.
    """
    wheel = prebuilt.manifest()
    if wheel is None or settings.current().cxx or includes.known_as(source) not in wheel.sources:
        return None
    return wheel.compiler


def is_in_wheel(job: Job) -> bool:
    """Whether this very library came with the wheel."""
    return _of_wheel(job) is not None


def _of_wheel(job: Job) -> Path | None:
    wheel = prebuilt.manifest()
    if wheel is None or wheel_compiler(names_of(job)[0]) is None:
        return None
    return prebuilt.find(job.compiled_for(wheel.march).key(wheel.compiler, wheel.march))


def _kept(key: str, compiler: Compiler, cache: Cache) -> Path | None:
    """Looked up here only where it cannot be built: building looks first too."""
    return None if compiler.present else cache.find(key)


class _SourceChanged(Exception):
    """A source was edited between being read for the key and being compiled: the result has no name."""


def _build_under(key: str, job: Job, compiler: Compiler, out: Path) -> None:
    with announced(job.title, names_of(job), compiler):
        build_to(job, compiler, out)
    if job.key(compiler) != key:
        raise _SourceChanged


def build_to(job: Job, compiler: Compiler, out: Path) -> None:
    """Compile and link, whatever the cache has."""
    common = [*_ALWAYS, *(_ALWAYS_ZIG if compiler.family == "zig" else ()), *job.flags]
    common += [f"-I{directory}" for directory in job.include_dirs]
    if job.precompiled and compiler.family == "gcc":
        common += precompiled.options(job.precompiled, common, job.include_dirs, compiler, out.parent)
    inputs = [_materialise(source, out.parent, index) for index, source in enumerate(job.sources)]
    names = names_of(job)
    zig = compiler.family == "zig"
    bare = job.bare and zig
    if len(inputs) > 1 or bare or (zig and job.stand_in is not None):
        objects = [f"{index}.o" for index in range(len(inputs))]
        units = zip(inputs, objects, names, strict=True)
        commands = [([*common, *_own(job, name), "-c", text, "-o", to], name) for text, to, name in units]
        side_by_side([partial(run_compiler, compiler, c, out.parent, [name]) for c, name in commands])
        inputs = objects
    else:
        common += _own(job, names[0])
    if bare:
        run_compiler(_lld(compiler), ["-shared", *inputs, "-o", out.name], out.parent, names)
    elif not _linked_with_stand_in(job, compiler, common, inputs, out):
        run_compiler(compiler, [*common, "-shared", *inputs, "-o", out.name, *job.link], out.parent, names)


def _lld(compiler: Compiler) -> Compiler:
    """Zig's linker by itself: it builds no library."""
    return replace(compiler, command=(compiler.command[0], "ld.lld"))


def _linked_with_stand_in(
    job: Job, compiler: Compiler, common: Sequence[str], inputs: Sequence[str], out: Path
) -> bool:
    """Link zig's objects with what stands in for its C++ library. False where that lacks something."""
    if job.stand_in is None or compiler.family != "zig":
        return False
    script = ["--version-script", str(job.stand_in.with_suffix(VERSION_SCRIPT))]
    options = [flag.removeprefix("-Wl,") for flag in job.link]
    names = [str(job.stand_in)]
    try:
        run_compiler(compiler, [*common, "-c", names[0], "-o", "stand_in.o"], out.parent, names)
        arguments = ["-shared", "--no-undefined", *options, *script, *inputs, "stand_in.o", *loaded_libc()]
        run_compiler(_lld(compiler), [*arguments, "-o", out.name], out.parent, names)
    except KernelCompileError:
        return False
    return True


def _own(job: Job, name: str) -> list[str]:
    return [flag for unit, flag in job.unit_flags if unit == name]


def _materialise(source: Source, scratch: Path, index: int) -> str:
    """A path for the compiler, which runs in `scratch`; texts keep their name in messages and __FILE__."""
    if isinstance(source, Path):
        return str(source)
    name, text = source
    relative = Path(name).name if Path(name).is_absolute() else name
    path = scratch / relative
    if path.exists():
        path = scratch / str(index) / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path.relative_to(scratch))


def _read(source: Source) -> includes.Text:
    if isinstance(source, tuple):
        return includes.Text(*source)
    try:
        return includes.Text(str(source), source.read_text(), source.parent)
    except OSError as error:
        raise KernelCompileError(
            f"cannot read {source}: {error.strerror}", sources=[str(source)], remedy="check the path"
        ) from error


def names_of(job: Job) -> tuple[str, ...]:
    """What its sources are called."""
    return tuple(str(source) if isinstance(source, Path) else source[0] for source in job.sources)
