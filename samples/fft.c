/* Fourier transforms of 2^k numbers, of as many rows as there are: a block of threads does each, in the memory of its
 * result.
 *
 *   gpucc run fft.c fft random:1000x1024:complex64 -o spectrum.npy
 *   gpucc run fft.c inverse spectrum.npy
 */
#include <gpucc.h>
#include <complex.h>
#include <math.h>

/* The number whose `bits` lowest bits are those of `i` from behind. */
static unsigned reversed(unsigned i, unsigned bits)
{
    unsigned result = 0;
    for (unsigned k = 0; k < bits; k++)
        result |= (i >> k & 1) << (bits - 1 - k);
    return result;
}

/* Cooley and Tukey's: pairs of numbers that lie `half` apart become the sum and the difference of one and the other
 * turned, for half = 1, 2, 4 and so on.  Lengths that are no power of two give what is no number. */
static void transform(unsigned n, const complex64 *x, complex64 *y, float sign, float scale)
{
    unsigned bits = 0;
    while (1u << bits < n)
        bits++;
    const int fits = 1u << bits == n;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = fits ? x[reversed(i, bits)] * scale : NAN;
    for (unsigned half = 1; fits && half < n; half *= 2) {
        syncthreads();
        for (unsigned pair = threadIdx.x; pair < n / 2; pair += blockDim.x) {
            const unsigned k = pair % half, low = pair / half * 2 * half + k;
            const float angle = sign * 3.14159265f * (float)k / (float)half;
            const complex64 other = y[low + half] * CMPLXF(cosf(angle), sinf(angle)), one = y[low];
            y[low] = one + other;
            y[low + half] = one - other;
        }
    }
}

/* The sums over j of x[j] e^(-2 pi i j k / n). */
guvectorize((n)->(n)) cooperative
void fft(size_t n, const complex64 x[n], complex64 spectrum[n])
{
    transform((unsigned)n, x, spectrum, -1, 1);
}

/* The way back. */
guvectorize((n)->(n)) cooperative
void inverse(size_t n, const complex64 spectrum[n], complex64 x[n])
{
    transform((unsigned)n, spectrum, x, 1, 1 / (float)n);
}
