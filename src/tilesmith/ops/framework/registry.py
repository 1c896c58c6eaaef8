"""Operations by name, as ttnn's registry: each callable, with a golden function in torch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar, cast

from tilesmith.errors import OperationError

Golden = Callable[..., Any]


class RegisteredOperation:
    """A function under its ttnn name. Calling it calls the function.

    >>> double = RegisteredOperation("ttnn.double", lambda x: 2 * x, None)
    >>> double(4), double.name
    (8, 'double')
    """

    is_cpp_operation = True
    is_experimental = False

    def __init__(self, name: str, function: Callable[..., Any], golden: Golden | None) -> None:
        self.python_fully_qualified_name = name
        self.function = function
        self.golden_function = golden
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = self.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self.__signature__ = inspect.signature(function)

    @property
    def name(self) -> str:
        return self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "queue_id" in kwargs and "queue_id" not in self.__signature__.parameters:
            # ttnn's operations all take it. Programs here run one after another, in the order of the calls.
            kwargs.pop("queue_id")
        if _spread and (results := _spread[0](self, args, kwargs)) is not NotImplemented:
            return results
        if not _watchers:
            return self.function(*args, **kwargs)
        return self._watched(args, kwargs)

    def _watched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Tell those who want to know, before and after. What an operation calls itself is not told."""
        watchers = tuple(_watchers)
        for watcher in watchers:
            watcher.before(self, args, kwargs)
        result = self.function(*args, **kwargs)
        for watcher in watchers:
            watcher.after(self, args, kwargs, result)
        return result

    def __repr__(self) -> str:
        return f"<operation {self.python_fully_qualified_name}>"


class Watcher:
    """Sees the operations that are called while it is added; does nothing by itself."""

    def before(self, operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An operation is about to run."""

    def after(
        self, operation: RegisteredOperation, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """It has ended."""


_watchers: list[Watcher] = []
Spread = Callable[[RegisteredOperation, tuple[Any, ...], dict[str, Any]], Any]
_spread: list[Spread] = []


def spread_operations(spread: Spread) -> None:
    """From now on ask `spread` first, which calls an operation on several chips, or says NotImplemented."""
    _spread[:] = [spread]


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Show `watcher` the operations called inside the block."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


_operations: dict[str, RegisteredOperation] = {}


def register(name: str, function: Callable[..., Any], golden: Golden | None = None) -> RegisteredOperation:
    """Make `tilesmith.ttnn.<name>` of a function; `golden` computes the same with torch tensors.

    >>> operation = register("ttnn.example_of_register", lambda x: x, golden=lambda x: x)
    >>> registered_operations()["ttnn.example_of_register"] is operation
    True
    """
    if not name.startswith("ttnn."):
        raise OperationError(f"operations are named ttnn.<something>, not {name!r}")
    operation = RegisteredOperation(name, function, golden)
    _operations[name] = operation
    return operation


Function = TypeVar("Function", bound=Callable[..., Any])


def registered(name: str, golden: Golden | None = None) -> Callable[[Function], Function]:
    """Register the function below; it stays what it is for those who call it from here.

    >>> @registered("ttnn.example_of_registered")
    ... def example(x: int) -> int:
    ...     return x
    >>> registered_operations()["ttnn.example_of_registered"](7)
    7
    """

    def decorate(function: Function) -> Function:
        register(name, function, golden)
        return function

    return decorate


def with_signature_of(
    other: Callable[..., Any], without: Sequence[str] = ()
) -> Callable[[Function], Function]:
    """Take and show the arguments of another function, less some; others are refused as Python refuses them.

    >>> @with_signature_of(lambda a, *, b=1, c=2: None, without=("c",))
    ... def like(a: int, **options: int) -> int:
    ...     return a + options.get("b", 1)
    >>> like(1, b=5), str(inspect.signature(like))
    (6, '(a, *, b=1)')
    """
    whole = inspect.signature(other)
    kept = [one for name, one in whole.parameters.items() if name not in without]
    signature = whole.replace(parameters=kept)

    def decorate(function: Function) -> Function:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            signature.bind(*args, **kwargs)
            return function(*args, **kwargs)

        call.__signature__ = signature  # type: ignore[attr-defined]  # what inspect and help show
        return cast(Function, call)

    return decorate


def registered_operations() -> Mapping[str, RegisteredOperation]:
    """All of them, by full name."""
    return MappingProxyType(_operations)


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call an operation by its full name; all are registered first.

    >>> _ = register("ttnn.example_of_call", lambda x: x + 1)
    >>> call("ttnn.example_of_call", 3)
    4
    """
    if name not in _operations:
        from tilesmith.ops.catalogue import load_operations

        load_operations()
    return _operations[name](*args, **kwargs)


def attach_golden_function(operation: RegisteredOperation, golden_function: Golden) -> None:
    """Give an operation another golden function, as ttnn.attach_golden_function does."""
    operation.golden_function = golden_function


def get_golden_function(operation: RegisteredOperation) -> Golden:
    """The golden function of an operation, as ttnn.get_golden_function.

    >>> double = RegisteredOperation("ttnn.double", lambda x: 2 * x, golden=lambda x: x + x)
    >>> get_golden_function(double)(21)
    42
    """
    if operation.golden_function is None:
        raise OperationError(f"{operation.python_fully_qualified_name} does not have a golden function")
    golden = operation.golden_function

    @wraps(golden)
    def call_golden(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device", None)  # ttnn's golden functions take it, for random numbers and the like
        return golden(*args, **kwargs)

    return call_golden
