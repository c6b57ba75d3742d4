/* <float.h> for device code: the compiler knows the numbers. */
#ifndef GPUCC_FLOAT_H
#define GPUCC_FLOAT_H
#define FLT_RADIX __FLT_RADIX__
#define FLT_ROUNDS 1
#define FLT_EVAL_METHOD 0
#define DECIMAL_DIG __DECIMAL_DIG__
#define FLT_MANT_DIG __FLT_MANT_DIG__
#define FLT_DIG __FLT_DIG__
#define FLT_MIN_EXP __FLT_MIN_EXP__
#define FLT_MIN_10_EXP __FLT_MIN_10_EXP__
#define FLT_MAX_EXP __FLT_MAX_EXP__
#define FLT_MAX_10_EXP __FLT_MAX_10_EXP__
#define FLT_MAX __FLT_MAX__
#define FLT_EPSILON __FLT_EPSILON__
#define FLT_MIN __FLT_MIN__
#define FLT_DECIMAL_DIG __FLT_DECIMAL_DIG__
#define FLT_HAS_SUBNORM 1
#define FLT_TRUE_MIN __FLT_DENORM_MIN__
#define DBL_MANT_DIG __DBL_MANT_DIG__
#define DBL_DIG __DBL_DIG__
#define DBL_MIN_EXP __DBL_MIN_EXP__
#define DBL_MIN_10_EXP __DBL_MIN_10_EXP__
#define DBL_MAX_EXP __DBL_MAX_EXP__
#define DBL_MAX_10_EXP __DBL_MAX_10_EXP__
#define DBL_MAX __DBL_MAX__
#define DBL_EPSILON __DBL_EPSILON__
#define DBL_MIN __DBL_MIN__
#define DBL_DECIMAL_DIG __DBL_DECIMAL_DIG__
#define DBL_HAS_SUBNORM 1
#define DBL_TRUE_MIN __DBL_DENORM_MIN__
#define LDBL_MANT_DIG __LDBL_MANT_DIG__
#define LDBL_DIG __LDBL_DIG__
#define LDBL_MIN_EXP __LDBL_MIN_EXP__
#define LDBL_MIN_10_EXP __LDBL_MIN_10_EXP__
#define LDBL_MAX_EXP __LDBL_MAX_EXP__
#define LDBL_MAX_10_EXP __LDBL_MAX_10_EXP__
#define LDBL_MAX __LDBL_MAX__
#define LDBL_EPSILON __LDBL_EPSILON__
#define LDBL_MIN __LDBL_MIN__
#define LDBL_DECIMAL_DIG __LDBL_DECIMAL_DIG__
#define LDBL_HAS_SUBNORM 1
#define LDBL_TRUE_MIN __LDBL_DENORM_MIN__
#define FLT16_MANT_DIG __FLT16_MANT_DIG__
#define FLT16_DIG __FLT16_DIG__
#define FLT16_MIN_EXP __FLT16_MIN_EXP__
#define FLT16_MIN_10_EXP __FLT16_MIN_10_EXP__
#define FLT16_MAX_EXP __FLT16_MAX_EXP__
#define FLT16_MAX_10_EXP __FLT16_MAX_10_EXP__
#define FLT16_MAX __FLT16_MAX__
#define FLT16_EPSILON __FLT16_EPSILON__
#define FLT16_MIN __FLT16_MIN__
#define FLT16_DECIMAL_DIG __FLT16_DECIMAL_DIG__
#define FLT16_HAS_SUBNORM 1
#define FLT16_TRUE_MIN __FLT16_DENORM_MIN__
#if __STDC_VERSION__ >= 202311L
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_SNAN __builtin_nansf("")
#define DBL_SNAN __builtin_nans("")
#define FLT_NORM_MAX __FLT_MAX__
#define DBL_NORM_MAX __DBL_MAX__
#define FLT_IS_IEC_60559 2
#define DBL_IS_IEC_60559 2
#endif
#endif
