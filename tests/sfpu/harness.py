"""Compile calls of the vector-unit API against a stand-in for the engine, and run them on numpy tiles."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilesmith.toolchain import compile_shared

EMULATOR = Path(__file__).resolve().parents[2] / "src/tilesmith/emulator"
INCLUDE = EMULATOR / "include"
TILE = 1024

# The program has no circular buffers.
NO_BUFFERS = tuple(
    f"#define TS_CB_{table} {{}}"
    for table in ("FORMATS", "PAGE_SIZES", "TILE_SIZES", "TILE_ROWS", "TILE_COLS", "FACE_ROWS", "FACES")
)

# DST lives in the stand-in: sixteen tiles of patterns, every one of them written.
ENGINE = r"""
#include "sfpu/multiply_add.cpp"
static uint32_t dst[16][1024];
extern "C" {
ts::Role ts_role() { return ts::Role::math; }
uint32_t ts_logical_x() { return 0; }
uint32_t ts_logical_y() { return 0; }
uint32_t* ts_dst_modify(uint32_t tile, ts::At) { return dst[tile]; }
uint32_t* ts_dst_modify_held(uint32_t tile, ts::At) { return dst[tile]; }
uint32_t* ts_dst_write(uint32_t tile, ts::At) { return dst[tile]; }
bool ts_dst_is_32bit() { return DST_ACCUM_MODE; }
void ts_sfpu_init(const char*, ts::At) {}
void ts_sfpu_run(const char*, ts::At) {}
void ts_sfpu_own_begin(ts::At) {}
void ts_sfpu_own_end(uint32_t) {}
uint32_t* harness_dst(int tile) { return dst[tile]; }
void harness_run(int which) { test_body(which); }
}
"""


@dataclass(frozen=True)
class Suite:
    """Named pieces of kernel text that work on DST, compiled together."""

    bodies: tuple[tuple[str, str], ...]
    includes: tuple[str, ...]
    wide: bool = False
    arch: str = "WORMHOLE"
    approx: bool = False
    fast: bool = False
    defines: tuple[str, ...] = ()

    def source(self) -> str:
        lines = [f"#define DST_ACCUM_MODE {int(self.wide)}", f"#define APPROX {int(self.approx)}"]
        lines += [
            f"#define TS_FAST_NUMBERS {int(self.fast)}",
            f"#define ARCH_{self.arch}",
            "#define COMPILE_FOR_TRISC",
            *NO_BUFFERS,
        ]
        lines += [f"#define {define}" for define in self.defines]
        lines += ['#include "ts/prologue.h"', '#include "ts/own_numbers.h"']
        lines += [*(f'#include "{include}"' for include in self.includes)]
        cases = [f"case {index}: {{ {body} }} break;" for index, (_, body) in enumerate(self.bodies)]
        return "\n".join(
            [*lines, "static void test_body(int which) { switch (which) {", *cases, "} }", ENGINE]
        )


@cache
def build(suite: Suite) -> ctypes.CDLL:
    """The suite as a loaded library. Its own engine counts, even where the real runtime is loaded already."""
    flags = ("-O1", "-march=native", "-w", "-fpermissive")
    loaded = ctypes.CDLL(
        str(
            compile_shared(
                [("suite.cpp", suite.source())], [INCLUDE, EMULATOR / "native"], flags, ["-Wl,-Bsymbolic"]
            )
        )
    )
    loaded.harness_dst.restype = ctypes.c_void_p
    return loaded


def to_faces(tile: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """A 32x32 tile in face order."""
    return tile.reshape(2, 16, 2, 16).swapaxes(1, 2).reshape(TILE)


def from_faces(flat: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return flat.reshape(2, 2, 16, 16).swapaxes(1, 2).reshape(32, 32)


def run(
    suite: Suite, name: str, tiles: Sequence[NDArray[np.uint32]], *, fast: bool = False, out: int = 0
) -> NDArray[np.uint32]:
    """Put patterns (32x32 each) into DST tiles 0.., run the named piece, and read DST tile `out`."""
    library = build(replace(suite, fast=fast))
    views = []
    for index in range(16):
        address = library.harness_dst(index)
        views.append(np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_uint32)), (TILE,)))
    for view, tile in zip(views, tiles, strict=False):
        view[:] = to_faces(tile)
    library.harness_run([body for body, _ in suite.bodies].index(name))
    result: NDArray[np.uint32] = from_faces(views[out]).copy()
    return result


def patterns(values: NDArray[np.float32], *, wide: bool) -> NDArray[np.uint32]:
    """Floats as DST keeps them: whole, or cut to their upper half."""
    words = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return words if wide else words & np.uint32(0xFFFF0000)


def floats(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(words).view(np.float32)
