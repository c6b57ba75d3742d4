/* Shared by the files of the front end: the only ones that include clang-c. */
#ifndef GPUCC_FRONTEND_INTERNAL_H
#define GPUCC_FRONTEND_INTERNAL_H

#include "frontend/frontend.h"

#include <clang-c/Index.h>

/* One parse of the source. */
struct parse {
    const struct options *options;
    struct diagnostics *diagnostics;
    struct arena *arena;
    CXTranslationUnit tu;
    const struct embedded_file *precompiled; /* the headers that were read so; null: none */
    CXFile main_file;
    struct unit *unit;
    bool clang_found_errors, clang_gave_up; /* after a fatal error it says no more, and nor should we */
    struct place *reported; /* what was reported before Clang's own diagnostics, which may say the same */
    size_t reported_count;
    bool reported_header; /* that <gpucc.h> is not included */
    struct place *errors; /* of Clang's */
    size_t error_count;
    CXIndex index;
    struct reach *reach;
};

/* A copy that lives in the parse's arena; the Clang string is disposed of. */
const char *copy_string(const struct parse *parse, CXString string);
/* The place where the user wrote it: a macro's use, or its argument.  `offset` may be null; no file: not in the
 * text. */
struct place place_of(const struct parse *parse, CXSourceLocation location, size_t *offset);
/* The same for a cursor, with its name's length to underline. */
struct place place_of_cursor(const struct parse *parse, CXCursor cursor);

/* ---- annotations.c ---- */

struct annotation {
    const char *name; /* "vectorize" */
    const char *text; /* what follows it */
    struct place place;
    size_t offset;
};

struct annotations {
    const struct parse *parse;
    struct annotation *items;
    size_t count;
};

struct annotations annotations_of(const struct parse *parse, CXCursor cursor);
/* The first of this name, or the last; null if there is none. */
const struct annotation *find_annotation(const struct annotations *list, const char *name);
const struct annotation *last_annotation(const struct annotations *list, const char *name);
/* The text in the parentheses and its place, from the source where it stands there as `stringized` has it. */
const char *annotation_text(const struct parse *parse, const struct annotation *annotation, const char *stringized,
                            struct place *place);
/* The comment above the first of: the declaration's own text, its annotations; "" if there is none. */
const char *documentation(const struct parse *parse, CXCursor cursor, const struct annotations *list);
/* Whether the declaration has the annotation "gpucc.NAME". */
bool has_annotation(const struct parse *parse, CXCursor cursor, const char *name);
/* Its annotations as one text, without "gpucc.": "kernel launch_bounds". */
const char *annotations_text(const struct parse *parse, CXCursor cursor);
/* Its documentation: the comment above it, "" if there is none. */
const char *comment_above(const struct parse *parse, CXCursor cursor);
/* The bytes of the name at an offset. */
unsigned name_length(const struct source *source, size_t offset);

/* ---- parse.c ---- */

CXIndex index_new(void);
/* False after reporting that Clang made nothing of the file. */
bool parse_source(struct parse *parse, CXIndex index, const struct binding *binding);
/* Notes the files that the parse read in the unit, and where they are included for diagnostics. */
void note_inclusions(struct parse *parse);

/* ---- frontend.c ---- */

bool same_place(const struct place *a, const struct place *b);
bool is_embedded(const char *file);
/* Tells where a name that the PTX will have is none that PTX allows. */
void check_symbol(const struct parse *parse, const char *name, struct place place);
/* Whether the name of `length` bytes is that of an annotation. */
bool is_annotation_name(const char *name, size_t length);
/* Calls `function` for each child, which may call this again. */
typedef void visit_function(CXCursor cursor, void *data);
void visit_children(CXCursor cursor, visit_function *function, void *data);
/* Through typedefs that are no type variables; *variable is the type variable's name, if one was met (may be null). */
CXType desugar(const struct parse *parse, CXType type, const char **variable);

/* An annotation, at `offset` of its file, that belongs to no function. */
void report_stray_annotation(const struct parse *parse, struct place place, size_t offset);

/* clang_types.c */
struct type type_of(const struct parse *parse, CXType type);
/* For a variable, whose arrays do not decay: `element_size` is that of the innermost element, `size` the whole. */
struct type type_of_variable(const struct parse *parse, CXType type);
/* In the extents of an array parameter's type, writes enumerators and sizeof as the numbers that they are. */
void settle_extents(const struct parse *parse, CXCursor parameter, struct type *type);
/* A function's type as C spells it, typedefs looked through, and with every array size that is no number as '*'; of a
 * variable its type, an array's without the first size. */
const char *prototype_of(const struct parse *parse, CXCursor function);

/* passes_declarations.c: notes a function or variable that hosts see */
void note_declaration(const struct parse *parse, CXCursor cursor, struct place place);

/* globals.c */
void note_global(const struct parse *parse, CXCursor cursor);
void note_constant(const struct parse *parse, CXCursor cursor);

/* clang_records.c: the struct of this type; null for an incomplete or unnamed one, and for a union. */
const struct record *record_of(const struct parse *parse, CXType canonical);

/* hints.c */

/* Whether the source includes this header of gpucc's: "gpucc/cuda.h". */
bool includes_header(const struct parse *parse, const char *header);
/* Whether our <math.h> declares this name. */
bool is_math_function(const struct parse *parse, const char *name);
/* Tells what gpucc knows about an error of Clang's, at `offset` of its file, and Clang does not. */
void report_hint(struct parse *parse, const struct diagnostic *error, size_t offset);

/* clang_diagnostics.c */

/* Tells of each -W… that Clang does not know. */
void report_unknown_warnings(const struct options *options, struct diagnostics *diagnostics);
/* Tells what Clang found; `quiet` leaves warnings out. */
void report_clang_diagnostics(struct parse *parse, bool quiet);
/* Whether Clang has reported an error at this place. */
bool has_error_at(const struct parse *parse, const struct place *place);
/* Adds to unit->own_names what makes types of the tags that CUDA code names without `struct`; false if there is
 * nothing to add. */
bool name_tags(struct parse *parse);

/* own_functions.c */

/* Whether the source has functions of names of <math_extensions.h>, which the next parse declares under other names.
 * unit->own_functions then says so. */
bool find_own_functions(struct parse *parse);

/* fuse.c */

/* The annotation of fuse(…) or of a statement like it; null if there is none. */
const struct annotation *find_fuse(const struct annotations *list, enum fuse_kind *kind);
void add_fuse(struct parse *parse, CXCursor cursor, const struct annotations *list,
              const struct annotation *annotation, enum fuse_kind kind);
/* `#line`: Clang reports of the function behind it where the statement stands. */
void write_line(struct text *text, const struct place *place);
/* Appends the unit's fused functions and derivatives; false after reporting errors in them. */
bool write_fused_functions(const struct parse *parse, struct text *text);
/* Gives the functions that were read from that text the places, comments and parameters' names of the source, which the
 * unit was made of `before`. */
void settle_fused(struct unit *unit, const struct unit *before);

/* derivatives.c */

/* Appends a derivative; false after reporting that it cannot be. */
bool write_derivative(const struct parse *parse, const struct fuse *statement, struct text *text,
                      struct function *made);
/* derivative(…), or null: the names of the functions. */
void read_partials(const struct parse *parse, const struct annotation *annotation, struct function *function);
/* Reports names of derivative(…) that cannot be, once all functions are known. */
void check_partials(const struct parse *parse);
/* Appends the functions by which compiler/derive/ knows the rules. */
void write_rules(const struct unit *unit, struct text *text);

/* test_blocks.c: reads the unit's tests, whose names and texts are there; reports what is wrong with them */
void read_tests(const struct parse *parse);
/* Which of the kernel's parameters a test's function calls so, "x_before" as it was before the launch; the count where
 * there is none. */
size_t find_test_parameter(const struct function *kernel, const char *name, bool *before);

/* test_drivers.c: appends a function for each test: C that computes its values and calls what it names. */
void write_test_drivers(const struct parse *parse, struct text *text);

/* A plain function: its name, result and parameters; no name where the file defines none of this name. */
struct function plain_function(const struct parse *parse, const char *name);

/* kernels.c: reports results and parameters that a kernel cannot have; sets function->parameter_bytes */
void check_kernel(const struct parse *parse, struct function *function);

/* reference.c */

/* Parses the parentheses of a function's reference(…), whose text begins at `start`; null after reporting an error. */
const struct reference *read_reference(const struct parse *parse, const char *text, struct place start,
                                       const char *function);
/* Tells of references to functions that the file has not, or that cannot judge; of plain ones where they are read. */
void check_references(const struct parse *parse);
/* The unit's first function whose reference is of this name; or null. */
const struct function *compared_with(const struct unit *unit, const char *name);

/* promotion.c: where float code falls into double. */
struct promotions;
struct promotions *find_promotions(const struct parse *parse);
/* Tells about the promotion that Clang warns of at this offset of `file`; false if it is none that is known. */
bool report_promotion(const struct parse *parse, const struct promotions *promotions, const char *file, size_t offset);
/* Tells about those that Clang does not warn of. */
void report_other_promotions(const struct parse *parse, const struct promotions *promotions);

/* later.c: changes the unit so that annotated prototypes behind a body count; false if nothing is to change. */
bool allow_later_annotations(struct parse *parse);

/* linkable.c */

/* Whether the declaration defines its variable. */
bool defines_variable(CXCursor cursor);
/* Notes a function or a variable at file scope that the file defines. */
void add_definition(const struct parse *parse, CXCursor cursor);

/* adjoints.c */

/* The core dimensions of an operand: names of sizes, or numbers. */
struct core {
    const char **dimensions;
    size_t count;
};

/* Reads "(m,n),(n)->(m)" into the operands' dimensions; returns the number of inputs. */
size_t read_cores(struct arena *arena, const char *layout, struct core **cores, size_t *count);
/* Whether a core dimension is a number. */
bool is_extent(const char *text);

/* reach.c: what a function uses, itself and through what it calls; notes the unit's externals. */
struct reach;
struct reach *reach_new(struct parse *parse);
/* Fills in what the function, whose body is at the cursor, reaches, and reports what device code cannot do.  `from` is
 * the use in another file, or null. */
void check_reachable(struct reach *reach, CXCursor cursor, struct function *function, const struct external *from);
/* Notes that the body of an annotated prototype is in another file. */
void note_prototype(struct reach *reach, CXCursor prototype, struct function *function);

/* ---- declared.c, effects.c ---- */

/* frontend.c: parses a file of a plain C library; null after reporting errors. */
struct parse *open_plain(const struct options *options, const char *path, struct diagnostics *diagnostics);
void close_plain(struct parse *parse);

/* A definition of a function. */
struct body {
    const struct parse *parse;
    CXCursor cursor;
    struct effects *effects; /* of each parameter; of those that are not `begun`, nothing yet */
    bool *begun;
    bool has_searched;       /* `host_only` is known, or being found out */
    const char *host_only;   /* as in struct declared */
};

struct bodies {
    struct arena *arena;
    struct body *items;
    size_t count;
    struct names *indices; /* of external functions' names, and 1 more */
};

/* The body of the function that the cursor declares, in its own file or another; or null. */
struct body *find_body(const struct bodies *bodies, CXCursor function);
/* The body's effects on its parameter of that index. */
struct effects effects_of(const struct bodies *bodies, struct body *body, unsigned parameter);
/* The calls from the body to a function that exists only on hosts or has no body in any file; or null. */
const char *host_only_of(const struct bodies *bodies, struct body *body);

#endif
