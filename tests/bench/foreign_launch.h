/* The CUDA driver without gpucc in between, for comparison: copies and launches in the primary context. */
#ifndef GPUCC_TESTS_FOREIGN_LAUNCH_H
#define GPUCC_TESTS_FOREIGN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

struct foreign_copy {
    void *to;
    const void *from;
    size_t size;
    void *stream;
};

struct foreign_launch {
    void *function;
    unsigned grid[3], block[3], shared; /* shared: bytes of dynamic shared memory */
    void *stream;
    void **parameters;
};

/* Copies between two places of the device; false where the driver refuses. */
bool foreign_copy(const struct foreign_copy *copy);
/* The same as a function to be timed; `data` is the struct foreign_copy. */
void foreign_copy_work(void *data);
/* Loads a module: PTX text, or a file of PTX or machine code.  It stays until the program ends. */
bool foreign_load_text(void **module, const char *ptx);
bool foreign_load_file(void **module, const char *path);
/* Finds a kernel in a module. */
bool foreign_find(struct foreign_launch *launch, void *module, const char *name);
/* Writes a module's variable, all `size` bytes of it; false, having said why, where it has another size. */
bool foreign_write_variable(void *module, const char *name, const void *bytes, size_t size);
void foreign_launch(const struct foreign_launch *launch);

#endif
