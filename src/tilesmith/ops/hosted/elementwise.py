"""Elementwise functions that the vector unit has no step for here, and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.elementwise.operation import broadcast_shape
from tilesmith.ops.framework import register, registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout


def _unary(name: str, compute: Callable[..., Any], *numbers: str) -> None:
    def function(
        input_tensor: Tensor,
        *given: float,
        memory_config: MemoryConfig | None = None,
        output_tensor: Tensor | None = None,
        sub_core_grids: object = None,
        **named: float,
    ) -> Tensor:
        values = dict(zip(numbers, given, strict=False)) | named
        unknown = set(values) - set(numbers)
        if unknown:
            raise TypeError(f"ttnn.{name}() got an unexpected keyword argument {unknown.pop()!r}")
        fatal(not input_tensor.dtype.is_integer, f"{name} works on real numbers, got {input_tensor.dtype}")
        return on_host(
            f"ttnn.{name}",
            lambda x: compute(x, **values),
            [input_tensor],
            memory_config=memory_config,
            output=output_tensor,
        )[0]

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element."

    def golden(x: Any, *given: Any, **options: Any) -> Any:
        values = dict(zip(numbers, given, strict=False))
        values |= {key: value for key, value in options.items() if key in numbers}
        return compute(x, **values)

    register(f"ttnn.{name}", function, golden)


def _torch(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any) -> Any:
        import torch

        return getattr(torch, name)(x, *args)

    return call


def _xielu(x: Any, alpha_p: float = 0.8, alpha_n: float = 0.8) -> Any:
    """A square above zero, an exponential below; beta is 1/2 and eps -1e-6."""
    import torch

    beta, least = 0.5, torch.tensor(-1e-6)
    return torch.where(
        x > 0,
        alpha_p * x * x + beta * x,
        (torch.expm1(torch.minimum(x, least)) - x) * alpha_n + beta * x,
    )


_unary("lgamma", _torch("lgamma"))
_unary("multigammaln", lambda x, p=4: _torch("mvlgamma")(x, p))
_unary("polygamma", lambda x, k=1: _polygamma(x, int(k)), "k")
_unary("logit", lambda x, eps=None: _torch("logit")(x, eps), "eps")
_unary("xielu", _xielu, "alpha_p", "alpha_n")


def _polygamma(x: Any, k: int) -> Any:
    import torch

    return torch.special.polygamma(k, x)


@registered("ttnn.nextafter", golden=lambda a, b, **_: _torch("nextafter")(a, b))
def nextafter(
    input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: MemoryConfig | None = None
) -> Tensor:
    """The next number after the first, towards the second."""

    def compute(a: Any, b: Any) -> Any:
        import torch

        dtype = torch.bfloat16 if input_tensor_a.dtype is DataType.BFLOAT16 else torch.float32
        return torch.nextafter(a.to(dtype), b.to(dtype))

    inputs = [input_tensor_a, input_tensor_b]
    return on_host("ttnn.nextafter", compute, inputs, memory_config=memory_config)[0]


@registered("ttnn.snake_beta", golden=lambda x, a, b, **_: x + (a * x).sin().square() / (b + 1e-9))
def snake_beta(
    input_tensor: Tensor,
    alpha: Tensor,
    beta: Tensor,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """x + sin(alpha x)^2 / beta."""

    def compute(x: Any, a: Any, b: Any) -> Any:
        return x + (a * x).sin().square() / (b + 1e-9)

    for tensor in (input_tensor, alpha, beta):
        fatal(
            tensor.layout is Layout.TILE, f"snake_beta: tensors must be in TILE layout, got {tensor.layout}"
        )
    shape = input_tensor.spec.shape
    fatal(
        len(shape) >= 2,
        f"snake_beta requires input rank >= 2, got rank {len(shape)} (shape {list(shape)})",
    )
    broadcast_shape([one.spec.shape for one in (input_tensor, alpha, beta)])
    dtypes = {one.dtype for one in (input_tensor, alpha, beta)}
    fatal(len(dtypes) == 1, f"snake_beta: tensors must have the same dtype, got {sorted(map(str, dtypes))}")
    inputs = [input_tensor, alpha, beta]
    return on_host("ttnn.snake_beta", compute, inputs, memory_config=memory_config, output=output_tensor)[0]


# ---- gradients ----


def _gradient(name: str, forward: Callable[..., Any], *numbers: str) -> None:
    """The gradient of a unary function, by torch."""

    def compute(grad: Any, x: Any, **values: Any) -> Any:
        import torch

        x = x.detach().double().requires_grad_()
        (found,) = torch.autograd.grad(forward(x, **values), x, grad.double())
        return found.float()

    def function(
        grad_tensor: Tensor,
        input_tensor: Tensor,
        *given: Any,
        memory_config: MemoryConfig | None = None,
        input_grad: Tensor | None = None,
        **named: Any,
    ) -> list[Tensor]:
        values = dict(zip(numbers, given, strict=False)) | named
        unknown = set(values) - set(numbers)
        if unknown:
            raise TypeError(f"ttnn.{name}() got an unexpected keyword argument {unknown.pop()!r}")
        return on_host(
            f"ttnn.{name}",
            lambda grad, x: compute(grad, x, **values),
            [grad_tensor, input_tensor],
            like=input_tensor,
            memory_config=memory_config,
            output=input_grad,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The gradient of {name.removesuffix('_bw')}, for a gradient of its result."

    def golden(grad: Any, x: Any, *given: Any, **options: Any) -> Any:
        values = dict(zip(numbers, given, strict=False))
        values |= {key: value for key, value in options.items() if key in numbers}
        return [compute(grad, x, **values).to(grad.dtype)]

    register(f"ttnn.{name}", function, golden)


def _functional(name: str) -> Callable[..., Any]:
    def call(x: Any, **options: Any) -> Any:
        import torch

        function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        return function(x, **options)

    return call


def _hardtanh(x: Any, **limits: float) -> Any:
    low, high = limits.get("min", -1.0), limits.get("max", 1.0)
    return _functional("hardtanh")(x, min_val=low, max_val=high)


class _Tanh:
    """tanh with a gradient that is right far out, where 1 - tanh^2 is 0."""

    @staticmethod
    def apply(x: Any) -> Any:
        import torch

        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, values: Any) -> Any:
                ctx.save_for_backward(values)
                return values.tanh()

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                (values,) = ctx.saved_tensors
                return grads[0] / values.cosh().square()

        return Function.apply(x)  # type: ignore[no-untyped-call]  # torch has it so


_PLAIN = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor"
    " frac hardsigmoid hardswish i0 lgamma log log10 log1p log2 neg rad2deg reciprocal relu relu6 round rsqrt"
    " selu sigmoid sign silu sin sinh softsign sqrt square tan tanh tanhshrink trunc"
)
for _name in _PLAIN.split():
    if _name != "tanh":
        _gradient(f"{_name}_bw", _functional(_name))
_gradient("tanh_bw", lambda x: _Tanh.apply(x))
_gradient("log_sigmoid_bw", _functional("logsigmoid"))
_gradient(
    "gelu_bw", lambda x, approximate="none": _functional("gelu")(x, approximate=approximate), "approximate"
)
_gradient("elu_bw", lambda x, alpha=1.0: _functional("elu")(x, alpha=alpha), "alpha")
_gradient("celu_bw", lambda x, alpha=1.0: _functional("celu")(x, alpha=alpha), "alpha")
_gradient("leaky_relu_bw", lambda x, slope=0.01: _functional("leaky_relu")(x, negative_slope=slope), "slope")
_gradient("hardshrink_bw", lambda x, lambd=0.5: _functional("hardshrink")(x, lambd=lambd), "lambd")
_gradient("softshrink_bw", lambda x, lambd=0.5: _functional("softshrink")(x, lambd=lambd), "lambd")
_gradient("pow_bw", lambda x, exponent: x**exponent, "exponent")
_gradient(
    "softplus_bw",
    lambda x, beta=1.0, threshold=20.0: _functional("softplus")(x, beta=beta, threshold=threshold),
    "beta",
    "threshold",
)
_gradient(
    "hardtanh_bw",
    lambda x, **limits: _hardtanh(x, **limits),
    "min",
    "max",
)
_gradient("clamp_bw", lambda x, **limits: x.clamp(**limits), "min", "max")


@registered("ttnn.experimental.gelu_bw")
def experimental_gelu_bw(
    grad_output_tensor: Tensor,
    input_tensor: Tensor,
    *,
    approximate: str = "none",
    memory_config: MemoryConfig | None = None,
    input_grad_tensor: Tensor | None = None,
) -> Tensor:
    """The gradient of gelu."""
    from tilesmith.ops.framework.registry import call

    result: list[Tensor] = call(
        "ttnn.gelu_bw",
        grad_output_tensor,
        input_tensor,
        approximate,
        memory_config=memory_config,
        input_grad=input_grad_tensor,
    )
    return result[0]


def _binary_gradient(name: str, forward: Callable[..., Any]) -> None:
    def compute(grad: Any, a: Any, b: Any) -> Any:
        import torch

        pair = [one.detach().double().requires_grad_() for one in (a, b)]
        found = torch.autograd.grad(forward(*pair), pair, grad.double(), allow_unused=True)
        return [
            torch.zeros_like(operand) if value is None else value.float()
            for operand, value in zip((a, b), found, strict=True)
        ]

    def function(
        grad_tensor: Tensor,
        input_tensor_a: Tensor,
        input_tensor_b: Tensor | float,
        *,
        memory_config: MemoryConfig | None = None,
    ) -> list[Tensor]:
        if not isinstance(input_tensor_b, Tensor):
            number = float(input_tensor_b)

            def with_number(grad: Any, a: Any) -> Any:
                import torch

                return compute(grad, a, torch.full_like(a, number))[0]

            return on_host(
                f"ttnn.{name}", with_number, [grad_tensor, input_tensor_a], memory_config=memory_config
            )
        inputs = [grad_tensor, input_tensor_a, input_tensor_b]
        return on_host(f"ttnn.{name}", compute, inputs, like=input_tensor_a, memory_config=memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The gradients of {name.removesuffix('_bw')}, for a gradient of its result."
    register(f"ttnn.{name}", function, lambda grad, a, b, **_: compute(grad, a, b))


_BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "atan2": lambda a, b: a.atan2(b),
    "hypot": lambda a, b: (a * a + b * b).sqrt(),
    "xlogy": lambda a, b: a * b.log(),
    "ldexp": lambda a, b: a * 2.0**b,
    "logaddexp": lambda a, b: a.logaddexp(b),
    "logaddexp2": lambda a, b: a.logaddexp2(b),
    "squared_difference": lambda a, b: (a - b) ** 2,
    "max": lambda a, b: a.maximum(b),
    "min": lambda a, b: a.minimum(b),
}
for _name, _forward in _BINARY.items():
    _binary_gradient(f"{_name}_bw", _forward)
