// A tile and a row, a column or a number of another, on the vector unit.
#pragma once
#include "ts/sfpu/whole_tile.h"
#include "ts/sfpu/tile.h"

namespace ckernel {
ALWI void sfpu_bcast_col_init(TS_AT) { ts::sfpu::initialise("sfpu_bcast_col", at); }
ALWI void sfpu_sub_bcast_col_init(TS_AT) { sfpu_bcast_col_init(at); }
ALWI void sfpu_add_bcast_col_init(TS_AT) { sfpu_bcast_col_init(at); }
ALWI void sfpu_mul_bcast_col_init(TS_AT) { sfpu_bcast_col_init(at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_sub_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::column>({"sfpu_bcast_col", at}, dst_data_idx, dst_col_vec_idx,
                                                     [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                         TS_OP { return x + -y; });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_add_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::column>({"sfpu_bcast_col", at}, dst_data_idx, dst_col_vec_idx,
                                                     [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                         TS_OP { return x + y; });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_mul_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::column>({"sfpu_bcast_col", at}, dst_data_idx, dst_col_vec_idx,
                                                     [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                         TS_OP { return x * y; });
}

ALWI void sfpu_bcast_row_init(TS_AT) { ts::sfpu::initialise("sfpu_bcast_row", at); }
ALWI void sfpu_sub_bcast_row_init(TS_AT) { sfpu_bcast_row_init(at); }
ALWI void sfpu_add_bcast_row_init(TS_AT) { sfpu_bcast_row_init(at); }
ALWI void sfpu_mul_bcast_row_init(TS_AT) { sfpu_bcast_row_init(at); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_sub_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::row>({"sfpu_bcast_row", at}, dst_data_idx, dst_row_vec_idx,
                                                  [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                      TS_OP { return x - y; });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_add_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::row>({"sfpu_bcast_row", at}, dst_data_idx, dst_row_vec_idx,
                                                  [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                      TS_OP { return x + y; });
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_mul_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TS_AT) {
    ts::sfpu::map_broadcast<ts::sfpu::Along::row>({"sfpu_bcast_row", at}, dst_data_idx, dst_row_vec_idx,
                                                  [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y)
                                                      TS_OP { return x * y; });
}

template <BroadcastType Dim>
ALWI void sfpu_bcast_init(TS_AT) {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "sfpu_bcast_init takes COL or ROW");
    if constexpr (Dim == BroadcastType::COL) {
        sfpu_bcast_col_init(at);
    } else {
        sfpu_bcast_row_init(at);
    }
}

template <BroadcastType Dim, EltwiseBinaryType Op, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sfpu_bcast(uint32_t dst_data_idx, uint32_t dst_bcast_idx, TS_AT) {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "sfpu_bcast takes COL or ROW");
    constexpr auto along = Dim == BroadcastType::COL ? ts::sfpu::Along::column : ts::sfpu::Along::row;
    constexpr const char* family = Dim == BroadcastType::COL ? "sfpu_bcast_col" : "sfpu_bcast_row";
    ts::sfpu::map_broadcast<along>({family, at}, dst_data_idx, dst_bcast_idx,
                                   [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& y) TS_OP {
                                       if constexpr (Op == EltwiseBinaryType::ELWADD) return x + y;
                                       if constexpr (Op == EltwiseBinaryType::ELWSUB)
                                           return along == ts::sfpu::Along::column ? x + -y : x - y;
                                       return x * y;
                                   });
}

namespace detail {
inline constexpr auto normalised = [](const ts::sfpu::Columns& x, const ts::sfpu::Columns& mean,
                                      const ts::sfpu::Columns& scale) TS_OP { return (x - mean) * scale; };
}  // namespace detail

// (x - mean) * inverse deviation, both taken from column 0 of each row, or from one corner.
ALWI void sfpu_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx,
                                   TS_AT) {
    ts::sfpu::map_broadcast_pair<true>({"sfpu_bcast_col", at}, dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx,
                                       detail::normalised);
}

ALWI void sfpu_normalize_bcast_col_two_tiles(uint32_t dst_data_idx, uint32_t dst_second_data_idx,
                                             uint32_t dst_mean_col_idx, uint32_t dst_inv_std_col_idx, TS_AT) {
    sfpu_normalize_bcast_col(dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx, at);
    sfpu_normalize_bcast_col(dst_second_data_idx, dst_mean_col_idx, dst_inv_std_col_idx, at);
}

ALWI void sfpu_residual_normalize_bcast_col(uint32_t dst_data_idx, uint32_t dst_residual_idx, uint32_t dst_mean_col_idx,
                                            uint32_t dst_inv_std_col_idx, TS_AT) {
    ts::sfpu::map_floats({"sfpu_bcast_col", at}, dst_data_idx, dst_residual_idx, dst_data_idx,
                         [](auto x, auto y) TS_OP { return x + y; });
    sfpu_normalize_bcast_col(dst_data_idx, dst_mean_col_idx, dst_inv_std_col_idx, at);
}

ALWI void sfpu_normalize_bcast_scalar_init(TS_AT) { ts::sfpu::initialise("sfpu_normalize_bcast_scalar", at); }
ALWI void sfpu_normalize_bcast_scalar(uint32_t dst_data_idx, uint32_t dst_mean_scalar_idx,
                                      uint32_t dst_inv_std_scalar_idx, TS_AT) {
    ts::sfpu::map_broadcast_pair<false>({"sfpu_normalize_bcast_scalar", at}, dst_data_idx, dst_mean_scalar_idx,
                                        dst_inv_std_scalar_idx, detail::normalised);
}
}  // namespace ckernel
