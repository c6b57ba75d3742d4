/* Branches, calls by the ABI, and how threads end. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

void run_nothing(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)t, (void)r, (void)i;
}

static void yield_now(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r, (void)i;
    t->state = YIELDED;
}

/* ---- branches ---- */

static void jump(struct thread *t, int32_t target)
{
    t->next = t->frames[t->frame_count - 1].function->code + target;
    if (--t->budget <= 0)
        t->state = YIELDED;
}

void run_branch(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r;
    jump(t, i->target);
}

void run_branch_table(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct reg index = r[i->operand[0]];
    if (index.undefined)
        fault(t, "the index of a branch is undefined");
    if (index.value >= (uint64_t)i->targets->count)
        fault(t, "the index of a branch is %llu of %d", (unsigned long long)index.value, i->targets->count);
    jump(t, i->targets->at[index.value]);
}

/* A scope's declarations begin undefined. */
void run_scope(struct thread *t, struct reg *r, const struct instruction *i)
{
    const size_t from = (size_t)i->operand[2], size = (size_t)(i->operand[3] - i->operand[2]);
    const struct frame *frame = &t->frames[t->frame_count - 1];
    for (int32_t k = i->operand[0]; k < i->operand[1]; k++)
        r[k] = frame->function->initial[k];
    if (size > 0)
        memset(t->param.undefined + frame->param + from, 0xff, size);
}

/* ---- frames ---- */

static void fill_registers(struct thread *t, const struct function *f, const struct frame *frame)
{
    struct reg *r = t->current;
    memcpy(r, f->initial, (size_t)f->register_count * sizeof *r);
    for (int k = 0; k < f->constant_count; k++) {
        const struct constant *c = &f->constants[k];
        uint64_t value = c->value;
        switch (c->kind) {
        case VALUE:
        case SHARED_ADDRESS: continue;
        case SPECIAL: value = special_value(t, (int)c->value); break;
        case LOCAL_ADDRESS: value += frame->local; break;
        case PARAM_ADDRESS: value += frame->param; break;
        case ENTRY_SHARED: value += t->block->launch->entry_begin; break;
        case DYNAMIC_SHARED: value += t->block->launch->dynamic_begin; break;
        }
        r[c->number] = (struct reg){value, 0};
    }
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

void push_frame(struct thread *t, struct function *f, const struct call *call)
{
    enum { STACK = 1 << 26 };
    const struct frame *caller = t->frame_count ? &t->frames[t->frame_count - 1] : NULL;
    if (t->frame_count == t->frame_room) {
        t->frame_room = t->frame_room ? 2 * t->frame_room : 4;
        t->frames = realloc(t->frames, (size_t)t->frame_room * sizeof *t->frames);
        caller = t->frame_count ? &t->frames[t->frame_count - 1] : NULL;
    }
    struct frame frame = {f, t->next, call, 1, 0, 0};
    if (caller) {
        frame.registers = caller->registers + (size_t)caller->function->register_count + 1;
        frame.local = round_up(t->local.size, 64);
        frame.param = round_up(t->param.size, 64);
    }
    const size_t end = frame.registers + (size_t)f->register_count;
    if (end > t->register_room) {
        t->register_room = end * 2;
        t->registers = realloc(t->registers, t->register_room * sizeof *t->registers);
        if (!t->registers)
            abort();
    }
    t->frames[t->frame_count++] = frame;
    shadowed_grow(&t->local, frame.local + f->local_size);
    shadowed_grow(&t->param, frame.param + f->param_size);
    if (t->local.size > STACK || t->frame_count > 100000)
        fault(t, "the stack overflows");
    t->current = t->registers + frame.registers;
    t->current[-1] = (struct reg){0, 0};
    fill_registers(t, f, &frame);
    t->next = f->code;
}

/* Bytes with their shadow, between two places of parameter memory. */
static void copy_parameter(struct thread *t, size_t to, size_t from, size_t size)
{
    memmove(t->param.bytes + to, t->param.bytes + from, size);
    memmove(t->param.undefined + to, t->param.undefined + from, size);
}

/* ---- calls ---- */

static struct function *find_callee(struct thread *t, const struct reg *r, const struct instruction *i)
{
    const struct ptx_module *module = t->block->launch->module;
    struct function *f = i->call->callee;
    if (!f) {
        const struct reg address = r[i->operand[0]];
        if (address.undefined)
            fault(t, "the address of a call is undefined");
        for (int k = 0; k < module->function_count && !f; k++)
            if ((uintptr_t)module->functions[k] == address.value)
                f = module->functions[k];
        if (!f)
            fault(t, "a call of %#llx, where no function is", (unsigned long long)address.value);
    }
    return f;
}

static struct reg print_argument(struct thread *t, const struct call *call, int k)
{
    const struct frame *frame = &t->frames[t->frame_count - 1];
    const size_t at = frame->param + call->arguments[k]->offset;
    return load_place((struct place){t->param.bytes + at, t->param.undefined + at, false}, 8);
}

static void print(struct thread *t, const struct call *call)
{
    const size_t at = t->frames[t->frame_count - 1].param + (call->result ? call->result->offset : 0);
    if (call->argument_count != 2 || !call->result)
        fault(t, "vprintf has two arguments and a result");
    const struct reg format = print_argument(t, call, 0), values = print_argument(t, call, 1);
    if (format.undefined | values.undefined)
        fault(t, "an argument of vprintf is undefined");
    run_print(t, format.value, values.value);
    memset(t->param.bytes + at, 0, 4);
    memset(t->param.undefined + at, 0, 4);
}

void run_call(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct call *call = i->call;
    struct function *named = find_callee(t, r, i), *f = definition_of(named);
    if (!f && named->length == 7 && !memcmp(named->name, "vprintf", 7)) {
        print(t, call);
        return;
    }
    if (!f || !f->is_parsed)
        fault(t, "%.*s has no definition", named->length, named->name);
    if (f->is_entry)
        fault(t, "a call of the kernel %.*s", f->length, f->name);
    if (f->parameter_count != call->argument_count || !f->result != !call->result)
        fault(t, "%.*s has %d parameters and is called with %d arguments, or its result differs", f->length, f->name,
              f->parameter_count, call->argument_count);
    if (f->result && f->result->size != call->result->size)
        fault(t, "the result has %zu bytes and its place %zu", f->result->size, call->result->size);
    const size_t from = t->frames[t->frame_count - 1].param;
    push_frame(t, f, call);
    const size_t to = t->frames[t->frame_count - 1].param;
    for (int k = 0; k < call->argument_count; k++) {
        if (f->parameters[k]->size != call->arguments[k]->size)
            fault(t, "parameter %d has %zu bytes, its argument %zu", k, f->parameters[k]->size,
                  call->arguments[k]->size);
        copy_parameter(t, to + f->parameters[k]->offset, from + call->arguments[k]->offset, f->parameters[k]->size);
    }
}

void run_return(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct frame frame = t->frames[--t->frame_count];
    (void)r, (void)i;
    if (t->frame_count == 0) {
        t->state = DONE;
        return;
    }
    const struct frame *caller = &t->frames[t->frame_count - 1];
    if (frame.call->result)
        copy_parameter(t, caller->param + frame.call->result->offset, frame.param + frame.function->result->offset,
                       frame.call->result->size);
    t->next = frame.next;
    t->current = t->registers + caller->registers;
    shadowed_grow(&t->local, caller->local + caller->function->local_size);
    shadowed_grow(&t->param, caller->param + caller->function->param_size);
}

static void leave(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r, (void)i;
    t->state = DONE;
}

static void trap(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r, (void)i;
    fault(t, "trap");
}

const struct opcode control_opcodes[] = {
    {"bra", run_branch, {0, 0}, 0},
    {"bra.uni", run_branch, {0, 0}, 0},
    {"brx.idx", run_branch_table, {0, 0}, 0},
    {"brx.idx.uni", run_branch_table, {0, 0}, 0},
    {"call", run_call, {0, 0}, 0},
    {"call.uni", run_call, {0, 0}, 0},
    {"ret", run_return, {0, 0}, 0},
    {"ret.uni", run_return, {0, 0}, 0},
    {"exit", leave, {0, 0}, 0},
    {"trap", trap, {0, 0}, 0},
    {"brkpt", trap, {0, 0}, 0},
    {"nanosleep.u32", yield_now, {BITS, 32}, 0},
    {"membar.cta", run_nothing, {0, 0}, 0},
    {"membar.gl", run_nothing, {0, 0}, 0},
    {"membar.sys", run_nothing, {0, 0}, 0},
    {"fence.sc.cta", run_nothing, {0, 0}, 0},
    {"fence.sc.gpu", run_nothing, {0, 0}, 0},
    {"fence.sc.sys", run_nothing, {0, 0}, 0},
    {"fence.sc.cluster", run_nothing, {0, 0}, 0},
    {"fence.acq_rel.cta", run_nothing, {0, 0}, 0},
    {"fence.acq_rel.gpu", run_nothing, {0, 0}, 0},
    {"fence.acq_rel.sys", run_nothing, {0, 0}, 0},
    {"fence.acq_rel.cluster", run_nothing, {0, 0}, 0},
    {NULL, NULL, {0, 0}, 0},
};
