"""The C++ tree: its files, and that the vendor's release has every header and name it uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.opsmith.specs_at_hand import (
    GRID_SAMPLE,
    MASKED_SOFTMAX,
    MAX_INDEX,
    ROOT,
    SPECS,
    STACK_ROWS,
    changed,
)

from tilesmith import settings
from tilesmith.errors import SpecError
from tilesmith.formats import pack_two_bfloat16_into_uint32, unpack_two_bfloat16_from_uint32
from tilesmith.opsmith.cpp_op import CppStyle, cpp_files
from tilesmith.opsmith.journal import Journal
from tilesmith.opsmith.python_op import python_files
from tilesmith.opsmith.reading import read_spec
from tilesmith.opsmith.stages import new_op
from tilesmith.opsmith.wheel import check_tree


def wheel() -> Path:
    """The unpacked wheel that the setting names, or what `make test-ttnn` installed."""
    if settings.current().ttnn_wheel:
        return Path(settings.current().ttnn_wheel)
    for site_packages in ROOT.glob(".venv-ttnn-0.81.1/lib/python*/site-packages"):
        return site_packages
    pytest.skip("no ttnn here: TILESMITH_TTNN_WHEEL names an unpacked wheel of 0.81.1 to check against")


def written(spec: Path, folder: Path, style: CppStyle = CppStyle.DESCRIPTOR) -> Path:
    for name, text in cpp_files(read_spec(spec), style).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_files_of_a_tree() -> None:
    here = "ttnn/cpp/ttnn/operations/normalization/masked_softmax"
    assert list(cpp_files(read_spec(MASKED_SOFTMAX))) == [
        f"{here}/masked_softmax.hpp",
        f"{here}/masked_softmax.cpp",
        f"{here}/masked_softmax_nanobind.hpp",
        f"{here}/masked_softmax_nanobind.cpp",
        f"{here}/device/masked_softmax_device_operation_types.hpp",
        f"{here}/device/masked_softmax_device_operation.hpp",
        f"{here}/device/masked_softmax_device_operation.cpp",
        f"{here}/device/masked_softmax_program_factory.hpp",
        f"{here}/device/masked_softmax_program_factory.cpp",
        f"{here}/sources.cmake",
        "integration.md",
        f"{here}/device/kernels/dataflow/reader_masked_softmax.cpp",
        f"{here}/device/kernels/compute/masked_softmax_compute.cpp",
        f"{here}/device/kernels/dataflow/writer_masked_softmax.cpp",
    ]


def file_of(spec: Path, ending: str, style: CppStyle = CppStyle.DESCRIPTOR) -> str:
    return next(text for path, text in cpp_files(read_spec(spec), style).items() if path.endswith(ending))


def test_cached_style_shares_variables_and_overrides_addresses() -> None:
    header = file_of(MASKED_SOFTMAX, "program_factory.hpp", CppStyle.CACHED)
    assert "using cached_program_t = ttnn::device_operation::CachedProgram<shared_variables_t>;" in header
    for role in ("reader", "compute", "writer"):
        assert f"tt::tt_metal::KernelHandle {role}_kernel_id{{}};" in header
    source = file_of(MASKED_SOFTMAX, "program_factory.cpp", CppStyle.CACHED)
    for line in (
        "CreateCircularBuffer(program, cores, config);",
        "reader_args[0] = input_tensor.buffer()->address();",
        "reader_args[1] = mask.buffer()->address();",
        "writer_args[0] = output.buffer()->address();",
        "SetRuntimeArgs(program, shared.compute_kernel_id, core, compute_args);",
        ".fp32_dest_acc_en = true, .compile_args = compute_compile_time_args}",
        "return {std::move(program), std::move(shared)};",
    ):
        assert line in " ".join(source.split())
    assert "Descriptor" not in source


def test_cached_style_overrides_every_address_of_a_list() -> None:
    source = file_of(STACK_ROWS, "program_factory.cpp", CppStyle.CACHED)
    assert "reader_args[3 + i] = tensors[i].buffer()->address();" in source
    assert "compute_kernel_id" not in file_of(STACK_ROWS, "program_factory.hpp", CppStyle.CACHED)


def test_style_is_chosen_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.opsmith.test_stages import tilesmith

    for name in ("_test", "_require_red"):
        monkeypatch.setattr(f"tilesmith.opsmith.stages.{name}", lambda *_, **__: None)
    for style, word in (("cached", "override_runtime_arguments"), ("descriptor", "create_descriptor")):
        done = tilesmith("new", STACK_ROWS, "--cpp-style", style, "--out", tmp_path / style)
        assert done.exit_code == 0, done.output
        header = next((tmp_path / style).rglob("*_program_factory.hpp")).read_text()
        assert word in header
    assert tilesmith("new", STACK_ROWS, "--cpp-style", "other", "--out", tmp_path / "x").exit_code == 2


def test_scalars_are_packed_alike_on_both_sides(tmp_path: Path) -> None:
    """`bfloat16` as the type of an argument: the float parameter twice in one word, in Python and in C++."""
    old = "| 2 | scale | float | The factor, as the bits of a float |"
    spec = changed(MASKED_SOFTMAX, old, "| 2 | scale | bfloat16 | The factor, twice in a word |", tmp_path)
    for style in CppStyle:
        source = file_of(spec, "program_factory.cpp", style)
        assert "pack_two_bfloat16_into_uint32({bfloat16(value), bfloat16(value)})" in source
        assert "compute_args.push_back(packed(attributes.scale));" in source
        assert "#include <tt-metalium/bfloat16.hpp>" in source
    python = python_files(read_spec(spec), 6)["factories.py"]
    assert "pack_two_bfloat16_into_uint32((self.attrs.scale, self.attrs.scale))" in python
    assert "pack_two_bfloat16_into_uint32" in python.split("class ")[0]  # imported
    wrong = changed(MASKED_SOFTMAX, "| 1 | Wt | uint32_t |", "| 1 | Wt | bfloat16 |", tmp_path)
    with pytest.raises(SpecError, match="Wt is packed as bfloat16, but is no float parameter"):
        read_spec(wrong)


@pytest.mark.parametrize(
    ("pair", "word"),
    [
        ((1.0, -2.0), 0xC0003F80),
        ((1.0 + 2**-8, 1.0 + 3 * 2**-8), 0x3F823F80),  # ties go to even
        ((float("inf"), -0.0), 0x80007F80),
        ((3.4e38, 0.0), 0x00007F80),  # above the largest bfloat16
    ],
)
def test_packed_word(pair: tuple[float, float], word: int) -> None:
    import torch

    assert pack_two_bfloat16_into_uint32(pair) == word
    assert unpack_two_bfloat16_from_uint32(word) == tuple(torch.tensor(pair).bfloat16().tolist())
    low, high = (int(one) & 0xFFFF for one in torch.tensor(pair).bfloat16().view(torch.int16))
    assert low | high << 16 == word


def test_packed_nan_stays_nan() -> None:
    low, high = unpack_two_bfloat16_from_uint32(pack_two_bfloat16_into_uint32((float("nan"), 1.0)))
    assert low != low
    assert high == 1.0


def test_rules_and_values_of_the_spec_are_in_the_tree() -> None:
    operation = file_of(MASKED_SOFTMAX, "device_operation.cpp")
    assert 'TT_FATAL(attributes.scale > 0, "masked_softmax: scale must be > 0");' in operation
    factory = file_of(MASKED_SOFTMAX, "program_factory.cpp")
    assert "compute_args.push_back(std::bit_cast<uint32_t>(attributes.scale));" in factory
    assert "images(input_tensor) * tiles_high(input_tensor)" in factory
    assert ".fp32_dest_acc_en = true" in factory
    binding = file_of(MASKED_SOFTMAX, "nanobind.cpp")
    assert 'nb::arg("scale") = 1.0f' in binding


def test_lists_and_several_outputs() -> None:
    stack = file_of(STACK_ROWS, "device_operation.cpp")
    assert "append(output_shape, tensors[0], 0, attributes.dim);" in stack
    assert "for (const auto& each : tensors) {" in stack
    assert "std::tuple<Tensor, Tensor> max_index(const Tensor& input_tensor);" in file_of(
        MAX_INDEX, "max_index.hpp"
    )
    assert "const auto& indices = std::get<1>(outputs);" in file_of(MAX_INDEX, "program_factory.cpp")


@pytest.mark.parametrize("style", CppStyle)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_no_line_is_long(spec: Path, style: CppStyle) -> None:
    for path, text in cpp_files(read_spec(spec), style).items():
        if not path.endswith(".md"):
            assert max(map(len, text.splitlines())) <= 120, path


def test_names_are_in_the_wheel(tmp_path: Path) -> None:
    release = wheel()
    for spec in (MASKED_SOFTMAX, STACK_ROWS, MAX_INDEX, GRID_SAMPLE):
        for style in CppStyle:
            assert check_tree(written(spec, tmp_path / style / spec.stem, style), release) == []


def test_names_that_are_not_in_the_wheel_are_found(tmp_path: Path) -> None:
    release = wheel()
    tree = written(STACK_ROWS, tmp_path)
    factory = next(tree.rglob("*program_factory.cpp"))
    text = factory.read_text()
    for name in (
        "split_work_to_cores",
        "emplace_runtime_args",
        "ReaderConfigDescriptor",
        "tt-metalium/math.hpp",
    ):
        assert name in text
        text = text.replace(name, f"{name[:-3]}zzz{name[-3:]}")
    factory.write_text(text)
    kernel = next(tree.rglob("reader_*.cpp"))
    # As the older documents have it: a header and an entry point that the release no longer knows.
    kernel.write_text('#include "compute_kernel_api/common.h"\nnamespace NAMESPACE {\nvoid MAIN {}\n}\n')
    found = {(one.category, one.name) for one in check_tree(tree, release)}
    assert {
        ("header", "tt-metalium/math.zzzhpp"),
        ("header", "compute_kernel_api/common.h"),
        ("member", "emplace_runtime_azzzrgs"),
        ("name", "split_work_to_cozzzres"),
        ("name", "ReaderConfigDescripzzztor"),
    } <= found


def test_tree_is_checked_when_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = wheel()
    for name in ("_test", "_require_red"):
        monkeypatch.setattr(f"tilesmith.opsmith.stages.{name}", lambda *_, **__: None)
    journal: Journal = new_op(STACK_ROWS, tmp_path, cpp=True, wheel=release)
    build = journal.events("build")[0]
    assert (build["green"], build["command"]) == (True, "names of the C++ tree in the wheel")


def test_folder_that_is_no_wheel(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is not an unpacked ttnn wheel"):
        check_tree(tmp_path, tmp_path)
