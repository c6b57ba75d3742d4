/* Shared by the files of `gpucc test`. */
#ifndef GPUCC_TEST_INTERNAL_H
#define GPUCC_TEST_INTERNAL_H

#include "../runtime/devices/checked.h"
#include "compile.h"
#include "run/run.h"
#include "test/test.h"

#include <gpucc/loops.h>

/* ---- test_options.c ---- */

enum report_format { FORMAT_TEXT, FORMAT_TAP, FORMAT_JUNIT };

struct test_options {
    struct options compile;
    const char **functions; /* names; none: all of the program's ufuncs and gufuncs */
    size_t function_count;
    const char *devices;    /* of --device, or null */
    const char *check;      /* of --check, or null */
    unsigned checks;        /* of ufuncs and gufuncs */
    uint64_t seed, count;
    uint64_t integers;      /* the largest magnitude of integer inputs; 0: any */
    bool has_time;
    unsigned time;          /* seconds of one call; 0: any number */
    enum report_format format;
    const char *output, *svg; /* or null */
    const char *keep;
};

void test_options_parse(struct test_options *options, int argc, char **argv);

/* ---- draws.c: elements ---- */

struct random {
    uint64_t state;
};

struct random random_of(uint64_t seed, const char *symbol, uint64_t number);
uint64_t draw(struct random *random);
/* From 0 to count - 1; 0 if that is 0. */
uint64_t draw_below(struct random *random, uint64_t count);
/* Special values, any bits, and numbers of ordinary magnitude, mixed. */
void draw_elements(struct random *random, enum dtype dtype, size_t count, void *elements);
/* How many special values a type has, and the one of that number, from 0. */
size_t special_count(enum dtype dtype);
void special_element(enum dtype dtype, size_t number, void *element);
/* Reduces integers to magnitudes up to `most`; those below remain. */
void bound_integers(enum dtype dtype, uint64_t most, size_t count, void *elements);

/* ---- test_case.c: what a function is called with ---- */

enum spacing {
#define SPACING(id, words) SPACING_##id,
#include "test/spacings.def"
    SPACING_COUNT
};

enum { OUTER_MOST = 3, RANK_MOST = OUTER_MOST + GPUCC_CORE_RANK, AXES_MOST = OUTER_MOST + GPUCC_CORE_DIMS };

struct operand {
    enum dtype dtype;
    int outer, ndim;          /* dimensions: the outer ones first */
    int64_t shape[RANK_MOST]; /* 1 if it is repeated */
    int axes[RANK_MOST];      /* the case's axis that each dimension goes along; or -1: it has an extent of its own */
    enum spacing spacing;
    char *values;             /* of an input: packed, in C order */
};

/* One call.  Its axes are those of the outer dimensions, then those of a gufunc's core. */
struct test_case {
    const struct instance *loop;
    int outer, axes;
    int64_t extents[AXES_MOST];
    struct operand operands[GPUCC_LOOP_OPERANDS]; /* inputs, then outputs */
    unsigned lacking;                             /* bit i: operands lack the layout's dimension i */
    int in_place;                                 /* the input in whose place the first output is; -1: none */
};

static inline size_t operand_count(const struct instance *loop)
{
    return loop->input_count + loop->output_count;
}

/* From one outer index of the case to the next in C order, or from the last to the first. */
void next_index(const struct test_case *test, int64_t *index);
/* The size of an output's element. */
void index_of_element(const struct test_case *test, const struct operand *output, size_t element, int64_t *index);
/* The offset in bytes of a loop index in the operand's packed elements. */
size_t core_at(const struct operand *operand, const int64_t *index);
/* Elements of the operand, without those repeated. */
size_t element_count(const struct operand *operand);
/* Case number `number` of the loop, its values in the arena; false past the last one. */
bool make_case(struct arena *arena, const struct test_options *options, const struct instance *loop, uint64_t number,
               struct test_case *test);
/* Sets the outputs' shapes from the axes; false if an extent that the layout computes is none. */
bool shape_outputs(struct test_case *test);
/* How the case differs from packed arrays of that shape: "(5, 33), x every second element"; in the arena. */
const char *describe_case(struct arena *arena, const struct test_case *test);
const char *operand_name(const struct instance *loop, size_t k);

/* laid.c: where an operand's elements lie in memory of `size` bytes. */
struct laid {
    size_t size;
    int64_t offset, strides[RANK_MOST]; /* bytes */
};

struct laid lay_out(const struct operand *operand);
/* Between the packed elements and where they lie. */
void spread(const struct operand *operand, const struct laid *laid, const char *packed, char *memory);
void gather(const struct operand *operand, const struct laid *laid, const char *memory, char *packed);

/* ---- sides.c: where functions run ---- */

struct side {
    const char *name;      /* "cpu", "cuda:0" */
    gpucc_context *context;
    gpucc_program *program;
    bool one_by_one;       /* a call for each element, of a gufunc for each outer index */
    struct faults *faults; /* what its checked code has found in the last call; null: it is not checked */
    struct side *next;
};

/* The results of a call. */
struct results {
    gpucc_status status;
    const char *reason;              /* where it failed; in the arena */
    const char *strayed;             /* "writes beside the elements of 'out'", into an input; in the arena, or null */
    char *outputs[GPUCC_LOOP_OPERANDS]; /* packed, in the arena */
};

/* `before` is the byte that outputs are filled with: what a function makes of two of them is the same. */
void call_on(const struct side *side, const struct test_case *test, int before, struct arena *arena,
             struct results *results);

/* ---- property.c: what shall hold of a function, whatever it is given ---- */

/* Whether two numbers have the same bits, or both are NaNs; of complex ones each part. */
bool are_alike(enum dtype dtype, const char *a, const char *b);

struct property {
    enum { SAME_BITS, AS_REFERENCE, INVERTED, DERIVED, NO_FAULTS } kind;
    const struct side *side, *other;   /* the CPU, with checks or without; and of SAME_BITS what it is compared with */
    const struct instance *reference;  /* of the other kinds; of DERIVED the function that is derived */
    double within;                     /* units in the last place that are no failure */
};

struct outcome {
    bool applies;        /* the function takes arrays of these shapes */
    const char *failure; /* of the call itself, or null */
    bool in_memory;      /* … which arrays in files do not show: the test alone does */
    struct compared {
        size_t count;
        enum dtype wanted_type;
        char *got, *wanted;
        double *errors; /* units in the last place, or of integers; infinity: not alike; NaN: not compared */
    } outputs[GPUCC_LOOP_OPERANDS];
    size_t points; /* of DERIVED: compared */
    double worst; /* the largest error */
    size_t worst_output, worst_element;
};

void judge(const struct property *property, const struct test_case *test, struct arena *arena,
           struct outcome *outcome);
bool fails(const struct property *property, const struct outcome *outcome);
/* The name of an output of which the function makes something else where it held other bytes before; or null. */
const char *depends_on_before(const struct property *property, const struct test_case *test, struct arena *arena);

/* ---- derivative.c ---- */

/* The instance that a loop derives, if all their numbers are float64; else null. */
const struct instance *derived_instance(const struct program *program, const struct instance *loop);
/* Puts numbers of ordinary magnitude into a case, all positive or not; of a ufunc into every other one. */
void draw_ordinary(const struct test_options *options, uint64_t number, struct arena *arena, struct test_case *test);
void compare_derivative(const struct property *property, const struct test_case *test, const struct results *results,
                        struct arena *arena, struct outcome *outcome);

/* ---- ulps.c: how far numbers are apart ---- */

/* The distance of an element of `dtype` from one of a type at least as wide, in units in the last place of `dtype`
 * at that. */
double error_in_ulps(enum dtype dtype, const void *got, enum dtype wanted_type, const void *wanted);

enum { BINS = 20 };

struct errors {
    uint64_t count, bins[BINS]; /* exact, then up to 1/2, 1, 2, 4 … units, the last one all others */
    uint64_t finite;
    long double sum;            /* of those that are finite */
    double most;
};

/* The unit of that type's errors: " units in the last place"; nothing for integers. */
const char *unit_name(enum dtype dtype);
void count_error(struct errors *errors, double error);
/* "exact", "≤ 0.5" … "apart" */
const char *bin_name(int bin);
/* The one behind the last that is not empty. */
int used_bins(const struct errors *errors);

/* ---- shrink.c ---- */

/* Makes a case that fails smaller, for as long as it fails; new values are in the arena. */
void shrink(const struct property *property, struct arena *arena, struct test_case *test);

/* ---- reporting.c ---- */

void print_element(struct text *text, enum dtype dtype, const void *element);
/* The findings of checked code: lines, and the number of faults. */
struct faults {
    struct text text;
    size_t count;
};
/* As struct watch_settings has it, its data a struct faults. */
void report_fault(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *words);
/* Files that are to be written, in the arena. */
struct left_files {
    struct arena *arena;
    struct left_file *items;
    size_t count;
};
/* A .npy file; the values are not copied. */
void add_left_file(struct left_files *files, const char *path, enum dtype dtype, int ndim, const int64_t *shape,
                   const char *values);
/* A blank and the word, as a shell takes it for one. */
void print_word(struct text *text, const char *word);
void print_sources(struct text *text, const struct test_options *options);
/* How the program was compiled, as the command line says it; the plain one without optimisation. */
void print_compilation(struct text *text, const struct test_options *options, bool is_plain);

/* ---- verdicts.c: reports ---- */

enum verdict_kind { PASSED, FAILED, SKIPPED };

struct verdict {
    enum verdict_kind kind;
    const char *symbol, *what; /* "trig_f32_f32", "cpu and cuda:0" */
    const char *detail;        /* a line; or null */
    const char *more;          /* lines, each ended; or null */
    const struct errors *errors; /* of a comparison with a reference, or null */
    double seconds;
};

struct verdicts {
    const struct test_options *options;
    struct arena *arena;
    struct text report; /* as far as it has come */
    FILE *out;          /* standard output, as it was before the functions' own output was kept from it */
    bool has_colors;    /* so does the report */
    struct arena *foreseen; /* what a crash leaves; or null */
    struct last_words last_words;
    struct verdict *items;
    size_t count;
};

/* From now on standard output is the report's, and what functions print goes to standard error. */
void begin_report(struct verdicts *verdicts);
/* Names the next trial, which the report marks as failed if the process crashes: earlier verdicts are reported then
 * as well, and these files are left.  All of it is copied to where functions cannot overwrite it. */
void foresee_crash(struct verdicts *verdicts, struct verdict verdict, const struct left_files *files);
/* A crash from now on leaves no files. */
void forget_files(struct verdicts *verdicts);
/* Text and TAP appear on standard output at once. */
void add_verdict(struct verdicts *verdicts, struct verdict verdict);
size_t count_verdicts(const struct verdicts *verdicts, enum verdict_kind kind);
/* Finishes the report, and writes what the command line asks for. */
void end_report(struct verdicts *verdicts);

/* ---- save_failure.c ---- */

/* A line on the result that is furthest off, and its arguments. */
const char *describe_worst(struct arena *arena, const struct property *property, const struct test_case *test,
                           const struct outcome *outcome);
/* Writes the inputs of a failed case and what was to come out to files; the lines that say what is wrong with it, and
 * which commands show it again. */
const char *save_failure(const struct test_options *options, struct arena *arena, const struct property *property,
                         const struct test_case *test, const struct outcome *outcome);

/* A crash of the case leaves: its inputs; and the lines that say what it was called with and how to see it again. */
struct left_files foresee_failure(const struct test_options *options, struct arena *arena,
                                  const struct property *property, const struct test_case *test, const char **more);

/* ---- trials.c ---- */

/* Everything that is to hold of the loop; `checked` is null if nothing is checked. */
void try_loop(const struct test_options *options, const struct program *program, const struct side *sides,
              const struct side *checked, const struct instance *loop, struct verdicts *verdicts);

/* ---- kernel_case.c: what a kernel is launched with, by a test of the source ---- */

/* A test for one set of types. */
struct kernel_test {
    const struct test_options *options;
    const struct test *test;
    const struct instance *kernel;
    const char *symbol;    /* "any_size", or "any_size_f32" where there are several */
    gpucc_kernel *driver;  /* on the CPU */
};

/* Which of a test's cases: the memory is the arena's in which it was made. */
struct kernel_choice {
    long long *numbers; /* of each each(…) which of its values, of each any(…) the number */
    char **plain;       /* of each parameter: for each element whether it is a simple one; or null, as all may be */
};

/* One launch, its memory in an arena. */
struct kernel_case {
    const struct kernel_test *of;
    struct arena *arena;
    struct kernel_choice choice;
    const char *label;     /* "n = 31, a = 0.5"; "" where nothing varies */
    char *cells;           /* what the driver writes */
    struct parameter_data {
        enum dtype dtype;  /* NONE: bytes */
        size_t element, count;
        int ndim;
        int64_t shape[GPUCC_MAX_DIMS];
        char *data;        /* before the launch; null: a scalar or a struct */
    } *held;               /* of each parameter */
    gpucc_launch launch;
    uint64_t seed, schedules;
    const char *failure;   /* why there is none, with a line's end; or null */
};

/* How many the test has; 0 if they are too many. */
uint64_t count_cases(const struct test *test);
void number_case(const struct kernel_test *of, uint64_t number, struct arena *arena, struct kernel_choice *choice);
/* Between which numbers an any(…) lies, ends included. */
void choice_bounds(const struct kernel_test *of, const struct kernel_choice *choice, size_t axis, struct arena *arena,
                   long long bounds[2]);
void make_kernel_case(const struct kernel_test *of, const struct kernel_choice *choice, struct arena *arena,
                      struct kernel_case *made);
/* Calls the function of that step. */
gpucc_status call_step(const struct kernel_case *with, int step, char **after, char **before);
int64_t whole_of(const struct kernel_case *with, const struct test_values *values, size_t i, int64_t otherwise);
double real_of(const struct kernel_case *with, const struct test_value *value);
/* The array of a parameter, or one that a claim compares with it: what is random is the same in both. */
struct parameter_data make_parameter_data(const struct kernel_case *with, const struct test_array *array,
                                          size_t parameter,
                                          const char **failure);
static inline size_t parameter_data_size(const struct parameter_data *held)
{
    return held->count * held->element;
}

/* ---- kernel_claims.c: what must hold then ---- */

/* The errors in the arrays after a launch, a line or more in the arena; null: none. */
const char *check_claims(const struct kernel_case *with, char *const *after, struct left_files *expected);
/* The same of what two launches have left; `other` says how the text calls what it is compared with. */
const char *compare_launches(const struct kernel_case *with, char *const *after, char *const *others,
                             const char *other);

/* ---- kernel_launch.c: where kernels run ---- */

enum { CHECKED_STATION, CPU_STATION }; /* and behind them the GPUs */

struct station {
    const char *name;               /* "cpu", "checks", "cuda:0" */
    gpucc_context *context;
    const struct program *program;  /* the CPU's code, loaded anew for each launch */
    const struct gpucc_program_image *image; /* a GPU's */
    bool is_checked;
    const struct instance *adjoint; /* that is compared with differences of the kernel; or null */
};

/* Launches the case from its arrays as they are, in the order that a seed chooses (0: the usual); what they are then is
 * in `after`.  Why it fails, a line or more in the arena; null: it does not. */
const char *launch_case(const struct station *station, const struct kernel_case *with, uint64_t order, char **after);

/* ---- kernel_shrink.c ---- */

/* Makes a case that fails on that station smaller, for as long as it fails in the same way: numbers of any(…), then
 * what arrays of random and special numbers hold.  How many launches that took. */
uint64_t shrink_kernel(const struct kernel_test *of, const struct station *stations, const struct station *station,
                       struct verdicts *verdicts, struct arena *arena, struct kernel_choice *choice);

/* ---- kernel_derivative.c ---- */

struct attempt;
/* The adjoint that the program has of a kernel, if its arrays of numbers are float64; or null. */
const struct instance *adjoint_of_kernel(const struct program *program, const struct instance *kernel);
/* The errors of its slope at the case, also by the checks; null: none. */
const char *check_kernel_adjoint(const struct station *stations, const struct kernel_case *with,
                                 const struct instance *adjoint, struct attempt *attempt);

/* ---- kernel_trials.c ---- */

struct attempt {
    uint64_t launches;
    bool is_launch;             /* it is the launch that has failed: arrays may be anything */
    struct left_files expected;
    uint64_t compared;          /* slopes */
};

/* The errors of the case on the station; null: none.  A checked launch is tried in other orders too. */
const char *try_case(const struct station *stations, const struct station *station, const struct kernel_case *with,
                     struct attempt *attempt);
/* Prepares the files that a crash of the case leaves. */
void foresee_case(const struct station *station, const struct kernel_case *with, struct verdicts *verdicts);

/* All of the test's cases, on all stations: the checked CPU first, then the CPU. */
void try_kernel(const struct kernel_test *of, const struct station *stations, size_t count, struct verdicts *verdicts);

#endif
