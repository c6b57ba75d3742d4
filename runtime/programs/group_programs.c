/* Programs and ufuncs on every device of a group. */
#include "arrays/arrays.h"
#include "programs/programs.h"

gpucc_program *group_program(gpucc_program *program, int member)
{
    return member > 0 ? program->others[member - 1] : program;
}

gpucc_ufunc *group_ufunc(gpucc_ufunc *ufunc, int member)
{
    return group_program(ufunc->program, member)->ufuncs + (ufunc - ufunc->program->ufuncs);
}

static gpucc_status share_variable(gpucc_program *program, const char *name)
{
    gpucc_array *from = NULL, *to;
    gpucc_status status = gpucc_program_global(program, name, &from);
    for (int i = 1; !status && i < group_size(program->context); i++) {
        status = gpucc_program_global(group_program(program, i), name, &to);
        if (status)
            break;
        status = array_copy_to_peer(to, from);
        gpucc_array_release(to);
    }
    gpucc_array_release(from);
    return status;
}

gpucc_status group_share_variables(gpucc_program *program)
{
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && program->others && i < program->manifest->global_count; i++)
        status = share_variable(program, program->manifest->globals[i].name);
    return status;
}
