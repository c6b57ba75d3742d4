#include <gpucc.h>
int count(void);
vectorize(int32(int32))
int add_count(int x) { return x + count(); }
