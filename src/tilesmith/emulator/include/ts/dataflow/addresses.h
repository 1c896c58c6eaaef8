// NoC addresses: y << 42 | x << 36 | local, multicast rectangles with their first corner above that.
#pragma once
#include "ts/dataflow/identity.h"

#define NOC_ADDR_LOCAL_BITS 36
#define NOC_ADDR_NODE_ID_BITS 6
#define NOC_ADDR_COORD_SHIFT 36
#define NOC_NODE_ID_MASK ((uint64_t{1} << NOC_ADDR_NODE_ID_BITS) - 1)
#define NOC_LOCAL_ADDR_MASK ((uint64_t{1} << NOC_ADDR_LOCAL_BITS) - 1)
#define NOC_LOCAL_ADDR_OFFSET(addr) ((addr) & NOC_LOCAL_ADDR_MASK)
#define NOC_LOCAL_ADDR(addr) NOC_LOCAL_ADDR_OFFSET(addr)
#define NOC_UNICAST_ADDR_X(addr) (((addr) >> 36) & NOC_NODE_ID_MASK)
#define NOC_UNICAST_ADDR_Y(addr) (((addr) >> 42) & NOC_NODE_ID_MASK)
#define NOC_MCAST_ADDR_END_X(addr) (((addr) >> 36) & NOC_NODE_ID_MASK)
#define NOC_MCAST_ADDR_END_Y(addr) (((addr) >> 42) & NOC_NODE_ID_MASK)
#define NOC_MCAST_ADDR_START_X(addr) (((addr) >> 48) & NOC_NODE_ID_MASK)
#define NOC_MCAST_ADDR_START_Y(addr) (((addr) >> 54) & NOC_NODE_ID_MASK)
#define NOC_XY_ADDR(x, y, addr) \
    ((static_cast<uint64_t>(y) << 42) | (static_cast<uint64_t>(x) << 36) | static_cast<uint64_t>(addr))
#define NOC_MULTICAST_ADDR(x_start, y_start, x_end, y_end, addr) \
    ((static_cast<uint64_t>(x_start) << 48) | (static_cast<uint64_t>(y_start) << 54) | NOC_XY_ADDR(x_end, y_end, addr))
#define NOC_XY_ENCODING(x, y) ((static_cast<uint32_t>(y) << 6) | static_cast<uint32_t>(x))
#define DYNAMIC_NOC_X(noc, x) (x)
#define DYNAMIC_NOC_Y(noc, y) (y)
#define NOC_X(x) (x)
#define NOC_Y(y) (y)

constexpr uint32_t align_power_of_2(uint32_t value, uint32_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}
constexpr uint32_t align(uint32_t value, uint32_t alignment) { return (value + alignment - 1) / alignment * alignment; }
constexpr bool is_power_of_2(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

FORCE_INLINE uint64_t get_noc_addr(uint32_t noc_x, uint32_t noc_y, uint32_t addr, uint8_t noc = noc_index) {
    return NOC_XY_ADDR(DYNAMIC_NOC_X(noc, noc_x), DYNAMIC_NOC_Y(noc, noc_y), addr);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t addr, uint8_t noc = noc_index) {
    return NOC_XY_ADDR(my_x[noc], my_y[noc], addr);
}
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t noc_xy, uint32_t addr) {
    return (static_cast<uint64_t>(noc_xy) << NOC_ADDR_COORD_SHIFT) | addr;
}
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                                             uint32_t noc_y_end, uint32_t addr,
                                             [[maybe_unused]] uint8_t noc = noc_index) {
    return NOC_MULTICAST_ADDR(noc_x_start, noc_y_start, noc_x_end, noc_y_end, addr);
}
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank_id, uint32_t bank_address_offset,
                                                uint8_t noc = noc_index) {
    return ts_bank_noc_addr(DRAM, bank_id, bank_address_offset, noc);
}

// Bank tables, read as arrays by kernels that compose addresses themselves.
namespace ts {
template <bool DRAM>
struct BankToNocXy {
    struct Row {
        uint32_t noc;
        uint16_t operator[](uint32_t bank) const {
            return static_cast<uint16_t>(ts_bank_noc_addr(DRAM, bank, 0, noc) >> NOC_ADDR_COORD_SHIFT);
        }
    };
    Row operator[](uint32_t noc) const { return {noc}; }
};
template <bool DRAM>
struct BankToOffset {
    int32_t operator[](uint32_t bank) const { return static_cast<int32_t>(ts_bank_noc_addr(DRAM, bank, 0, 0)); }
};
}  // namespace ts
inline constexpr ts::BankToNocXy<true> dram_bank_to_noc_xy;
inline constexpr ts::BankToNocXy<false> l1_bank_to_noc_xy;
inline constexpr ts::BankToOffset<true> bank_to_dram_offset;
inline constexpr ts::BankToOffset<false> bank_to_l1_offset;

namespace noc_address_backend {
FORCE_INLINE uint64_t worker_address(uint32_t x, uint32_t y, uint32_t local, uint8_t noc) {
    return get_noc_addr(x, y, local, noc);
}
FORCE_INLINE uint32_t extract_local_address(uint64_t address) { return static_cast<uint32_t>(address); }
FORCE_INLINE bool is_local_coordinate(uint32_t x, uint32_t y, uint8_t noc) { return x == my_x[noc] && y == my_y[noc]; }
FORCE_INLINE bool is_local(uint64_t address, uint8_t noc) {
    return is_local_coordinate(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address), noc);
}
}  // namespace noc_address_backend

namespace ts {
constexpr uint32_t packet_flag(bool one_packet) { return one_packet ? noc_one_packet : 0; }
// The coordinates of one address with the local part of another, as the command buffers of the chip combine them.
constexpr uint64_t with_local(uint64_t address, uint32_t local) { return (address & ~uint64_t{0xFFFFFFFF}) | local; }
}  // namespace ts
