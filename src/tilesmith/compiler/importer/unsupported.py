"""What a kernel may not use, and what to use in its place."""

from __future__ import annotations

from typing import NoReturn

from tilesmith.errors import UnsupportedKernelError

_REMEDIES = (
    (("wgmma", "tcgen05", "mma", "ldmatrix", "gemm_sp"), "use T.gemm, which runs on the matrix unit"),
    (("tma", "im2col_tma"), "use T.copy, which the data movement cores carry out"),
    (
        ("mbarrier", "barrier", "fence", "commit_group", "wait_group", "cp_async", "ptx_"),
        "remove it: T.Pipelined overlaps transfers and arithmetic by itself",
    ),
    (
        ("warp_specialize", "ws", "set_max_nreg", "warpgroup"),
        "remove it: readers, compute and writers always overlap",
    ),
    (("shfl", "warp_", "ballot", "any_sync", "all_sync", "match_"), "use T.reduce_* on a fragment"),
    (("cluster", "grid_sync", "pdl"), "split the kernel in two at this point"),
    (("atomic",), "use T.atomic_add, T.atomic_max or T.atomic_min without their return value"),
    (("call_extern", "call_pure_extern", "import_source", "source"), "write it with TileLang operations"),
    (("rng", "rand"), "pass random numbers in a tensor"),
    (("print", "assert", "printf"), "print from the host; `TS_TRACE` records what a kernel does"),
)


def refuse(what: str, where: object, remedy: str) -> NoReturn:
    raise UnsupportedKernelError(what, where=str(where), remedy=remedy)


def refuse_call(name: str, where: object) -> NoReturn:
    """Refuse an operation by its name, with the alternative that fits its family."""
    for words, remedy in _REMEDIES:
        if any(word in name for word in words):
            refuse(f"{name} only exists on GPUs", where, remedy)
    refuse(f"{name} has no counterpart on the chip", where, "write it with loops over elements")


def refuse_scope(name: str, scope: str, where: object) -> NoReturn:
    """Refuse a buffer by the memory it lives in."""
    remedy = "allocate it with T.alloc_shared or T.alloc_fragment"
    if "barrier" in scope:
        remedy = "remove it: T.Pipelined overlaps transfers and arithmetic by itself"
    refuse(f"the buffer {name} lives in {scope!r}, which only exists on a GPU", where, remedy)
