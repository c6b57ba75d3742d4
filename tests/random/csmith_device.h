/* Stands in for <csmith.h> in device code: its arithmetic without undefined behaviour, and a checksum without a
 * table. */
#ifndef GPUCC_TESTS_RANDOM_CSMITH_DEVICE_H
#define GPUCC_TESTS_RANDOM_CSMITH_DEVICE_H

#include <float.h>
#include <gpucc.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

#define STATIC static __attribute__((unused))
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name) safe_##name
#include "safe_math.h"

static __attribute__((noinline, unused)) uint32_t csmith_crc(uint32_t crc, uint64_t value)
{
    for (int i = 0; i < 64; i++, value >>= 1)
        crc = crc >> 1 ^ (((crc ^ (uint32_t)value) & 1) ? 0xEDB88320u : 0);
    return crc;
}

static __attribute__((unused)) uint32_t csmith_crc_bytes(uint32_t crc, const void *bytes, int count)
{
    for (int i = 0; i < count; i++)
        crc = csmith_crc(crc, ((const unsigned char *)bytes)[i]);
    return crc;
}

/* In a function with a variable `crc`. */
#define transparent_crc(value, name, flag) (crc = csmith_crc(crc, (uint64_t)(value)))
#define transparent_crc_bytes(bytes, count, name, flag) (crc = csmith_crc_bytes(crc, bytes, count))

#endif
