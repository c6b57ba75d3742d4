#undef FACTOR
#define FACTOR 4
