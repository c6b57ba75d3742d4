/* The base of every room: memory, files, sources, types, diagnostics, threads, jobs.
 *
 * Errors are of three kinds: a diagnostic, which has a place in the user's source and is collected in struct
 * diagnostics; fatal(), for an environment that failed (no file, no memory); assert(), for our own bugs. Functions
 * with an arena parameter allocate there; they return memory that lives as long as the arena. An arena and a text
 * belong to one thread at a time; struct sources and struct diagnostics lock themselves. */
#ifndef GPUCC_BASE_H
#define GPUCC_BASE_H

#include <gpucc/limits.h>
#include <gpucc/program.h>
#include <llvm-c/Types.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct diagnostics;

enum exit_status { EXIT_OK, EXIT_INPUT, EXIT_USAGE, EXIT_ENVIRONMENT };

/* The target of the code. */
enum target { TARGET_PTX, TARGET_CPU };

struct bytes {
    const char *data; /* NUL-terminated beyond size where it is text */
    size_t size;
};

/* ---- memory.c: arenas; a pointer from an arena lives until arena_free() of that arena ---- */

struct arena; /* the compilation's own is `options.arena`; freed once, at the end of main() */

/* A new arena; free it with arena_free(), and with it everything allocated from it. */
struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, 16-aligned, never null */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for one more in an array of `count` elements of `size` bytes: returns the array, moved when it was full. */
void *arena_grow(struct arena *arena, void *array, size_t count, size_t size);

/* A growing text; `data` is NUL-terminated (never null after the first append).  Memory is the arena's. */
struct text {
    struct arena *arena;
    char *data;
    size_t size, capacity;
};
void text_append(struct text *text, const char *data, size_t size);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Prints "gpucc: error: …" and ends the process with EXIT_ENVIRONMENT, after discard_files(); or ends this thread's
 * part of a job (below), whose host goes on. */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with EXIT_INPUT: what the user gave is wrong, and has no place. */
_Noreturn void input_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with EXIT_USAGE: the command line is wrong. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- job.c: compilations in somebody else's process ---- */

/* The log and the resources of one of the library's compilations.  The command has none: its process is the
 * compilation's own.  A thread that is started for a job belongs to it. */
struct job;

struct job *job_new(void);          /* null if there is no memory */
void job_free(struct job *job);     /* with every arena that was made for it */
struct job *job_current(void);      /* this thread's, or null */
/* Runs the job in a thread with a large stack, and waits.  Returns EXIT_OK, or the status that it failed with. */
enum exit_status job_run(struct job *job, void *(*run)(void *data), void *data);
/* Runs a part of the job in a thread that was started for it. */
void job_work(struct job *job, void *(*run)(void *data), void *data);
/* Runs it to its end, or to where the job fails in it.  Whoever has started threads calls what he does meanwhile by
 * job_guard(), joins them, and then calls job_check(), which goes on failing. */
void job_guard(void *(*run)(void *data), void *data);
void job_check(void);
/* Fails this thread's job, for fatal() and its like. */
_Noreturn void job_fail(enum exit_status status, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* An error has been reported that explains the failure that may follow. */
void job_explained(void);
/* The list of the job's arenas, which others leave alone until job_arenas_done(); null if there is no job. */
struct arena **job_arenas(void);
void job_arenas_done(void);

/* A recursive lock, that a job which fails lets go of. */
void lock_init(pthread_mutex_t *mutex);
void lock(pthread_mutex_t *mutex);
void unlock(pthread_mutex_t *mutex);

/* The command reports in one form, to standard error; a job in both, for its log. */
enum log_form { LOG_TEXT, LOG_JSON, LOG_FORMS };
void log_write(enum log_form form, const char *text, size_t size);
/* Appends the command's later reports to *copy too.  Only one thread reports: others defer their diagnostics. */
void log_copy_into(struct text *copy);
const char *job_log(const struct job *job, enum log_form form); /* lives as long as the job */
/* The diagnostics that explain what the job has failed with. */
void job_set_diagnostics(struct diagnostics *diagnostics);

/* ---- output.c: files that appear whole or not at all ---- */

/* Records a file that is read, and its role ("is included"): no output may overwrite it. */
void protect_file(const char *path, const char *what);
/* Records an output of the command line ("-": standard output).  Both end the process by usage_error() if an output
 * would overwrite a file that is read, or another output, by whatever path; so does write_file(). */
void claim_output(const char *path);

/* Writes a temporary file beside `path`, which commit_files() renames; "-" is standard output, buffered in memory.
 * With `skip_if_same` an existing file with the same bytes is unchanged, its time too.  Ends the process if the file
 * cannot be written. */
void write_file(const char *path, const char *data, size_t size, bool skip_if_same);
/* The same for `size` bytes, not 0, which the caller writes to the returned memory: initially zeros, and possibly more
 * than the machine's memory.  Unmap it by munmap() before commit_files().  Null if only write_file() can write: to
 * standard output, a device or a pipe. */
char *map_file(const char *path, size_t size);
/* Renames all files of write_file() to their places; called once, after the last of them. */
void commit_files(void);
/* Ends the process where what has been printed cannot be written. */
void finish_standard_output(void);
/* Removes the temporaries.  Safe in a signal handler; fatal() and the signals that end a process do it by
 * themselves. */
void discard_files(void);

/* ---- names.c: a map from names to numbers, in an arena ---- */

struct names;
struct names *names_new(struct arena *arena);
/* The name's number, which is 0 until somebody sets it; valid until the next call. */
size_t *names_at(struct names *names, const char *name);
/* The name's number; 0 for a name that is not there. */
size_t names_find(const struct names *names, const char *name);

/* ---- nearest.c ---- */

/* The candidate that `name` (of `length` bytes) is most likely a misspelling of, or null when none is near. */
const char *nearest(const char *name, size_t length, const char *const *candidates, size_t count);

/* ---- source.c: the text of the files that were read ---- */

/* The whole file; null with errno where it cannot be read, is larger than 1 GiB, or is no regular file: pipes of
 * /dev/fd and /dev/null are read too. */
const char *file_read(struct arena *arena, const char *path, size_t *size);
/* Whether the path, of a pipe, names one that this process was given: that has a writer, or has had one. */
bool is_given_pipe(const char *path);
const char *file_error(int error); /* what errno says then, as text */

struct sources; /* every file once */

struct source {
    const char *path, *text; /* NUL-terminated */
    size_t size;
    const size_t *lines;     /* where each line starts; lines[line_count] is the end of the text */
    size_t line_count;
};

/* A new set of sources; free it with sources_free(). */
struct sources *sources_new(void);
void sources_free(struct sources *sources); /* with the text of every file */
/* The file's text, from the embedded files or the disk, in any thread; null when it cannot be read, and errno says
 * why. */
const struct source *source_open(struct sources *sources, const char *path);
/* The folder of files that are in memory only, and the name that their owner gave a file in it; null stays null. */
#define MEMORY_ROOT "/<memory>/"
const char *shown_name(const char *path);
/* Such a one, or what stands in place of a file: its text is copied. */
void sources_add(struct sources *sources, const char *path, const char *text, size_t size);
/* The name after the last slash. */
const char *base_name(const char *path);
/* The line (from 1) without its newline; false past the end. */
bool source_line(const struct source *source, unsigned line, const char **text, size_t *length);
/* The length of the UTF-8 sequence at `text` and its code point; 0 if there is no valid one. */
size_t utf8_decode(const char *text, size_t size, uint32_t *code);
/* Appends what is UTF-8, and U+FFFD for each other byte: whoever reads a manifest refuses those. */
void text_append_utf8(struct text *text, const char *string, size_t size);
/* The comment that ends directly above `offset`, without its marks and indentation; "" if there is none. */
const char *source_comment(const struct source *source, size_t offset, struct arena *arena);
/* A letter, digit or underscore. */
bool is_word(char c);
bool begins(const char *text, const char *beginning);
/* Past spaces, comments and spliced lines. */
const char *skip_space(const char *p);
/* The text between the parentheses of the annotation at `offset`, exactly as written, and its first byte's offset,
 * when it spells `stringized`, the preprocessor's version of it; null when a macro wrote it. */
const char *source_annotation(const struct source *source, size_t offset, const char *stringized,
                              struct arena *arena, size_t *start);

/* ---- types ---- */

enum dtype {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) DTYPE_##name,
#include <gpucc/dtypes.def>
    DTYPE_COUNT,
    DTYPE_NONE = DTYPE_COUNT
};

/* types.c; all take a value below DTYPE_COUNT */
const char *dtype_name(enum dtype dtype);   /* "float32" */
const char *dtype_code(enum dtype dtype);   /* "f32" */
const char *dtype_c_type(enum dtype dtype); /* "float" */
const char *dtype_host_type(enum dtype dtype); /* in C11 and C++ alike: "int32_t", "gpucc_complex64" */
const char *dtype_npy(enum dtype dtype);    /* NumPy's "f4" */
size_t dtype_size(enum dtype dtype);        /* bytes */
char dtype_kind(enum dtype dtype);          /* b i u f c */
bool dtype_is_stored(enum dtype dtype);      /* float8 types, for which C has no arithmetic */
int dtype_digits(enum dtype dtype);         /* bits of the significand of f and c, else 0 */
enum dtype dtype_from_name(const char *name, size_t length); /* or DTYPE_NONE */

/* ---- written_numbers.c ---- */

/* A number that C writes so, or one of INFINITY, NAN, true, INT32_MIN and their like, in the manifest's notation; null
 * where the text is anything else. */
const char *number_text(struct arena *arena, const char *text);
/* Whether an element can be the number, in that notation: exactly where the type is of whole numbers, else without
 * becoming infinite. */
bool dtype_represents(enum dtype dtype, const char *number);

/* ---- color.c ---- */

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
/* By default COLOR_AUTO: on terminals, unless NO_COLOR is set or TERM is "dumb". */
void color_set(enum color_mode mode);
/* Whether what is written to the descriptor has colours; false in a job. */
bool has_colors(int descriptor);
/* As clang has them; a text's end is COLOR_OFF. */
#define COLOR_BOLD "\033[1m"
#define COLOR_ERROR "\033[0;1;31m"
#define COLOR_OFF "\033[0m"

/* ---- diagnostics.c ---- */

struct place {
    const char *file;      /* null: no place */
    unsigned line, column; /* from 1, columns in bytes */
    unsigned length;       /* bytes to underline; 0 or 1: a caret alone */
};

/* The place with the file and line that `#line` gives it (presumed.c); the text lives in the arena. */
struct place presumed_place(struct arena *arena, struct sources *sources, struct place place);

/* The place of `at`, which points into an annotation's text that begins at `start`. */
struct place place_in_text(const char *text, const char *at, struct place start);

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_FATAL };

/* struct diagnostics collects, sorts nothing, prints at once; counts errors */

/* The command line's settings for diagnostics. */
struct diagnostic_settings {
    struct arena *arena;
    struct sources *sources;
    const char *const *arguments; /* of Clang: its -W… are heeded */
    size_t argument_count;
    bool warnings_are_errors, no_warnings;
    bool json; /* instead of text; in a job both are reported */
};

/* For whom they are laid out. */
struct terminal {
    bool has_colours;
    unsigned width; /* of the source's lines */
};
struct terminal standard_error(void);

/* New diagnostics in the arena of the settings, which are copied. */
struct diagnostics *diagnostics_new(const struct diagnostic_settings *settings);
/* For one of several threads: what it reports is held back, in `arena`, until diagnostics_release() hands it to
 * `parent`, so that the order in which errors are reported does not depend on which thread is first. */
struct diagnostics *diagnostics_deferred(struct arena *arena, struct diagnostics *parent);
void diagnostics_release(struct diagnostics *deferred);

struct range {
    unsigned column, length; /* on the diagnostic's line, in bytes */
};

struct diagnostic {
    enum severity severity;
    struct place place;
    const char *option;         /* the warning's flag, "-Wdouble-promotion", or null */
    const char *text;
    const struct range *ranges; /* to underline besides the place's own length */
    size_t range_count;
    const char *insertion;      /* what Clang would insert at the caret, or null */
};

/* Prints `file:line:col: error: text`, the source line and a caret (or one JSON object a line); honours -w, -W…,
 * -Wno-… and -Werror; a note belongs to the diagnostic before it.  Equal diagnostics are reported once. */
void report(struct diagnostics *diagnostics, const struct diagnostic *diagnostic);
void diagnose(struct diagnostics *diagnostics, enum severity severity, struct place place, const char *option,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
size_t diagnostics_errors(const struct diagnostics *diagnostics);
/* "2 errors generated." as clang ends. */
void diagnostics_summary(struct diagnostics *diagnostics);
/* Says that `file` was included from `place`, for the "In file included from" lines; the arguments are copied. */
void diagnostics_included(struct diagnostics *diagnostics, const char *file, struct place place);
/* Prints what a JSON diagnostic holds back while it waits for its notes; before anything that may crash. */
void diagnostics_flush(struct diagnostics *diagnostics);

/* ---- embedded.c: the headers and the math library inside the executable ---- */

struct embedded_file {
    const char *path; /* "/<gpucc>/include/math.h" */
    const char *data;
    size_t size;
};

/* No user has a directory of this name: what lies there is taken for ours. */
#define EMBEDDED_ROOT "/<gpucc>/"
#define MATH_EXTENSIONS "math_extensions.h" /* what <math.h> has beyond C17 */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_files_count;
/* The math library's functions that stand ready as PTX, "/<gpucc>/lib/nvptx64/conversions.ptx" beside the ".bc" of the
 * same ones; none in the gpucc that makes them. */
extern const struct embedded_file embedded_ptx[];
extern const size_t embedded_ptx_count;
/* Precompiled headers, "/<gpucc>/precompiled/sm_75-math.pch"; none in the programs that make them. */
#define PRECOMPILED_ROOT EMBEDDED_ROOT "precompiled/"
extern const struct embedded_file embedded_precompiled[];
extern const size_t embedded_precompiled_count;
const struct embedded_file *embedded_find(const char *path); /* or null */
/* The headers are the first of embedded_files. */
size_t embedded_header_count(void);
/* The bitcode of that file of the math library which defines `name`, for the machine that the triple begins with; null
 * where none does. */
const struct embedded_file *library_with(const char *triple, const char *name);
/* The library's name of C's function: "gpucc_acosh" for "acosh" and for "acoshl", as a long double is a double; null
 * where it has none. */
const char *library_name(struct arena *arena, const char *triple, const char *name);
/* The name without "gpucc_", which <math.h> puts before functions, and sources before words: "acosh" for "gpucc_acosh";
 * others as they are. */
const char *plain_name(const char *name);

/* ---- svg.c: pictures ---- */

/* With a white ground and a title; the attributes are those of SVG's elements. */
void svg_begin(struct text *text, int width, int height, const char *title);
void svg_end(struct text *text);
void svg_text(struct text *text, double x, double y, const char *attributes, const char *words);
/* At most `width` wide: in letters of `size` or smaller, and set closer where the smallest are too wide. */
void svg_fitted_text(struct text *text, double x, double y, double width, int size, const char *attributes,
                     const char *words);
void svg_line(struct text *text, double x1, double y1, double x2, double y2, const char *attributes);

/* ---- architectures.c ---- */

/* 90 | ARCH_SPECIFIC is sm_90a, for this one architecture; 100 | ARCH_FAMILY is sm_100f, for its family (10.x). */
enum { ARCH_FAMILY = 0x1000, ARCH_SPECIFIC = 0x2000 };

/* A line of architectures.def. */
struct architecture {
    int number;           /* 75, 90, 90 | ARCH_SPECIFIC */
    int isa;              /* the lowest PTX ISA version (63 for 6.3) that has it */
    int threads, blocks;  /* of a multiprocessor */
    size_t shared_memory; /* bytes of a multiprocessor … */
    size_t reserved;      /* … of which each block loses so many */
    int double_part;      /* of float's rate double arithmetic has 1/double_part; 0: not known */
};

/* 90 of 90 | ARCH_SPECIFIC */
int arch_capability(int arch);
/* The `index`th, ascending; null past the last. */
const struct architecture *architecture_at(size_t index);
/* The newest that is not newer than a device of this compute capability (75, 90, 120 …). */
const struct architecture *architecture_of(int capability);
/* The newest that such a device runs PTX for. */
int newest_arch(int capability);
/* The one for such a device alone, where gpucc makes other code for it: sm_90a; else the newest one. */
int own_arch(int capability);
/* The architecture of that name, which need not end with a NUL; 0 if there is none. */
int arch_from_name(const char *name, size_t length);
/* Whether PTX for `arch` may contain what is PTX for `part`. */
bool arch_can_contain(int arch, int part);
/* "sm_75", "sm_90a", "sm_100f" */
const char *arch_name(struct arena *arena, int arch);
/* LLVM's processor and feature to generate code with: "sm_90" and "+ptx85" for sm_120 with PTX 8.7. */
const char *llvm_processor(struct arena *arena, int arch);
const char *llvm_ptx_feature(struct arena *arena, int isa);
/* The value of __CUDA_ARCH__: 750 for 75. */
int cuda_arch(int arch);
/* The PTX ISA version that an architecture needs at least, and the first CUDA driver with such a version. */
int ptx_isa(int arch);
const char *ptx_isa_driver(int isa);

/* ---- native_targets.c ---- */

struct native_target {
    const char *name; /* "x86-64-v3", as --target takes it */
    const char *triple, *processor, *features; /* as LLVM has them */
    const char *architecture;                  /* as Clang's -march does */
};

/* The table's entry of a target; static. */
const struct native_target *native_target(enum gpucc_native_target target);
/* The least demanding of the set, bit 1 << GPUCC_NATIVE_… */
enum gpucc_native_target first_target(unsigned wanted);
/* Whether all of the set are of one machine, so that one object can hold code for them. */
bool same_machine(unsigned wanted);

/* ---- timing.c ---- */

/* From now on stage_done() prints. */
void stages_enable_timing(void);
/* Prints that a stage has ended, and the milliseconds since the one before it. */
void stage_done(const char *stage);

/* ---- threads.c ---- */

/* Starts a thread with the stack that main() asks for itself, as Clang and LLVM recurse, in which a crash is reported
 * as in the first one; false if there is no memory to set aside for it. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *data);

/* ---- child.c: other programs ---- */

/* The path of an executable file of PATH, or of a directory whose name has `length` characters; null if there is
 * none. */
const char *child_find(struct arena *arena, const char *name);
const char *child_file(struct arena *arena, const char *directory, size_t length, const char *name);
/* Runs arguments[0], ended by NULL, with `input` as its standard input, which it may seek in, and waits.  *output is
 * what it wrote and complained of; false if it could not be started or failed. */
bool child_run(struct arena *arena, char **arguments, struct bytes input, const char **output);
/* TMPDIR, or where that is none /tmp. */
const char *temporary_directory(void);

/* ---- crash.c ---- */

/* Installs the process's handlers of fatal signals and of LLVM's fatal errors, once, at the start of a command. */
void crash_install(void);
/* The same for jobs, as long as there are any: what LLVM and C++ call where they cannot go on.  In other threads that
 * goes on as before; signals stay the host's. */
void crash_borrow(void);
void crash_return(void);
/* Again, as libclang has put its handlers in place of ours. */
void crash_handlers_again(void);
/* Begins what handles a crash.  One thread reports its own; others that crash meanwhile wait here for the process to
 * end, and a second crash of the first one ends it. */
void crash_begin(void);
/* The function that LLVM works on in this thread, or null; lives until the next call. */
const char *crash_function(void);
/* An error has been reported that explains whatever crash may follow. */
void crash_explained(void);
/* A crash may be an overflow of the stack: in this thread its handler runs on `stack`, CRASH_STACK bytes that live as
 * long as the thread.  crash_install() sees to its own thread, thread_start() to those that it starts. */
enum { CRASH_STACK = 64 * 1024 };
void crash_guard_thread(char *stack); /* again where a library has put its own handlers in place of ours */
void crash_leave_thread(const char *stack); /* at its end: the stack may go */

/* ---- llvm_context.c ---- */

/* A context whose errors are reported; freed with LLVMContextDispose(). */
LLVMContextRef llvm_context_new(struct diagnostics *diagnostics);
/* For bitcode that the compiler has written itself. */
LLVMModuleRef llvm_module_read(LLVMContextRef context, LLVMMemoryBufferRef bitcode);

#endif
