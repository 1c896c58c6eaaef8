// DataflowBuffer: the second generation's name for a circular buffer.
#pragma once
#include "api/core_local_mem.h"
#include "api/dataflow/dfb_binding_token.h"
#include "api/lock.h"
#ifdef COMPILE_FOR_TRISC
#include "ts/compute_cb_values.h"
#else
#include "ts/dataflow/local_endpoint.h"
#endif

template <bool IsWrite, typename ReleaseFunc>
class DfbScopedLock : public Lock<ReleaseFunc> {
public:
    DfbScopedLock(uint32_t pointer, ReleaseFunc release) : Lock<ReleaseFunc>(release), pointer_(pointer) {}
    template <typename T = uint32_t>
    CoreLocalMem<std::conditional_t<IsWrite, T, const T>> get_ptr() const {
        return {static_cast<uintptr_t>(pointer_)};
    }

private:
    uint32_t pointer_;
};

struct DfbNoRelease {
    void operator()() const {}
};

class DataflowBuffer {
public:
    constexpr DataflowBuffer(uint16_t logical_dfb_id) : id_(logical_dfb_id) {}
    template <dfb::AccessPattern Pap, dfb::AccessPattern Cap>
    constexpr DataflowBuffer(DFBBindingToken<Pap, Cap> token) : id_(static_cast<uint16_t>(token)) {}
    constexpr uint16_t get_id() const { return id_; }

    void reserve_back(uint16_t num_entries, TS_AT) const { ts::reserve_back(id_, num_entries, at); }
    void push_back(uint16_t num_entries, TS_AT) const { ts::push_back(id_, num_entries, at); }
    void wait_front(uint16_t num_entries, TS_AT) const { ts::wait_front(id_, num_entries, at); }
    void pop_front(uint16_t num_entries, TS_AT) const { ts::pop_front(id_, num_entries, at); }
    void finish() const {}

    uint32_t get_entry_size() const { return fifo().fifo_page_size << cb_addr_shift; }
    uint32_t get_stride_size() const { return get_entry_size(); }
    uint32_t get_total_size_bytes() const { return fifo().fifo_size << cb_addr_shift; }
    uint32_t get_total_num_entries() const { return get_total_size_bytes() / get_entry_size(); }
    uint32_t get_local_num_entries() const { return get_total_num_entries(); }
    uint32_t get_local_size_bytes() const { return get_total_size_bytes(); }
    uint32_t get_ring_span_bytes() const { return get_total_size_bytes(); }
    uint32_t get_ring_span_num_entries() const { return get_total_num_entries(); }
    uint16_t get_producer_share() const { return 1; }
    uint16_t get_consumer_share() const { return 1; }
    uint16_t get_producer_stride_tiles() const { return 1; }
    uint16_t get_consumer_stride_tiles() const { return 1; }

    constexpr uint32_t get_tile_size() const { return ts::cb_tile_size(id_); }
    constexpr uint32_t get_tile_r_dim() const { return ts::cb_tile_rows(id_); }
    constexpr uint32_t get_tile_c_dim() const { return ts::cb_tile_cols(id_); }
    constexpr uint32_t get_tile_hw() const { return get_tile_r_dim() * get_tile_c_dim(); }
    constexpr uint32_t get_tile_num_faces() const { return unpack_tile_num_faces[id_]; }
    constexpr uint32_t get_face_r_dim() const { return unpack_tile_face_r_dim[id_]; }
    constexpr uint32_t get_partial_face() const { return unpack_partial_face[id_]; }
    constexpr uint32_t get_narrow_tile() const { return unpack_narrow_tile[id_]; }
    constexpr uint32_t get_num_faces_r_dim() const { return unpack_num_faces_r_dim[id_]; }
    constexpr uint32_t get_num_faces_c_dim() const { return unpack_num_faces_c_dim[id_]; }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(id_); }
    constexpr DataFormat get_unpack_dst_format() const { return ::get_dataformat(id_); }
    constexpr DataFormat get_pack_src_format() const { return ::get_dataformat(id_); }
    constexpr DataFormat get_pack_dst_format() const { return ::get_dataformat(id_); }

    void evil_set_write_ptr(uint32_t addr) const { fifo().fifo_wr_ptr = addr; }
    void evil_set_read_ptr(uint32_t addr) const { fifo().fifo_rd_ptr = addr; }

#ifdef COMPILE_FOR_TRISC
    uint32_t get_write_ptr() const { return fifo().fifo_wr_ptr; }
    uint32_t get_read_ptr() const { return fifo().fifo_rd_ptr; }
    uint32_t get_tile_address(uint32_t tile_index, TS_AT) const { return ts::front_tile_address(id_, tile_index, at); }
    template <typename T = uint32_t>
    T read_tile_value(uint32_t tile_index, uint32_t element_offset, TS_AT) const {
        return ts::front_tile_value<T>(id_, tile_index, element_offset, at);
    }
#else
    uint32_t get_write_ptr(TS_AT) const { return ts_cb_write_ptr(id_, at); }
    uint32_t get_read_ptr(TS_AT) const { return ts_cb_read_ptr(id_, at); }
    bool pages_reservable_at_back(int32_t num_pages, TS_AT) const {
        return ts_cb_pages_reservable_at_back(id_, num_pages, at);
    }
    bool pages_available_at_front(int32_t num_pages, TS_AT) const {
        return ts_cb_pages_available_at_front(id_, num_pages, at);
    }
    void write_barrier(const Noc& noc, TS_AT) const { noc.async_write_barrier({}, at); }
#endif
    [[nodiscard]] DfbScopedLock<true, DfbNoRelease> scoped_write_lock([[maybe_unused]] uint16_t num_entries = 1) const {
        return {get_write_ptr() << cb_addr_shift, {}};
    }
    [[nodiscard]] DfbScopedLock<false, DfbNoRelease> scoped_read_lock([[maybe_unused]] uint16_t num_entries = 1) const {
        return {get_read_ptr() << cb_addr_shift, {}};
    }

private:
    LocalCBInterface& fifo() const { return get_local_cb_interface(id_); }
    uint16_t id_;
};

#ifndef COMPILE_FOR_TRISC
template <>
struct noc_traits_t<DataflowBuffer> : ts::LocalEndpoint<DataflowBuffer, noc_traits_t<DataflowBuffer>> {
    static uint32_t source(const DataflowBuffer& buffer) { return buffer.get_read_ptr(); }
    static uint32_t destination(const DataflowBuffer& buffer) { return buffer.get_write_ptr(); }
};
template <>
inline constexpr bool noc_zero_l1_endpoint_v<DataflowBuffer> = true;
#endif
