/* <assert.h> for device code: a failed assertion ends the launch with an error that names it, its place and the
 * thread. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#elif defined(__NVPTX__)
#define assert(condition)                                                                                              \
    ((condition) ? (void)0 : __assertfail("" #condition, __FILE__, __LINE__, __func__, sizeof(char)))
#else
#define assert(condition)                                                                                              \
    ((condition) ? (void)0 : gpucc_cpu_fail("assertion '" #condition "' failed", __FILE__, __LINE__))
#endif
#undef static_assert
#define static_assert _Static_assert

#ifndef GPUCC_ASSERT_H
#define GPUCC_ASSERT_H
#if defined(__NVPTX__)
/* The driver's. */
__attribute__((noreturn)) void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                                            __SIZE_TYPE__ character_size);
#else
#include <gpucc/cpu.h>
#endif
#endif
