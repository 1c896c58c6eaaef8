"""Names of C++ variables: the user's, unique among those in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import SSAValue

# Keywords, types and names of the device API that a user's variable must not hide.
_TAKEN = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const
    constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit
    export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true
    try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t std tt ckernel noc my_x
    my_y noc_index kernel_main main index y0 y1 yn j0 j1 jn
    """.split()  # noqa: SIM905 - one word per line would hide the code
)


class Names:
    """Which C++ name each value has, by scope.

    >>> names = Names()
    >>> names.identifier("C-local.1"), names.identifier("for"), names.identifier("2x")
    ('C_local_1', 'for_', '_2x')
    """

    def __init__(self, avoid: frozenset[str] = frozenset()) -> None:
        self.declared: set[str] = set()
        self._of: dict[SSAValue, str] = {}
        self._scopes: list[set[str]] = [set(avoid)]

    @staticmethod
    def identifier(text: str) -> str:
        """The text as a C++ identifier that is free to use."""
        text = re.sub(r"_{2,}", "_", re.sub(r"\W", "_", text, flags=re.ASCII)) or "value"
        if text[0].isdigit():
            text = f"_{text}"
        return f"{text}_" if text in _TAKEN else text

    def get(self, value: SSAValue) -> str | None:
        return self._of.get(value)

    def declare(self, value: SSAValue, fallback: str) -> str:
        """A name for the value, from its hint, that nothing in scope has."""
        name = self.fresh(value.name_hint or fallback)
        self._of[value] = name
        return name

    def bind(self, value: SSAValue, text: str) -> None:
        """Let an expression that needs no variable stand for the value."""
        self._of[value] = text

    def fresh(self, like: str) -> str:
        """A name like this one that nothing in scope has.

        >>> names = Names()
        >>> names.fresh("row"), names.fresh("row")
        ('row', 'row_2')
        """
        base = self.identifier(like)
        if base.startswith("cb_"):
            base = f"{base}_"  # circular buffers are called so
        name, count = base, 1
        while any(name in scope for scope in self._scopes):
            count += 1
            name = f"{base}_{count}"
        self._scopes[-1].add(name)
        self.declared.add(name)
        return name

    @contextmanager
    def scope(self) -> Iterator[None]:
        self._scopes.append(set())
        yield
        self._scopes.pop()
