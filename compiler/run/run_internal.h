/* Shared by the files of `gpucc run`.  An invalid argument of the user's ends
 * the process here, with the message and the exit status that docs/reference/run.md promises; no output is written
 * until everything has succeeded. */
#ifndef GPUCC_RUN_INTERNAL_H
#define GPUCC_RUN_INTERNAL_H

#include "compile.h"
#include "run/run.h"

/* ---- text_file.c: arrays as text ---- */

/* A file of numbers, a row a line, separated by blanks or commas.  It states no dtype. */
struct text_file {
    const char *path;
    struct file_bytes bytes;
    size_t rows, columns, count;
    enum number_kind kind;         /* the widest of its numbers */
    struct number least, greatest; /* of its integers */
};

/* Whether the name ends in .txt or .csv. */
bool is_text_file(const char *path);
/* Reads the file once; ends the process with the line of whatever is no number. */
void text_file_open(struct text_file *file, const char *path);
/* Its shape as numpy.loadtxt() has it: one row or one column has one dimension, a single number none.  Returns the
 * number of dimensions. */
int text_file_shape(const struct text_file *file, int64_t shape[2]);
/* Whether the type holds its numbers; and the type where nothing else states one. */
bool text_file_fits(const struct text_file *file, enum dtype dtype);
enum dtype text_file_dtype(const struct text_file *file);
/* Stores its numbers, each rounded once, and frees the file's memory. */
void text_file_read(struct text_file *file, enum dtype dtype, char *elements);
/* Hands the array, contiguous and of at most two dimensions, to write_file(), in the fewest digits that identify each
 * value. */
void text_file_save(const char *path, const struct host_array *array);

/* ---- inputs.c: what stands on the command line for a parameter ---- */

enum input_kind { INPUT_NUMBER, INPUT_FILE, INPUT_TEXT, INPUT_FILL, INPUT_LINSPACE, INPUT_ARANGE, INPUT_RANDOM };

struct input {
    const char *text;      /* as the user wrote it */
    enum input_kind kind;
    const char *path;      /* of a file */
    enum dtype dtype;      /* or DTYPE_NONE: the parameter's */
    struct number number;  /* of a number, or what fills the array */
    struct number from, to;
    uint64_t seed;
    struct text_file text_file;
    bool is_empty;           /* its values are none, for checks */
    int box_count;           /* of a tensor map: its box has so many dimensions, 0: it is an array … */
    size_t box[GPUCC_MAX_DIMS];
    int swizzle; /* … and this swizzle */
    struct host_array array; /* its shape from the start (but for a file), its data after input_make() */
};

/* Ends the process with EXIT_USAGE where `text` is no input; `position` counts from 0. */
void input_parse(struct input *input, const char *text, size_t position, struct arena *arena);
/* Reads a file's header and maps or reads its data; nothing to do for other kinds. */
void input_open(struct input *input);
/* Whether an input without a type of its own can be of this one. */
bool input_fits(const struct input *input, enum dtype dtype);
/* The type that such an input has where nothing else says one: arange counts in int64, linspace's numbers are
 * float64. */
enum dtype input_usual_dtype(const struct input *input);
/* Fills the array of an input that is no number, which is of type `dtype` where it has none of its own. */
void input_make(struct input *input, enum dtype dtype);

/* ---- progress.c: a bar on a terminal for what takes long ---- */

void progress_begin(const char *what, uint64_t total);
void progress_add(uint64_t done);
void progress_end(void);

/* ---- run_options.c ---- */

struct save {
    const char *name, *path; /* of a kernel's parameter, or of a variable */
    bool is_variable;        /* known when the function is */
};

struct variable_setting {
    const char *variable;
    struct input input;
};

/* The method of a ufunc that is run. */
enum method { METHOD_CALL, METHOD_OUTER, METHOD_REDUCE, METHOD_ACCUMULATE, METHOD_REDUCEAT, METHOD_AT };

struct run_options {
    struct options compile;
    bool arch_given;
    const char *name;      /* of the function; null if none was given */
    struct input *inputs;
    size_t input_count;
    const char **outputs;  /* of -o, in order */
    size_t output_count;
    struct save *saves;
    size_t save_count;
    struct variable_setting *sets;
    size_t set_count;
    const char *device;    /* null: auto */
    int repeats;           /* 0: not timed; of `gpucc bench`: as many as it takes */
    bool is_bench;         /* the results are of no interest, but the time is */
    const char *json, *svg; /* of --json and --svg, or null */
    double operations;     /* of --operations, 0: to be counted */
    enum method method;
    const char *method_option; /* "--reduce"; null for a call */
    struct input indices;      /* of --reduceat and --at */
    bool has_where;
    struct input where;
    bool has_axes, all_axes, keepdims;
    int axes[GPUCC_MAX_DIMS], axis_count; /* of --axis */
    const char *initial;   /* of --initial, as it is written; or null */
    struct number initial_number;
    enum dtype dtype;      /* of --dtype, or DTYPE_NONE */
    gpucc_casting casting; /* of --casting */
    bool has_threads, has_grid, has_block, has_shared;
    uint64_t threads[3], grid[3], block[3]; /* unused ones 1 */
    uint64_t shared;
    bool checked;           /* --check */
    uint64_t schedules, seed; /* 0: once, in the usual order */
};

void run_options_parse(struct run_options *options, int argc, char **argv);

/* ---- run.c ---- */

/* A run from the point where everything is known that the command line and the files say. */
struct run {
    struct run_options *options;
    struct arena *arena;
    const struct program *program;
    const struct instance **candidates; /* the loops of the ufunc, or the instances of the kernel, called `name` */
    size_t candidate_count;
    gpucc_device_info device;
    gpucc_context *context;
    struct diagnostics *diagnostics; /* of --check */
    uint64_t schedule; /* of --schedules: the seed of the one that runs */
    bool on_host; /* inputs stay in the host's memory, and the call goes in parts */
    gpucc_program *loaded;
    struct jit *jit; /* its native code; null on a GPU */
    const struct instance *loop; /* of a ufunc: what one call does … */
    uint64_t evaluations;        /* … so often; 0: not known */
};

/* The input's data as an array of the context: a scalar, a view of the host's memory on the CPU, else a copy. */
gpucc_array *device_array(struct run *run, struct input *input, enum dtype dtype);
/* Calls `work`; a crash in native code, then or later, is reported as the function's. */
void guarded(struct run *run, gpucc_status (*work)(void *data), void *data);

/* Loads the program, anew where it has been: its variables are as it states them, or as --set does. */
void load_program(struct run *run);
/* The descriptor of a program without native code. */
const struct gpucc_program_image *describe_images(const struct run *run);

/* ---- run_checked.c ---- */

/* Reports options that do not go with --check, and chooses its device. */
void prepare_check(struct run_options *options);
/* With --check, reports the faults of the context's launches and calls as diagnostics; `diagnostics` is made. */
void watch_run(struct run *run);
/* Ends the process with EXIT_INPUT where there were faults. */
void end_if_faulty(const struct run *run);
/* The launch in --schedules orders, each from the arrays as they are now and the program as it is loaded, which `work`
 * is to find in run->loaded each time; the last one in the usual order.  Ends the process with EXIT_INPUT where there
 * were faults. */
gpucc_status launch_checked(struct run *run, gpucc_status (*work)(void *data), void *data, gpucc_array *const *arrays,
                            size_t count);

/* ---- measure.c, bench.c, device_limits.c, roofline.c: time ---- */

/* Calls `work` repeatedly, after the one call that has been made, and prints the median and, with the bytes that one
 * call moves, the throughput; for `gpucc bench` all that it prints. */
void measure(struct run *run, gpucc_status (*work)(void *data), void *data, uint64_t bytes);
/* The seconds that each of `count` calls takes, by the device's events, or on the CPU by a clock. */
void time_calls(struct run *run, gpucc_status (*work)(void *data), void *data, double *seconds, int count);
/* Sorts them; the one below which a part lies, from 0 (the least) over 0.5 (the median) to 1. */
void sort_seconds(double *seconds, int count);
double quantile(const double *seconds, int count, double part);
/* The stream to print to: not the one of the results. */
FILE *report_file(const struct run_options *options);
void bench(struct run *run, gpucc_status (*work)(void *data), void *data, uint64_t bytes);

/* The measured limits of a device. */
struct device_limits {
    size_t copied; /* bytes that a copy reads, and writes */
    double bandwidth; /* bytes a second that it reads and writes */
    double operations; /* a second, by multiply-adds on registers */
};
struct device_limits measure_device(struct run *run, enum dtype dtype);
/* The picture, as SVG. */
struct bytes draw_roofline(struct arena *arena, const char *title, const struct device_limits *roof, double intensity,
                           double performance);

/* run_ufunc.c, run_reduce.c, run_at.c, run_kernel.c */
void run_ufunc(struct run *run);
void run_reduction(struct run *run);
void run_accumulation(struct run *run);
void run_fused_reduction(struct run *run);
void run_reduceat(struct run *run);
void run_at(struct run *run);
void run_kernel(struct run *run);
/* The loop that takes the inputs; ends the process where none does. */
const struct instance *choose_loop(const struct run *run);
/* The file of output number k, by -o: the last one, where it is an archive, takes all that are left.  Null: nowhere. */
const char *output_path(const struct run_options *options, size_t k);
/* Reports options that do not go with a ufunc of so many outputs. */
void check_ufunc_options(const struct run *run, size_t outputs);
/* The size of all its elements. */
uint64_t array_bytes(const gpucc_array *array);
/* The mask of --where, or null.  What has no type of its own is boolean; another type the call refuses. */
gpucc_array *mask_of(struct run *run);
/* The indices that the method takes; weak scalars are int64. */
gpucc_array *indices_array(struct run *run);

/* ---- run_variables.c ---- */

/* Whether the program has a variable of this name that hosts see. */
bool is_variable(const struct run *run, const char *name);
/* "weights, offset", or "none" */
const char *variable_list(const struct run *run);
/* Tells of a --set of a variable that is not there. */
void check_variables(const struct run *run);
/* Gives the variables of --set their values, in the loaded program. */
void set_variables(struct run *run);
/* Saves those of --save that are variables. */
void save_variables(struct run *run);

/* ---- results.c ---- */

/* Saves the array's elements to `path`, under that name where it is an archive, or prints what they are like. */
void result(struct run *run, const char *name, const gpucc_array *array, const char *path);

#endif
