/* Loads and stores that say how long the caches should keep what they touch; part of <gpucc.h>.
 *
 *   ld_ca(pointer) ld_cg ld_cs ld_lu ld_cv   cached everywhere; in L2 alone; used once; used for the last time; read anew
 *   ld_nc(pointer)                           of memory that nothing writes while the kernel runs
 *   st_wb(pointer, value) st_cg st_cs st_wt  write back; in L2 alone; used once; write through
 *
 * For global memory; scalars, and structs of 1, 2, 4, 8 or 16 bytes aligned to that (float4).  On the CPU they are plain loads
 * and stores.
 */
#ifndef GPUCC_MEMORY_H
#define GPUCC_MEMORY_H

#if defined(__NVPTX__)

#define GPUCC_DEFINE_LOAD(hint)                                                                                        \
    GPUCC_INLINE void gpucc_load_##hint(void *to, const volatile void *from, size_t size)                              \
    {                                                                                                                  \
        uint64_t wide[2];                                                                                              \
        uint32_t word;                                                                                                 \
        uint16_t half;                                                                                                 \
        if (size == 16)                                                                                                \
            __asm__ volatile("ld.global." #hint ".v2.u64 {%0, %1}, [%2];"                                              \
                             : "=l"(wide[0]), "=l"(wide[1]) : "l"(from) : "memory");                                   \
        else if (size == 8)                                                                                            \
            __asm__ volatile("ld.global." #hint ".u64 %0, [%1];" : "=l"(wide[0]) : "l"(from) : "memory");              \
        else if (size == 4)                                                                                            \
            __asm__ volatile("ld.global." #hint ".u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");                 \
        else if (size == 2)                                                                                            \
            __asm__ volatile("ld.global." #hint ".u16 %0, [%1];" : "=h"(half) : "l"(from) : "memory");                 \
        else                                                                                                           \
            __asm__ volatile("ld.global." #hint ".u8 %0, [%1];" : "=r"(word) : "l"(from) : "memory");                  \
        __builtin_memcpy(to, size >= 8 ? (void *)wide : size == 2 ? (void *)&half : (void *)&word, size);              \
    }
#define GPUCC_DEFINE_STORE(hint)                                                                                       \
    GPUCC_INLINE void gpucc_store_##hint(volatile void *to, const void *from, size_t size)                             \
    {                                                                                                                  \
        uint64_t wide[2];                                                                                              \
        uint32_t word = 0;                                                                                             \
        uint16_t half;                                                                                                 \
        __builtin_memcpy(size >= 8 ? (void *)wide : size == 2 ? (void *)&half : (void *)&word, from, size);            \
        if (size == 16)                                                                                                \
            __asm__ volatile("st.global." #hint ".v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(wide[0]), "l"(wide[1])        \
                             : "memory");                                                                              \
        else if (size == 8)                                                                                            \
            __asm__ volatile("st.global." #hint ".u64 [%0], %1;" ::"l"(to), "l"(wide[0]) : "memory");                  \
        else if (size == 4)                                                                                            \
            __asm__ volatile("st.global." #hint ".u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");                     \
        else if (size == 2)                                                                                            \
            __asm__ volatile("st.global." #hint ".u16 [%0], %1;" ::"l"(to), "h"(half) : "memory");                     \
        else                                                                                                           \
            __asm__ volatile("st.global." #hint ".u8 [%0], %1;" ::"l"(to), "r"(word) : "memory");                      \
    }
GPUCC_DEFINE_LOAD(ca)
GPUCC_DEFINE_LOAD(cg)
GPUCC_DEFINE_LOAD(cs)
GPUCC_DEFINE_LOAD(lu)
GPUCC_DEFINE_LOAD(cv)
GPUCC_DEFINE_LOAD(nc)
GPUCC_DEFINE_STORE(wb)
GPUCC_DEFINE_STORE(cg)
GPUCC_DEFINE_STORE(cs)
GPUCC_DEFINE_STORE(wt)
#define GPUCC_CHECK_SIZE(type)                                                                                         \
    _Static_assert(sizeof(type) <= 16 && (sizeof(type) & (sizeof(type) - 1)) == 0,                                     \
                   "cache hints are for 1, 2, 4, 8 or 16 bytes")
#define GPUCC_LOAD(hint, pointer)                                                                                      \
    __extension__({                                                                                                    \
        __auto_type gpucc_from = (pointer);                                                                            \
        GPUCC_VALUE_TYPE(gpucc_from) gpucc_loaded;                                                                     \
        GPUCC_CHECK_SIZE(__typeof__(gpucc_loaded));                                                                    \
        gpucc_load_##hint(&gpucc_loaded, gpucc_from, sizeof gpucc_loaded);                                             \
        gpucc_loaded;                                                                                                  \
    })
#define GPUCC_STORE(hint, pointer, value)                                                                              \
    __extension__({                                                                                                    \
        __auto_type gpucc_to = (pointer);                                                                              \
        GPUCC_VALUE_TYPE(gpucc_to) gpucc_stored = (value);                                                             \
        GPUCC_CHECK_SIZE(__typeof__(gpucc_stored));                                                                    \
        gpucc_store_##hint(gpucc_to, &gpucc_stored, sizeof gpucc_stored);                                              \
    })

#else

#define GPUCC_LOAD(hint, pointer) (*(pointer))
#define GPUCC_STORE(hint, pointer, value) ((void)(*(pointer) = (value)))

#endif

#define gpucc_ld_ca(pointer) GPUCC_LOAD(ca, pointer)
#define gpucc_ld_cg(pointer) GPUCC_LOAD(cg, pointer)
#define gpucc_ld_cs(pointer) GPUCC_LOAD(cs, pointer)
#define gpucc_ld_lu(pointer) GPUCC_LOAD(lu, pointer)
#define gpucc_ld_cv(pointer) GPUCC_LOAD(cv, pointer)
#define gpucc_ld_nc(pointer) GPUCC_LOAD(nc, pointer)
#define gpucc_st_wb(pointer, value) GPUCC_STORE(wb, pointer, value)
#define gpucc_st_cg(pointer, value) GPUCC_STORE(cg, pointer, value)
#define gpucc_st_cs(pointer, value) GPUCC_STORE(cs, pointer, value)
#define gpucc_st_wt(pointer, value) GPUCC_STORE(wt, pointer, value)

#ifndef GPUCC_NO_SHORT_NAMES
#define ld_ca(pointer) gpucc_ld_ca(pointer)
#define ld_cg(pointer) gpucc_ld_cg(pointer)
#define ld_cs(pointer) gpucc_ld_cs(pointer)
#define ld_lu(pointer) gpucc_ld_lu(pointer)
#define ld_cv(pointer) gpucc_ld_cv(pointer)
#define ld_nc(pointer) gpucc_ld_nc(pointer)
#define st_wb(pointer, value) gpucc_st_wb(pointer, value)
#define st_cg(pointer, value) gpucc_st_cg(pointer, value)
#define st_cs(pointer, value) gpucc_st_cs(pointer, value)
#define st_wt(pointer, value) gpucc_st_wt(pointer, value)
#endif

#endif
