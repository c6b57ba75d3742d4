/* Sorts many rows at once, a thread each, by quick-sort with a stack of its own: once where the rows lie, once in an
 * array local to the thread. */
#include <gpucc.h>

enum {
    LONGEST = 256, /* row that sort_rows_local takes */
    DEPTH = 32,    /* of the stack: the longer part waits, so that 2^DEPTH elements need no more */
};

static inline void swap(float *a, float *b)
{
    const float kept = *a;
    *a = *b;
    *b = kept;
}

/* Hoare's partition of a[0 … count): returns how many elements stand in the left part, whose elements are not greater
 * than those of the right one.  Neither part is empty. */
static size_t partition(float *a, size_t count)
{
    const float pivot = a[(count - 1) / 2];
    for (size_t left = 0, right = count - 1;; left++, right--) {
        while (a[left] < pivot)
            left++;
        while (a[right] > pivot)
            right--;
        if (left >= right)
            return right + 1;
        swap(&a[left], &a[right]);
    }
}

static void quick_sort(float *a, size_t count)
{
    struct {
        size_t first, count;
    } waiting[DEPTH], now = {0, count};
    unsigned depth = 0;
    for (;;) {
        while (now.count > 1) {
            const size_t left = partition(a + now.first, now.count), right = now.count - left;
            waiting[depth].first = left > right ? now.first : now.first + left;
            waiting[depth++].count = left > right ? left : right;
            now.first = left > right ? now.first + left : now.first;
            now.count = left > right ? right : left;
        }
        if (depth == 0)
            return;
        now = waiting[--depth];
    }
}

kernel
void sort_rows(size_t rows, size_t columns, float a[rows][columns])
{
    size_t row = grid(1);
    if (row < rows)
        quick_sort(a[row], columns);
}

kernel
void sort_rows_local(size_t rows, size_t columns, float a[rows][columns])
{
    float own[LONGEST];
    size_t row = grid(1);
    if (row >= rows || columns > LONGEST)
        return;
    for (size_t i = 0; i < columns; i++)
        own[i] = a[row][i];
    quick_sort(own, columns);
    for (size_t i = 0; i < columns; i++)
        a[row][i] = own[i];
}

/* Ascending, and as much in all as before: `gpucc test quicksort.c`. */
boolean is_sorted(size_t rows, size_t columns, const float a[rows][columns], const float a_before[rows][columns])
{
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t i = 0; i < columns; i++) {
            sum += (double)a[row][i] - (double)a_before[row][i];
            if (i && a[row][i - 1] > a[row][i])
                return 0;
        }
        if (sum < -1e-6 || sum > 1e-6)
            return 0;
    }
    return 1;
}

test(rows, sort_rows(3, columns, random), each(columns, 1, 2, 100), threads(3), holds(is_sorted));
test(equal_elements, sort_rows(1, 50, ones), threads(1), expect(a, ones));
test(rows_local, sort_rows_local(3, columns, random), each(columns, 1, LONGEST), threads(3), holds(is_sorted));
test(too_long, sort_rows_local(1, LONGEST + 1, arange(0, -1)), threads(1), expect(a, arange(0, -1)));
