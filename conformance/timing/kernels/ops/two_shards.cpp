// The shards of both operands of a binary operation.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    cb_reserve_back(0, tiles), cb_push_back(0, tiles);
    cb_reserve_back(1, tiles), cb_push_back(1, tiles);
}
