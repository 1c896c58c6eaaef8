"""Typecasts and binary operations of interleaved tensors, one tile at a time, as the vendor's programs do them."""

from __future__ import annotations

from conformance.timing.ops.plan import Plan, accessor, grid, shares
from tilesmith.runtime import Device


def typecast(device: Device, tiles: int, source: str, target: str, memory: str = "dram") -> float:
    """unary_program_factory: formats that unpacker and packer convert, so a copy."""
    cores = grid(*device.arch.grid, by_columns=True)
    parts = shares(tiles, cores)
    plan = Plan(device, list(parts))
    x, out = plan.tensor(1, tiles, source, memory), plan.tensor(1, tiles, target, memory)
    plan.buffer(0, 2, source)
    plan.buffer(2, 2, target)
    plan.reader("read_tiles.cpp", (0, 1, *accessor(x)), {c: (x.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()})
    plan.writer(
        "write_tiles.cpp", (2, 1, 0, *accessor(out)), {c: (out.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()}
    )
    plan.compute("copy_tiles.cpp", (), {c: (n,) for c, (_, n) in parts.items()})
    return plan.cycles()


def binary(device: Device, tiles: int, formats: tuple[str, str, str], product: bool, silu: bool) -> float:
    """binary_ng_program_factory without a broadcast: the writer reads the second operand too."""
    cores = grid(*device.arch.grid, by_columns=True)
    parts = shares(tiles, cores)
    plan = Plan(device, list(parts))
    a, b, out = (plan.tensor(1, tiles, one) for one in formats)
    for index, one in enumerate(formats):
        plan.buffer(index, 2, one)
    if silu:
        plan.buffer(3, 1, formats[0])
    plan.reader("read_tiles.cpp", (0, 1, *accessor(a)), {c: (a.address, f, 1, 0, 1, 0, n) for c, (f, n) in parts.items()})
    plan.writer(
        "binary_second.cpp", accessor(b, out), {c: (b.address, out.address, f, n) for c, (f, n) in parts.items()}
    )
    plan.compute("binary_compute.cpp", (int(product), int(silu)), {c: (n,) for c, (_, n) in parts.items()})
    return plan.cycles()
