"""Headers that kernels share are read once, and what a kernel gets wrong is found all the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tilesmith.testing.common_headers import Command, CommonHeaders, ahead_of_the_text
from tilesmith.testing.header_check import FLAGS, CompilerCall, complaints

COMPILER = shutil.which("g++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no g++ to read headers with")

SOURCE = '#include "defines_generated.h"\n#include "vendor.h"\n#include "kernel_includes.hpp"\n'
RIGHT = "#include <array>\nstd::array<uint32_t, NUMBERS> f() { return {KERNEL_COMPILE_TIME_ARGS}; }\n"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A vendor's folder, and a folder for kernels."""
    vendor = tmp_path / "vendor"
    vendor.mkdir()
    (vendor / "vendor.h").write_text("#include <cstdint>\n#include <limits>\n", encoding="utf-8")
    (vendor / "first.h").write_text("#include <utility>\n", encoding="utf-8")
    (vendor / "kernel.cc").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def call(made: Path, text: str, number: int = 1) -> CompilerCall:
    folder = made / "kernels" / "kernel" / str(number) / "ncrisc"
    folder.mkdir(parents=True)
    (folder.parent / "kernel_includes.hpp").write_text(text, encoding="utf-8")
    (folder.parent / "defines_generated.h").write_text("#define NUMBERS 2\n", encoding="utf-8")
    (folder.parent / "named_generated.h").write_text(f"#define NAMED {number}\n", encoding="utf-8")
    vendor = made / "vendor"
    arguments = ("-I..", f"-I{vendor}", "-include", f"{vendor / 'first.h'}", "-include", "named_generated.h")
    given = f"-DKERNEL_COMPILE_TIME_ARGS={number},2"
    return CompilerCall(folder, (*arguments, given, str(vendor / "kernel.cc")))


def command(one: CompilerCall) -> Command:
    return Command((str(COMPILER), *FLAGS), one.arguments[:-1], one.source, one.directory)


def test_shared_is_what_comes_before_the_text(made: Path) -> None:
    names = [Path(one).name for one in ahead_of_the_text(command(call(made, RIGHT)))]
    assert names[:2] == ["first.h", "cstdint"]
    assert "limits" in names
    assert "array" not in names
    assert "vendor.h" not in names


def test_kernels_with_other_numbers_use_what_was_read(made: Path) -> None:
    common = CommonHeaders(made)
    for number in (1, 2):
        one = call(made, RIGHT, number)
        assert complaints(one, str(COMPILER), common) == ""
        arguments = (*command(one).arguments, "-H")
        listed = common.run(Command(command(one).start, arguments, one.source, one.directory)).stderr
        assert [line for line in listed.splitlines() if line.startswith("!")]
    assert len(list(made.glob("*.gch"))) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("void f() { missing(1); }", "missing"),
        ("#include <array>\nstd::array<int, 1, 2> f();", "wrong number of template arguments"),
        ('#include "absent.h"', "absent.h: No such file"),
        ("std::array<int, 1> f();", "'array' in namespace 'std'"),
    ],
)
def test_a_wrong_kernel_is_found_either_way(made: Path, text: str, said: str) -> None:
    common = CommonHeaders(made)
    complaints(call(made, RIGHT, 1), str(COMPILER), common)
    wrong = call(made, text, 2)
    found = complaints(wrong, str(COMPILER), common)
    assert said in found.translate(str.maketrans("‘’", "''"))
    assert errors(found) == errors(complaints(wrong, str(COMPILER)))


def errors(text: str) -> list[str]:
    return [line for line in text.splitlines() if "error: " in line]
