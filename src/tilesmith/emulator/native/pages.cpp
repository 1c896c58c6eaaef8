// Pages of tensors: an address generator knows which page it was asked for, and the host how many its tensor has.
#include "transfers.h"

namespace ts {

inline constexpr size_t strays_kept = 64;

// Asking for an address does no harm: only a transfer that uses it is reported.
static void note_page(uint64_t address, uint32_t bytes, bool stray, uint32_t page, uint32_t pages, uint32_t base) {
    auto& strays = self().stray_pages;
    if (!strays.empty()) {
        size_t kept = 0;
        for (const StrayPage& one : strays)
            if (one.address < address || one.address >= address + bytes) strays[kept++] = one;
        strays.resize(kept);
    }
    if (!stray) return;
    if (strays.size() == strays_kept) strays.erase(strays.begin());
    strays.push_back({address, bytes, page, pages, base});
}

static const Allocation* buffer_at(bool dram, uint64_t address) {
    const RunOptions& options = current_run->options;
    for (uint32_t i = 0; i < options.allocation_count; ++i) {
        const Allocation& buffer = options.allocations[i];
        if ((buffer.dram != 0) == dram && buffer.address <= address && address < buffer.address + buffer.size)
            return &buffer;
    }
    return nullptr;
}

extern "C" uint64_t ts_page_noc_addr(bool dram, uint32_t bank, uint32_t row, uint32_t page, ts::PageOf tensor,
                                     uint32_t noc) {
    const uint32_t start = row * tensor.stride + tensor.base;
    const uint64_t address = ts_bank_noc_addr(dram, bank, start + tensor.offset, noc);
    if (!current_run->checks) return address;
    const Allocation* buffer = buffer_at(dram, tensor.base);
    if (!buffer) return address;
    const bool exact = buffer->address == tensor.base && buffer->page_size == tensor.stride && buffer->pages;
    const bool stray = exact ? page >= buffer->pages : start >= buffer->address + buffer->size;
    if (stray || !self().stray_pages.empty())
        note_page(address - tensor.offset, tensor.stride, stray, page, exact ? buffer->pages : 0, tensor.base);
    return address;
}

extern "C" void ts_note_page(uint64_t address, uint32_t bytes, uint32_t page, uint32_t pages, uint32_t base) {
    if (current_run->checks && (page >= pages || !self().stray_pages.empty()))
        note_page(address, bytes, page >= pages, page, pages, base);
}

void check_page(uint64_t address, const char* what, const At& at) {
    for (const StrayPage& stray : self().stray_pages) {
        if (address < stray.address || address >= stray.address + stray.bytes) continue;
        if (stray.pages)
            finding("noc.page-out-of-range", at, "%s of page %u of the tensor at 0x%x, which has %u pages", what,
                    stray.page, stray.base, stray.pages);
        else
            finding("noc.page-out-of-range", at, "%s of page %u, which lies behind the end of the tensor at 0x%x", what,
                    stray.page, stray.base);
        return;
    }
}

// Whole pages are told apart: what lies between a page's data and the next page is nobody's business.
void note_dram_use(const Allocation& buffer, const Target& target, uint32_t size, bool reading, const At& at) {
    if (!buffer.written || !buffer.pages || size == 0) return;
    const uint64_t first = (target.offset - buffer.address) / buffer.page_size,
                   last = (target.offset - buffer.address + size - 1) / buffer.page_size;
    for (uint64_t row = first; row <= last; ++row) {
        const uint64_t page = row * current_run->machine->config.num_dram_banks + target.index;
        if (page >= buffer.pages) return;
        if (!reading) {
            buffer.written[page] = 1;
        } else if (!buffer.written[page]) {
            finding(
                "mem.uninitialised", at,
                "a NoC read of page %llu of the tensor at 0x%llx in DRAM, which nothing has written since it was made",
                static_cast<unsigned long long>(page), static_cast<unsigned long long>(buffer.address));
            return;
        }
    }
}

}  // namespace ts
