struct pair { float nothing[7]; };

const double coefficients[2] = {4, 3};
double weak_one(void) { return 7; }
const double unreached_table[1000] = {1, 2, 3};
double unreached_too(const struct pair *p) { return p->nothing[0]; }
