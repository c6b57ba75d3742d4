// Loops of gufuncs that resemble independent ones, and stay serial.
// RUN: %gpucc %s -Wperformance -o %t.ptx 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep '\.entry' %t.ptx | FileCheck --check-prefix=PTX %s
// PTX-NOT: _team(
#include <gpucc.h>
#include <stdint.h>

// The previous element of the output.
// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores [-Wperformance]
guvectorize((n)->(n))
void chained(size_t n, const float x[n], float y[n])
{
    for (size_t i = 1; i < n; i++)
        y[i] = y[i - 1] + x[i];
}

// Two iterations store to the same element where an index wraps.
// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void wrapped(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[(3 * i) % n] = x[i];
}

// An index of 8 bits.
// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void narrow(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[(uint8_t)i] = x[i];
}

// A product of sizes, which may wrap.
// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n),()->(n))
void stepped(size_t n, const float x[n], size_t step, float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i * step] = x[i];
}

// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: several iterations store to the same element
guvectorize((n)->(n))
void same(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[0] = y[i] = x[i];
}

// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores
guvectorize((n)->(n))
void overlapping(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i + 1 < n; i++) {
        y[i] = x[i];
        y[i + 1] = -x[i];
    }
}

// The partial sum decides which element is stored to.
// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void compacted(size_t n, const int x[n], int y[n])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        y[count] = x[i];
        count += x[i] > 0;
    }
}

// The partial sum decides what is added.
// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->())
void bounded(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        if (sum < 100)
            sum += x[i];
    *y = sum;
}

// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration may leave it early
guvectorize((n)->())
void early(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i] < 0)
            break;
        sum += x[i];
    }
    *y = sum;
}

// The loop changes its own bound.
// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: {{.*}}
guvectorize((n)->())
void shrinking(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0, end = n; i < end; i++) {
        sum += x[i];
        end -= x[i] & 1;
    }
    *y = sum;
}

// CHECK: serial.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores through a pointer that is not one output alone
guvectorize((n)->(n),(n))
void either(size_t n, const float x[n], float y[n], float z[n])
{
    for (size_t i = 0; i < n; i++)
        *(x[i] > 0 ? &y[i] : &z[n - 1 - i]) = x[i];
}

// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: it stores to a local array that outlives an iteration
guvectorize((n)->(n))
void kept(size_t n, const int x[n], int y[n])
{
    int last[4] = {0};
    for (size_t i = 0; i < n; i++)
        last[x[i] & 3] = (int)i;
    for (size_t i = 0; i < 4 && i < n; i++)
        y[i] = last[i];
}

// A comparison that is true for NaN: a later number replaces it.
// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->())
void unordered(size_t n, const float x[n], float *y)
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        most = !(x[i] <= most) ? x[i] : most;
    *y = most;
}

// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: a value wider than 64 bits, or a vector, goes from one iteration to the next
guvectorize((n)->())
void wide(size_t n, const int64 x[n], int64 *y)
{
    __int128 sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (__int128)x[i] << 40;
    *y = (int64)(sum >> 64);
}

// CHECK: serial.c:[[#@LINE+6]]:5: warning: threads cannot share this loop: a value wider than 64 bits, or a vector, goes from one iteration to the next
typedef int vector __attribute__((ext_vector_type(4)));
guvectorize((n)->(),())
void vectors(size_t n, const int64 x[n], int64 *first, int64 *last)
{
    vector sum = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++)
        sum += (vector){(int)x[i], (int)x[i] * 2, (int)x[i] ^ 3, (int)x[i] / 7};
    *first = sum.x, *last = sum.w;
}

// CHECK: serial.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: a floating-point sum gets several terms in one iteration
guvectorize((n)->())
void twice(size_t n, const float x[n], float *y)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        sum += 1;
    }
    *y = sum;
}
