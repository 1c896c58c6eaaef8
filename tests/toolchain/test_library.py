"""Libraries are compiled when something they depend on changes, and only then."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from tilesmith.errors import KernelCompileError, ToolchainError
from tilesmith.toolchain import Cache, Compiler, Job, compile_many, compile_shared, find_compiler, includes
from tilesmith.toolchain import library as library_module
from tilesmith.toolchain.invoke import run_compiler


def answer(path: Path) -> int:
    return int(ctypes.CDLL(str(path)).answer())


def source(body: str) -> tuple[str, str]:
    return ("kernel.cpp", f'extern "C" int answer() {{ {body} }}')


def test_same_content_is_compiled_once(fresh_cache: Path) -> None:
    first = compile_shared([source("return 42;")])
    assert answer(first) == 42
    assert compile_shared([source("return 42;")]) == first
    assert compile_shared([source("return 43;")]) != first


def test_flags_matter() -> None:
    text = source("return N;")
    assert answer(compile_shared([text], flags=["-DN=5"])) == 5
    assert answer(compile_shared([text], flags=["-DN=6"])) == 6


@pytest.mark.parametrize(
    ("include", "header"),
    [('"a.h"', "kernels/a.h"), ('"../a.h"', "a.h"), ("<a.h>", "dir/a.h"), ("<outer.h>", "dir/n.h")],
)
def test_headers_matter(tmp_path: Path, include: str, header: str) -> None:
    kernel = tmp_path / "kernels" / "kernel.cpp"
    kernel.parent.mkdir()
    kernel.write_text(f'#include {include}\nextern "C" int answer() {{ return N; }}\n')
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "outer.h").write_text('#pragma once\n# include "n.h"\n')
    for value in (1, 2):
        (tmp_path / header).write_text(f"#define N {value}\n")
        assert answer(compile_shared([kernel], [tmp_path / "dir"])) == value


def test_a_text_may_include_a_file_by_its_full_path(tmp_path: Path) -> None:
    included = tmp_path / "kernel.cpp"
    text = ("prologue.cpp", f'#include "{included}"\n')
    for value in (1, 2):
        included.write_text(f'extern "C" int answer() {{ return {value}; }}')
        assert answer(compile_shared([text])) == value


def test_a_header_that_appears_earlier_in_the_path_is_noticed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    (second / "n.h").write_text("#define N 2\n")
    text = ("kernel.cpp", '#include <n.h>\nextern "C" int answer() { return N; }')
    assert answer(compile_shared([text], [first, second])) == 2
    (first / "n.h").write_text("#define N 1\n")
    assert answer(compile_shared([text], [first, second])) == 1


def test_editing_a_header_rebuilds_only_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "include" / "deep").mkdir(parents=True)
    (tmp_path / "include" / "outer.h").write_text("#include <deep/n.h>\n")
    header = tmp_path / "include" / "deep" / "n.h"
    header.write_text("#define N 1\n")
    includes = (tmp_path / "include",)
    concerned, other = (
        Job((("kernel.cpp", text),), includes) for text in ("#include <outer.h>", "#include <cstdint>")
    )
    before = concerned.key(find_compiler()), other.key(find_compiler())
    header.write_text("#define N 22\n")
    assert concerned.key(find_compiler()) != before[0]
    assert other.key(find_compiler()) == before[1]


def test_what_lies_as_it_did_is_not_searched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (second / "deep").mkdir(parents=True)
    first.mkdir()
    (second / "deep" / "n.h").write_text("#define N 2\n")
    job = Job((("kernel.cpp", "#include <deep/n.h>\n"),), (first, second))

    for folder in (tmp_path, *tmp_path.rglob("*/")):  # as if nobody had touched them for a minute
        os.utime(folder, (0, folder.stat().st_mtime - 60))
    keys = [job.key(find_compiler())]
    with monkeypatch.context() as patched:
        patched.setattr(includes, "_search", None)
        keys.append(job.key(find_compiler()))
    (first / "deep").mkdir()
    keys.append(job.key(find_compiler()))
    (first / "deep" / "n.h").write_text("#define N 1\n")
    keys.append(job.key(find_compiler()))
    (second / "deep" / "n.h").unlink()
    keys.append(job.key(find_compiler()))
    assert [keys.index(key) for key in keys] == [0, 0, 0, 3, 4]


def test_an_include_in_brackets_does_not_mean_the_file_beside_the_kernel(tmp_path: Path) -> None:
    headers = tmp_path / "headers"
    headers.mkdir()
    (tmp_path / "n.h").write_text("#define N 9\n")
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text('#include <n.h>\nextern "C" int answer() { return N; }')
    for value in (1, 2):
        (headers / "n.h").write_text(f"#define N {value}\n")
        assert answer(compile_shared([kernel], [headers])) == value


def test_an_include_named_by_a_macro_is_followed(tmp_path: Path) -> None:
    text = ("kernel.cpp", '#define WHICH "n.h"\n#include WHICH\nextern "C" int answer() { return N; }')
    for value in (1, 2):
        (tmp_path / "n.h").write_text(f"#define N {value}\n")
        assert answer(compile_shared([text], [tmp_path])) == value


def test_several_units_and_texts_of_one_name(tmp_path: Path) -> None:
    parts = [
        ("part.cpp", "int a() { return 1; }"),
        ("part.cpp", "int b() { return 2; }"),
        ("main.cpp", 'int a(); int b(); extern "C" int answer() { return a() + b(); }'),
    ]
    assert answer(compile_shared(parts)) == 3


def test_a_unit_that_does_not_compile_among_several() -> None:
    with pytest.raises(KernelCompileError, match=r"refused bad\.cpp"):
        compile_shared([("good.cpp", "int a;"), ("bad.cpp", "int b"), ("fine.cpp", "int c;")])


def test_units_may_have_flags_of_their_own() -> None:
    parts = (
        ("a.cpp", "int a() { return N; }"),
        ("main.cpp", 'int a(); extern "C" int answer() { return 10 * a() + N; }'),
    )
    both = Job(parts, flags=("-DN=1",), unit_flags=(("a.cpp", "-UN"), ("a.cpp", "-DN=2")))
    single = Job((("a.cpp", 'extern "C" int answer() { return N; }'),), unit_flags=(("a.cpp", "-DN=3"),))
    assert [answer(path) for path in compile_many([both, single])] == [21, 3]


def test_many_at_once() -> None:
    jobs = [Job((source(f"return {index} + 100;"),)) for index in range(4)]
    assert [answer(path) for path in compile_many(jobs)] == [100, 101, 102, 103]


def test_errors_carry_what_the_compiler_said() -> None:
    with pytest.raises(KernelCompileError) as caught:
        compile_shared([("dir/kernel.cpp", "int f() { return undeclared_thing; }")])
    assert "dir/kernel.cpp:1:" in caught.value.output
    assert "undeclared_thing" in caught.value.output
    assert caught.value.sources == ("dir/kernel.cpp",)
    assert "undeclared_thing" in str(caught.value)


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(KernelCompileError, match=r"cannot read .*nowhere\.cpp"):
        compile_shared([tmp_path / "nowhere.cpp"])


def test_a_source_edited_while_it_compiles_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: Path
) -> None:
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text('extern "C" int answer() { return 1; }')
    edits = iter(['extern "C" int answer() { return 2; }'])

    def edit_then_compile(*arguments: object) -> None:
        if (text := next(edits, None)) is not None:
            kernel.write_text(text)
        run_compiler(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(library_module, "run_compiler", edit_then_compile)
    assert answer(compile_shared([kernel])) == 2
    kernel.write_text('extern "C" int answer() { return 1; }')
    assert answer(compile_shared([kernel])) == 1


def test_a_source_that_never_stands_still_is_kept_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: Path
) -> None:
    kernel = tmp_path / "kernel.cpp"
    texts = iter(range(100))

    def edit_and_compile(*arguments: object) -> None:
        kernel.write_text(f'extern "C" int answer() {{ return {next(texts)}; }}')
        run_compiler(*arguments)  # type: ignore[arg-type]

    kernel.write_text("")
    monkeypatch.setattr(library_module, "run_compiler", edit_and_compile)
    built = compile_shared([kernel])
    assert answer(built) == 1
    assert not built.is_relative_to(fresh_cache)
    assert not list(fresh_cache.glob("entries/*/*.so"))


def test_a_killed_compiler_is_not_a_bad_source(tmp_path: Path) -> None:
    suicide = tmp_path / "cxx"
    suicide.write_text("#!/bin/sh\nkill -9 $$\n")
    suicide.chmod(0o755)
    with pytest.raises(ToolchainError, match="was killed"):
        run_compiler(Compiler((str(suicide),), "gcc", "1", "id"), [], tmp_path, ["kernel.cpp"])


def test_a_compiler_that_vanished(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="is gone"):
        run_compiler(Compiler((str(tmp_path / "cxx"),), "gcc", "1", "id"), [], tmp_path)


def test_nothing_but_libraries_and_answers_is_kept(fresh_cache: Path) -> None:
    compile_shared([source("return 1;")])
    kept = {path.suffix for path in fresh_cache.glob("entries/*/*")}
    assert kept == {".so", ".json"}
    assert Cache(fresh_cache).usage().entries == 2


def test_a_header_is_precompiled_once_for_many_sources_and_again_when_it_changes(
    fresh_cache: Path, tmp_path: Path
) -> None:
    header = tmp_path / "shared.h"
    texts = [f'#include "shared.h"\nextern "C" int answer() {{ return N + {i}; }}' for i in range(2)]
    jobs = [Job((("kernel.cpp", text),), (tmp_path,), precompiled='#include "shared.h"\n') for text in texts]
    for value in (10, 20):
        header.write_text(f"#pragma once\nenum {{ N = {value} }};\n")
        assert [answer(path) for path in compile_many(jobs)] == [value, value + 1]
    precompiled = list(fresh_cache.rglob("*.gch"))
    assert len(precompiled) == (2 if find_compiler().family == "gcc" else 0)


def test_our_own_headers_are_known_by_content_wherever_they_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {}
    for folder in ("here", "there"):
        (tmp_path / folder / "include").mkdir(parents=True)
        (tmp_path / folder / "include" / "a.h").write_text("int a();\n", encoding="utf-8")
        job = Job((("k.cpp", '#include "a.h"\n'),), (tmp_path / folder / "include",))
        outside = job.key(find_compiler())
        monkeypatch.setattr(includes, "_PACKAGE", f"{tmp_path / folder}/")
        keys[folder] = (job.key(find_compiler()), outside)
    assert keys["here"][0] == keys["there"][0]
    assert keys["here"][1] != keys["there"][1]
