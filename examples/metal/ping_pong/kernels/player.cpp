// Two cores hit a ball, a small array in L1, back and forth. Each hit adds one to every word of it.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

void kernel_main() {
    const uint32_t peer_x = get_arg_val<uint32_t>(0);
    const uint32_t peer_y = get_arg_val<uint32_t>(1);
    const uint32_t serves = get_arg_val<uint32_t>(2);
    const uint32_t hits = get_arg_val<uint32_t>(3);
    const uint32_t words = get_arg_val<uint32_t>(4);
    const uint32_t out_address = get_arg_val<uint32_t>(5);
    const uint32_t out_page = get_arg_val<uint32_t>(6);
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t ready = get_semaphore(get_compile_time_arg_val(1));
    const uint32_t turn = get_semaphore(get_compile_time_arg_val(2));
    constexpr auto accessor_args = TensorAccessorArgs<3>();

    cb_reserve_back(cb, 1);
    const uint32_t ball_address = get_write_ptr(cb);
    volatile tt_l1_ptr uint32_t* ball = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ball_address);
    for (uint32_t i = 0; i < words; ++i) {
        ball[i] = 0;
    }
    if (serves) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready), 1);
    } else {
        noc_semaphore_inc(get_noc_addr(peer_x, peer_y, ready), 1);
    }

    uint32_t received = 0;
    bool mine = serves;
    for (uint32_t hit = 0; hit < hits; ++hit) {
        if (mine) {
            for (uint32_t i = 0; i < words; ++i) {
                ball[i] = ball[i] + 1;
            }
            noc_async_write(ball_address, get_noc_addr(peer_x, peer_y, ball_address), words * sizeof(uint32_t));
            noc_async_write_barrier();
            noc_semaphore_inc(get_noc_addr(peer_x, peer_y, turn), 1);
        } else {
            ++received;
            noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(turn), received);
        }
        mine = !mine;
    }
    noc_async_atomic_barrier();

    if (mine) {
        const auto out = TensorAccessor(accessor_args, out_address);
        noc_async_write(ball_address, out.get_noc_addr(out_page), words * sizeof(uint32_t));
        noc_async_write_barrier();
    }
}
