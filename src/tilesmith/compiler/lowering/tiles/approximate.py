"""The vector unit's approximations in place of functions: a few percent off at most, and many times as fast.

Those of sigmoid and tanh are tables of six straight lines, up to a tenth off: they are not taken.
"""

from __future__ import annotations

from tilesmith.compiler.lowering.tiles.expression import Apply, Node, with_args

_HALF, _ONE, _ROOT = (0.5,), (1.0,), 0.7071067811865476


def approximated(root: Node) -> Node:
    """The graph with approximations wherever there is one."""
    return _approximated(root, {})


def _approximated(node: Node, done: dict[Node, Node]) -> Node:
    if node not in done:
        inner = _gelu_of(node)
        if inner is not None:
            done[node] = Apply("gelu_approximate", (_approximated(inner, done),))
        else:
            call = with_args(node, tuple(_approximated(arg, done) for arg in node.args))
            if isinstance(call, Apply) and call.fn == "exp":
                call = Apply("exp_approximate", call.args)
            done[node] = call
    return done[node]


def _gelu_of(node: Node) -> Node | None:
    """What 0.5 x (1 + erf(x / sqrt 2)) is taken of."""
    if not isinstance(node, Apply) or node.fn != "mul":
        return None
    for half, rest in (node.args, node.args[::-1]):
        erf = _argument(rest, "add_number", _ONE)
        scaled = _argument(erf, "erf")
        x = _argument(half, "multiply_number", _HALF)
        if x is None or not isinstance(scaled, Apply) or scaled.fn != "multiply_number":
            continue
        factor = scaled.params[0]
        if isinstance(factor, float) and abs(factor - _ROOT) < 1e-6 and _same(scaled.args[0], x):
            return x
    return None


def _argument(node: Node | None, fn: str, params: tuple[float, ...] = ()) -> Node | None:
    if isinstance(node, Apply) and node.fn == fn and node.params == params:
        return node.args[0]
    return None


def _same(left: Node, right: Node) -> bool:
    """Whether two graphs compute the same from the same tiles."""
    if left is right:
        return True
    if type(left) is not type(right) or len(left.args) != len(right.args):
        return False
    own = [
        {key: value for key, value in vars(node).items() if key not in ("inputs", "source")}
        for node in (left, right)
    ]
    return own[0] == own[1] and all(map(_same, left.args, right.args))
