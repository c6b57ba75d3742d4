// More loops of gufuncs that resemble independent ones or reductions, and stay serial.
// RUN: %gpucc %s -Wperformance -o %t.ptx 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep '\.entry' %t.ptx | FileCheck --check-prefix=PTX %s
// PTX-NOT: _team(
#include <gpucc.h>
#include <stdint.h>

static void store(float *to, size_t i, float value)
{
    to[i] = value;
}

// Half the iterations share an element with the previous one.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void halves(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i / 2] = x[i];
}

// An even element twice.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void rounded(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i & ~(size_t)1] = x[i];
}

// The elements are data.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n),(n)->(n))
void scattered(size_t n, const float x[n], const uint32_t at[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[at[i] % n] = x[i];
}

// A product of 32 bits wraps before it becomes an index.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n),()->(n))
void product(size_t n, const float x[n], uint32_t k, float y[n])
{
    for (size_t i = 0; i < n; i++)
        if ((uint32_t)i * k < n)
            y[(uint32_t)i * k] = x[i];
}

// So does a constant one, if it is large.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void hashed(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        if ((uint32_t)i * 2654435769u < n)
            y[(uint32_t)i * 2654435769u] = x[i];
}

// One of 64 bits wraps as well, and comes back to element 0 after 16 iterations.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void wide(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        if (i * 0x1000000000000000 < n)
            y[i * 0x1000000000000000] = x[i];
}

// The same by a shift, in the index of a row.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n),(m)->(n,m))
void shifted(size_t n, size_t m, const float x[n], const float z[m], float y[n][m])
{
    for (size_t i = 0; i < n; i++)
        if (m && i << 60 < n)
            y[i << 60][0] = x[i] * z[0];
}

// The next element, which another iteration stores later.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores
guvectorize((n)->(n))
void ahead(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i + 1 < n; i++)
        y[i] = y[i + 1] + x[i];
}

// A distance that a parameter has.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores
guvectorize((n),()->(n))
void distance(size_t n, const float x[n], uint32_t d, float y[n])
{
    for (size_t i = 0; i + d < n; i++)
        y[i + d] = y[i] + x[i];
}

// An element of another iteration, by a remainder.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it loads elements of an output that other iterations may store
guvectorize((n)->(n))
void around(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + y[(i + 1) % n];
}

// Mirrored elements meet in the middle.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores
guvectorize((n)->(n))
void mirrored(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i];
        y[n - 1 - i] = -x[i];
    }
}

// A record that outlives the iteration.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: it stores to a local array that outlives an iteration
guvectorize((n)->())
void record(size_t n, const int x[n], int *y)
{
    struct { int a[2], b; } r = {{0, 0}, 1};
    for (size_t i = 0; i < n; i++)
        r.a[x[i] & 1] = x[i];
    *y = r.a[0] + r.a[1] + r.b;
}

// The maximum so far decides what is stored.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void records(size_t n, const float x[n], float y[n])
{
    float most = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > most) {
            most = x[i];
            y[i] = 1;
        }
}

// The best value and an index of another condition.
// CHECK: near_misses.c:[[#@LINE+6]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(),())
void mixed(size_t n, const float x[n], float *value, int *at)
{
    float best = 0;
    int index = -1;
    for (size_t i = 0; i < n; i++) {
        if (x[i] > best)
            best = x[i];
        if (x[i] < best)
            index = (int)i;
    }
    *value = best, *at = index;
}

// The best value until then, carried.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(),())
void second(size_t n, const float x[n], float *value, float *other)
{
    float best = -1, before = -1;
    for (size_t i = 0; i < n; i++)
        if (x[i] > best) {
            before = best;
            best = x[i];
        }
    *value = best, *other = before;
}

// A sum that begins anew.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->())
void restarted(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = x[i] ? sum + x[i] : 0;
    *y = sum;
}

// Two operators in one chain.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->())
void alternating(size_t n, const uint32_t x[n], uint32_t *y)
{
    uint32_t value = 1;
    for (size_t i = 0; i < n; i++)
        value = value * 31 + x[i];
    *y = value;
}

// The previous input value, carried.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void differences(size_t n, const float x[n], float y[n])
{
    float last = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] - last;
        last = x[i];
    }
}

// A pointer that moves by the data.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void moving(size_t n, const float x[n], float y[n])
{
    float *to = y;
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0)
            *to++ = x[i];
}

// A counter of 8 bits may never reach the end.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: the number of iterations is not known before it runs
guvectorize((n)->())
void short_counter(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (uint8_t i = 0; i < n; i++)
        sum += x[i];
    *y = sum;
}

// The loop ends at a value.
// CHECK: near_misses.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration may leave it early
guvectorize((n)->())
void sentinel(size_t n, const int x[n], int *y)
{
    int sum = 0;
    for (size_t i = 0; i < n && x[i]; i++)
        sum += x[i];
    *y = sum;
}

// A function stores to what it is handed.
// CHECK: near_misses.c:[[#@LINE+4]]:5: warning: threads cannot share this loop: it stores to elements that do not follow from the loop's index alone
guvectorize((n)->(n))
void handed(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        store(x[i] > 0 ? y : y + 1, i / 2, x[i]);
}
