#include <stddef.h>
struct pair { double a, b; };

double series(double x);
double pair_product(const struct pair *p);
double old_style();
double weak_one(void);
extern const double coefficients[];
float gpucc_annotated(float);
vectorize() float annotated_there(float x);
