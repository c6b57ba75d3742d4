/* The manifest as the runtime reads it: JSON text to plain structs.  Whatever the text holds, reading it ends with
 * a manifest whose fields are in range, or with a message. */
#ifndef GPUCC_RUNTIME_MANIFEST_H
#define GPUCC_RUNTIME_MANIFEST_H

#include "programs/layout.h"
#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings belong to the manifest. */
struct manifest_parameter {
    const char *name, *type; /* "" where the text has none */
    size_t size;             /* bytes */
};

enum loop_kind {
    LOOP_CONTIGUOUS,
    LOOP_ROWS,
    LOOP_STRIDED,
    LOOP_CONVERTED,
    LOOP_CONVERTED_PACKED,
    LOOP_ALONG,
    LOOP_PACKED,
    LOOP_PACKED_ROWS,
    LOOP_PACKED_COLUMNS,
    LOOP_ACROSS,
    LOOP_SCAN_ALONG,
    LOOP_SCAN_ACROSS,
    LOOP_SCAN_PACKED,
    LOOP_FOLD,
    LOOP_AT,
    LOOP_GATHERED,
    LOOP_OUTER,
    LOOP_OUTER_BLOCK,
    LOOP_OUTER_STAGED,
    LOOP_OUTER_TEAM,
    LOOP_OUTER_TOGETHER,
    LOOP_OUTER_TILES,
    LOOP_OUTER_WARPGROUPS,
    LOOP_NATIVE,
    LOOP_NATIVE_REDUCE,
    LOOP_NATIVE_RUNNING,
    LOOP_NATIVE_CELLS,
    LOOP_KERNEL,
    LOOP_OTHER
};
/* As manifests call it. */
const char *loop_kind_name(enum loop_kind kind);

struct manifest_loop {
    enum loop_kind kind;
    const char *entry;
    int inputs, outputs;
    gpucc_dtype types[GPUCC_LOOP_OPERANDS]; /* of inputs, then outputs */
    int parameter_count;
    struct manifest_parameter *parameters;
    unsigned elements_per_thread; /* 0 if the text has none, as below */
    unsigned block;
    unsigned launch_bounds;
    size_t shared;
    size_t native_shared; /* of a block on the CPU */
    bool dynamic_shared, barriers, cooperative;
    bool no_barriers; /* of a gufunc's blocks, so said */
    uint64_t shared_extents[SHARED_LOOPS]; /* of a gufunc's teams, as struct loop has them */
    uint64_t overwrites; /* of a gufunc, bit i: output i is written as a whole, whatever stands there */
    unsigned cluster[3]; /* blocks of a cluster; 1 if the text has none */
    const char *native_thread, *native_block; /* null if there are none */
};

enum function_kind { FUNCTION_UFUNC, FUNCTION_GUFUNC, FUNCTION_REDUCTION, FUNCTION_KERNEL, FUNCTION_OTHER };

struct manifest_function {
    const char *name, *doc;
    enum function_kind kind;
    bool expect_low_occupancy, reorderable;
    const char *identity; /* a number in its text; null if there is none */
    const char *by;       /* of a fused reduction: the ufunc that combines its elements; else null */
    struct gufunc_layout *layout; /* of a gufunc; else null */
    int loop_count;
    struct manifest_loop *loops;
};

struct manifest_target {
    int arch;         /* 75 for sm_75 */
    char arch_suffix; /* 'a' for sm_90a, 'f' for sm_100f, else 0 */
    int isa;          /* 63 for 6.3 */
    int driver;       /* lowest, as cuDriverGetVersion has it; 0 if the text has none */
};

/* A variable that hosts reach by name. */
struct manifest_global {
    const char *name;
    gpucc_dtype dtype; /* of an element; GPUCC_DTYPE_COUNT if it is none */
    int ndim;
    int64_t shape[GPUCC_MAX_DIMS];
    size_t element_size, size; /* bytes */
};

struct manifest {
    uint64_t abi;
    const char *source;
    unsigned checks; /* of its native code: enum watch_check */
    int target_count;
    struct manifest_target *targets;
    int function_count;
    struct manifest_function *functions;
    int global_count;
    struct manifest_global *globals;
    void *json; /* holds the strings */
};

/* `text` need not end in NUL.  GPUCC_BAD_PROGRAM if it is no manifest that this runtime can read; the message
 * says where in it.  Free with manifest_free(). */
gpucc_status manifest_parse(const char *text, size_t size, struct manifest **out);
void manifest_free(struct manifest *manifest);

/* A number as C writes it, whatever the host's locale has for its point; false if the text is none. */
bool manifest_real(const char *text, double *out);

#endif
