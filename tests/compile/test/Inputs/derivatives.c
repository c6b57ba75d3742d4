#include <gpucc.h>
#include <math.h>

double wrong_slope(double x) { return cos(x) + (x > 1 ? 0.01 : 0); }
derivative(wrong_slope) vectorize() double wave(double x) { return sin(x); }
gradient(wave_prime, wave);
tangent(wave_jvp, wave);

/* Kinks and jumps are passed over. */
vectorize() double bent(double x, double y, int32 k) { return (x > 0 ? x : 0.5 * x) * fabs(y) + floor(x) + k; }
gradient(bent_prime, bent);
tangent(bent_jvp, bent);
adjoint(bent_vjp, bent);

guvectorize((m,n),(n)->(m),()) void rows(size_t m, size_t n, const double a[m][n], const double x[n], double y[m],
                                         double *s)
{
    double all = 0;
    for (size_t i = 0; i < m; i++) {
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < n; j++) {
            most = fmax(most, a[i][j]);
            sum += a[i][j] * x[j];
        }
        y[i] = most * sum;
        all += sum;
    }
    *s = all;
}
adjoint(rows_vjp, rows);

tangent(rows_jvp, rows);
/* Outputs that are integers. */
vectorize() void counted(double x, double *y, int32 *k) { *y = x * x; *k = x > 0; }
tangent(counted_jvp, counted);
adjoint(counted_vjp, counted);

/* Their rules hold beyond the poles, which steps from next to them cross. */
double odd_slope(double p) { return 1 / (p * (1 - p)); }
derivative(odd_slope) vectorize() double odd(double p) { return log(p) - log(1 - p); }
gradient(odd_prime, odd);
gradient(odd_second, odd_prime);
vectorize() double even(double x) { return 1 / ((1 - x) * (1 - x)); }
gradient(even_prime, even);
vectorize() double bare(double x) { return 1 / (x - 2); }
gradient(bare_prime, bare);
