/* Shared by the files that insert hooks for accesses to memory: lower_watch.c, and lower_sites.c, which says what an
 * access is based on and where it stands. */
#ifndef GPUCC_LOWER_WATCH_H
#define GPUCC_LOWER_WATCH_H

#include "lower/lower_internal.h"

struct watch {
    const struct options *options;
    struct arena *arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef pointer, word, wide, nothing;
    LLVMTypeRef place_type, call_type, site_type; /* struct gpucc_cpu_place, _call, _site */
    struct pointer_map written;                   /* local variables and the bytes that say what of them is written */
    struct pointer_map functions;                 /* those that threads run */
    struct pointer_map entries;                   /* NAME_thread and NAME_block */
    bool in_call;                                 /* of a ufunc or gufunc: here, no thread is watched */
};

/* An instruction's access to memory. */
struct access {
    LLVMValueRef address, size, value; /* size: null if the site says it; value: of a known write, or null */
    unsigned bytes, align, kind;
};

/* The base of an address, as far as the code shows it. */
struct object {
    LLVMValueRef name; /* null: none */
    uint64_t extent;   /* bytes; 0: not known */
    unsigned element;
};

void watch_make_types(struct watch *w);

/* The value from which an address is computed: a variable, an argument, or any other value that is not an offset. */
LLVMValueRef watch_base(const struct watch *w, LLVMValueRef address);
/* The executor's own: a thread's record, and the parameters that it hands to a kernel's functions. */
bool is_executors_own(const struct watch *w, LLVMValueRef base);
/* Whether Clang made it from a literal or an initialiser. */
bool is_literal_object(LLVMValueRef base);
/* A gufunc's operand, as the loops around it hand it over: gpucc_cpu_core(data, bytes, element, name). */
bool is_core(LLVMValueRef base);
struct object watch_object_of(const struct watch *w, LLVMValueRef base);

LLVMValueRef watch_number(const struct watch *w, unsigned value);
/* The file's, of a location, or "". */
const char *watch_path(const struct watch *w, LLVMMetadataRef location);
/* Code that codegen appended to the user's file is not the user's. */
bool is_in_source(const struct watch *w, LLVMMetadataRef location);
/* Accesses in our own headers are reported at the user's call. */
LLVMMetadataRef users_location(const struct watch *w, LLVMMetadataRef location);
/* A struct gpucc_cpu_site: of an access, or of what is done there; `base` and `access` may be null. */
LLVMValueRef watch_site_constant(const struct watch *w, LLVMValueRef i, LLVMValueRef base, const struct access *access);

#endif
