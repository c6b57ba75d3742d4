/* Functions of matrices and vectors, applied to stacks of them: what JAX's vmap does for a function of one vector, a
 * gufunc does for operands of any number of dimensions more.
 *
 *   gpucc run batched.c apply_matrix random:150x100:float32 random:10x100:float32
 *   gpucc run batched.c multiply4 random:1000000x4x4:float32 random:4x4:float32 --time
 *   gpucc run batched.c convolve random:1000x64:float32 random:5:float32
 *   gpucc run batched.c gram random:1000x16x20:float64 -o gram.npy
 *   gpucc run batched.c cholesky gram.npy
 */
#include <gpucc.h>
#include <math.h>

/* A matrix by a vector.  A warp takes a row, so that its threads read what lies side by side. */
guvectorize((m,n),(n)->(m)) cooperative
void apply_matrix(size_t m, size_t n, const float matrix[m][n], const float vector[n], float result[m])
{
    for (size_t row = threadIdx.x / 32; row < m; row += blockDim.x / 32) {
        float sum = 0;
        for (size_t k = laneid; k < n; k += 32)
            sum += matrix[row][k] * vector[k];
        for (int step = 16; step > 0; step /= 2)
            sum += shfl_xor_sync(~0u, sum, step);
        if (laneid == 0)
            result[row] = sum;
    }
}

/* Small matrices: a thread for each product. */
guvectorize((4,4),(4,4)->(4,4))
void multiply4(const float a[4][4], const float b[4][4], float product[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            float sum = 0;
            for (int j = 0; j < 4; j++)
                sum += a[i][j] * b[j][k];
            product[i][k] = sum;
        }
}

/* The declaration of the output states its length. */
guvectorize((n),(taps)->(p))
void convolve(size_t n, size_t taps, const float signal[n], const float filter[taps], float result[n + taps - 1])
{
    for (size_t i = 0; i < n + taps - 1; i++) {
        float sum = 0;
        for (size_t k = i < n ? 0 : i - n + 1; k < taps && k <= i; k++)
            sum += signal[i - k] * filter[k];
        result[i] = sum;
    }
}

/* The products of a matrix's rows with one another. */
guvectorize((n,k)->(n,n))
void gram(size_t n, size_t k, const double matrix[n][k], double product[n][n])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += matrix[i][l] * matrix[j][l];
            product[i][j] = sum;
        }
}

/* The lower triangular matrix whose product with its transpose is a positive definite matrix. */
guvectorize((n,n)->(n,n))
void cholesky(size_t n, const double matrix[n][n], double factor[n][n])
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= factor[i][k] * factor[j][k];
            factor[i][j] = j < i ? sum / factor[j][j] : sqrt(sum);
        }
        for (size_t j = i + 1; j < n; j++)
            factor[i][j] = 0;
    }
}

/* The solution of a system of equations with such a matrix. */
guvectorize((n,n),(n)->(n))
void solve_triangular(size_t n, const double factor[n][n], const double right[n], double solution[n])
{
    for (size_t i = 0; i < n; i++) {
        double sum = right[i];
        for (size_t k = 0; k < i; k++)
            sum -= factor[i][k] * solution[k];
        solution[i] = sum / factor[i][i];
    }
}
