#undef FACTOR
#define FACTOR 3
