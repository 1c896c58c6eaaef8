"""Every pass finds what it looks for, changes no result, and leaves alone what only looks like it."""

from __future__ import annotations

import pytest
import torch
from tests.models.planning.capturing import captured, operators, same_after
from torch.fx import GraphModule
from torch.nn import functional

from tilesmith.models.capture.fx import export
from tilesmith.models.passes.cse import cse
from tilesmith.models.passes.decompose_complex import decompose_complex
from tilesmith.models.passes.fold_batch_norm import fold_batch_norm
from tilesmith.models.passes.fold_constants import fold_constants
from tilesmith.models.passes.fold_masks import fold_masks
from tilesmith.models.passes.fuse_attention import fuse_attention
from tilesmith.models.passes.fuse_gelu import fuse_gelu
from tilesmith.models.passes.fuse_grouped_query_attention import fuse_grouped_query_attention
from tilesmith.models.passes.fuse_linear import fuse_linear
from tilesmith.models.passes.fuse_patch_embedding import fuse_patch_embedding
from tilesmith.models.passes.fuse_rms_norm import fuse_rms_norm
from tilesmith.models.passes.fuse_rotary import fuse_rotary
from tilesmith.models.passes.merge_linears import merge_linears
from tilesmith.models.passes.remove_noops import remove_noops
from tilesmith.models.passes.split_joined_channels import split_joined_channels
from tilesmith.models.planning.exactness import exact_values

X = torch.randn(2, 8, 64)
HEADS = torch.randn(1, 4, 16, 32)


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Sums in another order differ by more than the bound now and then: by the tests that ran before."""
    torch.manual_seed(0)


def test_copies_go() -> None:
    module = captured(lambda x: (x.clone().contiguous() + 1).detach(), X)
    assert same_after(remove_noops, module, X) == {"add": 1}


def test_what_depends_on_weights_alone_is_computed_at_once() -> None:
    module = captured(lambda x, w: x * (w.exp() + 1).sum(), X, w=torch.randn(3))
    assert same_after(fold_constants, module, X) == {"mul": 1}


def test_random_numbers_are_no_constants() -> None:
    module = captured(lambda x: x + torch.rand(64), X)
    fold_constants(module)
    assert operators(module)["rand"] == 1


def test_equal_work_is_done_once() -> None:
    module = captured(lambda x: x.exp() + x.exp(), X)
    assert same_after(cse, module, X) == {"exp": 1, "add": 1}


def test_a_mask_that_is_a_triangle_becomes_a_flag() -> None:
    mask = torch.ones(16, 16, dtype=torch.bool).tril()
    module = captured(
        lambda q, mask: functional.scaled_dot_product_attention(q, q, q, attn_mask=mask), HEADS, mask=mask
    )
    same_after(fold_masks, module, HEADS)
    (node,) = [node for node in module.graph.nodes if "attention" in node.name]
    assert node.args[3] is None
    assert node.args[5] is True


def test_a_mask_that_hides_nothing_goes_and_another_stays() -> None:
    for mask, kept in ((torch.ones(16, 16).bool(), False), (torch.rand(16, 16) > 0.5, True)):
        mask[:, 0] = True
        module = captured(
            lambda q, mask: functional.scaled_dot_product_attention(q, q, q, attn_mask=mask), HEADS, mask=mask
        )
        same_after(fold_masks, module, HEADS)
        (node,) = [node for node in module.graph.nodes if "attention" in node.name]
        assert (node.args[3] is not None) == kept


def test_batch_norm_becomes_part_of_the_convolution() -> None:
    norm = torch.nn.BatchNorm2d(8)
    norm.load_state_dict(
        {**norm.state_dict(), "running_mean": torch.rand(8), "running_var": torch.rand(8) + 0.5}
    )
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), norm).eval()
    image = torch.randn(1, 3, 8, 8)
    assert same_after(fold_batch_norm, export(model, (image,)).module, image) == {"conv2d": 1}


@pytest.mark.parametrize(("mean", "is_exact"), [(300.3, True), (0.7, False)])
def test_a_bias_that_holds_a_large_mean_keeps_its_precision(mean: float, is_exact: bool) -> None:
    norm = torch.nn.BatchNorm2d(8)
    norm.running_mean = torch.full((8,), mean)
    image = torch.randn(1, 3, 8, 8)
    module = export(torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), norm).eval(), (image,)).module
    fold_batch_norm(module)
    (conv,) = module.graph.find_nodes(op="call_function", target=torch.ops.aten.conv2d.default)
    assert (conv.args[2] in exact_values(module.graph)) == is_exact


def test_flattened_products_become_linear() -> None:
    module = captured(
        lambda x, w, b: torch.addmm(b, x.view(-1, 64), w).view(2, 8, 32),
        X,
        w=torch.randn(64, 32),
        b=torch.randn(32),
    )
    assert same_after(fuse_linear, module, X) == {"permute": 1, "linear": 1}


def test_rms_norm_is_found_with_and_without_weight() -> None:
    def norm(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    assert same_after(fuse_rms_norm, captured(norm, X, w=torch.randn(64)), X) == {"rms_norm": 1}
    plain = captured(lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), X)
    assert same_after(fuse_rms_norm, plain, X) == {"rms_norm": 1}


def test_a_norm_of_something_else_is_none() -> None:
    module = captured(lambda x, y: y * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), X, X + 1)
    assert same_after(fuse_rms_norm, module, X, X + 1)["rms_norm"] == 0


def test_gelu_is_found_in_both_forms() -> None:
    tanh = captured(lambda x: 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.044715 * x.pow(3.0)))), X)
    assert same_after(fuse_gelu, tanh, X) == {"gelu": 1}
    erf = captured(lambda x: x * 0.5 * (1.0 + torch.erf(x / 1.4142135623)), X)
    assert same_after(fuse_gelu, erf, X) == {"gelu": 1}


def test_half_turns_become_products() -> None:
    module = captured(lambda x: torch.cat((-x[..., 16:], x[..., :16]), -1), HEADS)
    assert same_after(fuse_rotary, module, HEADS) == {"matmul": 1}
    other = captured(lambda x: torch.cat((x[..., 16:], x[..., :16]), -1), HEADS)
    assert same_after(fuse_rotary, other, HEADS)["cat"] == 1


def test_written_out_attention_is_found() -> None:
    def attention(q: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.softmax(q @ q.transpose(2, 3) * 0.125 + mask, -1) @ q

    module = captured(attention, HEADS, mask=torch.randn(1, 1, 16, 16))
    assert same_after(fuse_attention, module, HEADS)["scaled_dot_product_attention"] == 1


def test_repeated_heads_are_not_repeated() -> None:
    def grouped(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        wide = k.unsqueeze(2).expand(1, 2, 2, 16, 32).reshape(1, 4, 16, 32)
        return functional.scaled_dot_product_attention(q, wide, wide)

    def passes(module: GraphModule) -> None:
        remove_noops(module)
        fuse_grouped_query_attention(module)

    keys = torch.randn(1, 2, 16, 32)
    left = same_after(passes, captured(grouped, HEADS, keys), HEADS, keys)
    assert left == {"scaled_dot_product_attention": 1}


def test_views_of_what_is_out_of_order_still_work_without_the_copy() -> None:
    module = captured(lambda x: x.transpose(1, 2).contiguous().view(2, -1), X)
    assert same_after(remove_noops, module, X) == {"permute": 1, "reshape": 1}


def test_patches_become_a_product() -> None:
    image = torch.randn(1, 3, 16, 16)
    module = captured(
        lambda x, w, b: functional.conv2d(x, w, b, stride=4),
        image,
        w=torch.randn(8, 3, 4, 4),
        b=torch.randn(8),
    )
    left = same_after(fuse_patch_embedding, module, image)
    assert left["linear"] == 1
    assert left["conv2d"] == 0


@pytest.mark.parametrize(
    ("widths", "convolutions"),
    [((16, 16), 2), ((32, 16), 1), ((16, 32, 8), 2), ((16, 16, 8), 3), ((32, 16, 16), 2), ((8, 8, 8, 8), 1)],
)
def test_images_joined_inside_a_tile_are_convolved_by_themselves(
    widths: tuple[int, ...], convolutions: int
) -> None:
    image = torch.randn(1, max(widths), 6, 6)

    def joined(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        parts = [x[:, :width] * number for number, width in enumerate(widths, 1)]
        return functional.conv2d(torch.cat(parts, 1), w, b, padding=1)

    module = captured(joined, image, w=torch.randn(8, sum(widths), 3, 3), b=torch.randn(8))
    left = same_after(split_joined_channels, module, image)
    assert left["conv2d"] == convolutions
    assert left["add"] == convolutions - 1


def test_joined_images_that_something_else_reads_are_joined() -> None:
    image = torch.randn(1, 16, 6, 6)

    def read_twice(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        joined = torch.cat([x * 2, x], 1)
        return functional.conv2d(joined, w) + joined.sum()

    module = captured(read_twice, image, w=torch.randn(8, 32, 1, 1))
    assert same_after(split_joined_channels, module, image)["conv2d"] == 1


def test_patches_of_images_that_are_computed_keep_the_channels_of_a_pixel_together() -> None:
    image = torch.randn(1, 32, 8, 8)
    module = captured(lambda x, w: functional.conv2d(x * 2, w, stride=4), image, w=torch.randn(8, 32, 4, 4))
    assert same_after(fuse_patch_embedding, module, image)["linear"] == 1
    orders = [node.args[1] for node in module.graph.nodes if node.target is torch.ops.aten.permute.default]
    assert [0, 2, 4, 3, 5, 1] in orders


def test_products_of_the_same_rows_are_joined() -> None:
    def heads(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.linear(x, a).view(2, 8, 2, 32), functional.linear(x, b).view(2, 8, 1, 32)

    module = captured(heads, X, a=torch.randn(64, 64), b=torch.randn(32, 64))
    assert same_after(merge_linears, module, X)["linear"] == 1


def test_rotations_by_complex_numbers_become_products_of_pairs() -> None:
    turns = torch.polar(torch.ones(8, 32), torch.randn(8, 32))

    def rotated(x: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
        pairs = torch.view_as_complex(x.reshape(2, 8, 32, 2))
        return torch.view_as_real(pairs * turns).flatten(2)

    left = same_after(decompose_complex, captured(rotated, X, turns=turns), X)
    assert left["view_as_complex"] == 0
    assert left["mul"] == 4
