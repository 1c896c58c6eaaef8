// Semaphore: a program's semaphore as an object.
#pragma once
#include "api/dataflow/noc.h"
#include "api/dataflow/semaphore_binding_token.h"

template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX>
class Semaphore {
    template <ProgrammableCoreType>
    friend class Semaphore;

public:
    explicit Semaphore(uint32_t semaphore_id, TS_AT) : address_(ts_semaphore_address(semaphore_id, at)) {}

    explicit Semaphore(SemaphoreBindingToken token, TS_AT) : Semaphore(token.id, at) {}

    void set(uint32_t value, TS_AT) const { ts_semaphore_set(address_, value, at); }
    uint32_t value(TS_AT) const { return ts_semaphore_get(address_, at); }
    void wait(uint32_t value, TS_AT) const { ts_semaphore_wait(address_, value, false, at); }
    void wait_min(uint32_t value, TS_AT) const { ts_semaphore_wait(address_, value, true, at); }
    void up(uint32_t value, TS_AT) const { ts_semaphore_set(address_, ts_semaphore_get(address_, at) + value, at); }
    void down(uint32_t value, TS_AT) const {
        ts_semaphore_wait(address_, value, true, at);
        ts_semaphore_set(address_, ts_semaphore_get(address_, at) - value, at);
    }

    // ---- on other cores ----
    void up(const Noc& noc, uint32_t noc_x, uint32_t noc_y, uint32_t value, uint8_t vc = NOC_UNICAST_WRITE_VC,
            TS_AT) const {
        noc_semaphore_inc(::get_noc_addr(noc_x, noc_y, address_, noc.get_noc_id()), value, noc.get_noc_id(), vc, at);
    }
    template <ProgrammableCoreType dst_core_type = core_type>
    void relay_unicast(const Noc& noc, const Semaphore<dst_core_type>& dst_sem, uint32_t noc_x, uint32_t noc_y,
                       TS_AT) const {
        const uint64_t destination = ::get_noc_addr(noc_x, noc_y, dst_sem.address_, noc.get_noc_id());
        noc_semaphore_set_remote(address_, destination, noc.get_noc_id(), at);
    }
    template <NocOptions opts = NocOptions::DEFAULT>
    void set_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                       uint32_t noc_y_end, uint32_t num_dests, bool linked = false, TS_AT) const {
        relay_multicast<opts>(noc, *this, noc_x_start, noc_y_start, noc_x_end, noc_y_end, num_dests, linked, at);
    }
    template <NocOptions opts = NocOptions::DEFAULT, ProgrammableCoreType dst_core_type = core_type>
    void relay_multicast(const Noc& noc, const Semaphore<dst_core_type>& dst_sem, uint32_t noc_x_start,
                         uint32_t noc_y_start, uint32_t noc_x_end, uint32_t noc_y_end, uint32_t num_dests,
                         bool linked = false, TS_AT) const {
        const uint64_t rectangle = ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end,
                                                            dst_sem.address_, noc.get_noc_id());
        if constexpr (has_flag(opts, NocOptions::MCAST_INCL_SRC)) {
            noc_semaphore_set_multicast_loopback_src(address_, rectangle, num_dests, linked, noc.get_noc_id(), at);
        } else {
            noc_semaphore_set_multicast(address_, rectangle, num_dests, linked, noc.get_noc_id(),
                                        NOC_MULTICAST_WRITE_VC, at);
        }
    }
    void inc_multicast(const Noc& noc, uint32_t noc_x_start, uint32_t noc_y_start, uint32_t noc_x_end,
                       uint32_t noc_y_end, uint32_t value, uint32_t num_dests, TS_AT) const {
        const uint64_t rectangle =
            ::get_noc_multicast_addr(noc_x_start, noc_y_start, noc_x_end, noc_y_end, address_, noc.get_noc_id());
        noc_semaphore_inc_multicast(rectangle, value, num_dests, noc.get_noc_id(), NOC_MULTICAST_WRITE_VC, at);
    }

private:
    uint32_t address_;
};
