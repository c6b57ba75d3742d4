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
 *       the same for operands of any type, stated in `reserved`: for inputs by GPUCC_INPUT_RECORD().  `where` has
 *       bytes 0 and 1, or is a value of 1; outputs keep their elements where it is 0.
 *   S_converted_packed(the parameters of S_strided), where no type of the loop has more than 8 bytes
 *       each operand is it.count contiguous elements, a multiple of 4, of a type that is the loop's or for which
 *       GPUCC_CASTS_PACKED() holds, or a value; four begin at a multiple of their size, of up to 16 bytes.  Grid: one
 *       dimension of any size.
 *
 * If S has two inputs and one output of one type, there are also these, for reductions, with grids of one dimension:
 *   S_along(struct gpucc_reduction it), S_across(the same)
 *       if S is reorderable: the tree described below.  S_along gives each pair of an output and a run of reduced
 *       elements to some lanes of a warp, or to several warps, and knows one reduced dimension, or two of fewer than
 *       2^32 elements; S_across gives it to a thread or several, consecutive outputs to consecutive threads.  Blocks
 *       are a multiple of 32 threads; that of S_across needs dynamic shared memory for as many elements of each as
 *       gpucc_stack_levels() says.
 *   S_packed(the same)
 *       the same tree, a block for each pair of an output and a run, for one reduced dimension of contiguous
 *       elements, each output's first one at a multiple of 16 bytes.  A run has at most elements_per_thread * 32 times
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
 *       if S is reorderable: accumulations in the same tree, with a warp, or a thread, for each pair of an output
 *       and a run.  S_scan_across needs dynamic shared memory for twice as many elements of each thread as
 *       gpucc_scan_levels() says.
 *   S_scan_packed(the same)
 *       the same, for one reduced dimension whose elements are contiguous and aligned to 16 bytes in each output, as
 *       are results: a block for each pair of an output and a run, of which it takes the next one by a
 *       ticket.  The block has GPUCC_SCAN_THREADS_LEAST threads or more, the run 2 to 32 times elements_per_thread for
 *       each, powers of two all; it needs dynamic shared memory for the run, GPUCC_SCAN_BESIDE elements and 16 bytes.
 *   S_fold(the same)
 *       from the left, a thread for each output: reductions and accumulations if S is not reorderable, and cells in
 *       place.
 *   S_at(struct gpucc_scatter it)
 *       if the compiler recognises S as a sum, difference, bitwise operator, minimum or maximum of integers, for
 *       which the order of a cell's operands has no effect: cells in place, by atomic operations.
 *   S_gathered(struct gpucc_gather it, struct gpucc_gathered mask, struct gpucc_gathered in)
 *       reductions with a mask, or of elements of another type: in the tree, by a thread or some lanes of a warp for
 *       each output and run or slice; or from the left, by a thread for each output and slice.  In
 *       the tree blocks need dynamic shared memory for as many elements of each thread as gpucc_stack_levels() says.
 *
 * A fused reduction S has one loop, which computes the elements as it goes:
 *   S_gathered(struct gpucc_gather it, struct gpucc_gathered mask, struct gpucc_gathered in0, …)
 *
 * A gufunc's loop S has these:
 *   S_outer(struct gpucc_iteration it, struct gpucc_core core, struct gpucc_operand in0, …,
 *           struct gpucc_operand out0, …)
 *       the outer dimensions as S_strided has them, fewer than 2^32 indices in all; the core dimensions of each operand
 *       are contiguous, in C order; scalars may be values.  A thread for each outer index, or a block for
 *       each if S is `cooperative`, in a grid of one dimension of any size.
 *   S_staged(struct gpucc_iteration it, struct gpucc_core core, struct gpucc_staged or gpucc_operand for each operand)
 *       the same, where S is not cooperative and has core dimensions, which may have any strides, and where the
 *       parameters fit in GPUCC_PARAMETER_BYTES: the operands that have some, a struct gpucc_staged each, go through
 *       shared memory, for which the launch gives, one operand after another, gpucc_staged_step() bytes for each core
 *       of a block, or once where the operand does not vary, up to a multiple of 16.
 *   S_team(the parameters of S_outer)
 *       the same, where S is not cooperative and its loops can be shared by threads: a team of blockDim.x threads for
 *       each outer index, 32 to GPUCC_TEAM_THREADS_MOST of them, a power of two.  A block of more than one team,
 *       blockDim.y of them, has teams of 32 threads.
 *   S_together(the parameters of S_outer, struct gpucc_together)
 *       the same, where a team is several neighbouring blocks of one row; all blocks of the grid run at once.
 *   S_tiles(the parameters of S_outer)
 *       the same, where S is a product: blocks of GPUCC_TILE_THREADS threads, gridDim.y of them for each outer index,
 *       best as many as its output has tiles.  Any grid is correct.
 *   S_warpgroups(the parameters of S_outer, tensor_map left, tensor_map right, struct gpucc_tiling tiling)
 *       the same, where S multiplies 16-bit floating-point, tf32 or 8-bit integer matrices as they are, in PTX for
 *       sm_90a alone: an even number of blocks of GPUCC_WARPGROUP_THREADS threads, with GPUCC_WARPGROUP_SHARED bytes
 *       of dynamic shared memory.  The maps have three dimensions, the first of which counts outer indices, and
 *       swizzle 128: boxes of 1 x 128 rows of 128 bytes of the left matrix, or 1 x 64 of it transposed, and of 1 x 64
 *       of the right one, transposed or not, or with an odd number of bands 1 x 32.  Rows of elements that do not have
 *       16 bits lie along k: the left matrix is as it is, the right one transposed.
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
 * The tree: reduced elements are numbered in C order.  Neighbours combine in pairs, then pairs of pairs, and so on.  An
 * element without a partner moves up unchanged.  An aligned run of a power of two is therefore a subtree.
 *
 * Result r of an accumulation: r + 1 = 2^a + 2^b + … + 2^z, a > b > … > z, are the lengths of aligned runs A, B, … Z of
 * elements 0 … r.  The tree reduces each, and their results combine from the left, op(op(A, B), … Z).  An element that
 * a mask excludes is absent: its partner moves up unchanged.
 */
#ifndef GPUCC_LOOPS_H
#define GPUCC_LOOPS_H

#include <stdint.h>

/* Raised when a compiler fault that made wrong PTX of ufuncs is corrected: the runtime then refuses programs that were
 * compiled before.
 * 2: the last instruction of a function could be missing in its loops (0.2.0 from 2026-11-24 to 2026-11-26, whose
 * stamps have no revision).
 * 3: loops of gufuncs that threads share could count wrong how often a condition holds that depends on a maximum, and
 * lost bits of values wider than 64 (0.2.0 until 2026-11-28). */
#define GPUCC_LOOPS_REVISION 3

enum {
    GPUCC_LOOP_DIMS = 4,      /* after merging; the runtime splits calls with more */
    GPUCC_LOOP_OPERANDS = 64, /* inputs and outputs of one ufunc or gufunc … */
    GPUCC_FUSED_INPUTS = 43,  /* … and inputs of a fused reduction: their records must fit in GPUCC_PARAMETER_BYTES */
    GPUCC_CORE_DIMS = 16,     /* distinct core dimensions of a gufunc … */
    GPUCC_CORE_RANK = 8,      /* … and those of one operand */
    GPUCC_PARAMETER_BYTES = 4096, /* a kernel's, on every GPU */
};

/* The index space; dimension 0 is outermost, the last one varies fastest.  S_strided always iterates all
 * GPUCC_LOOP_DIMS dimensions: fewer are the last ones, and the extents before them are 1. */
struct gpucc_iteration {
    uint64_t count;                  /* product of shape[0..ndim) */
    uint32_t ndim;                   /* 1 … GPUCC_LOOP_DIMS; 2 for S_rows */
    uint32_t reserved;               /* 0; of S_staged, cores of a block, at most as many as it has threads */
    uint64_t shape[GPUCC_LOOP_DIMS]; /* unused ones are 1 */
};

/* One operand: memory with strides in bytes, 0 along broadcast dimensions.  If `data` is null, it is one value in its C
 * representation, so that a scalar never needs an array. */
struct gpucc_operand {
    char *data;
    uint64_t reserved; /* 0; for converting loops GPUCC_OPERAND_RECORD(…) */
    union {
        int64_t strides[GPUCC_LOOP_DIMS]; /* unused ones are 0 */
        uint64_t value[2];                /* if `data` is null */
    };
};

/* `reserved` of an operand of a converting loop: its gpucc_dtype, its size in bytes, and whether that type differs from
 * the loop's, so that elements are converted.  0: a value. */
#define GPUCC_OPERAND_RECORD(dtype, size, converts)                                                                    \
    ((uint64_t)(dtype) | (uint64_t)(size) << 8 | (uint64_t)((converts) != 0) << 16)
/* The same for an input of a loop with elements of type `loop`.  A complex128 input converts to a real number by its
 * real part, a float64 of 8 bytes, and to complex64 or boolean by both parts, a float64 of 16 bytes. */
#define GPUCC_INPUT_RECORD(loop, dtype, size)                                                                          \
    ((dtype) != 14 || (loop) == 14 ? GPUCC_OPERAND_RECORD(dtype, size, (dtype) != (loop))                              \
                                   : GPUCC_OPERAND_RECORD(12, (loop) == 13 || (loop) == 0 ? 16 : 8, 1))
#define GPUCC_RECORD_SIZE(record) ((unsigned)(record) >> 8 & 255)
#define GPUCC_OPERAND_SIZE(operand) GPUCC_RECORD_SIZE((operand).reserved)
#define GPUCC_OPERAND_CONVERTS(operand) ((operand).reserved >> 16 & 1)

/* Whether S_converted_packed converts from one gpucc_dtype to another, because that takes few instructions: integers
 * to integers, float32 and float64; floating types to these two; float32 to float16 and bfloat16. */
#define GPUCC_CASTS_PACKED(to, from)                                                                                   \
    ((from) != (to) && (((from) >= 1 && (from) <= 8 && (to) >= 1 && (to) <= 8) ||                                      \
                        ((from) >= 1 && (from) <= 12 && ((to) == 11 || (to) == 12)) ||                                 \
                        ((from) == 11 && ((to) == 9 || (to) == 10))))

/* Threads of the blocks of a `cooperative` gufunc's S_outer: a power of two between these, and at least an eighth of
 * the elements of the largest core.  It depends on nothing else, and so do the results. */
enum { GPUCC_CORE_THREADS_LEAST = 32, GPUCC_CORE_THREADS_MOST = 512 };
/* Threads of a team of S_team: a power of two from a warp to this.  Results do not depend on it. */
enum { GPUCC_TEAM_THREADS_MOST = 512 };
/* The blocks that a team of S_together has, a power of two, and memory, not shared with other launches, of
 * gpucc_together_room() words of 8 bytes for each team of the grid. */
struct gpucc_together {
    uint64_t blocks;
    uint64_t *room;
};

/* A barrier in the first 128 bytes, and two values of each block. */
enum { GPUCC_TOGETHER_VALUES = 16 };
static inline uint64_t gpucc_together_room(uint64_t blocks)
{
    return (GPUCC_TOGETHER_VALUES + 2 * blocks + 15) & ~(uint64_t)15;
}

/* Threads of a block of S_tiles, and the extent of its tiles along the last two dimensions of output 0's core; blocks
 * may make larger tiles, and leave the others idle. */
enum { GPUCC_TILE_THREADS = 256, GPUCC_TILE_EXTENT = 64 };

enum { GPUCC_WARPGROUP_THREADS = 384, GPUCC_WARPGROUP_SHARED = 230400 };

/* How S_warpgroups divides each output: into pairs of tiles, one above the other, of 128 rows and 64 columns a band. */
struct gpucc_tiling {
    uint32_t row_pairs, columns;        /* pairs along the rows and the columns */
    uint32_t bands;                     /* of a tile, 1 to 4 */
    uint8_t left_varies, right_varies;  /* whether the map has a matrix for each outer index; else one for all */
    uint8_t turned;                     /* 1: the left map is of the transposed matrix, 2: the right one, or-ed */
    uint8_t reserved;                   /* 0 */
};

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
    GPUCC_STAGED_READS = 1,  /* the function may need the contents: not for new outputs */
    GPUCC_STAGED_PACKED = 2, /* its core is contiguous, in C order */
    GPUCC_STAGED_VARIES = 4, /* its core differs between loop indices */
};

/* Bytes of shared memory from one core to the next: an odd number of banks, or of wider elements. */
static inline unsigned gpucc_staged_step(unsigned elements, unsigned size)
{
    const unsigned unit = size < 4 ? 4 : size;
    return ((elements * size + unit - 1) / unit | 1) * unit;
}

/* Elements of a reduction with a result of their own, stored at the place of run number `place`. */
struct gpucc_slice {
    uint64_t begin, count, place; /* count is not 0 */
};

/* Each run of an accumulation has a total.  32 complete totals of one level make a total of the next level. */
enum { GPUCC_SCAN_BITS = 5, GPUCC_SCAN_LEVELS = 4 };
/* S_scan_packed only: one warp polls each level's totals.  Shared memory has room for them and for each warp's last
 * result. */
enum {
    GPUCC_SCAN_THREADS_LEAST = 32 * GPUCC_SCAN_LEVELS,
    GPUCC_SCAN_WARPS = 64, /* so that the memory after them is aligned to 16 bytes */
    GPUCC_SCAN_BESIDE = GPUCC_SCAN_WARPS + 32 * GPUCC_SCAN_LEVELS
};

/* A reduction of `length` elements to each of `outputs` outputs.  Element r of output o is at `in`, plus o's index
 * times kept_in[], plus r's index times reduced_in[].  Elements are divided into runs of `run` elements; the last one
 * may be shorter.  The result of run k of output o is stored at `out`, plus o's index times kept_out[], plus
 * k * run_out. */
struct gpucc_reduction {
    const char *in;
    char *out;
    uint64_t outputs, length;
    uint64_t run, runs; /* `run` is at least `length`, or a power of two; runs of an output */
    uint64_t items;     /* of units (below) for S_along and S_across; else outputs * runs */
    uint32_t kept_dims, reduced_dims; /* 1 … GPUCC_LOOP_DIMS; the last one varies fastest */
    uint64_t kept_shape[GPUCC_LOOP_DIMS], reduced_shape[GPUCC_LOOP_DIMS];
    int64_t kept_in[GPUCC_LOOP_DIMS], kept_out[GPUCC_LOOP_DIMS], reduced_in[GPUCC_LOOP_DIMS];
    int64_t run_out;
    /* S_along and S_across divide a block into units of 2^lane_bits threads:
     *   S_along           a warp, or at least 4 lanes of one for runs of so few elements that a lane has at most
     *                     elements_per_thread of them
     *   S_across          a thread for each of consecutive outputs
     *   S_packed_columns  a thread for elements_per_thread of them
     * An item is a run of one output, or of all outputs of the unit.  `team` units process an item, each of them
     * 2^share_bits elements, up to GPUCC_REDUCE_MOST.  If `team` is 1, each unit of a block has an item of its own.
     * Else the team is the block; S_along then needs dynamic shared memory for an element of each unit.
     * In S_packed_rows, `team` counts the outputs of a unit. */
    uint32_t lane_bits, team;
    uint32_t share_bits, reserved;
    uint64_t adjacent; /* S_along: groups of 16 bytes from a multiple of their count on are contiguous, and as
                          aligned as `in`.  S_packed_rows: rows are multiples of 16 bytes, at multiples of 16.
                          S_packed_columns: results have the elements' layout */
    uint64_t has_initial; /* S_fold: starts with `initial` instead of the first element */
    uint64_t initial[2];
    int64_t each_out; /* not 0: an accumulation; result r is stored at `out`, plus o's index times kept_out[], plus
                         r * each_out */
    /* S_scan_… only: the number of levels of totals.  It is 0 for a single run, but at least 1 for S_scan_packed.  A
     * total of level l covers 32^l runs; that of group k of output o is at totals[l] + o * totals_output[l] +
     * k * totals_run[l]. */
    uint32_t levels, reserved1;
    const char *totals[GPUCC_SCAN_LEVELS];
    int64_t totals_output[GPUCC_SCAN_LEVELS], totals_run[GPUCC_SCAN_LEVELS];
    /* S_scan_packed only, which publishes totals to waiting blocks: the next ticket, and a word for each 4 bytes of
     * each total, or a part of them.  All are 0 before the launch. */
    uint64_t *ticket;
    /* Not null: a reduction of these slices, of up to GPUCC_REDUCE_MOST elements each, instead of runs. */
    const struct gpucc_slice *slices;
    /* Not null: S_fold updates cells in place by `length` operands, sorted by cell; `runs` is `length`.  Operand r is
     * at `in` plus places[r].  For the first operand of a cell, cells[r] is the cell's number shifted by
     * GPUCC_NUMBER_BITS, plus the number of its operands less one; for others it is GPUCC_NO_CELL.  Cell c is at
     * `out` + c * run_out. */
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

/* S_at updates, for each index n with the value c, all elements e of cell c; all indices are in range.  The element is
 * at `cells` + c * cell_step plus e's index times strides[].  Its operand is at `operand`, plus n's index times
 * index_operand[], plus e's index times operand_strides[]. */
struct gpucc_scatter {
    struct gpucc_indices indices;
    char *cells;
    int64_t cell_step;
    const char *operand; /* null: always `value` */
    uint64_t value;
    int64_t index_operand[GPUCC_LOOP_DIMS];
    uint64_t elements;   /* of a cell */
    uint32_t dims, reserved;
    uint64_t shape[GPUCC_LOOP_DIMS];
    int64_t strides[GPUCC_LOOP_DIMS], operand_strides[GPUCC_LOOP_DIMS];
};

/* An input of S_gathered, or its mask: bytes that are 1 for elements that take part.  Element r of output o is at
 * `data`, plus o's index times kept[], plus r's index times reduced[].  If `data` is null, all elements of an input are
 * `value`, in the representation of its type, and all of a mask are 1. */
struct gpucc_gathered {
    const char *data;
    union {
        uint64_t value[2];
        struct {
            uint64_t record;   /* of a converted input GPUCC_INPUT_RECORD(…), else 0 */
            uint64_t together; /* 1: as S_converted_packed needs it: each output's elements are contiguous, the
                                * first at a multiple of four times their size, or of 16 */
        };
    };
    int64_t kept[GPUCC_LOOP_DIMS], reduced[GPUCC_LOOP_DIMS];
};

/* A reduction of `length` elements to each of `outputs` outputs.  The index spaces are reduced_shape[] and
 * kept_shape[].  Elements are one run, or divided into runs of `run` elements, a power of two; the last one may be
 * shorter.  The result of run k of output o is stored at `out`, plus o's index times kept_out[], plus k * run_out.
 *
 * If `slices` is not null, `runs` slices replace the runs, along one reduced dimension and without a mask.  None is
 * longer than `length`, or in the tree than GPUCC_REDUCE_MOST.  A fused reduction has none. */
struct gpucc_gather {
    char *out;
    uint64_t record; /* of converted results GPUCC_OPERAND_RECORD(…), else 0 */
    uint8_t *some;   /* not null: byte k * outputs + o is set to 1 if an element of run k takes part, else to 0 */
    uint64_t outputs, length, run, runs;
    uint32_t kept_dims, reduced_dims; /* 1 … GPUCC_LOOP_DIMS; the last one varies fastest */
    uint64_t kept_shape[GPUCC_LOOP_DIMS], reduced_shape[GPUCC_LOOP_DIMS];
    int64_t kept_out[GPUCC_LOOP_DIMS], run_out;
    uint32_t lane_bits;   /* 2^lane_bits lanes of a warp reduce each output and run, in blocks of whole warps: 32 or 1,
                           * or 4 to 16 for one run, or slices, of few enough elements */
    uint32_t has_initial; /* with one run: `initial` precedes the elements */
    uint64_t initial[2];  /* with one run: the result for no elements */
    const struct gpucc_slice *slices;
};

/* The maximum elements of one run on a GPU, and of one call of S_reduce, which bounds the pending partial results. */
enum { GPUCC_REDUCE_MOST = 1 << 20, GPUCC_REDUCE_NATIVE_MOST = 1 << 17 };

/* Elements of an output that a thread of S_across or S_packed_columns, or a lane of S_gathered, combines at once.
 * gpucc_stack_levels() is the number of partial results of so many that it stores for a unit of up to `elements`
 * elements, at least 1: n results combine to as many as n has bits set. */
enum { GPUCC_ACROSS_ROWS = 16, GPUCC_COLUMNS_ROWS = 8, GPUCC_GATHERED_ELEMENTS = 16 };
static inline unsigned gpucc_stack_levels(uint64_t elements, unsigned at_once)
{
    const uint64_t groups = (elements + at_once - 1) / at_once;
    return groups < 3 ? 1 : 63 - (unsigned)__builtin_clzll(groups + 1);
}
/* S_scan_across stores pairs: the result of so many elements, and that of all elements up to them.  Totals of runs use
 * the same memory. */
enum { GPUCC_SCAN_ROWS = 8 };
static inline unsigned gpucc_scan_levels(uint64_t elements)
{
    const unsigned levels = gpucc_stack_levels(elements, GPUCC_SCAN_ROWS);
    return levels < GPUCC_SCAN_BITS ? GPUCC_SCAN_BITS : levels;
}

#endif
