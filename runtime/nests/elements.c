/* Elements of a size copied from one place to another, at any steps. */
#include "base/common.h"
#include "nests/convert.h"
#include <string.h>

#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll_count(4)")
#else
#define UNROLLED _Pragma("GCC unroll 4")
#endif

#define COPY_ELEMENTS(size)                                                                                            \
    if (to_step == (size) && from_step == 2 * (size)) {                                                                \
        for (int64_t k = 0; k < n; k++)                                                                                \
            memcpy(to + k * (size), from + k * 2 * (size), size);                                                      \
    } else {                                                                                                           \
        UNROLLED for (int64_t k = 0; k < n; k++)                                                                       \
            memcpy(to + k * to_step, from + k * from_step, size);                                                      \
    }                                                                                                                  \
    break

/* Every second element, as the parts of complex numbers are, has loops that are vectorised. */
void copy_elements(size_t size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n)
{
    if (to_step == (int64_t)size && from_step == to_step) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
    case 1: COPY_ELEMENTS(1);
    case 2: COPY_ELEMENTS(2);
    case 4: COPY_ELEMENTS(4);
    case 8: COPY_ELEMENTS(8);
    default: COPY_ELEMENTS(16);
    }
}

/* Rows that are as short as these are written out: a loop would cost more than what it does. */
#define COPY_ROWS(size, count)                                                                                         \
    for (int64_t r = 0; r < rows; r++)                                                                                 \
        UNROLLED for (int64_t c = 0; c < (count); c++)                                                                 \
            memcpy(to + r * to_row + c * to_step, from + r * from_row + c * from_step, size)
#define REPEAT_ELEMENTS(size)                                                                                          \
    for (int64_t r = 0; r < rows; r++) {                                                                               \
        char element[size];                                                                                            \
        memcpy(element, from + r * from_row, size);                                                                    \
        for (int64_t c = 0; c < columns; c++)                                                                          \
            memcpy(to + r * to_row + c * (size), element, size);                                                       \
    }
#define COPY_SHORT_ROWS(size)                                                                                          \
    switch (columns) {                                                                                                 \
    case 2: COPY_ROWS(size, 2); break;                                                                                 \
    case 3: COPY_ROWS(size, 3); break;                                                                                 \
    case 4: COPY_ROWS(size, 4); break;                                                                                 \
    case 8: COPY_ROWS(size, 8); break;                                                                                 \
    default:                                                                                                           \
        if (is_adjacent)                                                                                               \
            for (int64_t r = 0; r < rows; r++)                                                                         \
                memcpy(to + r * to_row, from + r * from_row, (size_t)columns * (size));                                \
        else if (to_step == (size) && from_step == 0)                                                                  \
            REPEAT_ELEMENTS(size)                                                                                      \
        else                                                                                                           \
            COPY_ROWS(size, columns);                                                                                  \
        break;                                                                                                         \
    }                                                                                                                  \
    break

void copy_plane(size_t size, char *to, int64_t to_row, int64_t to_step, const char *from, int64_t from_row,
               int64_t from_step, int64_t rows, int64_t columns)
{
    const bool is_adjacent = to_step == (int64_t)size && from_step == (int64_t)size;
    switch (size) {
    case 1: COPY_SHORT_ROWS(1);
    case 2: COPY_SHORT_ROWS(2);
    case 4: COPY_SHORT_ROWS(4);
    case 8: COPY_SHORT_ROWS(8);
    default: COPY_SHORT_ROWS(16);
    }
}
