/* No warnings in system headers. */
static int unused(int x) { int y; return x; }
#define FORCED 2
#define FORCED 1
#undef FORCED
#define FORCED
