/* Compiles a function and prints its PTX. */
#include <gpucc/compiler.h>
#include <stdio.h>

int main(void)
{
    struct gpucc_file source = {.name = "half.c",
                                .text = "#include <gpucc.h>\nvectorize() float half(float x) { return x / 2; }\n"};
    struct gpucc_compile_input input = {.size = sizeof input, .sources = &source, .source_count = 1,
                                        .artefacts = GPUCC_MAKE(PTX)};
    gpucc_compilation *compilation;
    int status = gpucc_compile(&input, &compilation);
    puts(status ? gpucc_compilation_log(compilation) : gpucc_compilation_ptx(compilation, 0, NULL, NULL));
    gpucc_compilation_free(compilation);
    return status;
}
