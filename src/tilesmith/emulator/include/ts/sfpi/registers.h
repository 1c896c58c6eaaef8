// dst_reg, and the registers that hold constants.
#pragma once
#include "ts/sfpi/types.h"

namespace sfpi {
enum class DataLayout { Default, FSrcB, F32, F16a, F16b, I32, U32, U16, SM32, SM16, M32, LO16, HI16 };

namespace impl_ {
template <class Type>
inline constexpr bool is_float = std::is_base_of_v<vFloat, Type>;

// Where a vector lies in DST. Floats are stored as DST keeps them, integers as they are.
class DstRow {
public:
    TS_LANE DstRow(int index, ts::At at) : index_(index), at_(at) {}
    DstRow(const DstRow&) = default;
    template <DataLayout = DataLayout::Default>
    TS_LANE DstRow mode(int = -1) const { return *this; }
    template <class Type, class = std::enable_if_t<std::is_base_of_v<vVal, Type>>>
    TS_LANE operator Type() const {
        return Type(ts::sfpi_unit::load_dst(index_, at_));
    }
    TS_LANE void operator=(const DstRow& from) const { *this = static_cast<vFloat>(from); }
    TS_LANE void operator=(float value) const { *this = vFloat(value); }
    TS_LANE void operator=(const vProduct& product) const { *this = vFloat(product); }
    template <class Type, class = std::enable_if_t<std::is_base_of_v<vVal, Type>>>
    TS_LANE void operator=(
        const Type& value) const {
        if constexpr (is_float<Type>) ts::sfpi_unit::store_dst(index_, ts::sfpi_unit::as_stored(value.v), at_);
        else ts::sfpi_unit::store_dst(index_, value.v, at_);
    }
    friend TS_LANE vProduct operator*(const DstRow& a, vFloat b) { return vFloat(a) * b; }
    friend TS_LANE vFloat operator+(const DstRow& a, vFloat b) { return vFloat(a) + b; }
    friend TS_LANE vFloat operator-(const DstRow& a, vFloat b) { return vFloat(a) - b; }
    friend TS_LANE vFloat operator-(const DstRow& a) { return -vFloat(a); }

private:
    int index_;
    ts::At at_;
};

// An index that knows the line it stands in.
struct RowIndex {
    int index;
    ts::At at;
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    TS_LANE RowIndex(Integer i, TS_AT)
        : index(static_cast<int>(i)), at(at) {}
};

struct DstRegFile {
    TS_LANE DstRow operator[](RowIndex place) const { return {place.index, place.at}; }
    TS_LANE void operator++() const { *this += 1; }
    TS_LANE void operator++(int) const { *this += 1; }
    TS_LANE void operator+=(int rows) const { ts::sfpi_unit::state.row += 2 * rows; }
};

template <class Type>
struct Programmable {
    int index;
    TS_LANE operator Type() const { return Type(all(static_cast<int32_t>(ts::sfpu::constant(index)))); }
    TS_LANE void operator=(const Type& value) const {
        ts::sfpu::set_constant(index, static_cast<uint32_t>(value.v.part[0][0]));
    }
    template <class Scalar, class = std::enable_if_t<std::is_arithmetic_v<Scalar>>>
    TS_LANE void operator=(
        Scalar value) const {
        *this = Type(value);
    }
};

struct Constant {
    float value;
    TS_LANE operator vFloat() const { return vFloat(value); }
};
struct TileId {
    TS_LANE operator vInt() const { return vInt(ts::sfpi_unit::number_lanes(2)); }
};
}  // namespace impl_

inline constexpr impl_::DstRegFile dst_reg;
inline constexpr impl_::Constant vConst0{0.0f}, vConst1{1.0f}, vConstNeg1{-1.0f}, vConst0p8373{0.8373f};
inline constexpr impl_::Programmable<vFloat> vConstFloatPrgm0{0}, vConstFloatPrgm1{1}, vConstFloatPrgm2{2};
inline constexpr impl_::Programmable<vInt> vConstIntPrgm0{0}, vConstIntPrgm1{1}, vConstIntPrgm2{2};
inline constexpr impl_::TileId vConstTileId;
}  // namespace sfpi
