/* Functions that treat memory wrongly. */
#include <gpucc.h>

/* Leaves out the last element of its output. */
guvectorize((n)->(n))
void left(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i + 1 < n; i++)
        out[i] = x[i];
}

/* Begins with what is there. */
guvectorize((n)->())
void grown(size_t n, const int32 x[n], int32 *out)
{
    for (size_t i = 0; i < n; i++)
        *out += x[i];
}

/* Writes what it finds behind its input. */
guvectorize((n)->(n))
void beyond(size_t n, const uint8 x[n], uint8 out[n])
{
    for (size_t i = 0; i <= n; i++)
        out[i] = x[i];
}

/* Writes in front of its output. */
guvectorize((n)->(n))
void front(size_t n, const uint8 x[n], uint8 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i];
    out[-1] = 1;
}

/* Sorts its input where it lies. */
guvectorize((n)->())
void least(size_t n, const int16 x[n], int16 *out)
{
    int16 *sorted = (int16 *)x;
    for (size_t i = 1; i < n; i++)
        if (sorted[i] < sorted[0]) {
            int16 smaller = sorted[i];
            sorted[i] = sorted[0];
            sorted[0] = smaller;
        }
    *out = x[0];
}
