// The headers of the steps a program is made of: it defines USES_<HEADER> for each.
#pragma once
#ifdef USES_ACTIVATIONS
#include "api/compute/eltwise_unary/activations.h"
#endif
#ifdef USES_ADD_INT_SFPU
#include "api/compute/add_int_sfpu.h"
#endif
#ifdef USES_ADDCDIV
#include "api/compute/eltwise_unary/addcdiv.h"
#endif
#ifdef USES_ADDCMUL
#include "api/compute/eltwise_unary/addcmul.h"
#endif
#ifdef USES_ATAN2
#include "api/compute/atan2.h"
#endif
#ifdef USES_BINARY_BITWISE_SFPU
#include "api/compute/binary_bitwise_sfpu.h"
#endif
#ifdef USES_BINARY_COMP
#include "api/compute/binary_comp.h"
#endif
#ifdef USES_BINARY_FMOD
#include "api/compute/binary_fmod.h"
#endif
#ifdef USES_BINARY_MAX_MIN
#include "api/compute/binary_max_min.h"
#endif
#ifdef USES_BINARY_REMAINDER
#include "api/compute/binary_remainder.h"
#endif
#ifdef USES_BINARY_SHIFT
#include "api/compute/binary_shift.h"
#endif
#ifdef USES_BINOP_WITH_SCALAR
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#endif
#ifdef USES_BITWISE
#include "api/compute/eltwise_unary/bitwise.h"
#endif
#ifdef USES_BITWISE_NOT
#include "api/compute/eltwise_unary/bitwise_not.h"
#endif
#ifdef USES_CBRT
#include "api/compute/eltwise_unary/cbrt.h"
#endif
#ifdef USES_CLAMP
#include "api/compute/eltwise_unary/clamp.h"
#endif
#ifdef USES_COMP
#include "api/compute/eltwise_unary/comp.h"
#endif
#ifdef USES_COPY_DEST_VALUES
#include "api/compute/copy_dest_values.h"
#endif
#ifdef USES_DIGAMMA
#include "api/compute/eltwise_unary/digamma.h"
#endif
#ifdef USES_DIV_INT32_FLOOR
#include "api/compute/div_int32_floor.h"
#endif
#ifdef USES_DIV_INT32_SFPU
#include "api/compute/div_int32_sfpu.h"
#endif
#ifdef USES_ELTWISE_BINARY_SFPU
#include "api/compute/eltwise_binary_sfpu.h"
#endif
#ifdef USES_ELU
#include "api/compute/eltwise_unary/elu.h"
#endif
#ifdef USES_ERF_ERFC
#include "api/compute/eltwise_unary/erf_erfc.h"
#endif
#ifdef USES_ERFINV
#include "api/compute/eltwise_unary/erfinv.h"
#endif
#ifdef USES_EXP
#include "api/compute/eltwise_unary/exp.h"
#endif
#ifdef USES_FILL
#include "api/compute/eltwise_unary/fill.h"
#endif
#ifdef USES_FMOD
#include "api/compute/eltwise_unary/fmod.h"
#endif
#ifdef USES_GCD
#include "api/compute/gcd.h"
#endif
#ifdef USES_GELU
#include "api/compute/eltwise_unary/gelu.h"
#endif
#ifdef USES_HARDMISH
#include "api/compute/eltwise_unary/hardmish.h"
#endif
#ifdef USES_HARDTANH
#include "api/compute/eltwise_unary/hardtanh.h"
#endif
#ifdef USES_I0
#include "api/compute/eltwise_unary/i0.h"
#endif
#ifdef USES_I1
#include "api/compute/eltwise_unary/i1.h"
#endif
#ifdef USES_IDENTITY
#include "api/compute/eltwise_unary/identity.h"
#endif
#ifdef USES_ISCLOSE
#include "api/compute/isclose.h"
#endif
#ifdef USES_ISINF_ISNAN
#include "api/compute/eltwise_unary/isinf_isnan.h"
#endif
#ifdef USES_LCM
#include "api/compute/lcm.h"
#endif
#ifdef USES_LERP
#include "api/compute/eltwise_unary/lerp.h"
#endif
#ifdef USES_LGAMMA
#include "api/compute/eltwise_unary/lgamma.h"
#endif
#ifdef USES_LOG1P
#include "api/compute/eltwise_unary/log1p.h"
#endif
#ifdef USES_LOGADDEXP
#include "api/compute/logaddexp.h"
#endif
#ifdef USES_LOGADDEXP2
#include "api/compute/logaddexp2.h"
#endif
#ifdef USES_LOGICAL_NOT
#include "api/compute/eltwise_unary/logical_not.h"
#endif
#ifdef USES_LOGSIGMOID
#include "api/compute/logsigmoid.h"
#endif
#ifdef USES_MAC
#include "api/compute/eltwise_unary/mac.h"
#endif
#ifdef USES_MISH
#include "api/compute/eltwise_unary/mish.h"
#endif
#ifdef USES_MUL_INT32_SFPU
#include "api/compute/mul_int32_sfpu.h"
#endif
#ifdef USES_MUL_INT_SFPU
#include "api/compute/mul_int_sfpu.h"
#endif
#ifdef USES_NEGATIVE
#include "api/compute/eltwise_unary/negative.h"
#endif
#ifdef USES_POLYGAMMA
#include "api/compute/eltwise_unary/polygamma.h"
#endif
#ifdef USES_PRELU
#include "api/compute/eltwise_unary/prelu.h"
#endif
#ifdef USES_RDIV
#include "api/compute/eltwise_unary/rdiv.h"
#endif
#ifdef USES_RECIP
#include "api/compute/eltwise_unary/recip.h"
#include "../../../isa/exact_recip.hpp"
#endif
#ifdef USES_RELU
#include "api/compute/eltwise_unary/relu.h"
#endif
#ifdef USES_REMAINDER
#include "api/compute/eltwise_unary/remainder.h"
#endif
#ifdef USES_ROUNDING
#include "api/compute/eltwise_unary/rounding.h"
#endif
#ifdef USES_RPOW
#include "api/compute/eltwise_unary/rpow.h"
#endif
#ifdef USES_RSQRT
#include "api/compute/eltwise_unary/rsqrt.h"
#endif
#ifdef USES_RSUB
#include "api/compute/eltwise_unary/rsub.h"
#endif
#ifdef USES_SELU
#include "api/compute/eltwise_unary/selu.h"
#endif
#ifdef USES_SHIFT
#include "api/compute/eltwise_unary/shift.h"
#endif
#ifdef USES_SOFTPLUS
#include "api/compute/eltwise_unary/softplus.h"
#endif
#ifdef USES_SQRT
#include "api/compute/eltwise_unary/sqrt.h"
#endif
#ifdef USES_SUB_INT_SFPU
#include "api/compute/sub_int_sfpu.h"
#endif
#ifdef USES_TANHSHRINK
#include "api/compute/eltwise_unary/tanhshrink.h"
#endif
#ifdef USES_THRESHOLD
#include "api/compute/eltwise_unary/threshold.h"
#endif
#ifdef USES_TRIGONOMETRY
#include "api/compute/eltwise_unary/trigonometry.h"
#endif
#ifdef USES_TYPECAST
#include "api/compute/eltwise_unary/typecast.h"
#endif
#ifdef USES_WHERE
#include "api/compute/eltwise_unary/where.h"
#endif
#ifdef USES_XLOGY
#include "api/compute/xlogy.h"
#endif
#ifdef USES_LOG2
#include "log2.hpp"
#endif
