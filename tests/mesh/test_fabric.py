"""Packets between two chips: what arrives, when, and what is found when a step is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilesmith import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    DataMovementConfig,
    Kernel,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
    open_mesh,
)
from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat
from tilesmith.runtime import MeshTensor, TensorAccessorArgs

CORE = CoreCoord(0, 0)
PAGE = 2048
FORWARD = [1, 0, 0, 0, 0]  # over channel 0, and none backward
SEND = (Path(__file__).parent / "send.cpp").read_text()
READ = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); ++page) {
        cb_reserve_back(0, 1);
        noc_async_read(source.get_noc_addr(page), get_write_ptr(0), 2048);
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
TAKE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto landed = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(1), 2048);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), 1);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); ++page) {
        noc_async_read(landed.get_noc_addr(page), get_write_ptr(0), 2048);
        noc_async_read_barrier();
        noc_async_write(get_write_ptr(0), target.get_noc_addr(page), 2048);
        noc_async_write_barrier();
    }
}
"""


def _kernel(text: str, role: DataMovementConfig, arguments: list[int], tensor: MeshTensor) -> Kernel:
    constants = TensorAccessorArgs(tensor.local).get_compile_time_args()
    return Kernel(
        text,
        CORE,
        role,
        SourceType.SOURCE_CODE,
        compile_time_args=constants,
        runtime_args={CORE: arguments},
    )


def _programs(
    source: MeshTensor, landed: MeshTensor, target: MeshTensor, send: str, take: str, connections: list[int]
) -> dict[tuple[int, int], Program]:
    pages = source.local.num_pages
    cbs = (CircularBuffer(2 * PAGE, CORE, CBFormat(0, DataFormat.Float16_b, PAGE)),)
    semaphores = (Semaphore(0, CORE),)
    read = pages if "cb_pop_front" in send else 1
    reader = _kernel(READ, ReaderConfig(), [source.local.address, read], source)
    sender = _kernel(send, WriterConfig(), [landed.local.address, pages, *connections], source)
    taker = _kernel(take, WriterConfig(), [landed.local.address, target.local.address, pages], source)
    return {(0, 0): Program((reader, sender), cbs, semaphores), (0, 1): Program((taker,), cbs, semaphores)}


def _run(
    pages: int = 2, send: str = SEND, take: str = TAKE, connections: list[int] = FORWARD
) -> tuple[np.ndarray, np.ndarray, int]:
    """What was sent, what arrived, and the cycles of the sender."""
    values = np.random.default_rng(0).integers(-8, 8, (32 * pages, 32)).astype(np.float32)
    with open_mesh((1, 2), "n300") as mesh:
        source, landed, target = (
            mesh.from_numpy(values * wanted, DataFormat.Float16_b) for wanted in (1, 0, 0)
        )
        mesh.run(_programs(source, landed, target, send, take, connections))
        return values, target.parts()[1], mesh.reports[0, 0].cycles


def test_pages_reach_the_next_chip() -> None:
    values, found, _ = _run()
    assert np.array_equal(values, found)


def test_time_on_the_link_is_that_of_the_published_figures() -> None:
    """Packets of 2 KiB follow each other at 7.9 GB/s on a T3000."""
    one_page = SEND.replace("        cb_pop_front(cb, 1);\n", "")
    few, many = (_run(pages, one_page)[2] for pages in (16, 48))
    assert 32 * PAGE / (many - few) == pytest.approx(7.9, rel=0.05)


@pytest.mark.parametrize(
    ("right", "wrong", "checks"),
    [
        ("    fabric.open();\n", "", "fabric.not-open"),
        ("    fabric.close();\n", "", "noc.inflight-at-end fabric.left-open"),
        ("        sender.wait_for_empty_write_slot();\n", "", "fabric.no-slot"),
        ("        cb_wait_front(cb, 1);\n", "", "mem.race"),
        ("    header->to_chip_unicast(1);\n", "", "fabric.no-link"),
        ("get_read_ptr(cb), bytes", "get_read_ptr(cb), bytes - 32", "fabric.payload-size"),
    ],
)
def test_a_call_that_is_missing_or_wrong_is_found(right: str, wrong: str, checks: str) -> None:
    with pytest.raises(KernelFindings) as found:
        _run(send=SEND.replace(right, wrong, 1))
    assert {finding.check for finding in found.value.findings} >= set(checks.split())
    assert found.value.findings[0].chip == (0, 0)


def test_chips_too_many_to_run_together_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each does its own work; who would send to another is told so."""
    monkeypatch.setattr("tilesmith.emulator.mesh.MOST_FIBERS", 2)
    idle = Kernel("void kernel_main() {}", CORE, WriterConfig(), SourceType.SOURCE_CODE)
    with open_mesh((1, 2), "n300") as mesh:
        mesh.run(Program((idle,)))
        assert sorted(mesh.reports) == [(0, 0), (0, 1)]
    with pytest.raises(KernelFindings, match=r"fabric.no-link.*(?s:.)*fewer than 4096 kernels"):
        _run()


def test_two_senders_on_one_link_are_found() -> None:
    opens = """
#include "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp"
void kernel_main() {
    size_t next = 0;
    auto fabric = FabricConnectionManager::build_from_args(next);
    fabric.open();
    for (int i = 0; i < 3; ++i) ts_yield();
    fabric.close();
}
"""
    cores = CoreRange((0, 0), (1, 0))
    arguments = {core: [1, 0, 0, 0, 0] for core in cores.cores()}
    kernel = Kernel(opens, cores, WriterConfig(), SourceType.SOURCE_CODE, runtime_args=arguments)
    with open_mesh((1, 2), "n300") as mesh, pytest.raises(KernelFindings, match=r"fabric.busy"):
        mesh.run({(0, 0): Program((kernel,))})


def test_a_source_that_is_reused_before_it_has_left_is_found() -> None:
    hasty = SEND.replace("send_payload_flush_blocking_from_address", "send_payload_non_blocking_from_address")
    with pytest.raises(KernelFindings, match=r"noc.source-reused|cb\."):
        _run(send=hasty)


def test_a_semaphore_that_nobody_raises_is_a_hang_with_its_chip() -> None:
    silent = SEND[: SEND.index("    header->to_noc_unicast_atomic_inc")] + "    fabric.close();\n}\n"
    with pytest.raises(KernelFindings) as found:
        _run(send=silent)
    finding = found.value.findings[0]
    assert (finding.check, finding.chip, finding.core) == ("sync.semaphore-never", (0, 1), CORE)
    assert "core (0, 0) of chip (0, 1)" in finding.message
    assert finding.line


def test_what_is_read_before_the_semaphore_is_a_race() -> None:
    early = TAKE.replace("noc_semaphore_wait(", "(void)(").replace(", 1);\n    for", ");\n    for")
    with pytest.raises(KernelFindings, match=r"mem.race"):
        _run(take=early)


def test_what_nobody_waits_for_is_found() -> None:
    """The chip that is written to looks at nothing, and ends before or behind the packets."""
    deaf = TAKE[: TAKE.index("    noc_semaphore_wait")] + "}\n"
    with pytest.raises(KernelFindings, match=r"none has waited for what chip \(0, 0\) writes there") as found:
        _run(take=deaf)
    assert {finding.check for finding in found.value.findings} == {"fabric.not-awaited"}


def test_a_payload_without_its_header_is_found() -> None:
    lost = "        sender.send_payload_flush_blocking_from_address((uint32_t)header"
    lost += ", sizeof(PACKET_HEADER_TYPE));\n"
    with pytest.raises(KernelFindings, match=r"before a header that carries none"):
        _run(pages=1, send=SEND.replace(lost, "        noc_async_writes_flushed();\n", 1))


def test_a_link_that_is_not_there_is_named() -> None:
    with pytest.raises(KernelFindings, match=r"no link leads there"):
        _run(send=SEND.replace("to_chip_unicast(1)", "to_chip_unicast(2)"))


LINEAR = """
#include "tt_metal/fabric/hw/inc/linear/api.h"
using namespace tt::tt_fabric;
using namespace tt::tt_fabric::linear::experimental;
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    size_t next = 2;
    RoutingPlaneConnectionManager manager;
    open_connections(manager, 1, next);
    auto* data = PacketHeaderPool::allocate_header();
    auto* last = PacketHeaderPool::allocate_header();
    const uint8_t signal = PacketHeaderPool::allocate_header_n(1);
    auto* sender = &manager.get(0).sender;
    fabric_unicast_noc_unicast_write_set_state<UnicastWriteUpdateMask::PayloadSize>(data, 1, nullptr, 2048);
    for (uint32_t page = 0; page + 1 < pages; ++page) {
        cb_wait_front(0, 1);
        fabric_unicast_noc_unicast_write_with_state<UnicastWriteUpdateMask::DstAddr>(
            sender, data, get_read_ptr(0), NocUnicastCommandHeader{target.get_noc_addr(page)});
        noc_async_writes_flushed();
        cb_pop_front(0, 1);
    }
    cb_wait_front(0, 1);
    const uint64_t to = target.get_noc_addr(pages - 1);
    fabric_multicast_noc_scatter_write(
        sender, last, get_read_ptr(0), 2048, NocUnicastScatterCommandHeader({to, to + 512}, {512}), 1, 1);
    uint8_t hops[] = {1};
    fabric_unicast_noc_unicast_atomic_inc(
        manager, signal, NocUnicastAtomicIncCommandHeader{get_noc_addr(get_semaphore(0)), 1}, hops);
    noc_async_writes_flushed();
    cb_pop_front(0, 1);
    close_connections(manager);
}
"""


def test_the_linear_api_sends_the_same() -> None:
    """Headers with kept state, scatter writes, and a connection manager, which takes a tag first."""
    values, found, _ = _run(pages=3, send=LINEAR, connections=[0, 0, 0, 0])
    assert np.array_equal(values, found)


def test_a_write_with_an_increment_behind_it() -> None:
    """One packet for both; the semaphore is raised when the page is there."""
    alone = "to_noc_unicast_write(tt::tt_fabric::NocUnicastCommandHeader{target.get_noc_addr(page)}, bytes)"
    both = "{target.get_noc_addr(page), get_noc_addr(get_semaphore(0)), page + 1 == pages}, bytes"
    assert alone in SEND
    fused = SEND.replace(alone, f"to_noc_fused_unicast_write_atomic_inc({both})")
    fused = fused[: fused.index("    header->to_noc_unicast_atomic_inc")] + "    fabric.close();\n}\n"
    values, found, _ = _run(send=fused)
    assert np.array_equal(values, found)
