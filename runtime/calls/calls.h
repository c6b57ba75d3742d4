/* Calls of ufuncs, from the caller's operands to those of a loop: types, broadcast, overlap, conversions. A call's
 * struct lives on the caller's stack and owns its temporaries; each function returns a status with
 * gpucc_last_error(). */
#ifndef GPUCC_RUNTIME_CALLS_H
#define GPUCC_RUNTIME_CALLS_H

#include "records/ufunc_call.h"

/* ufunc.c */

/* gpucc_ufunc_call() of arguments that are not null, for calls that consist of others. */
gpucc_status ufunc_call(gpucc_ufunc *ufunc, const gpucc_array *const *inputs, gpucc_array **outputs,
                        const gpucc_call_options *options);
/* Fails where it is null, released, or another context's.  `index` is negative where there is one of its role. */
gpucc_status call_check_operand(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index);
/* Fails where the mask cannot be one. */
gpucc_status call_check_mask(const gpucc_ufunc *ufunc, const gpucc_array *where);
/* Fails where it is a fused reduction, of which there is nothing but that. */
gpucc_status call_check_elementwise(const gpucc_ufunc *ufunc);
/* The caller's requests about the loop. */
struct loop_request {
    gpucc_casting casting;
    const gpucc_dtype *makes;     /* of every output; or null */
    const gpucc_dtype *signature; /* of each operand, GPUCC_DTYPE_COUNT: any; or null */
};
struct input_type;
/* The loop that such inputs take, or null, which call_fail_types() reports. */
const struct loop *call_loop(const gpucc_ufunc *ufunc, const struct input_type *given,
                             const struct loop_request *request);
gpucc_status call_fail_types(const gpucc_ufunc *ufunc, const struct input_type *given,
                             const struct loop_request *request);

/* order.c */

/* Whether what the call makes is to be in Fortran's order. */
bool order_is_fortran(const struct call *call);
/* The dimensions of the call's shape as outputs that it makes have them in memory, outermost first. */
void order_of_outputs(const struct call *call, int *order);
/* An array of that shape, its dimensions in that order in memory. */
gpucc_status array_create_in_order(const struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                   const int *order, gpucc_array **out);

/* gufunc.c */

/* The call of a gufunc, whose loop is known. */
gpucc_status gufunc_call(struct call *call, gpucc_array **outputs, const gpucc_call_options *options);

/* call.c: broadcasting, temporaries, and the way back for a call whose operands are not simply adjacent elements */

/* Runs the call; outputs[i] is made where it is null, and null again after a failure. */
gpucc_status call_run(struct call *call, gpucc_array **outputs);
/* After a failure, those go again. */
void call_drop_outputs(const struct call *call, gpucc_array **outputs, operand_set made);
/* Whether a given output can be written to, whatever its shape. */
gpucc_status call_check_output(const struct call *call, int index);
/* Outputs that share memory with one another are refused. */
gpucc_status call_check_apart(const struct call *call, int o);
/* Tells once that arrays of the host go to a GPU and back. */
void call_report_host_arrays(const struct call *call);
/* An array on the loop's device that lives as long as the call. */
gpucc_status call_make_temporary(struct call *call, gpucc_dtype dtype, int ndim, const int64_t *shape,
                                 gpucc_array **out);
/* Operands as the loop sees them: of its types, on its device.  What is made for that lives until call_release(). */
gpucc_status call_place_input(struct call *call, int i);
/* The same, of the types that they have; `reads`: with what the output holds. */
gpucc_status call_stage_input(struct call *call, int i);
gpucc_status call_stage_output(struct call *call, int o, bool reads);
/* The elements of a host array, operand i, to an array on the GPU of any type. */
gpucc_status call_upload(struct call *call, int i, const gpucc_array *to);
gpucc_status call_place_mask(struct call *call);
gpucc_status call_place_output(struct call *call, int o);
/* The input is copied, gaps and all, so that its strides hold for the copy. */
gpucc_status call_copy_input(struct call *call, int i);
/* Outputs as the loop saw them go to those that the caller gave. */
gpucc_status call_deliver_outputs(struct call *call, gpucc_array **outputs);
void call_release(struct call *call);

#endif
