/* C text to LLVM IR by Clang's CodeGen (codegen.cpp). */
#ifndef GPUCC_CODEGEN_H
#define GPUCC_CODEGEN_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct codegen_file {
    const char *path, *data; /* an in-memory header; data is NUL-terminated */
    size_t size;
};

/* Called for each error; `file` is null where there is no place. */
typedef void codegen_report(void *data, const char *file, unsigned line, unsigned column, const char *message);

struct codegen_request {
    const char *path;             /* the source's name, for places and relative includes */
    const char *text;             /* what to compile instead of that file's contents; NUL-terminated */
    size_t size;
    const char *const *arguments; /* of clang -cc1 */
    size_t argument_count;
    const struct codegen_file *files;
    size_t file_count;
    codegen_report *report;
    void *report_data;
};

/* The unoptimised module, owned by the caller; null after errors. */
LLVMModuleRef codegen(LLVMContextRef context, const struct codegen_request *request);
/* From now on LLVM's own errors in this context, of optimising and emitting, are reported too. */
void codegen_watch(LLVMContextRef context, codegen_report *report, void *data);
/* Makes a definition the declaration of a function that is elsewhere. */
void codegen_drop_body(LLVMValueRef function);
/* Links into `module` what it needs of a library in bitcode, whose memory must outlive the module. */
bool codegen_link(LLVMModuleRef module, const char *bitcode, size_t size);
/* Runs passes ("sroa,loop(loop-rotate)") on one function; LLVM's C API runs them on modules only.  False where the text
 * is wrong. */
bool codegen_run_passes(LLVMValueRef function, const char *passes);
/* The `llvm.loop` of a loop whose rounds are independent of one another as far as accesses go that have *group as their
 * `llvm.access.group`; LLVM's C API cannot make the distinct nodes that these must be. */
LLVMMetadataRef codegen_parallel_loop(LLVMContextRef context, LLVMMetadataRef *group);
/* Calls `report` with Clang's words for each warning option ("all", "no-error=format") that it does not know. */
void codegen_check_warnings(const char *const *names, size_t count, void (*report)(void *data, const char *message),
                            void *data);
/* Clang and LLVM call this, which does not return, where they get no memory. */
void codegen_when_out_of_memory(void (*handler)(void));
/* Lets LLVM keep a note of what it is doing, and prints that note to standard error: for the crash handler. */
void codegen_enable_crash_trace(void);
void codegen_print_crash_trace(void);

#ifdef __cplusplus
}
#endif
#endif
