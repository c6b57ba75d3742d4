/* Derivatives: the gradient of SELU for both of its types, the greeks of a call option, and a rule by hand.
 *   gpucc run derivatives.c selu_prime linspace:-3:3:7:float32
 *   gpucc run derivatives.c greeks 100.0 95.0 0.5 0.03 0.2 */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, float32, float64);

/* The activation function SELU. */
vectorize()
T selu(T x) { return (T)1.0507009873554805 * (x > 0 ? x : (T)1.6732632423543772 * expm1(x)); }

/* SELU's derivative, for back-propagation by hand. */
gradient(selu_prime, selu);

/* The cotangent of SELU's input for that of its output. */
adjoint(selu_vjp, selu);

/* Black and Scholes' price of a call option: spot and strike price, years, interest rate, volatility. */
vectorize()
T call_price(T spot, T strike, T years, T rate, T volatility)
{
    T deviation = volatility * sqrt(years);
    T d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / deviation;
    return spot * (T)0.5 * erfc(-d1 / (T)1.4142135623730951) -
           strike * exp(-rate * years) * (T)0.5 * erfc(-(d1 - deviation) / (T)1.4142135623730951);
}

/* Delta, the derivative by the strike price, theta, rho and vega, in one pass. */
gradient(greeks, call_price);

/* The price's second derivatives, as products with a direction: gamma for the direction of the spot price. */
tangent(greeks_jvp, greeks);

double dlogit(double p) { return 1 / (p * (1 - p)); }

/* log(p / (1 - p)) with a rule by hand for its derivative. */
derivative(dlogit) vectorize()
double logit(double p) { return log(p) - log1p(-p); }

gradient(logit_prime, logit);
