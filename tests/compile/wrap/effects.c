// The directions of arguments that bodies show, and those that they hide.
// RUN: %gpucc wrap %s -o %t.c && FileCheck %s --input-file=%t.c && %gpucc -w %t.c %s -o %t.ptx
// CHECK: gpucc_vectorize() void written_if(double x, double *out);
// CHECK: void maybe_written_wrapped(double x, double out, double *value, double *out_out)
// CHECK: void both_ways_wrapped(double x, double *value, double *out)
// CHECK: void early_wrapped(double x, double *value, double *out)
// CHECK: gpucc_vectorize() void by_call(double x, double *part, double *whole);
// CHECK: void counts_wrapped(double x, int count, int *count_out)
// CHECK: gpucc_guvectorize((2),()->())
// CHECK: gpucc_guvectorize((2,2),()->(2,2))
// CHECK-NEXT: void by_row_wrapped(const double r[2][2], double x, double r_out[2][2])
// CHECK: gpucc_guvectorize((3)->(3))
// CHECK-NEXT: void copied_wrapped(const double from[3], double to[3])
// CHECK: gpucc_guvectorize((n)->())
// CHECK-NEXT: void variable_wrapped(size_t n, const double x[n], double *value)
// CHECK: Left out: aliased: the body does not show how it uses 'out'; list it: out = "in", "out" or "inout".
// CHECK: Left out: unknown_extent: the extent of 'x' is unknown; list it: x = "inout[n]".
// CHECK: Left out: other_extent: 'other' in the extent of 'x' is not an integer parameter.
// CHECK: void optional_wrapped(double x, double *value, double *more)
// CHECK: Left out: recursive: the extent of 'x' is unknown; list it: x = "
// CHECK: double old_style(double x);
// CHECK: Left out: one_more: the extent of 'x' is 'n + 1', but that of an input must be a number or a parameter: wrap a
// CHECK-NEXT: function that computes the parameters of 'one_more' from it.
// CHECK: Left out: no_array: no array's extent is 'n' alone.
// CHECK: void both_named_wrapped(double x, double *x_changed, double *x_out)
// CHECK: gpucc_vectorize() long long doubled(long long x);
// CHECK: Left out: crowded: it has 65 inputs and outputs, of 64 at most.
#include <math.h>
#include <stddef.h>
#include <string.h>

void written_if(double x, double *out) { *out = x > 0 ? 1 : 2; *out += x; }
double maybe_written(double x, double *out) { if (x > 0) *out = 1; return *out; }
double both_ways(double x, double *out) { if (x > 0) *out = 1; else { *out = 2; } return *out; }
double early(double x, double *out) { if (x > 0) { *out = 1; return 0; } *out = x; return *out; }
void by_call(double x, double *part, double *whole) { *part = modf(x, whole); }
void counts(double x, int *count) { (*count)++; (void)x; }
double read_rows(double r[2], double x) { return r[0] + *(r + 1) * x; }
static void scale_row(double *row, double x) { row[0] *= x; row[1] *= x; }
void by_row(double r[2][2], double x) { scale_row(r[0], x); scale_row(r[1], x); }
void copied(double from[3], double to[3]) { memcpy(to, from, sizeof(double[3])); }
double variable(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void aliased(double x, double out[1]) { double *p = out; *p = x; }
void unknown_extent(double *x, int n) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }
enum { twice = 2 };
extern int other;
double other_extent(int n, const double x[n * twice + other]) { return x[n]; }
int other;
double optional(double x, double *more) { if (more != NULL) *more = x; if (!more) return 0; return x; }
void recursive(double *x, int n) { if (n) recursive(x + 1, n - 1); }
double old_style(x) double x; { return x; }
double one_more(int n, const double x[n + 1]) { return x[n]; }
double no_array(int n, double x, double out[2 * n]) { (void)n; return *out = x; }
void both_named(double *x, double *x_out) { *x_out = *x; *x += 1; }
long long doubled(long long x) { return 2 * x; }
double crowded(double a0, double a1, double a2, double a3, double a4, double a5, double a6, double a7, double a8,
               double a9, double a10, double a11, double a12, double a13, double a14, double a15, double a16,
               double a17, double a18, double a19, double a20, double a21, double a22, double a23, double a24,
               double a25, double a26, double a27, double a28, double a29, double a30, double a31, double a32,
               double a33, double a34, double a35, double a36, double a37, double a38, double a39, double a40,
               double a41, double a42, double a43, double a44, double a45, double a46, double a47, double a48,
               double a49, double a50, double a51, double a52, double a53, double a54, double a55, double a56,
               double a57, double a58, double a59, double a60, double a61, double a62, double a63) { return a0 + a63; }
