// Noc: transfers between endpoints. What an endpoint is and how it is addressed is told by its noc_traits_t.
#pragma once
#include "api/dataflow/dataflow_api.h"

template <typename T>
struct noc_traits_t {
    static_assert(sizeof(T) == 0, "this type is no endpoint of a NoC transfer");
};
template <typename T>
inline constexpr bool noc_zero_l1_endpoint_v = false;

struct DataflowBufferArgs {
    uint32_t offset_bytes{};
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1u << 0,
    POSTED = 1u << 1,
    CUSTOM_VC = 1u << 2,
    MCAST_INCL_SRC = 1u << 3,
    INLINE_L1 = 1u << 4,
    INLINE_REG = 1u << 5,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept {
    return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_flag(NocOptions opts, NocOptions flag) noexcept {
    return (static_cast<uint32_t>(opts) & static_cast<uint32_t>(flag)) != 0;
}
struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

class Noc {
public:
    enum class AddressType { NOC, LOCAL_L1 };
    static constexpr uint32_t INVALID_TXN_ID = 0xFFFFFFFF;

private:
    template <typename T>
    using src_args_t = typename noc_traits_t<T>::src_args_type;
    template <typename T>
    using dst_args_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T>
    using dst_args_mcast_t = typename noc_traits_t<T>::dst_args_mcast_type;

    template <typename T>
    uint32_t local_source(const T& src, const src_args_t<T>& args) const {
        return static_cast<uint32_t>(noc_traits_t<T>::template src_addr<AddressType::LOCAL_L1>(src, *this, args));
    }
    template <typename T>
    uint64_t remote_source(const T& src, const src_args_t<T>& args) const {
        return noc_traits_t<T>::template src_addr<AddressType::NOC>(src, *this, args);
    }
    template <typename T>
    uint32_t local_destination(const T& dst, const dst_args_t<T>& args) const {
        return static_cast<uint32_t>(noc_traits_t<T>::template dst_addr<AddressType::LOCAL_L1>(dst, *this, args));
    }
    template <typename T>
    uint64_t remote_destination(const T& dst, const dst_args_t<T>& args) const {
        return noc_traits_t<T>::template dst_addr<AddressType::NOC>(dst, *this, args);
    }
    template <NocOptions opts>
    static constexpr uint32_t vc_of(const NocOptVals& values) {
        return has_flag(opts, NocOptions::CUSTOM_VC) ? values.vc : NOC_UNICAST_WRITE_VC;
    }
    template <NocOptions opts>
    static constexpr uint32_t trid_or_any(const NocOptVals& values) {
        return has_flag(opts, NocOptions::TXN_ID) ? values.trid : ts::any_trid;
    }
    static constexpr uint32_t one_packet = NOC_MAX_BURST_SIZE;

public:
    Noc() : noc_id_(noc_index) {}
    explicit Noc(uint8_t noc_id) : noc_id_(noc_id) {}
    uint8_t get_noc_id() const { return noc_id_; }
    bool is_local_bank(uint32_t virtual_x, uint32_t virtual_y) const {
        return noc_address_backend::is_local_coordinate(virtual_x, virtual_y, noc_id_);
    }
    bool is_local_addr(uint64_t noc_addr) const { return noc_address_backend::is_local(noc_addr, noc_id_); }

    // ---- reads ----
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_read(const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
                    const dst_args_t<Dst>& dst_args, const NocOptVals& noc_opts = {}, TS_AT) const {
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) noc_async_read_set_trid(noc_opts.trid, noc_id_);
        ts_noc_read(remote_source(src, src_args), local_destination(dst, dst_args), size_bytes, noc_id_,
                    ts_noc_state(noc_id_)->read_trid, ts::noc_by_object | ts::packet_flag(max_page_size <= one_packet),
                    at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
    void set_async_read_state(const Src& src, uint32_t size_bytes, const src_args_t<Src>& src_args,
                              const NocOptVals& noc_opts = {}) const {
        noc_async_read_one_packet_set_state(remote_source(src, src_args), size_bytes, noc_opts.vc, noc_id_);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) noc_async_read_set_trid(noc_opts.trid, noc_id_);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    void async_read_with_state(const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
                               const dst_args_t<Dst>& dst_args, const NocOptVals& noc_opts = {}, TS_AT) const {
        const uint32_t source = static_cast<uint32_t>(remote_source(src, src_args));
        const uint32_t destination = local_destination(dst, dst_args);
        if constexpr (has_flag(opts, NocOptions::TXN_ID)) {
            noc_async_read_one_packet_with_state_with_trid(0, source, destination, noc_opts.trid, noc_id_, at);
        } else if constexpr (max_page_size <= one_packet) {
            noc_async_read_one_packet_with_state(source, destination, noc_opts.vc, noc_id_, at);
        } else {
            noc_async_read_with_state(source, destination, size_bytes, noc_id_, at);
        }
    }

    // ---- writes ----
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_write(const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
                     const dst_args_t<Dst>& dst_args, const NocOptVals& noc_opts = {}, TS_AT) const {
        const uint32_t trid = has_flag(opts, NocOptions::TXN_ID) ? noc_opts.trid : ts_noc_state(noc_id_)->write_trid;
        ts_noc_write(local_source(src, src_args), remote_destination(dst, dst_args), size_bytes, noc_id_,
                     vc_of<opts>(noc_opts), trid,
                     ts::posted_flag(has_flag(opts, NocOptions::POSTED)) | ts::noc_by_object |
                         ts::packet_flag(max_page_size <= one_packet),
                     at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1,
              bool enable_noc_tracing = true, typename Src, typename Dst>
    void async_write_multicast(const Src& src, const Dst& dst, uint32_t size_bytes, uint32_t num_dsts,
                               const src_args_t<Src>& src_args, const dst_args_mcast_t<Dst>& dst_args,
                               bool linked = false, TS_AT) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID) && !has_flag(opts, NocOptions::POSTED),
                      "a multicast has no transaction id and is never posted");
        const uint64_t rectangle = noc_traits_t<Dst>::template dst_addr_mcast<AddressType::NOC>(dst, *this, dst_args);
        const uint32_t self = has_flag(opts, NocOptions::MCAST_INCL_SRC) ? ts::noc_include_self : 0;
        ts_noc_write_multicast(
            local_source(src, src_args), rectangle, size_bytes, num_dsts, noc_id_,
            ts::linked_flag(linked) | self | ts::noc_by_object | ts::packet_flag(max_page_size <= one_packet), at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Dst>
    void set_async_write_state(const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& dst_args,
                               const NocOptVals& noc_opts = {}) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "a write with state has no transaction id");
        noc_async_write_one_packet_set_state(remote_destination(dst, dst_args), size_bytes, noc_id_, noc_opts.vc);
    }
    template <NocOptions opts = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src,
              typename Dst>
    void async_write_with_state(const Src& src, const Dst& dst, uint32_t size_bytes, const src_args_t<Src>& src_args,
                                const dst_args_t<Dst>& dst_args, const NocOptVals& = {}, TS_AT) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "a write with state has no transaction id");
        constexpr bool posted = has_flag(opts, NocOptions::POSTED);
        const uint32_t source = local_source(src, src_args);
        const uint32_t destination = static_cast<uint32_t>(remote_destination(dst, dst_args));
        if constexpr (max_page_size <= one_packet) {
            noc_async_write_one_packet_with_state<posted>(source, destination, noc_id_, at);
        } else {
            noc_async_write_with_state<posted>(source, destination, size_bytes, noc_id_, at);
        }
    }
    template <NocOptions opts = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(const Dst& dst, uint32_t val, const dst_args_t<Dst>& dst_args, uint8_t be = 0xF,
                         const NocOptVals& = {}, TS_AT) const {
        static_assert(!has_flag(opts, NocOptions::TXN_ID), "an inline write has no transaction id");
        const uint32_t flags = ts::posted_flag(has_flag(opts, NocOptions::POSTED));
        ts_noc_write_inline(remote_destination(dst, dst_args), val, be, noc_id_, flags, at);
    }

    // ---- zeros: copied from the core's own block of them, in pieces of its size ----
    template <typename Dst>
    void async_write_zeros(const Dst& dst, uint32_t size_bytes, const dst_args_t<Dst>& args = {}, TS_AT) const {
        static_assert(noc_zero_l1_endpoint_v<Dst>, "only this core's L1 can be zeroed without a scratch buffer");
        uint32_t destination = local_destination(dst, args);
        while (size_bytes > 0) {
            const uint32_t piece = ts::smaller(size_bytes, MEM_ZEROS_SIZE);
            noc_async_read(::get_noc_addr(MEM_ZEROS_BASE, noc_id_), destination, piece, noc_id_, NOC_UNICAST_WRITE_VC,
                           at);
            destination += piece;
            size_bytes -= piece;
        }
    }
    // The scratch buffer already holds zeros for the longest packet.
    template <typename DSpecT, typename Scratch>
    void async_write_zeros(const ::TensorAccessor<DSpecT>& accessor, uint32_t size_bytes,
                           const dst_args_t<::TensorAccessor<DSpecT>>& args, const Scratch& scratch, TS_AT) const {
        uint64_t destination = accessor.get_noc_addr(args.page_id, args.offset_bytes, noc_id_);
        const uint32_t zeros = local_source(scratch, {});
        while (size_bytes > 0) {
            const uint32_t piece = ts::smaller(size_bytes, NOC_MAX_BURST_SIZE);
            noc_async_write(zeros, destination, piece, noc_id_, NOC_UNICAST_WRITE_VC, at);
            destination += piece;
            size_bytes -= piece;
        }
    }
    void write_zeros_l1_barrier(TS_AT) const { noc_async_read_barrier(noc_id_, at); }
    void write_zeros_dram_barrier(TS_AT) const { noc_async_write_barrier(noc_id_, at); }

    // ---- waiting ----
    bool is_read_trid_flushed(uint32_t trid) const { return ts_noc_reads_done(noc_id_, trid); }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals& noc_opts = {}, TS_AT) const {
        ts_noc_read_barrier(noc_id_, trid_or_any<opts>(noc_opts), at);
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals& noc_opts = {}, TS_AT) const {
        ts_noc_write_barrier(noc_id_, trid_or_any<opts>(noc_opts), at);
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals& noc_opts = {}, TS_AT) const {
        ts_noc_writes_flushed(noc_id_, trid_or_any<opts>(noc_opts), has_flag(opts, NocOptions::POSTED), at);
    }
    void async_atomic_barrier(TS_AT) const { noc_async_atomic_barrier(noc_id_, at); }
    void async_full_barrier(TS_AT) const { noc_async_full_barrier(noc_id_, at); }

private:
    uint8_t noc_id_;
};

#include "api/dataflow/endpoints.h"
#include "api/tensor/noc_traits.h"
