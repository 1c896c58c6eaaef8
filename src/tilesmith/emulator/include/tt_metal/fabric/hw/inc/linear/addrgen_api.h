// Packets to a page of a tensor: its address is the same function of the page on every chip.
#pragma once
#include "tt_metal/fabric/hw/inc/tt_fabric_api.h"

#define FABRIC_MAX_PACKET_SIZE (tt::tt_fabric::get_fabric_max_packet_size())

namespace tt::tt_fabric::linear {

namespace addrgen_detail {
template <class Tensor>
FORCE_INLINE uint32_t get_page_size(const Tensor& tensor) {
    if constexpr (requires { tensor.aligned_page_size; }) return tensor.aligned_page_size;
    else if constexpr (requires { tensor.CONSTANT_ARGS.page_size_jump; }) return tensor.CONSTANT_ARGS.page_size_jump;
    else return tensor.page_size;
}
template <class Tensor>
FORCE_INLINE uint64_t get_noc_address(const Tensor& tensor, uint32_t id, uint32_t offset = 0) {
    return tensor.get_noc_addr(id, offset);
}
}  // namespace addrgen_detail

template <class Tensor>
FORCE_INLINE void to_noc_unicast_write(uint32_t size, volatile PACKET_HEADER_TYPE* header, uint32_t id,
                                       const Tensor& tensor, uint32_t offset = 0) {
    header->to_noc_unicast_write(NocUnicastCommandHeader{addrgen_detail::get_noc_address(tensor, id, offset)}, size);
}
template <class Tensor>
FORCE_INLINE void to_noc_unicast_write(volatile PACKET_HEADER_TYPE* header, uint32_t id, const Tensor& tensor,
                                       uint32_t offset = 0) {
    to_noc_unicast_write(addrgen_detail::get_page_size(tensor), header, id, tensor, offset);
}

template <class Tensor>
FORCE_INLINE void to_noc_fused_unicast_write_atomic_inc(uint32_t size, volatile PACKET_HEADER_TYPE* header,
                                                        const NocUnicastAtomicIncCommandHeader& inc, uint32_t id,
                                                        const Tensor& tensor, uint32_t offset = 0) {
    const uint64_t address = addrgen_detail::get_noc_address(tensor, id, offset);
    header->to_noc_fused_unicast_write_atomic_inc({address, inc.noc_address, inc.val, inc.flush}, size);
}
template <class Tensor>
FORCE_INLINE void to_noc_fused_unicast_write_atomic_inc(volatile PACKET_HEADER_TYPE* header,
                                                        const NocUnicastAtomicIncCommandHeader& inc, uint32_t id,
                                                        const Tensor& tensor, uint32_t offset = 0) {
    to_noc_fused_unicast_write_atomic_inc(addrgen_detail::get_page_size(tensor), header, inc, id, tensor, offset);
}

template <class Tensor>
FORCE_INLINE void to_noc_unicast_scatter_write(uint32_t size, volatile PACKET_HEADER_TYPE* header, uint32_t first,
                                               uint32_t second, const Tensor& tensor, uint32_t first_offset = 0,
                                               uint32_t second_offset = 0) {
    const uint64_t addresses[] = {addrgen_detail::get_noc_address(tensor, first, first_offset),
                                  addrgen_detail::get_noc_address(tensor, second, second_offset)};
    const uint16_t sizes[] = {static_cast<uint16_t>(size)};
    header->to_noc_unicast_scatter_write(NocUnicastScatterCommandHeader(addresses, sizes, 2), 2 * size);
}
template <class Tensor>
FORCE_INLINE void to_noc_unicast_scatter_write(volatile PACKET_HEADER_TYPE* header, uint32_t first, uint32_t second,
                                               const Tensor& tensor, uint32_t first_offset = 0,
                                               uint32_t second_offset = 0) {
    to_noc_unicast_scatter_write(addrgen_detail::get_page_size(tensor), header, first, second, tensor, first_offset,
                                 second_offset);
}

template <class Tensor>
FORCE_INLINE void to_noc_sparse_mcast_write(uint32_t size, volatile PACKET_HEADER_TYPE* header, const uint32_t* ids,
                                            uint8_t num_dests, const uint8_t* counts, uint8_t num_chips,
                                            const Tensor& tensor, uint32_t offset = 0) {
    NocSparseMulticastWriteCommandHeader command{};
    for (uint32_t i = 0; i < num_dests; ++i)
        command.noc_address[i] = addrgen_detail::get_noc_address(tensor, ids[i], offset);
    for (uint32_t i = 0; i < num_chips; ++i) command.counts[i] = counts[i];
    command.num_dests = num_dests;
    command.num_chips = num_chips;
    header->to_noc_sparse_mcast_write(command, size);
}

}  // namespace tt::tt_fabric::linear

namespace tt::tt_fabric {
namespace addrgen_detail = linear::addrgen_detail;
}
