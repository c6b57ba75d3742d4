/* The runtime's own kernel: the elements of an array on the GPU as another type, or the same in another layout.  What
 * it does to a number is what convert.c does on the host, bit for bit; like that it goes through the widest type of the
 * number's kind.  The same branches are taken by all threads.
 *
 * Compiled when gpucc is built, by gpucc itself, and carried by libgpucc as PTX. */
#include <gpucc.h>
#include <gpucc/loops.h>
#include "../../runtime/numbers.h"
#include <stdbool.h>

enum dtype {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) DTYPE_##name,
#include "../../include/gpucc/dtypes.def"
#undef DTYPE
};

enum kind { SIGNED, UNSIGNED, REAL, COMPLEX };

struct wide {
    enum kind kind;
    uint64 i; /* of integers; negative ones as C converts them */
    float64 r[2];
};

static struct wide of_signed(int64 x)
{
    return (struct wide){.kind = SIGNED, .i = (uint64)x};
}

static struct wide of_unsigned(uint64 x)
{
    return (struct wide){.kind = UNSIGNED, .i = x};
}

static struct wide of_real(float64 x)
{
    return (struct wide){.kind = REAL, .r = {x, 0}};
}

static struct wide of_complex(float64 x, float64 y)
{
    return (struct wide){.kind = COMPLEX, .r = {x, y}};
}

/* An element as it stands in memory; a complex64 is aligned as a float32 is. */
struct raw {
    uint64 bits[2];
};

static unsigned size_of(enum dtype dtype)
{
    switch (dtype) {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) case DTYPE_##name: return size;
#include "../../include/gpucc/dtypes.def"
#undef DTYPE
    }
    return 0;
}

static struct raw fetch(unsigned size, const char *p)
{
    switch (size) {
    case 1: return (struct raw){{*(const uint8 *)p}};
    case 2: return (struct raw){{*(const uint16 *)p}};
    case 4: return (struct raw){{*(const uint32 *)p}};
    case 8: return (struct raw){{(uintptr_t)p % 8 ? *(const uint32 *)p | (uint64)((const uint32 *)p)[1] << 32
                                                  : *(const uint64 *)p}};
    default: return (struct raw){{((const uint64 *)p)[0], ((const uint64 *)p)[1]}};
    }
}

static float64 double_of_low(uint64 bits)
{
    const uint32 low = (uint32)bits;
    float x;
    __builtin_memcpy(&x, &low, sizeof x);
    return double_of_float(x);
}

static float64 double_of(uint64 bits)
{
    float64 x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static struct wide load(enum dtype dtype, struct raw raw)
{
    const uint64 bits = raw.bits[0];
    switch (dtype) {
    case DTYPE_boolean: return of_signed(bits != 0);
    case DTYPE_int8: return of_signed((int8)bits);
    case DTYPE_int16: return of_signed((int16)bits);
    case DTYPE_int32: return of_signed((int32)bits);
    case DTYPE_int64: return of_signed((int64)bits);
    case DTYPE_uint8:
    case DTYPE_uint16:
    case DTYPE_uint32:
    case DTYPE_uint64: return of_unsigned(bits);
    case DTYPE_float16: return of_real(widen((uint16)bits, FLOAT16_FRACTION));
    case DTYPE_bfloat16: return of_real(widen((uint16)bits, BFLOAT16_FRACTION));
    case DTYPE_float32: return of_real(double_of_low(bits));
    case DTYPE_float64: return of_real(double_of(bits));
    case DTYPE_complex64: return of_complex(double_of_low(bits), double_of_low(bits >> 32));
    default: return of_complex(double_of(bits), double_of(raw.bits[1]));
    }
}

/* Rounded to float64 where that is the type, else so that rounding once more gives what one rounding would. */
static float64 to_real(struct wide x, bool is_exact)
{
    if (x.kind >= REAL)
        return x.r[0];
    if (x.kind == UNSIGNED)
        return is_exact ? (float64)x.i : odd_double(x.i);
    return is_exact ? (float64)(int64)x.i : odd_signed_double((int64)x.i);
}

static float to_float(struct wide x)
{
    if (x.kind >= REAL)
        return float_of_double(x.r[0]);
    return x.kind == UNSIGNED ? (float)x.i : (float)(int64)x.i;
}

static bool is_true(struct wide x)
{
    return x.kind < REAL ? x.i != 0 : x.r[0] != 0 || (x.kind == COMPLEX && x.r[1] != 0);
}

static uint64 to_signed(struct wide x, int bits)
{
    return x.kind < REAL ? x.i : (uint64)signed_of_double(x.r[0], bits);
}

static uint64 to_unsigned(struct wide x, int bits)
{
    return x.kind < REAL ? x.i : unsigned_of_double(x.r[0], bits);
}

/* These may be a complex64, which is aligned as a float32 is. */
static void put_8_bytes(char *p, uint64 bits)
{
    if ((uintptr_t)p % 8) {
        ((uint32 *)p)[0] = (uint32)bits;
        ((uint32 *)p)[1] = (uint32)(bits >> 32);
    } else {
        *(uint64 *)p = bits;
    }
}

static void store(enum dtype dtype, char *p, struct wide x)
{
    switch (dtype) {
    case DTYPE_boolean: *(uint8 *)p = is_true(x); break;
    case DTYPE_int8: *(uint8 *)p = (uint8)to_signed(x, 8); break;
    case DTYPE_uint8: *(uint8 *)p = (uint8)to_unsigned(x, 8); break;
    case DTYPE_int16: *(uint16 *)p = (uint16)to_signed(x, 16); break;
    case DTYPE_uint16: *(uint16 *)p = (uint16)to_unsigned(x, 16); break;
    case DTYPE_int32: *(uint32 *)p = (uint32)to_signed(x, 32); break;
    case DTYPE_uint32: *(uint32 *)p = (uint32)to_unsigned(x, 32); break;
    case DTYPE_int64: put_8_bytes(p, to_signed(x, 64)); break;
    case DTYPE_uint64: put_8_bytes(p, to_unsigned(x, 64)); break;
    case DTYPE_float16: *(uint16 *)p = narrow(to_real(x, false), FLOAT16_FRACTION); break;
    case DTYPE_bfloat16: *(uint16 *)p = narrow(to_real(x, false), BFLOAT16_FRACTION); break;
    case DTYPE_float32: *(float *)p = to_float(x); break;
    case DTYPE_float64: *(double *)p = to_real(x, true); break;
    case DTYPE_complex64:
        ((float *)p)[0] = to_float(x);
        ((float *)p)[1] = float_of_double(x.r[1]);
        break;
    default:
        ((double *)p)[0] = to_real(x, true);
        ((double *)p)[1] = x.r[1];
    }
}

/* An operand with memory may have a table of where its first dimension's elements are, in value[1]. */
#define FIRST(operand) ((operand).value[1] ? ((const int64 *)(uintptr_t)(operand).value[1])[i0] : (int64)i0)
#define PLACE(operand)                                                                                                 \
    ((operand).data + FIRST(operand) * (operand).strides[0] + i1 * (operand).strides[1] +                              \
     i2 * (operand).strides[2] + first * (operand).strides[3])

/* As a ufunc's S_strided (<gpucc/loops.h>, stdlib/loops/strided.h), whose operands say their types in `reserved`.
 * `from` may be a value.  `where` is boolean, and elements where it is false stay as they are; without memory it is
 * true everywhere. */
kernel launch_bounds(256) expect_low_occupancy
void cast_elements(struct gpucc_iteration it, struct gpucc_operand to, struct gpucc_operand from,
                   struct gpucc_operand where)
{
    const enum dtype type_to = (enum dtype)to.reserved, type_from = (enum dtype)from.reserved;
    const unsigned size = size_of(type_from);
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], columns = (unsigned)it.shape[3];
    const uint64 rows = it.shape[0] * n1 * n2;
    const unsigned first = (unsigned)grid(1), step = (unsigned)gridsize(1);
    if (first >= columns)
        return;
    const unsigned count = (columns - first - 1) / step + 1;
    const int64 along_from = step * from.strides[3], along_to = step * to.strides[3];
    const int64 along_where = step * where.strides[3];
    const struct raw value = {{from.value[0], from.value[1]}};
    for (uint64 row = grid(2).y; row < rows; row += gridsize(2).y) {
        const unsigned q2 = (unsigned)row / n2, i2 = (unsigned)row - q2 * n2, i0 = q2 / n1, i1 = q2 - i0 * n1;
        const char *source = from.data ? PLACE(from) : 0, *mask = where.data ? PLACE(where) : 0;
        char *target = PLACE(to);
        struct raw next = value, second = value;
        if (source) {
            next = fetch(size, source);
            second = fetch(size, source + (count > 1 ? along_from : 0));
        }
        for (unsigned left = count; left;) {
            struct raw now = next, then = second;
            unsigned pair = left < 2 ? left : 2;
            if (source && left > 2) {
                source += 2 * along_from;
                next = fetch(size, source);
                second = fetch(size, source + (left > 3 ? along_from : 0));
            }
            left -= pair;
            do {
                if (!mask || *mask)
                    store(type_to, target, load(type_from, now));
                target += along_to;
                mask += mask ? along_where : 0;
                now = then;
            } while (--pair);
        }
    }
}
