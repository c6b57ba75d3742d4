/* Functions that end the process, that print, and one that is wrong. */
#include <gpucc.h>
#include <assert.h>
#include <stdio.h>

vectorize()
float e(float x) { return x; }

reference(e, within(0)) vectorize()
float g(float x) { return x + 1; }

vectorize()
float f(float x)
{
    assert(x < 100);
    return x;
}

reference(f) vectorize()
float judged(float x) { return x; }

vectorize()
float loud(float x)
{
    printf("loud\n");
    return x;
}
