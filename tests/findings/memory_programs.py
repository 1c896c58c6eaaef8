"""Small programs that use memory as it was meant: DRAM that was written, pages that were filled."""

from __future__ import annotations

from tests.findings.programs import COMPUTE, DATAFLOW, READER
from tests.findings.small import Part, Small

from tilesmith.program import ComputeConfig, ReaderConfig, WriterConfig

# One kernel copies four tiles and reads the last of the copies again.
COPY = Small(
    "copy",
    {
        "copier": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    const auto to = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    cb_reserve_back(0, 1);
    for (uint32_t page = 0; page < 4; ++page) {
        noc_async_read_page(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        noc_async_write_page(page, to, get_write_ptr(0));
        noc_async_write_barrier();
    }
    noc_async_read_page(3, to, get_write_ptr(0));
    noc_async_read_barrier();
}
""",
            tensor=0,
        )
    },
    cbs=[(0, 1)],
    tiles=[4, 4],
    empty=[1],
    read_back=[1],
)

# Four tiles are added up in the one page of the output; the first is written there, not added.
ACCUMULATE = Small(
    "accumulate",
    {
        "reader": Part(READER, ReaderConfig(), tensor=0),
        "compute": Part(
            COMPUTE
            + """
void kernel_main() {
    compute_kernel_hw_startup(0, 0, 16);
    copy_tile_init(0);
    cb_reserve_back(16, 1);
    for (uint32_t i = 0; i < 4; ++i) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        tile_regs_wait();
        pack_reconfig_l1_acc(i > 0);
        pack_tile<true>(0, 16, 0);
        tile_regs_release();
    }
    pack_reconfig_l1_acc(0);
    cb_push_back(16, 1);
}
""",
            ComputeConfig(),
        ),
        "writer": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    cb_wait_front(16, 1);
    noc_async_write_page(0, tensor, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}
""",
            WriterConfig(),
            tensor=1,
        ),
    },
    cbs=[(0, 2), (16, 1)],
    tiles=[4, 1],
    empty=[1],
    read_back=[1],
)

# A stream through two pages, and beside it two constants that are filled once and pushed every time.
CONSTANT_BESIDE = Small(
    "constant beside",
    {
        "reader": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < 6; ++page) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_reserve_back(1, 2);
        if (page == 0) {
            noc_async_read_page(0, tensor, get_write_ptr(1));
            noc_async_read_page(1, tensor, get_write_ptr(1) + 2048);
            noc_async_read_barrier();
        }
        cb_push_back(1, 1);
        cb_push_back(1, 1);
    }
}
""",
            tensor=0,
        ),
        "writer": Part(
            DATAFLOW
            + """
void kernel_main() {
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    for (uint32_t page = 0; page < 6; ++page) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 2);
        noc_async_write_page(3 * page, tensor, get_read_ptr(0));
        noc_async_write_page(3 * page + 1, tensor, get_read_ptr(1));
        noc_async_write_page(3 * page + 2, tensor, get_read_ptr(1) + 2048);
        noc_async_write_barrier();
        cb_pop_front(0, 1);
        cb_pop_front(1, 2);
    }
}
""",
            WriterConfig(),
            tensor=1,
        ),
    },
    cbs=[(0, 2), (1, 2)],
    tiles=[6, 18],
    empty=[1],
    read_back=[1],
)
