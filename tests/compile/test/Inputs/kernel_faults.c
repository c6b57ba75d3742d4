#include <gpucc.h>

kernel void scale(size_t n, float x[n][2], float by)
{
    const size_t i = grid(1);
    if (i < n)
        for (int k = 0; k < 2; k++)
            x[i][k] *= i == 20 && k ? by + 0x1p-20f : by;
}

void scaled(size_t n, float x[n][2], float by)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            x[i][k] *= by;
}

boolean never(size_t n)
{
    return n > 100;
}

test(one_element, scale(n, ones, 2), each(n, 1, 20, 30, 40), threads(n), reference(scaled), expect(x, full(2), within(1)));
test(is_near, scale(n, ones, 2), each(n, 30), threads(n), reference(scaled, within(8)), expect(x, full(2), absolute(1e-6)));
test(not_near, scale(30, full(0x1p20), 2), threads(30), expect(x, full(0x1p21), absolute(0.9), within(3)));
test(property, scale(n, ones, 2), each(n, 101, 100), threads(n), holds(never), checks(none));
test(too_large, scale(n, zeros[n][2], 2), each(n, 1, -1), threads(1));
test(too_few, scale(3, zeros[2][2], 2), threads(3));

test(no_file, scale(1, "nowhere.npy", 2), threads(1));

kernel void beyond(size_t n, int *x)
{
    x[grid(1)] = (int)grid(1);
}

test(outside, beyond(0, zeros[n]), each(n, 64, 63), threads(64), checks(address));

kernel void count(int *cells)
{
    static int calls;
    cells[grid(1)] = ++calls; /* by one thread; each launch begins anew */
}

test(anew, count(zeros[1]), each(k, 1, 2, 3), grid(1), block(1), expect(cells, ones[1]));

kernel void last(int *cell)
{
    *cell = (int)grid(1);
}

test(by_order, last(zeros[1]), threads(64), checks(address), schedules(8));
test(too_often, last(zeros[1]), threads(64), schedules(-1));
test(may_differ, last(zeros[1]), threads(64), checks(address), schedules(8), devices(differ));

#ifdef CRASH
kernel void crash(size_t n, const int *x, int *out)
{
    out[0] = x[0];
    if (n > 2)
        __builtin_trap();
}

test(crashes, crash(n, arange(5)[n], zeros[2]), each(n, 2, 3), threads(1), checks(none));
#endif
