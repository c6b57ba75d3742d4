/* A network of one hidden layer, and its training: the adjoint of the loss is the gradient that network_host.c follows.
 *   gpucc run network.c loss random:64x2:float32 ones:64:float32 random:8x3:float32 random:8:float32 */
#include <gpucc.h>
#include <math.h>

/* The mean square of the errors at n points of the plane. */
guvectorize((n,2),(n),(h,3),(h)->()) reorderable
void loss(size_t n, size_t h, const float points[n][2], const float values[n], const float hidden[h][3],
          const float weights[h], float *mean)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        float y = 0;
        for (size_t j = 0; j < h; j++)
            y += weights[j] * tanhf(hidden[j][0] * points[i][0] + hidden[j][1] * points[i][1] + hidden[j][2]);
        sum += (y - values[i]) * (y - values[i]);
    }
    *mean = sum / n;
}
adjoint(loss_vjp, loss);

/* A step against the gradient, with momentum. */
vectorize()
void descend(float weight, float speed, float slope, float *new_weight, float *new_speed)
{
    *new_speed = 0.9f * speed - 0.05f * slope;
    *new_weight = weight + *new_speed;
}
