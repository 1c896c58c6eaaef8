// Address generators: from a page number of an interleaved tensor to a NoC address.
#pragma once
#include "ts/dataflow/addresses.h"

namespace interleaved_addr_gen {
template <bool DRAM>
FORCE_INLINE uint32_t num_banks() {
    return DRAM ? NUM_DRAM_BANKS : NUM_L1_BANKS;
}
template <bool DRAM>
FORCE_INLINE uint32_t get_bank_offset_index(uint32_t id) {
    return id / num_banks<DRAM>();
}
template <bool DRAM>
FORCE_INLINE uint32_t get_bank_index(uint32_t id, uint32_t bank_offset_index) {
    return id - bank_offset_index * num_banks<DRAM>();
}
template <bool DRAM>
constexpr uint32_t get_allocator_alignment() {
    return DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;
}
template <bool DRAM>
constexpr uint32_t get_log_base2_of_allocator_alignment() {
    return DRAM ? LOG_BASE_2_OF_DRAM_ALIGNMENT : LOG_BASE_2_OF_L1_ALIGNMENT;
}
template <bool DRAM>
FORCE_INLINE uint64_t page_address(uint32_t id, uint32_t stride, uint32_t base, uint32_t offset, uint8_t noc) {
    const uint32_t row = get_bank_offset_index<DRAM>(id);
    return ts_page_noc_addr(DRAM, get_bank_index<DRAM>(id, row), row, id, {base, stride, offset}, noc);
}
}  // namespace interleaved_addr_gen

FORCE_INLINE uint64_t get_dram_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address,
                                        uint32_t offset = 0, uint8_t noc = noc_index) {
    const uint32_t stride = align_power_of_2(page_size, DRAM_ALIGNMENT);
    return interleaved_addr_gen::page_address<true>(id, stride, bank_base_address, offset, noc);
}
FORCE_INLINE uint64_t get_l1_noc_addr(uint32_t id, uint32_t page_size, uint32_t bank_base_address, uint32_t offset = 0,
                                      uint8_t noc = noc_index) {
    const uint32_t stride = align_power_of_2(page_size, L1_ALIGNMENT);
    return interleaved_addr_gen::page_address<false>(id, stride, bank_base_address, offset, noc);
}

template <uint32_t tile_hw = 1024>
constexpr uint32_t MUL_WITH_TILE_SIZE(uint format, uint index) {
    return index * ts::tile_bytes(static_cast<DataFormat>(format), tile_hw);
}

template <bool DRAM>
struct InterleavedAddrGen {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t page_size;
    const uint32_t aligned_page_size =
        align_power_of_2(page_size, interleaved_addr_gen::get_allocator_alignment<DRAM>());

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        return interleaved_addr_gen::page_address<DRAM>(id, aligned_page_size, bank_base_address, offset, noc);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGen {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        ts::larger(log_base_2_of_page_size, interleaved_addr_gen::get_log_base2_of_allocator_alignment<DRAM>());

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint32_t stride = 1u << aligned_log_base_2_of_page_size;
        return interleaved_addr_gen::page_address<DRAM>(id, stride, bank_base_address, offset, noc);
    }
};

template <bool DRAM>
struct InterleavedPow2AddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size =
        ts::larger(log_base_2_of_page_size, interleaved_addr_gen::get_log_base2_of_allocator_alignment<DRAM>());

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint32_t stride = 1u << aligned_log_base_2_of_page_size;
        return interleaved_addr_gen::page_address<DRAM>(id, stride, bank_base_address, offset, noc);
    }
};

template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    static constexpr bool is_dram = DRAM;
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0, uint8_t noc = noc_index) const {
        const uint32_t stride = ts::tile_bytes(data_format, tile_hw);
        return interleaved_addr_gen::page_address<DRAM>(id, stride, bank_base_address, offset, noc);
    }
};

template <bool DRAM, uint32_t page_size>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr) {
    if constexpr (!is_power_of_2(page_size)) {
        return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
    } else if constexpr (page_size <= NOC_MAX_BURST_SIZE) {
        return InterleavedPow2AddrGenFast<DRAM>{.bank_base_address = base_addr,
                                                .log_base_2_of_page_size = __builtin_ctz(page_size)};
    } else {
        return InterleavedPow2AddrGen<DRAM>{.bank_base_address = base_addr,
                                            .log_base_2_of_page_size = __builtin_ctz(page_size)};
    }
}
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t page_size, uint32_t log2_page_size) {
    if constexpr (is_size_pow2) {
        return InterleavedPow2AddrGen<DRAM>{.bank_base_address = base_addr, .log_base_2_of_page_size = log2_page_size};
    } else {
        return InterleavedAddrGen<DRAM>{.bank_base_address = base_addr, .page_size = page_size};
    }
}
template <bool DRAM, bool is_size_pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base_addr, uint32_t size) {
    return get_interleaved_addr_gen<DRAM, is_size_pow2>(base_addr, size, size);
}

namespace ts {
template <class T>
concept AddressGenerator = requires(const T& generator) { generator.get_noc_addr(0u, 0u, uint8_t{0}); };

template <AddressGenerator T>
FORCE_INLINE uint32_t page_size_of(const T& generator) {
    if constexpr (requires { generator.get_aligned_page_size(); }) {
        return generator.get_aligned_page_size();
    } else if constexpr (requires { generator.page_size; }) {
        return generator.page_size;
    } else {
        return 1u << generator.log_base_2_of_page_size;
    }
}
}  // namespace ts

template <typename AddrGen>
inline constexpr bool has_get_noc_addr_v = ts::AddressGenerator<AddrGen>;
template <typename AddrGen>
inline constexpr bool has_required_addrgen_traits_v = ts::AddressGenerator<AddrGen>;

template <typename T>
inline constexpr bool has_page_size_v = requires(const T& generator) { generator.page_size; };
template <typename T>
inline constexpr bool has_get_aligned_page_size_v = requires(const T& generator) { generator.get_aligned_page_size(); };
template <typename T>
inline constexpr bool has_log_base_2_of_page_size_v =
    requires(const T& generator) { generator.log_base_2_of_page_size; };

template <ts::AddressGenerator AddrGen>
FORCE_INLINE uint64_t get_noc_addr(uint32_t id, const AddrGen& addrgen, uint32_t offset = 0, uint8_t noc = noc_index) {
    return addrgen.get_noc_addr(id, offset, noc);
}
