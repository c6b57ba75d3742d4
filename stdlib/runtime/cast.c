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
#define DTYPE(name, code, c_type, size, kind) DTYPE_##name,
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

static struct wide load(enum dtype dtype, const char *p)
{
    switch (dtype) {
    case DTYPE_boolean: return of_signed(*(const uint8 *)p != 0);
    case DTYPE_int8: return of_signed(*(const int8 *)p);
    case DTYPE_uint8: return of_unsigned(*(const uint8 *)p);
    case DTYPE_int16: return of_signed(*(const int16 *)p);
    case DTYPE_uint16: return of_unsigned(*(const uint16 *)p);
    case DTYPE_int32: return of_signed(*(const int32 *)p);
    case DTYPE_uint32: return of_unsigned(*(const uint32 *)p);
    case DTYPE_int64: return of_signed(*(const int64 *)p);
    case DTYPE_uint64: return of_unsigned(*(const uint64 *)p);
    case DTYPE_float16: return of_real(widen(*(const uint16 *)p, FLOAT16_FRACTION));
    case DTYPE_bfloat16: return of_real(widen(*(const uint16 *)p, BFLOAT16_FRACTION));
    case DTYPE_float32: return of_real(double_of_float(*(const float *)p));
    case DTYPE_float64: return of_real(*(const double *)p);
    case DTYPE_complex64: return of_complex(double_of_float(((const float *)p)[0]), double_of_float(((const float *)p)[1]));
    default: return of_complex(((const double *)p)[0], ((const double *)p)[1]);
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

static void store(enum dtype dtype, char *p, struct wide x)
{
    switch (dtype) {
    case DTYPE_boolean: *(uint8 *)p = x.i != 0; break;
    case DTYPE_int8:
    case DTYPE_uint8: *(uint8 *)p = (uint8)x.i; break;
    case DTYPE_int16:
    case DTYPE_uint16: *(uint16 *)p = (uint16)x.i; break;
    case DTYPE_int32:
    case DTYPE_uint32: *(uint32 *)p = (uint32)x.i; break;
    case DTYPE_int64:
    case DTYPE_uint64: *(uint64 *)p = x.i; break;
    case DTYPE_float16: *(uint16 *)p = narrow(to_real(x, false), FLOAT16_FRACTION); break;
    case DTYPE_bfloat16: *(uint16 *)p = narrow(to_real(x, false), BFLOAT16_FRACTION); break;
    case DTYPE_float32: *(float *)p = float_of_double(to_real(x, false)); break;
    case DTYPE_float64: *(double *)p = to_real(x, true); break;
    case DTYPE_complex64:
        ((float *)p)[0] = float_of_double(to_real(x, false));
        ((float *)p)[1] = float_of_double(x.r[1]);
        break;
    default:
        ((double *)p)[0] = to_real(x, true);
        ((double *)p)[1] = x.r[1];
    }
}

/* As a ufunc's S_strided (<gpucc/loops.h>), whose operands say their types in `reserved`. */
kernel launch_bounds(256) expect_low_occupancy
void cast_elements(struct gpucc_iteration it, struct gpucc_operand to, struct gpucc_operand from)
{
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], n3 = (unsigned)it.shape[3];
    for (uint64 i = grid(1); i < it.count; i += gridsize(1)) {
        const unsigned q3 = (unsigned)i / n3, i3 = (unsigned)i - q3 * n3, q2 = q3 / n2, i2 = q3 - q2 * n2;
        const unsigned i0 = q2 / n1, i1 = q2 - i0 * n1;
        const char *source = from.data + i0 * from.strides[0] + i1 * from.strides[1] + i2 * from.strides[2] +
                             i3 * from.strides[3];
        char *target = to.data + i0 * to.strides[0] + i1 * to.strides[1] + i2 * to.strides[2] + i3 * to.strides[3];
        store((enum dtype)to.reserved, target, load((enum dtype)from.reserved, source));
    }
}
