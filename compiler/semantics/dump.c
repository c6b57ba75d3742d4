/* The output of --dump=instances. */
#include "semantics/semantics.h"

static void print_binding(const struct binding *binding)
{
    for (size_t i = 0; i < binding->count; i++)
        printf(" %s=%s", binding->variables[i].name, dtype_name(binding->variables[i].dtype));
}

static void print_dtypes(const enum dtype *dtypes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i ? ", " : "", dtype_name(dtypes[i]));
}

static void print_parameters(const struct function *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameters[i];
        printf("%s%s %s", i ? ", " : "", parameter->type.spelling, parameter->name);
        for (size_t k = 0; k < parameter->type.dimension_count; k++)
            printf("[%s]", parameter->type.dimensions[k]);
    }
}

/* "  ufunc trig_f32_f32: (float32) -> float32" */
static void print_instance(const struct instance *instance)
{
    static const char *const kinds[] = {[FUNCTION_UFUNC] = "ufunc", [FUNCTION_GUFUNC] = "gufunc",
                                        [FUNCTION_KERNEL] = "kernel", [FUNCTION_DEVICE] = "device"};
    const struct function *function = instance->function;
    printf("  %s %s: (", instance->by ? "reduction" : kinds[function->kind], instance->symbol);
    if (function->kind == FUNCTION_UFUNC || function->kind == FUNCTION_GUFUNC) {
        print_dtypes(instance->inputs, instance->input_count);
        printf(") -> (");
        print_dtypes(instance->outputs, instance->output_count);
        printf(")%s%s", instance->layout ? " " : "", instance->layout ? instance->layout->text : "");
    } else {
        print_parameters(function);
        printf(") -> %s", function->result.spelling);
    }
    printf("\n");
}

void dump_instances(const struct program *program)
{
    for (size_t i = 0; i < program->pass_count; i++) {
        const struct pass *pass = &program->passes[i];
        printf("pass %zu:", i);
        print_binding(&pass->binding);
        printf("\n");
        for (size_t k = 0; k < pass->instance_count; k++)
            print_instance(&pass->instances[k]);
    }
    printf("abi %016llx\n", (unsigned long long)program->abi);
}
