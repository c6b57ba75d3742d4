// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// RUN: %gpucc -fsyntax-only %s -DRIGHT
// RUN: %exits 1 %gpucc test %s -DRIGHT -DC 2>&1 | FileCheck --strict-whitespace --check-prefix=C %s
// RUN: %exits 1 %gpucc -fsyntax-only %s -DRIGHT -DNAMES 2>&1 | FileCheck --strict-whitespace --check-prefix=NAMES %s
// Errors in tests of kernels.
#include <gpucc.h>

kernel void scale(size_t n, float x[n], float by, int *raw)
{
    if (grid(1) < n)
        x[grid(1)] *= by + (float)*raw;
}

vectorize() float half(float x) { return x / 2; }
void scaled(size_t n, float *x, float by) { x[0] = by; }
void scaled_otherwise(size_t n, float *y) { y[0] = 0; }
void scaled_narrowly(size_t n, float16 *x) { x[0] = 0; }
float made(size_t n) { return (float)n; }

test(good, scale(n, random(0, n), 2, zeros[1]), each(n, 1, 2), threads(n), reference(scaled, within(1)));

#ifndef RIGHT
// CHECK-DAG: blocks.c:[[#@LINE+1]]:11: error: 'scal' is not a kernel of this file; did you mean 'scale'?
test(one, scal(n, zeros), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:11: error: 'half' is not a kernel of this file
test(two, half(2), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:13: error: 'scale' takes 4 parameters, got 2
test(three, scale(1, zeros), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:21: error: unknown filling 'randm'; did you mean 'random'?
test(four, scale(1, randm, 2, zeros[1]), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:33: error: the type of 'raw' does not specify its number of elements: write ones[n]
test(five, scale(1, zeros, 2.5, ones), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:30: error: 'raw' has type 'int *', for which 'linspace' cannot make elements
test(six, scale(1, zeros, 2, linspace(0, 1)[1]), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:13: error: missing number of threads for 'scale': add threads(n), or grid(n) and block(n)
test(seven, scale(1, zeros, 2, zeros[1]));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:43: error: unknown clause 'thread'; did you mean 'threads'?
test(eight, scale(1, zeros, 2, zeros[1]), thread(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:42: error: 'grid' is written grid(x), grid(x, y) or grid(x, y, z)
test(nine, scale(1, zeros, 2, zeros[1]), grid(), block(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:63: error: use of undeclared function 'nobody'
test(ten, scale(1, zeros, 2, zeros[1]), threads(1), reference(nobody));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:66: error: 'scaled_otherwise' takes 'y', but 'scale' has no parameter of that name
test(eleven, scale(1, zeros, 2, zeros[1]), threads(1), reference(scaled_otherwise));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:66: error: 'scaled_narrowly' takes 'x' as '_Float16 *', but it is 'float *' in 'scale'
test(twelve, scale(1, zeros, 2, zeros[1]), threads(1), reference(scaled_narrowly));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:64: error: 'scaled' returns 'void', but must return whether a claim holds: make it 'bool'
test(thirteen, scale(1, zeros, 2, zeros[1]), threads(1), holds(scaled));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:66: error: 'made' returns 'float', but must only write into arrays: make it 'void'
test(fourteen, scale(1, zeros, 2, zeros[1]), threads(1), prepare(made));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:64: error: 'by' is not an array parameter of 'scale'
test(fifteen, scale(1, zeros, 2, zeros[1]), threads(1), expect(by, ones));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:73: error: expected a tolerance
test(sixteen, scale(1, zeros, 2, zeros[1]), threads(1), expect(x, ones, 2));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:6: error: redefinition of test 'good'
test(good, scale(1, zeros, 2, zeros[1]), threads(1));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:66: error: unknown check 'races'; expected one of bounds, alignment, address, race, uninitialized, undefined and float
test(seventeen, scale(1, zeros, 2, zeros[1]), threads(1), checks(races));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:58: error: duplicate clause 'threads'
test(eighteen, scale(1, zeros, 2, zeros[1]), threads(1), threads(2));
// CHECK-DAG: blocks.c:[[#@LINE+1]]:63: error: expected the name of the parameter that takes each of the values
test(nineteen, scale(1, zeros, 2, zeros[1]), threads(1), each(3, 1));
#endif

#ifdef NAMES
// NAMES: blocks.c:[[#@LINE+1]]:{{[0-9]+}}: error: a test is written test(name, kernel(arguments), clauses)
test(, scale(1, zeros, 2, zeros[1]), threads(1));
// NAMES: blocks.c:[[#@LINE+1]]:6: error: a test is written test(name, kernel(arguments), clauses)
test(1st, scale(1, zeros, 2, zeros[1]), threads(1));
#endif

#ifdef C
struct pair {
    int a, b;
};
kernel void raw(struct pair by, int *x)
{
    *x = by.a;
}
// C: {{^}}{{.*}}blocks.c:[[#@LINE+5]]:12: error: use of undeclared identifier 'm'
// C-NEXT: {{^ *[0-9]+}} |      scale(m, zeros, 2, zeros[1]),
// C-NEXT: {{^}}      |            ^
// C: {{^}}{{.*}}blocks.c:[[#@LINE+3]]:43: error: use of undeclared identifier 'BLOK'
test(in_c,
     scale(m, zeros, 2, zeros[1]),
     each(n, 1, 2), grid(1), block(n * 2, BLOK));
// C: blocks.c:[[#@LINE+2]]:43: error: expected expression
// C: blocks.c:[[#@LINE+1]]:18: error: assigning to 'struct pair' from incompatible type 'int'
test(more_c, raw(3, zeros[n]), each(n, 1, 2 +), threads(1));
#endif
