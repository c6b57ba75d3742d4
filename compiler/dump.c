/* What --dump=instances shows: one line for each instance of each pass. */
#include "compiler.h"

static void print_types(const enum dtype *dtypes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", dtype_name(dtypes[i]));
}

void dump_instances(const struct program *program)
{
    static const char *const kinds[] = {"ufunc", "gufunc", "kernel", "device"};
    for (size_t i = 0; i < program->pass_count; i++) {
        const struct pass *pass = &program->passes[i];
        printf("pass %zu:", i);
        for (size_t k = 0; k < pass->binding.count; k++)
            printf(" %s=%s", pass->binding.variables[k].name, dtype_name(pass->binding.variables[k].dtype));
        printf("\n");
        for (size_t k = 0; k < pass->instance_count; k++) {
            const struct instance *instance = &pass->instances[k];
            printf("  %s %s: (", kinds[instance->function->kind], instance->symbol);
            print_types(instance->inputs, instance->input_count);
            printf(") -> (");
            print_types(instance->outputs, instance->output_count);
            printf(")\n");
        }
    }
}
