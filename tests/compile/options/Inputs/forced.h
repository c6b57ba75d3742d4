#define FORCED
