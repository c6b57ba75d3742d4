/* Words of other lanes of a warp, on the GPU and on the CPU that stands in for it. */
#ifndef GPUCC_LOOPS_LANES_H
#define GPUCC_LOOPS_LANES_H

#if defined(__NVPTX__)
typedef int gpucc_word;
#define GPUCC_LANE ((unsigned)__nvvm_read_ptx_sreg_laneid())
#define GPUCC_EXCHANGE_WORD(word, bit) __nvvm_shfl_sync_bfly_i32(0xffffffffu, word, bit, 31)
#define GPUCC_FETCH_WORD(word, from) __nvvm_shfl_sync_idx_i32(0xffffffffu, word, from, 31)
#define GPUCC_SYNC_WARP __nvvm_bar_warp_sync(0xffffffffu)
#else
typedef uint64_t gpucc_word;
#define GPUCC_LANE ((unsigned)(gpucc_grid_1() % 32))
#define GPUCC_EXCHANGE_WORD(word, bit) gpucc_cpu_warp_shuffle(0xffffffffu, word, lane ^ (bit))
#define GPUCC_FETCH_WORD(word, from) gpucc_cpu_warp_shuffle(0xffffffffu, word, from)
#define GPUCC_SYNC_WARP gpucc_cpu_warp_sync(0xffffffffu)
#endif

/* A value of any size becomes another lane's, word by word. */
#define GPUCC_TAKE_WORDS(value, TAKE_WORD, from)                                                                       \
    enum { WORDS = (sizeof value + sizeof(gpucc_word) - 1) / sizeof(gpucc_word) };                                     \
    gpucc_word words[WORDS] = {0};                                                                                     \
    __builtin_memcpy(words, &value, sizeof value);                                                                     \
    _Pragma("unroll") for (unsigned k = 0; k < WORDS; k++) words[k] = TAKE_WORD(words[k], from);                       \
    __builtin_memcpy(&value, words, sizeof value)

#endif
