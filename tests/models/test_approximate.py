"""What `approximate` lets kernels compute less than exactly, and by how much results move."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch.nn import functional

import tilesmith
from tilesmith.errors import SettingsError
from tilesmith.models.backends.kernels import compiled
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.planning.steps import Launch


def _sources(model: CompiledModel) -> str:
    """The C++ of every kernel of the last call."""
    executable = model.executable
    assert isinstance(executable, TenstorrentExecutable)
    steps = [step for step in executable.plan.steps if isinstance(step, Launch)]
    options = executable.options
    kernels = [
        compiled(step.template, executable.arch, options.fidelity, step.formats, options.approximation)
        for step in steps
    ]
    return "\n".join(source for kernel in kernels for source in kernel.sources().values())


def _attention(x: torch.Tensor) -> torch.Tensor:
    return functional.scaled_dot_product_attention(x, x, x)


def _norm(x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, (96,), torch.full((96,), 1.5), torch.full((96,), 0.25))


def _product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return functional.gelu(functional.linear(x, w)) + x[..., :64]


CASES: dict[str, tuple[Callable[..., torch.Tensor], torch.Tensor, dict[str, torch.Tensor]]] = {
    "attention": (_attention, torch.randn(2, 3, 70, 64), {}),
    "norm": (_norm, 3 + torch.randn(70, 96), {}),
    "product": (_product, torch.randn(70, 96), {"w": torch.randn(64, 96) / 10}),
    "softmax": (lambda x: torch.softmax(4 * x, -1), torch.randn(70, 96), {}),
}
# Relative L2 errors that are allowed; bfloat16 itself rounds to 0.0017.
LIMITS = {"bfloat16": 0.004, "fast": 0.03}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("approximate", LIMITS)
def test_results_move_less_than_allowed(case: str, approximate: str) -> None:
    function, x, weights = CASES[case]
    x = x.bfloat16().float()
    model = Applied(function, **weights)
    made = tilesmith.compile(
        model, backend="tenstorrent", checks="on", numbers="chip", approximate=approximate
    )(x)
    expected = model(x)
    assert torch.norm(made - expected) <= LIMITS[approximate] * torch.norm(expected)


@pytest.mark.parametrize(
    ("level", "approximate", "uses"),
    [
        ("O1", "", ()),
        ("O2", "", ()),
        ("O2", "bfloat16", ("sub_tiles", "ones")),
        ("O2", "fast", ("exp_tile<true>",)),
    ],
)
def test_nothing_is_approximate_unless_asked_for(level: str, approximate: str, uses: tuple[str, ...]) -> None:
    model = tilesmith.compile(
        Applied(_attention),
        backend="tenstorrent",
        numbers="fast",
        optimization_level=level,
        approximate=approximate,
    )
    model(torch.randn(1, 2, 64, 64))
    sources = _sources(model)
    assert all(one in sources for one in uses)
    assert ("sub_tiles" in sources, "exp_tile<true>" in sources) == (
        "sub_tiles" in uses or approximate == "fast",
        approximate == "fast",
    )


def test_gelu_is_found_in_the_epilogue_of_a_product() -> None:
    function, x, weights = CASES["product"]
    model = tilesmith.compile(
        Applied(function, **weights), backend="tenstorrent", approximate="fast", numbers="fast"
    )
    model(x)
    assert "gelu_tile<true>" in _sources(model)


def test_float32_stays_exact() -> None:
    model = tilesmith.compile(Applied(_attention), backend="tenstorrent", precision="float32", numbers="fast")
    model(torch.randn(1, 2, 64, 64))
    assert "sub_tiles" not in _sources(model)


def test_other_words_are_refused() -> None:
    with pytest.raises(SettingsError, match="approximate is 'roughly'"):
        tilesmith.compile(Applied(_attention), backend="tenstorrent", approximate="roughly")


@pytest.mark.parametrize("shape", [(1, 3, 96, 64), (2, 2, 200, 32), (1, 64, 64, 64), (1, 1, 33, 64)])
def test_keys_that_stay_for_several_blocks_of_queries(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, *shape)
    mask = torch.randn(shape[0], 1, shape[2], shape[2])
    model = Applied(lambda q, k, v, mask: functional.scaled_dot_product_attention(q, k, v, mask))
    made = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")(q, k, v, mask)
    expected = model(q, k, v, mask)
    assert torch.norm(made - expected) <= 0.01 * torch.norm(expected)


def test_o3_tries_fast_functions_within_the_gate() -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 2, 64, 64)
    loose, strict = (
        tilesmith.compile(
            Applied(_attention), backend="tenstorrent", optimization_level="O3", accuracy=gate, candidates=1
        )
        for gate in (0.99, 1.0)
    )
    made = loose(x)
    assert torch.norm(made - _attention(x)) < 0.14 * torch.norm(made)
    (line,) = loose.report.precision
    assert (line.lowered, line.approximate, line.weights) == (True, "fast", "bfloat8_b")
    strict(x)
    assert [line.lowered for line in strict.report.precision] == [False]


@pytest.mark.parametrize(("rows", "causal"), [(576, True), (768, True), (600, True), (544, False)])
def test_attention_in_blocks_of_keys(rows: int, causal: bool) -> None:
    """Blocks below the diagonal are not masked, weights are summed up as they are multiplied."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 1, rows, 32).bfloat16().float()
    model = Applied(lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=causal))
    made = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")(q, k, v)
    expected = model(q, k, v)
    assert torch.norm(made - expected) <= 0.01 * torch.norm(expected)
    last = expected[..., -32:, :]
    assert torch.norm(made[..., -32:, :] - last) <= 0.01 * torch.norm(last)
