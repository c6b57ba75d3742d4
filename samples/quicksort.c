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
