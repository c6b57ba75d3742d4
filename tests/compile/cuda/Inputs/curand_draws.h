/* The draws of curand.c (gpucc's curand_kernel.h) and of curand_reference.cu (the toolkit's), in C and CUDA C++. */

typedef struct {
    unsigned long long seed, subsequence, offset;
} place;

#define PLACES                                                                                                         \
    {                                                                                                                  \
        {0, 0, 0}, {1234, 0, 0}, {1234, 1, 0}, {0x123456789abcdef0, 77777, 3}, {42, 0x123456789ab, 0x3fffffffffff1},   \
            {0xffffffffffffffff, 5, 0xfffffffffffffffe},                                                               \
    }
#define PLACE_COUNT 6
#define DRAW_COUNT 68 /* of each generator and place; the last ones of some are 0 */

#define DEFINE_DRAWS(name, state_t, more)                                                                              \
    DEVICE void name(place from, double *out)                                                                          \
    {                                                                                                                  \
        state_t s;                                                                                                     \
        int n = 0;                                                                                                     \
        for (int i = 0; i < DRAW_COUNT; i++)                                                                           \
            out[i] = 0;                                                                                                \
        curand_init(from.seed, from.subsequence, from.offset, &s);                                                     \
        for (int i = 0; i < 6; i++)                                                                                    \
            out[n++] = curand(&s);                                                                                     \
        skipahead(1000003, &s);                                                                                        \
        out[n++] = curand(&s);                                                                                         \
        skipahead_sequence(3, &s);                                                                                     \
        out[n++] = curand(&s);                                                                                         \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_uniform(&s);                                                                             \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_uniform_double(&s);                                                                      \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_normal(&s);                                                                              \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_normal_double(&s);                                                                       \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_log_normal(&s, 0.5f, 0.25f);                                                             \
        for (int i = 0; i < 3; i++)                                                                                    \
            out[n++] = curand_log_normal_double(&s, 0.5, 0.25);                                                        \
        float2 two = curand_normal2(&s), log_two = curand_log_normal2(&s, 0.5f, 0.25f);                                \
        double2 twice = curand_normal2_double(&s), log_twice = curand_log_normal2_double(&s, 0.5, 0.25);               \
        out[n++] = two.x, out[n++] = two.y, out[n++] = log_two.x, out[n++] = log_two.y;                                \
        out[n++] = twice.x, out[n++] = twice.y, out[n++] = log_twice.x, out[n++] = log_twice.y;                        \
        more;                                                                                                          \
        out[n++] = curand(&s);                                                                                         \
    }

#define FOUR(v) out[n++] = (v).x, out[n++] = (v).y, out[n++] = (v).z, out[n++] = (v).w
#define MORE_MRG skipahead_subsequence(5, &s)
#define MORE_PHILOX                                                                                                    \
    uint4 words = curand4(&s);                                                                                         \
    float4 some = curand_uniform4(&s), normal = curand_normal4(&s), logs = curand_log_normal4(&s, 0.5f, 0.25f);        \
    double2 double_two = curand_uniform2_double(&s);                                                                   \
    double4 wide = curand_uniform4_double(&s), wide_normal = curand_normal4_double(&s);                                \
    double4 wide_logs = curand_log_normal4_double(&s, 0.5, 0.25);                                                      \
    FOUR(words);                                                                                                       \
    FOUR(some);                                                                                                        \
    FOUR(normal);                                                                                                      \
    FOUR(logs);                                                                                                        \
    out[n++] = double_two.x, out[n++] = double_two.y;                                                                  \
    FOUR(wide);                                                                                                        \
    FOUR(wide_normal);                                                                                                 \
    FOUR(wide_logs)

DEFINE_DRAWS(draw_xorwow, curandState, (void)0)
DEFINE_DRAWS(draw_mrg, curandStateMRG32k3a_t, MORE_MRG)
DEFINE_DRAWS(draw_philox, curandStatePhilox4_32_10_t, MORE_PHILOX)
