"""What every operation shares: launch (validation, output specs, factory, program cache), registration."""

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework.binding import BoundAddress
from tilesmith.ops.framework.cache import OperationCache, operation_cache
from tilesmith.ops.framework.launch import launch
from tilesmith.ops.framework.operation import DeviceOperation, Factory, FunctionFactory
from tilesmith.ops.framework.registry import (
    RegisteredOperation,
    attach_golden_function,
    get_golden_function,
    register,
    registered,
    registered_operations,
    with_signature_of,
)

__all__ = [
    "BoundAddress",
    "DeviceOperation",
    "Factory",
    "FunctionFactory",
    "OperationCache",
    "RegisteredOperation",
    "attach_golden_function",
    "fatal",
    "get_golden_function",
    "launch",
    "operation_cache",
    "register",
    "registered",
    "registered_operations",
    "with_signature_of",
]
