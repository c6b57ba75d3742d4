/* gpucc run: compiles in memory and runs one function on data; and the parts that `gpucc test` shares. Errors end
 * the process with a message and the exit status of docs/reference/run.md. */
#ifndef GPUCC_RUN_H
#define GPUCC_RUN_H

#include "base/base.h"

#include <gpucc/runtime.h>

/* The exit status; argv[0] is the command's name. */
int command_run(int argc, char **argv);

/* Reports a failure `status` and ends the process: of the environment, the input or the command line. */
void check(gpucc_status status, const char *what);

/* From now on a crash in native code is reported as that of the function of this name, which ends the process. */
void guard(const char *name);
/* From each guard() to guard_leave() may pass so many seconds, 0 for any number; then the process ends as if the
 * function crashed. */
void guard_time(unsigned seconds);
/* A file in two pieces. */
struct left_file {
    const char *path;
    const char *head, *data;
    size_t head_size, size;
};
/* A crash then writes this after its message: in the file or, without a path, by the descriptor; and files in a
 * folder, which is made. */
struct last_words {
    const char *path;
    int descriptor;
    const char *data;
    size_t size;
    const char *folder;
    const struct left_file *files;
    size_t file_count;
};
/* Copies the words and all that they point to, to where no function can overwrite them; null: nothing is left. */
void guard_leave(const struct last_words *words);
/* Leaves them; a signal handler's. */
void leave_last_words(void);
/* Makes the folder, with those that it is in, and writes the files; false with errno where that fails.  A signal
 * handler may call it. */
bool leave_files(const char *folder, const struct left_file *files, size_t count);

/* The best of what native code is made for that this machine runs, bit 1 << GPUCC_NATIVE_…; 0 if it runs none. */
unsigned native_targets_here(void);

/* ---- element.c: values of the element types ---- */

/* A number as it was written: of any type that it fits. */
struct number {
    enum number_kind { NUMBER_INTEGER, NUMBER_REAL, NUMBER_COMPLEX } kind;
    bool is_truth;          /* an integer that is written true or false */
    bool negative;          /* of an integer … */
    uint64_t magnitude;     /* … up to 2^64 - 1 */
    bool infinite;          /* spelled so; otherwise an infinity below is an overflow */
    double value[2];        /* real and imaginary part, each rounded once to double … */
    float single[2];        /* … and once to float */
};

/* Reads an integer (decimal or 0x…), a real number, inf, nan, true, false or a complex number (1-2j); false where
 * `text` is none of these. */
bool number_parse(const char *text, struct number *number);
/* The type that it has where nothing else says one: boolean, int64 or uint64, float64, complex128. */
enum dtype number_dtype(const struct number *number);
/* Writes the element; false if the number does not fit the type. */
bool number_store(const struct number *number, enum dtype dtype, void *element);

/* `count` adjacent elements from real numbers (for a complex type, pairs of them); integers are rounded down. */
void elements_from_double(enum dtype dtype, const double *values, size_t count, void *elements);
/* `count` adjacent elements of one type as another: an imaginary part is dropped, what a type cannot hold becomes the
 * nearest value that it can, NaN 0, and a whole number loses its upper bits. */
void elements_convert(enum dtype to, void *out, enum dtype from, const void *in, size_t count);

/* The shortest text that reads back as the same value. */
void element_print(FILE *file, enum dtype dtype, const void *element);
/* The values of the element as a complex number has them. */
void element_parts(enum dtype dtype, const void *element, long double parts[2]);

/* ---- host_array.c: arrays in this process's memory ---- */

struct host_array {
    enum dtype dtype;
    int ndim;
    int64_t shape[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS]; /* strides in bytes */
    char *data;                                             /* element [0,0,…] */
    void *mapping;                                          /* what host_array_free() unmaps */
    size_t mapping_size;
};

/* Room in front of the data for what npy_save() writes there. */
enum { HOST_ARRAY_HEADROOM = 4096 };

/* Sets dtype, shape and C-order (or Fortran-order) strides; false if the bytes exceed the address space. */
bool host_array_lay_out(struct host_array *array, enum dtype dtype, int ndim, const int64_t *shape, bool fortran);
/* Elements and bytes of an array whose shape host_array_lay_out() accepted. */
size_t host_array_count(const struct host_array *array);
size_t host_array_size(const struct host_array *array);
/* Gives the array zeroed memory of its own; ends the process if there is none, naming `what`. */
void host_array_allocate(struct host_array *array, const char *what);
void host_array_free(struct host_array *array);
bool host_array_is_contiguous(const struct host_array *array);
/* "(1000, 12)", as NumPy writes a shape */
const char *shape_spelling(struct arena *arena, int ndim, const int64_t *shape);

/* ---- npy.c: NumPy's file format ---- */

enum { NPY_MAX_DIMS = GPUCC_MAX_DIMS, NPY_REASON = 192 };

struct npy_header {
    enum dtype dtype;
    bool swapped; /* bytes are in the order that is not this machine's */
    bool fortran;
    int ndim;
    int64_t shape[NPY_MAX_DIMS];
    size_t offset, size; /* of the data, in bytes; within the file */
};

/* Reads the header of a file of `size` bytes, of which all are at `data`.  False with the reason, when it is no .npy
 * file of versions 1 to 3, is of a type that gpucc has not, or is too short. */
bool npy_parse(const void *data, size_t size, struct npy_header *header, char reason[NPY_REASON]);
/* A file, or a part of it, in memory that munmap() frees. */
struct file_bytes {
    char *data;
    size_t size;
    void *mapping;
    size_t mapped;
};
/* All of the file ("-": standard input), mapped where it is large; ends the process where it cannot be read. */
struct file_bytes file_open(const char *path);
/* Zeros. */
void *anonymous_memory(const char *what, size_t size);
/* The array in the bytes of a .npy file, whose memory it takes over; ends the process, naming `what`, where there is
 * none. */
void npy_decode(struct file_bytes file, const char *what, struct host_array *array);
/* The file's array, memory-mapped where it is large; ends the process with the reason where it cannot be had. */
void npy_load(const char *path, struct host_array *array);
/* Writes the header of a version 1 file; returns its size. */
size_t npy_header(const struct host_array *array, char header[HOST_ARRAY_HEADROOM]);
/* Hands a version 1 file to write_file().  The array is C-contiguous and from host_array_allocate(). */
void npy_save(const char *path, const struct host_array *array);

/* ---- jit.c: an object in this process ---- */

struct jit;

/* Links the object into the process, and notifies debuggers of it if they shall know; ends the process where that
 * fails. */
struct jit *jit_load(struct bytes object, bool for_debuggers);
void *jit_symbol(struct jit *jit, const char *name);
void jit_free(struct jit *jit);

#endif
