/* Loads and stores with cache hints; part of <gpucc.h>.
 *
 *   ld_ca(pointer) ld_cg ld_cs ld_lu ld_cv   cached at all levels; in L2 alone; used once; last use; uncached,
 *                                            volatile
 *   ld_nc(pointer)                           from memory that nothing writes while the kernel runs
 *   st_wb(pointer, value) st_cg st_cs st_wt  written back; in L2 alone; used once; written through
 *
 * For global memory; scalars, and structs of 1, 2, 4, 8 or 16 bytes aligned to that (float4).  On the CPU they are
 * plain loads and stores.
 */
#ifndef GPUCC_MEMORY_H
#define GPUCC_MEMORY_H

#if defined(__NVPTX__)

#define GPUCC_CHECK_SIZE(type)                                                                                         \
    _Static_assert(sizeof(type) <= 16 && (sizeof(type) & (sizeof(type) - 1)) == 0,                                     \
                   "cache hints are for 1, 2, 4, 8 or 16 bytes")
/* Words of the right size for `asm`; branches for other sizes are dead code. */
#define GPUCC_WORDS                                                                                                    \
    uint64_t gpucc_wide[2];                                                                                            \
    uint32_t gpucc_word = 0;                                                                                           \
    uint16_t gpucc_half
#define GPUCC_WORDS_OF(size)                                                                                           \
    ((size) >= 8 ? (void *)gpucc_wide : (size) == 2 ? (void *)&gpucc_half : (void *)&gpucc_word)
#define GPUCC_LOAD_ASM(hint, type, to)                                                                                 \
    __asm__ volatile("ld.global." #hint type : to : "l"(gpucc_from) : "memory")
#define GPUCC_STORE_ASM(hint, type, ...)                                                                               \
    __asm__ volatile("st.global." #hint type ::"l"(gpucc_to), __VA_ARGS__ : "memory")
#define GPUCC_LOAD(hint, pointer)                                                                                      \
    __extension__({                                                                                                    \
        __auto_type gpucc_from = (pointer);                                                                            \
        GPUCC_VALUE_TYPE(gpucc_from) gpucc_loaded;                                                                     \
        GPUCC_WORDS;                                                                                                   \
        GPUCC_CHECK_SIZE(__typeof__(gpucc_loaded));                                                                    \
        if (sizeof gpucc_loaded == 16)                                                                                 \
            __asm__ volatile("ld.global." #hint ".v2.u64 {%0, %1}, [%2];"                                              \
                             : "=l"(gpucc_wide[0]), "=l"(gpucc_wide[1]) : "l"(gpucc_from) : "memory");                 \
        else if (sizeof gpucc_loaded == 8)                                                                             \
            GPUCC_LOAD_ASM(hint, ".u64 %0, [%1];", "=l"(gpucc_wide[0]));                                               \
        else if (sizeof gpucc_loaded == 4)                                                                             \
            GPUCC_LOAD_ASM(hint, ".u32 %0, [%1];", "=r"(gpucc_word));                                                  \
        else if (sizeof gpucc_loaded == 2)                                                                             \
            GPUCC_LOAD_ASM(hint, ".u16 %0, [%1];", "=h"(gpucc_half));                                                  \
        else                                                                                                           \
            GPUCC_LOAD_ASM(hint, ".u8 %0, [%1];", "=r"(gpucc_word));                                                   \
        __builtin_memcpy(&gpucc_loaded, GPUCC_WORDS_OF(sizeof gpucc_loaded), sizeof gpucc_loaded);                     \
        gpucc_loaded;                                                                                                  \
    })
#define GPUCC_STORE(hint, pointer, value)                                                                              \
    __extension__({                                                                                                    \
        __auto_type gpucc_to = (pointer);                                                                              \
        GPUCC_VALUE_TYPE(gpucc_to) gpucc_stored = (value);                                                             \
        GPUCC_WORDS;                                                                                                   \
        GPUCC_CHECK_SIZE(__typeof__(gpucc_stored));                                                                    \
        __builtin_memcpy(GPUCC_WORDS_OF(sizeof gpucc_stored), &gpucc_stored, sizeof gpucc_stored);                     \
        if (sizeof gpucc_stored == 16)                                                                                 \
            GPUCC_STORE_ASM(hint, ".v2.u64 [%0], {%1, %2};", "l"(gpucc_wide[0]), "l"(gpucc_wide[1]));                  \
        else if (sizeof gpucc_stored == 8)                                                                             \
            GPUCC_STORE_ASM(hint, ".u64 [%0], %1;", "l"(gpucc_wide[0]));                                               \
        else if (sizeof gpucc_stored == 4)                                                                             \
            GPUCC_STORE_ASM(hint, ".u32 [%0], %1;", "r"(gpucc_word));                                                  \
        else if (sizeof gpucc_stored == 2)                                                                             \
            GPUCC_STORE_ASM(hint, ".u16 [%0], %1;", "h"(gpucc_half));                                                  \
        else                                                                                                           \
            GPUCC_STORE_ASM(hint, ".u8 [%0], %1;", "r"(gpucc_word));                                                   \
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
