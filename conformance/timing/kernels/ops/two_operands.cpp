// Blocks of both operands of a product, which lie in L1 already.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0), tiles = get_arg_val<uint32_t>(1);
    for (uint32_t i = 0; i < blocks; ++i) {
        cb_reserve_back(0, tiles), cb_push_back(0, tiles);
        cb_reserve_back(1, tiles), cb_push_back(1, tiles);
    }
}
