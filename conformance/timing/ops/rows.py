"""Published device times of operations, and what the programs for them take here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace

from conformance.timing.ops import elementwise, heads, llama, moves, norms, products, reads
from conformance.timing.rows import Outcome, read_rows
from tilesmith.arch import Arch, load_arch
from tilesmith.program import CoreCoord
from tilesmith.runtime import Device, open_device

PROGRAMS: dict[str, Callable[..., float]] = {
    "typecast": elementwise.typecast,
    "binary": elementwise.binary,
    "sharded_binary": elementwise.sharded_binary,
    "rms_before": norms.rms_before,
    "rms_after": norms.rms_after,
    "create_heads": heads.create,
    "concat_heads": heads.concat,
    "rotary": heads.rotary,
    "fill_cache": heads.fill_cache,
    "llama_product": llama.llama_product,
    "minimal_product": llama.minimal_product,
    "block_product": products.block_product,
    "slice": moves.cut,
    "to_shards": moves.to_shards,
    "from_shards": moves.from_shards,
    "dram_read": reads.dram_read,
}


def chip(board: str) -> Arch:
    """A product, or a Galaxy's chip whose dispatch has a column instead of a row."""
    if board == "galaxy7x10":
        return replace(load_arch("galaxy"), grid=CoreCoord(7, 10))
    return load_arch(board)


def op_outcomes() -> Iterator[Outcome]:
    """Nanoseconds. Rows that repeat one measurement for longer sequences are run once and counted each."""
    devices: dict[str, Device] = {}
    found: dict[tuple[str, ...], float] = {}
    for row in read_rows("ops.csv"):
        key = (row["program"], row["arguments"], row["board"])
        if key not in found:
            device = devices.setdefault(row["board"], open_device(chip(row["board"])))
            found[key] = predict(device, row["program"], row["arguments"])
        label = f"{row['board']} {row['program']} {row['arguments']} ({row['source']})"
        yield Outcome(label, row["taken"] == "1", float(row["ns"]), found[key], row["family"])
    for device in devices.values():
        device.close()


def predict(device: Device, program: str, arguments: str) -> float:
    """Nanoseconds of one program; arguments are written as name=value, with semicolons between them."""
    function = PROGRAMS[program]
    kinds = inspect.get_annotations(function, eval_str=True)
    pairs = (pair.split("=") for pair in arguments.split(";"))
    given = {name: value if kinds[name] is str else kinds[name](int(value)) for name, value in pairs}
    return function(device, **given) / device.arch.clock_ghz
