// A tensor as the host describes it: configuration among the compile-time arguments from index FIRST on, and
// address, page size and shards among the common runtime arguments. One compiled kernel serves all sizes.
#pragma once
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

// `common` is the index of the tensor's first common runtime argument; it is moved past the tensor.
template <uint32_t FIRST>
auto tensor_at(uint32_t& common) {
    const uint32_t address = get_common_arg_val<uint32_t>(common);
    const uint32_t page_size = get_common_arg_val<uint32_t>(common + 1);
    const TensorAccessorArgs<FIRST> args(common + 2);
    common += 2 + args.num_common_runtime_args();
    return TensorAccessor(args, address, page_size);
}

// Where the compile-time arguments of the next tensor start.
template <uint32_t FIRST>
constexpr uint32_t after_tensor = TensorAccessorArgs<FIRST>::next_compile_time_args_offset();
