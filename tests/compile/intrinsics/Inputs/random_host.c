/* The same header on the host: states made one after the other, and each by itself. */
#include <gpucc/random.h>
#include <stdio.h>

int main(void)
{
    static xoroshiro128p states[1000];
    xoroshiro128p_create_states(states, 1000, 42);
    for (uint32_t i = 0; i < 1000; i++) {
        xoroshiro128p alone = xoroshiro128p_init(42, i);
        if (alone.s0 != states[i].s0 || alone.s1 != states[i].s1)
            return 1;
        double x = random_normal_f64(&alone);
        if (!(x > -9 && x < 9))
            return 2;
    }
    puts("1000 states, the last as by itself; normal numbers are finite");
    return 0;
}
