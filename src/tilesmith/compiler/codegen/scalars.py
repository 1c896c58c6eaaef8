"""C++ for scalars that go from one kernel of a core to another, a word at a time."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.ir import Attribute

from tilesmith.compiler.codegen.cpp import Emitter, cpp_type, emits
from tilesmith.compiler.dialects import tt

SEND_WORD = """
// Hands a word to the kernel that drains the circular buffer.
inline void send_word(uint32_t cb, uint32_t word) {
    cb_reserve_back(cb, 1);
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb)) = word;
    cb_push_back(cb, 1);
}
"""

RECEIVE_WORD = """
// The next word the reader sent.
inline uint32_t receive_word(uint32_t cb) {
    cb_wait_front(cb, 1);
    const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb));
    cb_pop_front(cb, 1);
    return word;
}
"""

RECEIVE_WORD_IN_COMPUTE = """
// The next word the reader sent, on all three cores of the compute unit.
inline uint32_t receive_word(uint32_t cb) {
    cb_wait_front(cb, 1);
    const uint32_t word = read_tile_value(cb, 0, 0);
    cb_pop_front(cb, 1);
    return word;
}
"""


@emits(tt.SendOp)
def _send(e: Emitter, op: tt.SendOp) -> None:
    e.include("api/dataflow/dataflow_api.h")
    e.helper("send_word", SEND_WORD)
    e.line(f"send_word({e.cb(op.cb)}, {_as_word(e.value(op.value), op.value.type)});")


@emits(tt.ReceiveOp)
def _receive(e: Emitter, op: tt.ReceiveOp) -> None:
    in_compute = e.role == "compute"
    e.include("api/compute/cb_api.h" if in_compute else "api/dataflow/dataflow_api.h")
    e.helper("receive_word", RECEIVE_WORD_IN_COMPUTE if in_compute else RECEIVE_WORD)
    word = _from_word(f"receive_word({e.cb(op.cb)})", op.value.type)
    e.line(f"const {cpp_type(op.value.type)} {e.declare(op.value)} = {word};")


def _as_word(text: str, value_type: Attribute) -> str:
    if isinstance(value_type, Float32Type):
        return f"__builtin_bit_cast(uint32_t, {text})"
    return f"static_cast<uint32_t>({text})"


def _from_word(text: str, value_type: Attribute) -> str:
    if isinstance(value_type, Float32Type):
        return f"__builtin_bit_cast(float, {text})"
    if isinstance(value_type, IntegerType) and value_type.width.data == 1:
        return f"{text} != 0"
    return f"static_cast<{cpp_type(value_type)}>({text})"
