// Reductions on the vector unit.
#pragma once
#include "ts/sfpu/reduce.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
namespace detail {
constexpr ts::sfpu::Pool pool_of(PoolType type) {
    switch (type) {
        case PoolType::SUM: return ts::sfpu::Pool::sum;
        case PoolType::AVG: return ts::sfpu::Pool::average;
        case PoolType::MAX: return ts::sfpu::Pool::maximum;
        default: return ts::sfpu::Pool::minimum;
    }
}
}  // namespace detail

constexpr bool sfpu_reduce_format_supported(DataFormat format) {
    return format == DataFormat::Float32 || format == DataFormat::Float16_b || format == DataFormat::Int32 ||
           format == DataFormat::UInt32 || format == DataFormat::UInt16;
}

template <PoolType pool_type, DataFormat format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_reduce_init(TS_AT) {
    ts::sfpu::initialise("sfpu_reduce", at);
}

template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1, TS_AT) {
    static_assert(sfpu_reduce_format_supported(format),
                  "sfpu_reduce takes Float32, Float16_b, Int32, UInt32 or UInt16");
    static_assert(reduce_dim == ReduceDim::REDUCE_COL || reduce_dim == ReduceDim::REDUCE_ROW,
                  "sfpu_reduce goes down the columns or along the rows");
    static_assert(reduce_dim == ReduceDim::REDUCE_COL || pool_type != PoolType::AVG || ts::sfpu::is_floating(format),
                  "sfpu_reduce averages integers down the columns only");
    constexpr ts::sfpu::Pool pool = detail::pool_of(pool_type);
    if constexpr (reduce_dim == ReduceDim::REDUCE_COL) {
        ts::sfpu::reduce_columns<pool, format>({"sfpu_reduce", at}, idst);
    } else {
        ts::sfpu::reduce_rows<pool, format>({"sfpu_reduce", at}, idst, ct_dim, rt_dim);
    }
}

template <DataLayout layout = DataLayout::TILE>
ALWI void max_reduce_with_indices_init(TS_AT) {
    ts::sfpu::initialise("max_reduce_with_indices", at);
}

template <int num_rows = 9, DataLayout layout = DataLayout::TILE, bool accumulate = false, int ITERATIONS = 8,
          bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void max_reduce_with_indices(uint32_t idst, uint32_t idst_idx, uint32_t chunk = 0, TS_AT) {
    constexpr int rows = num_rows <= 9 ? 9 : 32;
    ts::sfpu::maximum_with_index({"max_reduce_with_indices", at}, idst, idst_idx, rows, layout == DataLayout::ROW_MAJOR,
                                 accumulate, chunk);
}

ALWI void sfpu_add_top_row_init(TS_AT) { ts::sfpu::initialise("sfpu_add_top_row", at); }

// The first four rows of the upper faces of two tiles, added.
template <DataFormat format>
ALWI void sfpu_add_top_row(uint32_t dst_tile_0, uint32_t dst_tile_1, uint32_t dst_tile_out, TS_AT) {
    const ts::sfpu::Call call{"sfpu_add_top_row", at, VectorMode::R, 2};
    if constexpr (ts::sfpu::is_floating(format)) {
        ts::sfpu::map_floats(call, dst_tile_0, dst_tile_1, dst_tile_out, [](auto x, auto y) TS_OP { return x + y; });
    } else {
        ts::sfpu::map_words(call, dst_tile_0, dst_tile_1, dst_tile_out,
                            [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x + y; });
    }
}
}  // namespace ckernel
