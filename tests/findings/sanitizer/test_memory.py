"""Stores: outside of every tensor, into another one, into semaphores, off alignment, and into padding."""

from __future__ import annotations

import numpy as np
import pytest
from tests.findings.sanitizer.bench import CORE, PAGE, dram_tensor, finds, l1_tensor, run

from tilesmith.runtime import Device

STORE = "words_at(get_arg_val<uint32_t>(0))[0] = 0x666;"
GAP = 64 << 10  # below the tensors, which stand at the top of L1


# ---- outside of everything ----


def test_a_store_into_l1_that_nobody_has(device: Device) -> None:
    finds(device, "mem.unallocated", STORE, (l1_tensor(device).address - GAP,))


def test_a_store_into_a_tensor(device: Device) -> None:
    tensor = l1_tensor(device)
    run(device, STORE, (tensor.address + 64,))
    assert tensor.to_numpy()[0, 16] == 0x666


def test_an_address_made_from_a_semaphore_is_checked_like_any_other(device: Device) -> None:
    body = "words_at(get_semaphore(0) + 0x100000)[0] = 1;"
    finds(device, "mem.unallocated", body, semaphores=1)


def test_a_write_to_dram_that_nobody_has(device: Device) -> None:
    bank = dram_tensor(device)
    body = """
    const auto dram = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    words_at(get_write_ptr(0))[0] = 0x777;
    noc_async_write(get_write_ptr(0), dram.get_noc_addr(0) + (1 << 20), 4);
    noc_async_write_barrier();
    """
    finds(device, "noc.out-of-bounds", body, (bank.address,), accessor=bank)
    run(device, body.replace("(1 << 20)", "64"), (bank.address,), accessor=bank)
    assert bank.to_numpy()[0, 16] == 0x777


# ---- the wrong tensor ----

OVERSHOOT = "words_at(get_arg_val<uint32_t>(0))[get_arg_val<uint32_t>(1) / 4] = 0x900DDEAD;"


@pytest.mark.parametrize("skipped", [0, 1], ids=["the next one", "the one after it"])
def test_an_index_that_leaves_its_tensor(device: Device, skipped: int) -> None:
    tensors = [l1_tensor(device) for _ in range(2 + skipped)]
    mine, other = tensors[-1], tensors[0]
    finds(device, "mem.wrong-tensor", OVERSHOOT, (mine.address, other.address - mine.address))


def test_both_tensors_are_known(device: Device) -> None:
    first, second = l1_tensor(device), l1_tensor(device)
    body = "words_at(get_arg_val<uint32_t>(0))[0] = 1; words_at(get_arg_val<uint32_t>(1))[0] = 2;"
    run(device, body, (first.address, second.address))


def test_a_tensor_that_an_argument_names_may_be_reached_from_another(device: Device) -> None:
    other, mine = l1_tensor(device), l1_tensor(device)
    run(device, OVERSHOOT, (mine.address, other.address - mine.address, other.address))


def test_two_kernels_each_with_its_tensor(device: Device) -> None:
    first, second = l1_tensor(device), l1_tensor(device)
    bodies = {"reader": STORE, "writer": "words_at(get_arg_val<uint32_t>(1))[0] = 0x222;"}
    run(device, bodies, (first.address, second.address))


# ---- semaphores, alignment, padding ----


def test_a_store_where_a_semaphore_would_be(device: Device) -> None:
    body = "words_at(get_semaphore(0) + 16)[0] = 0xABCD;"
    finds(device, "sync.no-semaphore", body, semaphores=1)


@pytest.mark.parametrize("kind", ["uint32_t", "uint16_t"])
def test_a_store_off_alignment(device: Device, kind: str) -> None:
    body = f"*reinterpret_cast<volatile {kind}*>(get_arg_val<uint32_t>(0)) = 5;"
    tensor = l1_tensor(device)
    finds(device, "mem.unaligned", body, (tensor.address + 5,))
    run(device, body, (tensor.address + 4,))


def test_a_packed_type_is_taken_apart(device: Device) -> None:
    body = """
    struct __attribute__((packed)) Message { uint8_t kind; uint32_t value; };
    auto* message = reinterpret_cast<volatile Message*>(get_arg_val<uint32_t>(0));
    message->kind = 1;
    message->value = 0x01020304;
    """
    tensor = l1_tensor(device)
    run(device, body, (tensor.address,))
    assert bytes(tensor.to_numpy().view(np.uint8)[0, :5]) == b"\x01\x04\x03\x02\x01"


def test_padding_may_be_written(device: Device) -> None:
    """The vendor's check for this is switched off: padding lies inside rows and faces, kernels write it."""
    words = np.zeros((1, 250), np.uint32)
    tensor = device.from_numpy(words, layout=l1_tensor(device).layout)
    body = """
    const auto dram = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 256; ++i) words_at(get_write_ptr(0))[i] = i;
    noc_async_write(get_write_ptr(0), dram.get_noc_addr(0), 1024);
    noc_async_write_barrier();
    """
    run(device, body, (tensor.address,), accessor=tensor)
    assert tensor.to_numpy()[0, 249] == 249


# ---- memory that only the host knows ----


def test_what_the_host_wrote_is_read_where_it_lies(device: Device) -> None:
    address = l1_tensor(device).address
    device.executor.l1(CORE)[address : address + 4] = 7
    device.executor.note_host_write("l1", CORE, address, 4)
    run(device, f"ASSERT(words_at(get_arg_val<uint32_t>(0))[0] == 0x07070707); (void){PAGE};", (address,))
