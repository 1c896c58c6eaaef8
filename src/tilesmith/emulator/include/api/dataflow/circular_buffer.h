// CircularBuffer: a circular buffer as an object, and as an endpoint of NoC transfers.
#pragma once
#include "api/lock.h"
#ifdef COMPILE_FOR_TRISC
#include "ts/compute_cb_values.h"
#else
#include "ts/dataflow/local_endpoint.h"
#endif

class CircularBuffer {
public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };

    constexpr explicit CircularBuffer(uint32_t cb_id) : cb_id_(cb_id) {}
    constexpr uint32_t get_cb_id() const { return cb_id_; }

    void reserve_back(int32_t num_pages, TS_AT) const { ts::reserve_back(cb_id_, num_pages, at); }
    void push_back(int32_t num_pages, TS_AT) const { ts::push_back(cb_id_, num_pages, at); }
    void wait_front(int32_t num_pages, TS_AT) const { ts::wait_front(cb_id_, num_pages, at); }
    void pop_front(int32_t num_pages, TS_AT) const { ts::pop_front(cb_id_, num_pages, at); }

    constexpr uint32_t get_tile_size() const { return ::get_tile_size(cb_id_); }
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(cb_id_); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(cb_id_); }

#ifdef COMPILE_FOR_TRISC
    uint32_t get_tile_address(uint32_t tile_index, TS_AT) const {
        return ts::front_tile_address(cb_id_, tile_index, at);
    }
    uint32_t read_tile_value(uint32_t tile_index, uint32_t element_offset, TS_AT) const {
        return ts::front_tile_value<uint32_t>(cb_id_, tile_index, element_offset, at);
    }
    uint32_t get_write_ptr() const { return get_local_cb_interface(cb_id_).fifo_wr_ptr; }
    uint32_t get_read_ptr() const { return get_local_cb_interface(cb_id_).fifo_rd_ptr; }
#else
    bool pages_reservable_at_back(int32_t num_pages, TS_AT) const {
        return ts_cb_pages_reservable_at_back(cb_id_, num_pages, at);
    }
    bool pages_available_at_front(int32_t num_pages, TS_AT) const {
        return ts_cb_pages_available_at_front(cb_id_, num_pages, at);
    }
    uint32_t get_write_ptr(TS_AT) const { return ts_cb_write_ptr(cb_id_, at); }
    uint32_t get_read_ptr(TS_AT) const { return ts_cb_read_ptr(cb_id_, at); }
#endif
    [[nodiscard]] auto scoped_lock() const {
        return Lock([] {});
    }

private:
    uint32_t cb_id_;
};

#ifndef COMPILE_FOR_TRISC
template <CircularBuffer::AddrSelector AddrSel>
struct CircularBufferView {
    const CircularBuffer& cb;
    explicit constexpr CircularBufferView(const CircularBuffer& cb) : cb(cb) {}
};

template <CircularBuffer::AddrSelector AddrSel>
constexpr auto use(const CircularBuffer& cb) {
    return CircularBufferView<AddrSel>(cb);
}

template <>
struct noc_traits_t<CircularBuffer> : ts::LocalEndpoint<CircularBuffer, noc_traits_t<CircularBuffer>> {
    static uint32_t source(const CircularBuffer& cb) { return cb.get_read_ptr(); }
    static uint32_t destination(const CircularBuffer& cb) { return cb.get_write_ptr(); }
};
template <CircularBuffer::AddrSelector AddrSel>
struct noc_traits_t<CircularBufferView<AddrSel>>
    : ts::LocalEndpoint<CircularBufferView<AddrSel>, noc_traits_t<CircularBufferView<AddrSel>>> {
    static uint32_t source(const CircularBufferView<AddrSel>& view) {
        return AddrSel == CircularBuffer::AddrSelector::READ_PTR ? view.cb.get_read_ptr() : view.cb.get_write_ptr();
    }
    static uint32_t destination(const CircularBufferView<AddrSel>& view) { return source(view); }
};
template <>
inline constexpr bool noc_zero_l1_endpoint_v<CircularBuffer> = true;
template <CircularBuffer::AddrSelector AddrSel>
inline constexpr bool noc_zero_l1_endpoint_v<CircularBufferView<AddrSel>> = true;
#endif
