// v_if and its like: lanes are switched off, and all code runs.
#pragma once
#include "ts/sfpi/vector.h"

namespace sfpi {
class vBool {
public:
    ts::sfpi_unit::Vector mask;
    TS_LANE explicit vBool(const ts::sfpi_unit::Vector& m) : mask(m) {}
    friend TS_LANE vBool operator&&(vBool a, vBool b) {
        return vBool(
            ts::sfpi_unit::each(1, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x & y; }, a.mask, b.mask));
    }
    friend TS_LANE vBool operator||(vBool a, vBool b) {
        return vBool(
            ts::sfpi_unit::each(1, [](ts::sfpu::Int x, ts::sfpu::Int y) TS_OP { return x | y; }, a.mask, b.mask));
    }
    friend TS_LANE vBool operator!(vBool a) {
        return vBool(ts::sfpi_unit::each(1, [](ts::sfpu::Int x) TS_OP { return ~x; }, a.mask));
    }
};

namespace impl_ {
// The lanes that were on before, and those of them that no branch has taken yet.
class Branches {
public:
    TS_LANE Branches() : before_(ts::sfpi_unit::state.off), left_(before_) {}
    Branches(const Branches&) = delete;
    TS_LANE ~Branches() { ts::sfpi_unit::state.off = before_; }
    TS_LANE void take(const vBool& condition) {
        for (int p = 0; p < ts::sfpi_unit::parts; ++p) {
            ts::sfpi_unit::state.off.part[p] = left_.part[p] | ~condition.mask.part[p];
            left_.part[p] |= condition.mask.part[p];
        }
        ts::sfpi_unit::spend(2);
    }
    TS_LANE void take_rest() {
        ts::sfpi_unit::state.off = left_;
        ts::sfpi_unit::spend(1);
    }
    TS_LANE void narrow(const vBool& condition) {
        for (int p = 0; p < ts::sfpi_unit::parts; ++p) ts::sfpi_unit::state.off.part[p] |= ~condition.mask.part[p];
        ts::sfpi_unit::spend(1);
    }

private:
    ts::sfpi_unit::Vector before_, left_;  // as lanes that are off
};
}  // namespace impl_
}  // namespace sfpi

#define v_if(...)                                   \
    {                                               \
        sfpi::impl_::Branches ts_branches;          \
        ts_branches.take(sfpi::vBool(__VA_ARGS__)); \
        {
#define v_elseif(...)                           \
    }                                           \
    ts_branches.take_rest();                    \
    ts_branches.take(sfpi::vBool(__VA_ARGS__)); \
    {
#define v_else               \
    }                        \
    ts_branches.take_rest(); \
    {
#define v_endif \
    }           \
    }
#define v_block \
    {           \
        sfpi::impl_::Branches ts_branches;
#define v_and(...) ts_branches.narrow(sfpi::vBool(__VA_ARGS__))
#define v_endblock }
