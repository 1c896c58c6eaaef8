"""Every way the API has to move a page gives the page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tests.dataflow.copying import READER, WRITER, copied

import tilesmith
from tilesmith.runtime import Device

READERS = {
    "objects": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    CircularBuffer cb(0);
    Noc noc;
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb.reserve_back(1);
        noc.async_read(tensor, cb, get_tile_size(0), {.page_id = page}, {.offset_bytes = 0});
        noc.async_read_barrier();
        cb.push_back(1);
    }
}
""",
    "dataflow buffer and transaction ids": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    DataflowBuffer buffer(0);
    Noc noc(noc_index);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        buffer.reserve_back(1);
        noc.async_read<NocOptions::TXN_ID>(
            tensor, buffer, buffer.get_entry_size(), {.page_id = page}, {}, {.trid = page % 3 + 1});
        noc.async_read_barrier<NocOptions::TXN_ID>({.trid = page % 3 + 1});
        buffer.push_back(1);
    }
}
""",
    "tile generator": """
void kernel_main() {
    const InterleavedAddrGenFast<true> tensor = {
        .bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048, .data_format = get_dataformat(0)};
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
""",
    "page generator": """
void kernel_main() {
    const InterleavedAddrGen<true> tensor = {
        .bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        noc_async_read(get_noc_addr(page, tensor), get_write_ptr(0), 1024);
        noc_async_read(get_noc_addr(page, tensor, 1024), get_write_ptr(0) + 1024, 1024);
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
""",
    "kept state": """
void kernel_main() {
    const InterleavedPow2AddrGen<true> tensor = {
        .bank_base_address = get_arg_val<uint32_t>(0), .log_base_2_of_page_size = 11};
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        const uint64_t source = tensor.get_noc_addr(page);
        noc_async_read_one_packet_set_state(source, 512);
        for (uint32_t i = 0; i < 2; ++i) {
            noc_async_read_one_packet_with_state(uint32_t(source) + i * 512, get_write_ptr(0) + i * 512);
        }
        noc_async_read_set_state(source);
        noc_async_read_with_state(uint32_t(source) + 1024, get_write_ptr(0) + 1024, 1024);
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
""",
    "bank endpoint": """
void kernel_main() {
    CircularBuffer cb(0);
    Noc noc;
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb.reserve_back(1);
        const uint32_t address = get_arg_val<uint32_t>(0) + page / NUM_DRAM_BANKS * 2048;
        noc.async_read(
            AllocatorBank<AllocatorBankType::DRAM>{}, cb, 2048,
            {.bank_id = page % NUM_DRAM_BANKS, .addr = address}, {});
        noc.async_read_barrier();
        cb.push_back(1);
    }
}
""",
    "iterator": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    CircularBuffer cb(0);
    Noc noc;
    for (const auto& page : tensor.pages(0, get_arg_val<uint32_t>(1))) {
        cb.reserve_back(1);
        noc.async_read(page, cb, 2048, {}, {});
        noc.async_read_barrier();
        cb.push_back(1);
    }
}
""",
}
WRITERS = {
    "objects": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    CircularBuffer cb(0);
    Noc noc;
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb.wait_front(1);
        noc.async_write(cb, tensor, get_tile_size(0), {}, {.page_id = page});
        noc.async_writes_flushed();
        cb.pop_front(1);
    }
    noc.async_write_barrier();
}
""",
    "transaction ids": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_wait_front(0, 1);
        noc_async_write_one_packet_with_trid(get_read_ptr(0), tensor.get_noc_addr(page), 2048, page + 1);
        noc_async_write_barrier_with_trid(page + 1);
        cb_pop_front(0, 1);
    }
}
""",
    "kept state and local memory": """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    Noc noc;
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_wait_front(0, 1);
        CoreLocalMem<uint32_t> data(get_read_ptr(0));
        noc.set_async_write_state<NocOptions::DEFAULT, 1024>(tensor, 1024, {.page_id = page});
        for (uint32_t half = 0; half < 2; ++half) {
            noc.async_write_with_state<NocOptions::DEFAULT, 1024>(
                data, tensor, 1024, {.offset_bytes = half * 1024},
                {.page_id = page, .offset_bytes = half * 1024});
        }
        noc.async_write_barrier();
        cb_pop_front(0, 1);
    }
}
""",
}


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with tilesmith.open_device("wormhole") as opened:
        yield opened


@pytest.mark.parametrize("name", READERS)
def test_reader(device: Device, name: str) -> None:
    given, got = copied(device, reader=READERS[name])
    np.testing.assert_array_equal(got, given)


@pytest.mark.parametrize("name", WRITERS)
def test_writer(device: Device, name: str) -> None:
    given, got = copied(device, writer=WRITERS[name])
    np.testing.assert_array_equal(got, given)


@pytest.mark.parametrize("arch", ["n150", "p100a", "p150"])
def test_the_plain_functions(arch: str) -> None:
    with tilesmith.open_device(arch) as device:
        given, got = copied(device, READER, WRITER)
    np.testing.assert_array_equal(got, given)
