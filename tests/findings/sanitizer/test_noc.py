"""Alignment of both ends of a transfer, and reads that nobody waited for."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.findings.sanitizer.bench import PAGE, dram_tensor, finds, l1_tensor, run

from tilesmith.runtime import Device

# What the chip asks of an address: L1 16 bytes, DRAM 32 (Wormhole) or 64 (Blackhole) to read, 16 to write.


@dataclass(frozen=True)
class Misaligned:
    name: str
    body: str  # argument 0 is an L1 tensor, 1 a DRAM tensor


MISALIGNED = [
    Misaligned("L1 destination of a read", "noc_async_read(get_noc_addr(l1), l1 + 257, 16);"),
    Misaligned("L1 source of a read", "noc_async_read(get_noc_addr(l1 + 1), l1 + 256, 16);"),
    Misaligned("L1 source of a write", "noc_async_write(l1 + 1, get_noc_addr(l1 + 256), 16);"),
    Misaligned("L1 destination of a write", "noc_async_write(l1, get_noc_addr(l1 + 257), 16);"),
    Misaligned("DRAM source of a read", "noc_async_read(dram.get_noc_addr(0) + {half}, l1, 64);"),
    Misaligned("DRAM destination of a write", "noc_async_write(l1, dram.get_noc_addr(0) + 1, 16);"),
]
TENSORS = """
const uint32_t l1 = get_arg_val<uint32_t>(0);
const auto dram = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
"""
BARRIERS = "noc_async_read_barrier(); noc_async_write_barrier();"


def transfer(device: Device, body: str) -> str:
    half = device.arch.dram_alignment // 2
    return TENSORS + body.replace("{half}", str(half)) + BARRIERS


@pytest.mark.parametrize("case", MISALIGNED, ids=lambda case: case.name)
def test_ends_that_do_not_fit(device: Device, case: Misaligned) -> None:
    tensor, bank = l1_tensor(device), dram_tensor(device)
    body = transfer(device, case.body)
    finds(device, "noc.unaligned", body, (tensor.address, bank.address), accessor=bank)


@pytest.mark.parametrize(
    "body",
    [
        "noc_async_read(dram.get_noc_addr(0) + 64, l1 + 128, 64);",  # alike in the bits that count
        "noc_async_read(get_noc_addr(l1), l1 + 16, 16);",
        "noc_async_write(l1 + 16, dram.get_noc_addr(0) + 16, 16);",
        "noc_async_write(l1 + 4, get_noc_addr(l1 + 260), 12);",  # off by the same: what the chip asks for
    ],
)
def test_ends_that_fit(device: Device, body: str) -> None:
    tensor, bank = l1_tensor(device), dram_tensor(device)
    run(device, transfer(device, body), (tensor.address, bank.address), accessor=bank)


# ---- barriers ----

ROUND = """
cb_reserve_back(0, 1);
words_at(get_write_ptr(0))[0] = 1;
cb_push_back(0, 1);
cb_wait_front(0, 1);
{reads}
cb_pop_front(0, 1);
"""
ONE_READ = f"noc_async_read(get_noc_addr(l1), l1 + {PAGE}, 512);"
TWO_READS = f"{ONE_READ} noc_async_read(get_noc_addr(l1), l1 + {PAGE + 512}, 512);"


@pytest.mark.parametrize(
    "reads",
    [f"noc_async_read(get_noc_addr(l1), l1 + {PAGE}, {PAGE});", "noc_async_read_page(0, dram, l1);"],
    ids=["by address", "by page"],
)
def test_a_read_that_nobody_waits_for(device: Device, reads: str) -> None:
    tensor, bank = l1_tensor(device, 2 * PAGE), dram_tensor(device)
    args = (tensor.address, bank.address)
    finds(device, "noc.inflight-at-end", TENSORS + ROUND.replace("{reads}", reads), args, accessor=bank)


def test_a_page_pushed_before_its_read_has_landed(device: Device) -> None:
    bank = dram_tensor(device)
    body = """
    const auto dram = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, dram, get_write_ptr(0));
    cb_push_back(0, 1);
    noc_async_read_barrier();
    """
    finds(device, "noc.use-before-barrier", body, (bank.address,), accessor=bank)


@pytest.mark.parametrize("reads", [ONE_READ, TWO_READS], ids=["one read", "two reads"])
def test_one_barrier_ends_all_reads(device: Device, reads: str) -> None:
    tensor, bank = l1_tensor(device, 2 * PAGE), dram_tensor(device)
    body = TENSORS + ROUND.replace("{reads}", reads + " noc_async_read_barrier();")
    run(device, body, (tensor.address, bank.address), accessor=bank)
