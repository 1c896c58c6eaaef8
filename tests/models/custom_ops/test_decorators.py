"""`fuse_ops` and `optimize_layout`: what is decorated runs compiled and behaves as before."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import tilesmith


def test_a_fused_function_is_one_graph_with_gradients() -> None:
    @tilesmith.fuse_ops(backend="cpu")
    def linear_relu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """A product and what follows it."""
        return torch.relu(torch.nn.functional.linear(x, weight, bias))

    x, weight, bias = torch.randn(4, 8), torch.randn(6, 8), torch.randn(6)
    wanted = torch.relu(torch.nn.functional.linear(x, weight, bias))
    assert torch.allclose(linear_relu(x, weight, bias), wanted, atol=1e-5)
    assert linear_relu.__doc__ == "A product and what follows it."
    learned = weight.clone().requires_grad_()
    linear_relu(x, learned, bias).sum().backward()
    assert learned.grad is not None
    assert torch.allclose(learned.grad, (wanted > 0).float().T @ x, atol=1e-5)


def test_modules_of_a_class_run_compiled_alone_and_inside_others() -> None:
    @tilesmith.optimize_layout(backend="cpu")
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = nn.Parameter(torch.tensor(3.0))

        def forward(self, x: Tensor) -> Tensor:
            return x * self.factor

    alone = Scaled().eval()
    assert alone(torch.ones(2, 2)).unique().tolist() == [3.0]
    assert [name for name, _ in alone.named_parameters()] == ["factor"]
    around = tilesmith.compile(nn.Sequential(Scaled(), nn.ReLU()).eval(), backend="cpu")
    assert around(torch.ones(2, 2)).unique().tolist() == [3.0]
    learning = Scaled().train()
    learning(torch.ones(2, 2)).sum().backward()
    assert learning.factor.grad == 4.0
