/* A formula from the command line becomes a ufunc while the program runs: the compiler is a library that the runtime
 * opens.  Its largest value in [-10, 10] is looked for with a million arguments. */
#include "sample.h"
#include <math.h>

enum { COUNT = 1000001 };

static double argument(size_t i)
{
    return (double)i / (COUNT - 1) * 20 - 10;
}

int main(int argc, char **argv)
{
    const char *formula = argc > 2 ? argv[2] : "exp(-x * x / 2) * cos(3 * x)";
    gpucc_context *context = sample_context(argc, argv);
    gpucc_program *program;
    gpucc_ufunc *f;
    gpucc_array *x, *y = NULL;
    char source[1024];
    snprintf(source, sizeof source, "#include <gpucc.h>\n#include <math.h>\n"
                                    "vectorize() double f(double x) { return %s; }\n", formula);
    gpucc_compile_options options = {.size = sizeof options, .name = "formula.c"};
    double seconds = sample_seconds();
    CHECK(gpucc_program_compile(context, source, &options, &program));
    fprintf(stderr, "compiled in %.0f ms\n", (sample_seconds() - seconds) * 1e3);

    double *values = malloc(COUNT * sizeof *values);
    if (!values)
        return 3;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = argument(i);
    CHECK(gpucc_program_ufunc(program, "f", &f));
    CHECK(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, (int64_t[]){COUNT}, NULL, values, &x));
    CHECK(gpucc_ufunc_call(f, (const gpucc_array *[]){x}, &y, NULL));
    CHECK(gpucc_array_read(y, values, COUNT * sizeof *values));
    size_t largest = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (values[i] > values[largest])
            largest = i;
    printf("%s is largest at x = %.3f: %.6f\n", formula, argument(largest), values[largest]);
    free(values);
    gpucc_context_destroy(context);
    return 0;
}
