"""Batches: many calls of the vector unit in one kernel, each on the same tiles with a result of its own.

Compiling takes most of the time on the simulator, so calls that need the same formats share a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from conformance.simulator import calls, engine_calls
from conformance.simulator.calls import Call
from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, MathFidelity

LENGTH = 10
# The start for copies that keep negative zero.
UNARY_START = "unary_op_init_common(0, 16);"
FIRST = "copy_init(0); copy_tile(0, i, 0);"
BOTH = f"{FIRST} copy_init(1); copy_tile(1, i, 1);"
# The third operand is the first tile after the one in turn.
THREE = f"{BOTH} copy_init(0); copy_tile(0, (i + 1) % count, 2);"


@dataclass(frozen=True)
class Batch:
    """`calls`, after `load` has put the operands into DST. The result is in DST 0."""

    name: str
    load: str
    calls: tuple[Call, ...]
    form: DataFormat
    config: ComputeConfig
    second: DataFormat | None = None
    out: DataFormat | None = None
    scaler: float | None = None
    start: str = "compute_kernel_hw_startup(0, 1, 16);"

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                ("tile_move_copy.h", "eltwise_unary/eltwise_unary.h", *(one.header for one in self.calls))
            )
        )


def batches() -> Iterator[Batch]:
    """Every batch."""
    for kind, load, group in (
        ("unary", FIRST, calls.UNARY),
        ("binary", BOTH, calls.BINARY),
    ):
        for form, wide, approximate in (
            (DataFormat.Float16_b, False, False),
            (DataFormat.Float32, True, False),
            (DataFormat.Float16_b, True, True),
        ):
            yield from _pages(kind, load, group, form, wide, approximate)
    for form in (DataFormat.Float16_b, DataFormat.Float32):
        yield from _pages("ternary", THREE, calls.ternary(form.name), form, form is DataFormat.Float32, False)
    for form in (DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16):
        wide = form is not DataFormat.UInt16
        for kind, load, group in (
            ("unary", FIRST, calls.integer_unary(form.name)),
            ("binary", BOTH, calls.integer_binary(form.name)),
        ):
            yield from _pages(kind, load, group, form, wide, False)
    yield from _pages("reductions", FIRST, calls.REDUCTIONS, DataFormat.Float32, True, False)
    yield from _first_names()
    yield from _pages("statistics", FIRST, calls.STATISTICS, DataFormat.Float32, True, False)
    sorted_by = Batch("batch sorts", "", calls.SORTS, DataFormat.Float16_b, ComputeConfig())
    yield replace(sorted_by, second=DataFormat.UInt16, start=UNARY_START)
    yield from _typecasts()
    yield from _matrix_unit()
    yield from _packer()
    whole = ComputeConfig(dst_full_sync_en=True)
    yield Batch("batch whole DST", "", engine_calls.WHOLE_DST, DataFormat.Float16_b, whole)


CASTS = {
    DataFormat.Float16_b: (DataFormat.Int32, DataFormat.UInt16, DataFormat.UInt32, DataFormat.Bfp8_b),
    DataFormat.Float32: (DataFormat.Float16_b, DataFormat.Int32, DataFormat.UInt16, DataFormat.UInt32),
    DataFormat.Int32: (DataFormat.Float16_b, DataFormat.Float32, DataFormat.UInt16),
    DataFormat.UInt16: (DataFormat.Float32, DataFormat.Int32, DataFormat.UInt32),
    DataFormat.UInt32: (DataFormat.Float16_b, DataFormat.Float32, DataFormat.UInt16),
}


def _typecasts() -> Iterator[Batch]:
    for source, targets in CASTS.items():
        for target in targets:
            made = f"<(uint32_t)DataFormat::{source.name}, (uint32_t)DataFormat::{target.name}>"
            call = Call("eltwise_unary/typecast.h", f"typecast_tile_init{made}(); typecast_tile{made}(0);")
            config = ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=_whole(source))
            name = f"batch typecast {source.name} to {target.name}"
            yield Batch(name, FIRST, (call,), source, config, out=target, start=UNARY_START)


def _first_names() -> Iterator[Batch]:
    """Copies by their first name: the start decides whether negative zero and denormals stay."""
    load = "copy_tile_init(0); copy_tile(0, i, 0);"
    for start in (UNARY_START, "compute_kernel_hw_startup(0, 1, 16);"):
        name = f"batch first names after {start.split('(')[0]}"
        yield Batch(name, load, calls.SIGNED, DataFormat.Float16_b, ComputeConfig(), start=start)


def _whole(form: DataFormat) -> tuple[int, ...]:
    """The buffers that are unpacked to DST with all their bits."""
    return (0, 1) if form in (DataFormat.Float32, DataFormat.Int32, DataFormat.UInt32) else ()


FORMATS = (DataFormat.Float16_b, DataFormat.Float32, DataFormat.Bfp8_b, DataFormat.Bfp4_b)


def _matrix_unit() -> Iterator[Batch]:
    fidelities = (MathFidelity.LoFi, MathFidelity.HiFi2, MathFidelity.HiFi3, MathFidelity.HiFi4)
    for (form, wide), fidelity in zip(product(FORMATS, (False, True)), fidelities * 2, strict=True):
        config = ComputeConfig(math_fidelity=fidelity, fp32_dest_acc_en=wide)
        words = f"{form.name} {'wide' if wide else 'narrow'} {fidelity.name}"
        yield Batch(f"batch elementwise {words}", "", engine_calls.ELEMENTWISE, form, config)
        yield Batch(f"batch reuse {words}", "", engine_calls.REUSE, form, config)
        yield Batch(f"batch chains {words}", "", engine_calls.CHAINS, form, config)
        yield Batch(f"batch moves {words}", "", engine_calls.MOVES, form, config)
        start = "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
        yield Batch(f"batch products {words}", "", engine_calls.PRODUCTS, form, config, start=start)
        yield Batch(f"batch sums {words}", "", engine_calls.SUMS, form, config, scaler=0.375)
        yield Batch(f"batch unmasked {words}", "", engine_calls.UNMASKED, form, config, scaler=1.0)
        yield Batch(f"batch largest {words}", "", engine_calls.LARGEST, form, config, scaler=1.0)


def _packer() -> Iterator[Batch]:
    for form, wide in product(FORMATS, (False, True)):
        config = ComputeConfig(fp32_dest_acc_en=wide)
        for out in FORMATS:
            name = f"batch pack {form.name} to {out.name} {'wide' if wide else 'narrow'}"
            yield Batch(name, "", engine_calls.PACKS, form, config, out=out)


def _pages(
    kind: str, load: str, group: Sequence[Call], form: DataFormat, wide: bool, approximate: bool
) -> Iterator[Batch]:
    config = ComputeConfig(
        fp32_dest_acc_en=wide,
        math_approx_mode=approximate,
        unpack_to_dest_fp32=_whole(form),
    )
    for start in range(0, len(group), LENGTH):
        words = (kind, form.name, "wide" if wide else "narrow", "approximate" if approximate else "")
        title = f"batch {' '.join(filter(None, words))} {start // LENGTH}"
        yield Batch(title, load, tuple(group[start : start + LENGTH]), form, config, start=UNARY_START)
