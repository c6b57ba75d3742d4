/* Emits artefacts of lowered IR. Bytes belong to the arena that the function gets; errors are diagnostics of the
 * build, or fatal() for files and memory. Functions for one build may run at the same time as those for another. */
#ifndef GPUCC_EMIT_H
#define GPUCC_EMIT_H

#include "lower/lower.h"

/* ---- optimize.c ---- */

/* Sets what LLVM keeps for the whole process; once, before any thread compiles. */
void optimize_setup(void);
/* Sets it back to what it was. */
void optimize_restore(void);
/* LLVM's passes over build->module, for build->machine, which it makes. */
stage_function optimize;
/* The same passes, at the highest level, over another module of the build for PTX. */
void optimize_ptx(const struct build *build, LLVMModuleRef module);

/* ---- emit.c ---- */

/* The build's PTX and IR; nothing for native code, whose object says what the PTX is: emit_object(). */
stage_function emit;
/* The native code's object, with the program's descriptor in it; the program has its images and its manifest by
 * then. */
struct bytes emit_object(struct build *build, const struct program *program);

/* ---- shared_object.c ---- */

/* Ends the process if there is no linker, or it fails. */
struct bytes link_shared_object(const struct options *options, struct bytes object);

/* ---- ptxas.c: registers and spills, from CUDA's assembler ---- */

/* Assembles the text for the `wanted` architecture, or (0) its own; false with ptxas's own words in *message where
 * that fails. */
bool ptxas_measure(struct arena *arena, const char *ptxas, struct bytes ptx, int wanted, struct resources **resources,
                   size_t *count, const char **message);
/* Fills in the resources of all images; false after reporting what ptxas does not accept.  Ends the process where there
 * is no ptxas. */
bool measure_images(const struct options *options, struct program *program, struct diagnostics *diagnostics);
/* The entry's, or null. */
const struct resources *find_resources(const struct resources *list, size_t count, const char *entry);

/* ---- emit_manifest.c, emit_header.c ---- */

/* The JSON of docs/reference/manifest.md. */
struct bytes emit_manifest(const struct options *options, const struct program *program);
/* The C header with the descriptor's declaration and a typed function for each ufunc and kernel. */
struct bytes emit_header(const struct options *options, const struct program *program);

/* ---- host_types.c: what a generated header calls the program's types and names ---- */

/* A name as C++ also takes it; one for the parameter at `index` that has none. */
const char *host_name(const struct options *options, const char *name, size_t index);
/* Whether the header has something of the source by that name. */
bool host_name_is_taken(const struct program *program, const char *name);
/* A function's name, with underscores behind one that C++, gpucc or the C library's headers have. */
const char *host_function(const struct options *options, const struct program *program, const char *name);
/* Defines or declares the structs that the kernels' parameters are of; they live in the options' arena. */
struct host_records;
const struct host_records *declare_records(struct text *text, const struct options *options,
                                           const struct program *program);
/* "const float *", "int32_t ", "const struct point *"; "void *" for what a host cannot name.  A struct by value goes by
 * pointer. */
const char *host_parameter(const struct options *options, const struct host_records *records, const struct type *type);

#endif
