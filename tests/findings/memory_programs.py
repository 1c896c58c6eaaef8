"""Small programs that use memory as it was meant: DRAM that was written, pages that were filled."""

from __future__ import annotations

from tests.findings.programs import DATAFLOW
from tests.findings.small import Part, Small

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
