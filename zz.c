#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
vectorize() T selu(T x) { return (T)1.05 * (x > 0 ? x : (T)1.67 * exp(x) - (T)1.67); }
gradient(selu_prime, selu);
tangent(selu_jvp, selu);
adjoint(selu_vjp, selu);
gradient(selu_second, selu_prime);
vectorize() T two(T x, T y) { return x * sin(y) + pow(x, y); }
gradient(two_prime, two);
