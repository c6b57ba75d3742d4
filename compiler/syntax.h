/* Syntax trees, in the words of clang-c/Index.h: codegen.cpp defines those of its functions that the front end calls,
 * and the ones below.  What they give lives as long as the unit, except strings, which clang_disposeString() frees. */
#ifndef GPUCC_SYNTAX_H
#define GPUCC_SYNTAX_H

#include "codegen.h"

#include <clang-c/Index.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clang_diagnostic {
    enum CXDiagnosticSeverity severity; /* a note belongs to what stands before it */
    const char *text;
    const char *option;                 /* "unused-variable"; "" where none governs it */
    CXSourceLocation at;                /* null where it has no place */
    const CXSourceRange *ranges;
    size_t range_count;
    const char *fix;                    /* what to write in place of fix_range; null unless there is one such advice */
    CXSourceRange fix_range;
};

typedef void clang_include_visitor(const char *path, CXSourceLocation from, bool is_system, void *data);

/* Parses; null where the arguments are wrong.  The request's report function is not called.  Freed with
 * clang_disposeTranslationUnit(). */
CXTranslationUnit clang_parse(const struct codegen_request *request);
const struct clang_diagnostic *clang_diagnostics(CXTranslationUnit unit, size_t *count);
/* Visits each file read, the main file first, with the place that includes it: a file more than once where it is read
 * more than once. */
void clang_visit_includes(CXTranslationUnit unit, clang_include_visitor *visitor, void *data);

/* The file's name, null where there is no place; line and column from 1, the offset in bytes from 0.  Inside a macro,
 * where it is used, or its argument. */
CXString clang_place(CXSourceLocation location, unsigned *line, unsigned *column, unsigned *offset);
/* Where the text of a declaration begins. */
CXSourceLocation clang_start(CXCursor declaration);
/* Whether Clang makes code of calls of this function by itself. */
bool clang_is_builtin(CXCursor function);
/* The name of the section that a variable is to be in, "" where none is given. */
CXString clang_section(CXCursor variable);
bool clang_has_initializer(CXCursor variable);
/* The variable that an assignment, increment or decrement writes to, or to an element or member of; else null. */
CXCursor clang_written(CXCursor expression);
/* Whether inline assembly has no text, so that it hides a value from the optimiser on every target. */
bool clang_is_empty_assembly(CXCursor statement);

#ifdef __cplusplus
}
#endif
#endif
