#if __CUDA_ARCH__
#if __CUDA_ARCH__ != WANTED
#error __CUDA_ARCH__
#endif
#if __CUDA_ARCH_FAMILY_SPECIFIC__ + 0 != FAMILY + 0
#error __CUDA_ARCH_FAMILY_SPECIFIC__
#endif
#if __CUDA_ARCH_SPECIFIC__ + 0 != ALONE + 0
#error __CUDA_ARCH_SPECIFIC__
#endif
#if defined ALL && !ALL
#error __CUDA_ARCH_FEAT
#endif
#endif
