"""How the vendor's tools spell things: formats, memories, roles, operations."""

from __future__ import annotations

from collections.abc import Sequence

from tilesmith.profiling.model import HeldTensor, ProgramProfile, TensorTraffic

ARCH = {"wormhole": "wormhole_b0", "blackhole": "blackhole"}
RISC = {"writer": "BRISC", "reader": "NCRISC", "unpack": "TRISC_0", "math": "TRISC_1", "pack": "TRISC_2"}
BUFFER_TYPE = {"DRAM": 0, "L1": 1}
MEMORY_LAYOUT = {"INTERLEAVED": 0, "HEIGHT_SHARDED": 2, "WIDTH_SHARDED": 3, "BLOCK_SHARDED": 4}

_FORMATS = {
    "Float16_b": "BFLOAT16",
    "Bfp8_b": "BFLOAT8_B",
    "Bfp4_b": "BFLOAT4_B",
    "Float32": "FLOAT32",
    "UInt8": "UINT8",
    "UInt16": "UINT16",
    "UInt32": "UINT32",
    "Int32": "INT32",
}


def data_type(format: str) -> str:
    """ttnn's name of a format; one it has no tensors of keeps its own.

    >>> data_type("Bfp8_b"), data_type("Lf8")
    ('BFLOAT8_B', 'LF8')
    """
    return _FORMATS.get(format, format.upper())


def op_code(program: ProgramProfile) -> str:
    """The operation's name. What multiplies two matrices says so: tt-perf-report then works out its FLOPs.

    A name of ours keeps its words and loses its dots and underscores: ttnn.softmax -> Softmax.
    """
    words = program.name.rsplit(".", 1)[-1].replace("-", "_").split("_")
    name = "".join(word[:1].upper() + word[1:] for word in words if word) or "Program"
    if product_of(program) is not None and "Matmul" not in name:
        return f"{name}Matmul"
    return name if product_of(program) is not None else name.replace("Matmul", "MatrixMultiply")


def product_of(program: ProgramProfile) -> tuple[TensorTraffic, TensorTraffic, TensorTraffic] | None:
    """A, B and A x B, where the program multiplied tiles and its tensors have such shapes."""
    if not program.roofline.flops:
        return None
    read = [one for one in program.tensors if one.read and len(one.shape) >= 2]
    written = [one for one in program.tensors if one.written and len(one.shape) >= 2]
    for out in written:
        for a in read:
            for b in read:
                if a is b or out in (a, b):
                    continue
                (m, k), (k_of_b, n) = a.shape[-2:], b.shape[-2:]
                if k == k_of_b and out.shape[-2:] == (m, n):
                    return a, b, out
    return None


def inputs_and_outputs(
    program: ProgramProfile,
) -> tuple[list[TensorTraffic], list[TensorTraffic]]:
    """The tensors kernels read, and those they wrote; the operands of a product in its order."""
    product = product_of(program)
    inputs = [one for one in program.tensors if one.read]
    outputs = [one for one in program.tensors if one.written]
    if product is not None:
        inputs = [*product[:2], *(one for one in inputs if one not in product[:2])]
        outputs = [product[2], *(one for one in outputs if one is not product[2])]
    return inputs, outputs


def four_dimensions(shape: Sequence[int]) -> tuple[int, int, int, int]:
    """W, Z, Y, X; more than four dimensions fold into W.

    >>> four_dimensions((64, 96)), four_dimensions((2, 3, 4, 5, 6))
    ((1, 1, 64, 96), (6, 4, 5, 6))
    """
    padded = (1,) * max(0, 4 - len(shape)) + tuple(shape)
    outer = 1
    for size in padded[:-3]:
        outer *= size
    return outer, padded[-3], padded[-2], padded[-1]


def padded(size: int, layout: str, last_two: bool) -> int:
    """A dimension as it lies in memory: tiles round the last two up to 32."""
    return -(-size // 32) * 32 if layout == "TILE" and last_two else size


def memory_config(tensor: HeldTensor) -> str:
    """As ttnn prints it, which ttnn-visualizer parses."""
    memory_type, layout = tensor.memory.split("_", 1)
    return (
        f"MemoryConfig(memory_layout=TensorMemoryLayout::{layout},"
        f"buffer_type=BufferType::{memory_type},shard_spec=std::nullopt)"
    )
