/* The runtime's own kernel: the elements of an array on the GPU as another type, or the same in another layout.  What
 * it does to a number is what convert.c does on the host, bit for bit; like that it goes through the widest type of the
 * number's kind.  The same branches are taken by all threads.
 *
 * Compiled when gpucc is built, by gpucc itself, and carried by libgpucc as PTX. */
#include <gpucc.h>
#include <gpucc/loops.h>
#include <loops/element.h>
#include "../math/conversions.h"

/* An index of the first dimension, or what a table has for it. */
#define FIRST(table) ((table) ? (table)[i0] : (int64)i0)
#define PLACE(operand, i)                                                                                              \
    ((operand).data + (i) * (operand).strides[0] + i1 * (operand).strides[1] + i2 * (operand).strides[2] +             \
     first * (operand).strides[3])

/* As a ufunc's S_strided (<gpucc/loops.h>, stdlib/loops/strided.h), whose operands say their types in `reserved`.
 * `from` may be a value.  `where` is boolean, and elements where it is false stay as they are; without memory it is
 * true everywhere.  A table that is not null has what stands for indices of the operand's first dimension. */
kernel launch_bounds(256) expect_low_occupancy
void cast_elements(struct gpucc_iteration it, struct gpucc_operand to, struct gpucc_operand from,
                   struct gpucc_operand where, const int64 *table_to, const int64 *table_from)
{
    const unsigned type_to = (unsigned)to.reserved, type_from = (unsigned)from.reserved;
    const unsigned size = GPUCC_OPERAND_SIZE(from), size_to = GPUCC_OPERAND_SIZE(to);
    const unsigned n1 = (unsigned)it.shape[1], n2 = (unsigned)it.shape[2], columns = (unsigned)it.shape[3];
    const uint64 rows = it.shape[0] * n1 * n2;
    const unsigned first = (unsigned)grid(1), step = (unsigned)gridsize(1);
    if (first >= columns)
        return;
    const unsigned count = (columns - first - 1) / step + 1;
    const int64 along_from = step * from.strides[3], along_to = step * to.strides[3];
    const int64 along_where = step * where.strides[3];
    const struct gpucc_element value = {from.value[0], from.value[1]};
    for (uint64 row = grid(2).y; row < rows; row += gridsize(2).y) {
        const unsigned q2 = (unsigned)row / n2, i2 = (unsigned)row - q2 * n2, i0 = q2 / n1, i1 = q2 - i0 * n1;
        const char *source = from.data ? PLACE(from, FIRST(table_from)) : 0;
        const char *mask = where.data ? PLACE(where, i0) : 0;
        char *target = PLACE(to, FIRST(table_to));
        struct gpucc_element next = value, second = value;
        if (source) {
            next = gpucc_fetch(size, source);
            second = gpucc_fetch(size, source + (count > 1 ? along_from : 0));
        }
        for (unsigned left = count; left;) {
            struct gpucc_element now = next, then = second;
            unsigned pair = left < 2 ? left : 2;
            if (source && left > 2) {
                source += 2 * along_from;
                next = gpucc_fetch(size, source);
                second = gpucc_fetch(size, source + (left > 3 ? along_from : 0));
            }
            left -= pair;
            do {
                if (!mask || *mask)
                    gpucc_put(size_to, target, converted(type_to, type_from, now));
                target += along_to;
                mask += mask ? along_where : 0;
                now = then;
            } while (--pair);
        }
    }
}
