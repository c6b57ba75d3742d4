/* Parameters of the loops that the compiler generates around a scalar function: shared, to the byte, by the
 * loop templates (stdlib/loops/), which read them on the device, and by the runtime, which fills them in.
 * A change of a declaration makes the runtime refuse programs that were compiled before it (GPUCC_LOOPS); a change of
 * a comment does not.
 *
 * For a ufunc loop S (such as add_f32f32_f32) there are these PTX entries:
 *   S(const T0 *in0, …, U0 *out0, …, uint64_t n)
 *       contiguous: every operand is n contiguous elements.
 *   S_rows(struct gpucc_iteration it, struct gpucc_operand in0, …, struct gpucc_operand out0, …)
 *       two dimensions; the inner stride of each operand is its element size or 0 (a broadcast row, or a
 *       scalar), the outer stride is any.  Grid: x over the columns, y over the rows, both of any size.
 *   S_strided(the same parameters)
 *       up to GPUCC_LOOP_DIMS dimensions with any strides, fewer than 2^32 elements.  Grid: x over the innermost
 *       dimension, y over all others together, both of any size.
 *   S_converted(the same parameters, struct gpucc_operand where)
 *       the same, of operands of any types, which each says in `reserved`, inputs as GPUCC_INPUT_RECORD() has it.
 *       `where` is boolean, of 1 byte: outputs are left as they are where it is 0.  It has memory, or is true
 *       everywhere.
 *   S_converted_packed(the parameters of S_strided), where no type of the loop has more than 8 bytes
 *       each operand is it.count contiguous elements, a multiple of 4, of a type that is the loop's or for which
 *       GPUCC_CASTS_PACKED() holds, or a value; four begin at a multiple of their size, of up to 16 bytes.  Grid: one
 *       dimension of any size.
 *
 * and where S makes one number of two of its type, for reductions, with grids of one dimension,
 *   S_along(struct gpucc_reduction it), S_across(the same)
 *       where it is reorderable: the tree described below.  S_along gives each pair of an output and a run of reduced
 *       elements to some lanes of a warp, or to several warps, and knows one reduced dimension, or two of fewer than
 *       2^32 elements; S_across gives it to a thread or several, neighbouring outputs to neighbouring threads.  Blocks
 *       are a multiple of 32 threads; that of S_across needs dynamic shared memory for as many elements of each as
 *       gpucc_stack_levels() says.
 *   S_packed(the same)
 *       the same tree, a block for each pair of an output and a run, where one dimension is reduced whose elements lie
 *       together, and outputs' first ones at multiples of 16 bytes.  A run has at most elements_per_thread * 32 times
 *       as many elements as the block has threads; the block, a multiple of 32, needs dynamic shared memory for an
 *       element of each thread and elements_per_thread * 32 more.
 *   S_packed_rows(the same)
 *       the same tree, for one reduced dimension of at most elements_per_thread * 1024 contiguous elements, in one run.
 *       A warp reduces an output, or 2^lane_bits lanes, at least 4, if each lane has elements_per_thread elements at
 *       most.  Or 4 lanes reduce `team` outputs of one dimension, 2 or 4, less than 2^28 bytes apart, with
 *       elements_per_thread / team of each per lane.  Elements of fewer than 4 bytes are `adjacent`.
 *   S_packed_columns(the same)
 *       S_across with a thread for elements_per_thread contiguous outputs.  One dimension is reduced; the last kept
 *       dimension is a multiple of elements_per_thread, and that many elements of a row are contiguous, aligned to
 *       their total size.  It needs shared memory for that many outputs.
 *   S_scan_along(the same), S_scan_across(the same)
 *       where it is reorderable: accumulations in the same tree, with a warp, or a thread, for each pair of an output
 *       and a run.  S_scan_across needs dynamic shared memory for twice as many elements of each thread as
 *       gpucc_scan_levels() says.
 *   S_scan_packed(the same)
 *       the same, for one reduced dimension whose elements are contiguous and aligned to 16 bytes in each output, as
 *       are results: a block for each pair of an output and a run, of which it takes the next one by a
 *       ticket.  The block has GPUCC_SCAN_THREADS_LEAST threads or more, the run 2 to 32 times elements_per_thread for
 *       each, powers of two all; it needs dynamic shared memory for the run, GPUCC_SCAN_BESIDE elements and 16 bytes.
 *   S_fold(the same)
 *       from the left, a thread for each output: reductions and accumulations where it is not, and cells in place.
 *   S_at(struct gpucc_scatter it)
 *       where S is seen to be a sum, a difference, a bitwise operator, a minimum or a maximum of integers, so that
 *       the order of a cell's operands does not show: cells in place, by atomic operations.
 *   S_gathered(struct gpucc_gather it, struct gpucc_gathered mask, struct gpucc_gathered in)
 *       reductions of elements that do not all take part, or are of another type: in the tree, by a thread or some
 *       lanes of a warp for each output and run or slice, or from the left, by a thread for each output and slice.  In
 *       the tree blocks need dynamic shared memory for as many elements of each thread as gpucc_stack_levels() says.
 *
 * A fused reduction S has one loop, which computes the elements as it goes:
 *   S_gathered(struct gpucc_gather it, struct gpucc_gathered mask, struct gpucc_gathered in0, …)
 *
 * A gufunc's loop S has these:
 *   S_outer(struct gpucc_iteration it, struct gpucc_core core, struct gpucc_operand in0, …,
 *           struct gpucc_operand out0, …)
 *       the outer dimensions as S_strided has them, fewer than 2^32 indices in all; the core dimensions of each operand
 *       are packed, in C order, and a number may be a value.  A thread for each outer index, or where its source
 *       calls it `cooperative` a block, in a grid of one dimension of any size.
 *   S_staged(struct gpucc_iteration it, struct gpucc_core core, struct gpucc_staged or gpucc_operand for each operand)
 *       the same, where S is not cooperative and has core dimensions, which may have any strides, and where the
 *       parameters fit in GPUCC_PARAMETER_BYTES: the operands that have some, a struct gpucc_staged each, go through
 *       shared memory, for which the launch gives, one operand after another, gpucc_staged_step() bytes for each core
 *       of a block, or once where the operand does not vary, up to a multiple of 16.
 *   S_team(the parameters of S_outer)
 *       the same, where S is not cooperative and its loops can be shared by threads: a team of blockDim.x threads for
 *       each outer index, 32 to GPUCC_TEAM_THREADS_MOST of them, a power of two.  A block of more than one team,
 *       blockDim.y of them, has teams of 32 threads.
 *
 * Native code of a ufunc has S_loop, as NumPy's loops are, that of a gufunc that is not cooperative S_loop, as NumPy's
 * loops for gufuncs are (dimensions: outer indices, then the core dimensions as above; steps: the operands' outer ones,
 * then those along their core dimensions, of any size), and where a ufunc is reorderable
 *   void S_reduce(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *       args: input, output.  dimensions: outputs, elements that are reduced to each, up to
 *       GPUCC_REDUCE_NATIVE_MOST.
 *       steps in bytes: from the input of one output to that of the next, from output to output, from one reduced
 *       element to the next.
 *   void S_running(the same parameters)
 *       args: input, output, and the result before the first, or null.  dimensions: elements, none too.  steps: from
 *       element to element, from result to result.  `data` points to an int that becomes 1 where the order of elements
 *       does not show: then it has written every partial result; else 0, and it has done nothing.
 * and where it makes one number of two of its type
 *   void S_cells(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *       args: cells, indices (int64_t, not negative), operands.  dimensions: indices.  steps: from cell to cell, from
 *       index to index, from operand to operand.  Each cell that an index names gets what S makes of it and of the
 *       index's operand, one after another.
 *
 * The tree: reduced elements are numbered in C order, and neighbours are combined in pairs, then pairs of pairs, and so
 * on; what has no partner goes up unchanged.  So the elements of an aligned run of a power of two make a subtree.
 * Result r of an accumulation: r + 1 = 2^a + 2^b + … + 2^z, a > b > … > z, are the lengths of aligned runs A, B, … Z of
 * elements 0 … r; what the tree makes of each is combined from the left, op(op(A, B), … Z). An element that a mask
 * leaves out is as if it were not there: what it would be combined with goes up unchanged.
 */
#ifndef GPUCC_LOOPS_H
#define GPUCC_LOOPS_H

#include <stdint.h>

/* Raised when a fault of the compiler is mended that made PTX of ufuncs wrong: the runtime refuses programs that were
 * compiled before.
 * 2: the last instruction of a function could be missing in its loops (0.2.0 from 2026-11-24 to 2026-11-26, whose
 * stamps have no revision). */
#define GPUCC_LOOPS_REVISION 2

enum {
    GPUCC_LOOP_DIMS = 4,      /* after dimensions that can be merged have been merged; more are split by the runtime */
    GPUCC_LOOP_OPERANDS = 64, /* inputs and outputs of one ufunc or gufunc … */
    GPUCC_FUSED_INPUTS = 43,  /* … and inputs of a fused reduction: their records must fit in GPUCC_PARAMETER_BYTES */
    GPUCC_CORE_DIMS = 16,     /* distinct core dimensions of a gufunc … */
    GPUCC_CORE_RANK = 8,      /* … and those of one operand */
    GPUCC_PARAMETER_BYTES = 4096, /* a kernel's, on every GPU */
};

/* The index space; dimension 0 is outermost, the last one varies fastest.  S_strided always goes through all
 * GPUCC_LOOP_DIMS dimensions: fewer stand at the back, and the others are 1. */
struct gpucc_iteration {
    uint64_t count;                  /* product of shape[0..ndim) */
    uint32_t ndim;                   /* 1 … GPUCC_LOOP_DIMS; 2 for S_rows */
    uint32_t reserved;               /* 0; of S_staged, cores of a block, at most as many as it has threads */
    uint64_t shape[GPUCC_LOOP_DIMS]; /* unused ones are 1 */
};

/* One operand: memory with strides in bytes (0 where it is broadcast), or, where `data` is null, one value held
 * right here, in its own C representation, so that a scalar never needs an array. */
struct gpucc_operand {
    char *data;
    uint64_t reserved; /* 0; to loops over elements of any types GPUCC_OPERAND_RECORD(…) */
    union {
        int64_t strides[GPUCC_LOOP_DIMS]; /* unused ones are 0 */
        uint64_t value[2];                /* where `data` is null */
    };
};

/* The meaning of `reserved` for an operand whose elements may be of any type: its gpucc_dtype and bytes, and whether
 * that is another type than the loop's, so that it is converted.  0: a value. */
#define GPUCC_OPERAND_RECORD(dtype, size, converts)                                                                    \
    ((uint64_t)(dtype) | (uint64_t)(size) << 8 | (uint64_t)((converts) != 0) << 16)
/* The same of an input of this type, to a loop whose elements are `loop`s.  Real numbers are made of a complex128's
 * real part, which is a float64 of 8 bytes; a complex64 or boolean is made of both parts, float64 of 16 bytes. */
#define GPUCC_INPUT_RECORD(loop, dtype, size)                                                                          \
    ((dtype) != 14 || (loop) == 14 ? GPUCC_OPERAND_RECORD(dtype, size, (dtype) != (loop))                              \
                                   : GPUCC_OPERAND_RECORD(12, (loop) == 13 || (loop) == 0 ? 16 : 8, 1))
#define GPUCC_RECORD_SIZE(record) ((unsigned)(record) >> 8 & 255)
#define GPUCC_OPERAND_SIZE(operand) GPUCC_RECORD_SIZE((operand).reserved)
#define GPUCC_OPERAND_CONVERTS(operand) ((operand).reserved >> 16 & 1)

/* Whether S_converted_packed converts from one gpucc_dtype to another, which takes it few instructions: integers among
 * themselves and to float32 and float64, floating numbers to these two, and float32 to float16 and bfloat16. */
#define GPUCC_CASTS_PACKED(to, from)                                                                                   \
    ((from) != (to) && (((from) >= 1 && (from) <= 8 && (to) >= 1 && (to) <= 8) ||                                      \
                        ((from) >= 1 && (from) <= 12 && ((to) == 11 || (to) == 12)) ||                                 \
                        ((from) == 11 && ((to) == 9 || (to) == 10))))

/* Threads of the blocks of S_outer where a block does each call: a power of two between these, and at least an
 * eighth of the elements of the largest core.  It depends on nothing else, so that neither do the results. */
enum { GPUCC_CORE_THREADS_LEAST = 32, GPUCC_CORE_THREADS_MOST = 512 };
/* Threads of a team of S_team: a power of two from a warp to this.  Results do not depend on it. */
enum { GPUCC_TEAM_THREADS_MOST = 512 };

/* The extents of a gufunc's core dimensions, in the order in which its layout first names them; unused ones are 0. */
struct gpucc_core {
    uint64_t extents[GPUCC_CORE_DIMS];
};

/* An operand of S_staged, which has core dimensions. */
struct gpucc_staged {
    struct gpucc_operand outer;
    int64_t strides[GPUCC_CORE_RANK]; /* bytes along its core dimensions */
    uint64_t flags;                   /* GPUCC_STAGED_…, or-ed */
};

enum {
    GPUCC_STAGED_READS = 1,  /* what lies there matters before the function runs: not of outputs that are new */
    GPUCC_STAGED_PACKED = 2, /* its core is, in C order */
    GPUCC_STAGED_VARIES = 4, /* not the same core at every outer index */
};

/* Bytes of shared memory from one core to the next: an odd number of banks, or of elements that are wider. */
static inline unsigned gpucc_staged_step(unsigned elements, unsigned size)
{
    const unsigned unit = size < 4 ? 4 : size;
    return ((elements * size + unit - 1) / unit | 1) * unit;
}

/* Elements of a reduction that make a result of their own, which goes where run number `place` would. */
struct gpucc_slice {
    uint64_t begin, count, place; /* count is not 0 */
};

/* An accumulation's runs have totals, 32 complete ones of a level one of the next. */
enum { GPUCC_SCAN_BITS = 5, GPUCC_SCAN_LEVELS = 4 };
/* S_scan_packed only: a warp waits for each level's totals, which have room in shared memory, as have the results at
 * the warps' ends. */
enum {
    GPUCC_SCAN_THREADS_LEAST = 32 * GPUCC_SCAN_LEVELS,
    GPUCC_SCAN_WARPS = 64, /* so that what is behind them is at a multiple of 16 bytes */
    GPUCC_SCAN_BESIDE = GPUCC_SCAN_WARPS + 32 * GPUCC_SCAN_LEVELS
};

/* A reduction of `outputs` runs of `length` elements.  What makes output o has its first element at `in` plus o's index
 * times kept_in[]; r's reduced index times reduced_in[] leads from there to element r.  Elements go in runs of `run`
 * each, the last one shorter: run k of output o is written to `out` plus o's index times kept_out[] plus
 * k * run_out. */
struct gpucc_reduction {
    const char *in;
    char *out;
    uint64_t outputs, length;
    uint64_t run, runs; /* `run` is `length` or more, or a power of two; how many there are of an output */
    uint64_t items;     /* for units, see below, of S_along and S_across; else outputs * runs */
    uint32_t kept_dims, reduced_dims; /* 1 … GPUCC_LOOP_DIMS; the last one varies fastest */
    uint64_t kept_shape[GPUCC_LOOP_DIMS], reduced_shape[GPUCC_LOOP_DIMS];
    int64_t kept_in[GPUCC_LOOP_DIMS], kept_out[GPUCC_LOOP_DIMS], reduced_in[GPUCC_LOOP_DIMS];
    int64_t run_out;
    /* S_along and S_across: how a block is shared.  A unit is 2^lane_bits threads: for S_along a warp or a part of
     * one, at least 4 lanes, where runs are so short that each lane has elements_per_thread elements at most; for
     * S_across one for each of as many neighbouring outputs, for S_packed_columns of elements_per_thread times as
     * many. An item is a run of an output, or of all that the unit has.  It is done by `team` units, of which each
     * takes 2^share_bits elements of it, up to GPUCC_REDUCE_MOST.  Where `team` is 1, each unit of a block has an
     * item of its own; else the team is the block, and that of S_along needs dynamic shared memory for an element of
     * each unit.  Of S_packed_rows it is outputs of a unit. */
    uint32_t lane_bits, team;
    uint32_t share_bits, reserved;
    uint64_t adjacent; /* of S_along: groups of 16 bytes, from a multiple of their count on, are contiguous, and
                          aligned where `in` is; of S_packed_rows: a row is a multiple of 16 bytes, at a multiple of
                          16; of S_packed_columns: results have the elements' layout */
    uint64_t has_initial; /* of S_fold: it begins with `initial`, and not with the first element */
    uint64_t initial[2];
    int64_t each_out; /* not 0: an accumulation, whose result r is written to `out` plus o's index times kept_out[] plus
                         r * each_out */
    /* S_scan_… only: how many levels of totals there are, none where there is one run, but of S_scan_packed at least
     * one. That of run k of output o, or at level l > 0 of 32^l runs, is at totals[l] plus o * totals_output[l] plus
     * k * totals_run[l]. */
    uint32_t levels, reserved1;
    const char *totals[GPUCC_SCAN_LEVELS];
    int64_t totals_output[GPUCC_SCAN_LEVELS], totals_run[GPUCC_SCAN_LEVELS];
    /* S_scan_packed only, which publishes totals while others wait: a word for every 4 bytes of each, or a part of
     * them, and the next ticket.  All are 0 before. */
    uint64_t *ticket;
    /* Not null, of a reduction: in place of the runs these elements, of up to GPUCC_REDUCE_MOST each. */
    const struct gpucc_slice *slices;
    /* Not null, of S_fold: `length` operands in the order of the cells that they are combined with, and `runs` is
     * `length`.  Operand r is at `in` plus places[r]; cells[r] is GPUCC_NO_CELL, or where the operands of a cell begin
     * its number, shifted by GPUCC_NUMBER_BITS, and how many there are, less one.  The cell lies at `out` plus so many
     * times run_out. */
    const uint64_t *cells;
    const int64_t *places;
};

enum { GPUCC_NUMBER_BITS = 22 };
#define GPUCC_NO_CELL (~(uint64_t)0)

/* Indices of cells, in C order; negative ones count from the last cell. */
struct gpucc_indices {
    const char *data;
    uint64_t count, cells;
    uint32_t size, is_signed; /* bytes of one: 1, 2, 4 or 8 */
    uint32_t dims, reserved;  /* 1 … GPUCC_LOOP_DIMS; the last one varies fastest */
    uint64_t shape[GPUCC_LOOP_DIMS];
    int64_t strides[GPUCC_LOOP_DIMS];
};

/* S_at does this for each index, all of which are in range: element e of the cell that it names, which is at `cells`
 * plus so many times cell_step plus e's index times strides[], gets its operand, at `operand` plus the number's
 * index times index_operand[] plus e's times operand_strides[]. */
struct gpucc_scatter {
    struct gpucc_indices indices;
    char *cells;
    int64_t cell_step;
    const char *operand; /* null: it is `value`, always */
    uint64_t value;
    int64_t index_operand[GPUCC_LOOP_DIMS];
    uint64_t elements;   /* of a cell */
    uint32_t dims, reserved;
    uint64_t shape[GPUCC_LOOP_DIMS];
    int64_t strides[GPUCC_LOOP_DIMS], operand_strides[GPUCC_LOOP_DIMS];
};

/* An input of S_gathered, or the mask, bytes that are 1 where an element takes part: element r of output o is at
 * `data` plus o's index times kept[] plus r's reduced index times reduced[].  Where `data` is null, an input's
 * elements are all `value`, in the representation of its type, and a mask's are 1. */
struct gpucc_gathered {
    const char *data;
    union {
        uint64_t value[2];
        struct {
            uint64_t record;   /* 0, or of an input that is converted its GPUCC_INPUT_RECORD(…) */
            uint64_t together; /* 1: S_converted_packed could read and convert it: each output's elements are
                                * contiguous, the first one at a multiple of four times their size, or of 16 */
        };
    };
    int64_t kept[GPUCC_LOOP_DIMS], reduced[GPUCC_LOOP_DIMS];
};

/* A reduction of `outputs` runs of `length` elements, whose index spaces kept_shape[] and reduced_shape[] are.
 * Elements go in runs of `run` each, a power of two, the last one shorter, or in one; what becomes of run k of output o
 * is written to `out` plus o's index times kept_out[] plus k * run_out.  Where `slices` is not null, of elements that
 * are reduced along one dimension without a mask, `runs` of them take the runs' place, none longer than `length`, nor
 * in the tree than GPUCC_REDUCE_MOST; a fused reduction has none. */
struct gpucc_gather {
    char *out;
    uint64_t record; /* 0, or of results that are converted their GPUCC_OPERAND_RECORD(…) */
    uint8_t *some;   /* not null: byte k * outputs + o becomes 1 where an element of run k takes part, else 0 */
    uint64_t outputs, length, run, runs;
    uint32_t kept_dims, reduced_dims; /* 1 … GPUCC_LOOP_DIMS; the last one varies fastest */
    uint64_t kept_shape[GPUCC_LOOP_DIMS], reduced_shape[GPUCC_LOOP_DIMS];
    int64_t kept_out[GPUCC_LOOP_DIMS], run_out;
    uint32_t lane_bits;   /* 2^lane_bits lanes of a warp have each output and run, in blocks of whole warps: 32, or 1,
                           * or, of one run, or slices, of no more elements than fit, 4 to 16 */
    uint32_t has_initial; /* of one run: `initial` comes before the elements */
    uint64_t initial[2];  /* of one run: what stands for no elements */
    const struct gpucc_slice *slices;
};

/* Elements of one run on a GPU, and of one call of S_reduce, so that the partial results on their way are few. */
enum { GPUCC_REDUCE_MOST = 1 << 20, GPUCC_REDUCE_NATIVE_MOST = 1 << 17 };

/* Elements of an output that a thread of S_across or S_packed_columns, or a lane of S_gathered, combines at once, and
 * how many results of so many, or of all lanes', it keeps, at least 1, where a unit has no more elements than this: of
 * n results as many as n has bits set. */
enum { GPUCC_ACROSS_ROWS = 16, GPUCC_COLUMNS_ROWS = 8, GPUCC_GATHERED_ELEMENTS = 16 };
static inline unsigned gpucc_stack_levels(uint64_t elements, unsigned at_once)
{
    const uint64_t groups = (elements + at_once - 1) / at_once;
    return groups < 3 ? 1 : 63 - (unsigned)__builtin_clzll(groups + 1);
}
/* S_scan_across stores pairs: a result of so many elements and one of all up to them.  Totals of runs go there, too. */
enum { GPUCC_SCAN_ROWS = 8 };
static inline unsigned gpucc_scan_levels(uint64_t elements)
{
    const unsigned levels = gpucc_stack_levels(elements, GPUCC_SCAN_ROWS);
    return levels < GPUCC_SCAN_BITS ? GPUCC_SCAN_BITS : levels;
}

#endif
