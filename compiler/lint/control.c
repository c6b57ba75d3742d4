/* Which branches decide whether a block of code runs, and the loops that it stands in. */
#include "lint/lint_internal.h"

/* The sets below take so many bits, squared. */
enum { MOST_BLOCKS = 3000 };

/* From where a return can be reached without the block. */
static uint64_t *evading(const struct flow *flow, int block)
{
    uint64_t *found = flow_set(flow);
    for (int i = 0; i < flow->count; i++)
        if (flow->returns[i] && i != block)
            set_add(found, (size_t)i);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = flow->count; i-- > 0;)
            for (int k = 0; i != block && !set_has(found, (size_t)i) && k < flow->successor_counts[i]; k++)
                if (set_has(found, (size_t)flow->successors[i][k])) {
                    set_add(found, (size_t)i);
                    changed = true;
                }
    }
    return found;
}

static struct cycle *cycle_at(struct control *control, int header)
{
    for (size_t i = 0; i < control->cycle_count; i++)
        if (control->cycles[i].header == header)
            return &control->cycles[i];
    control->cycles = arena_grow(control->flow->arena, control->cycles, control->cycle_count, sizeof *control->cycles);
    struct cycle *cycle = &control->cycles[control->cycle_count++];
    *cycle = (struct cycle){header, flow_set(control->flow)};
    return cycle;
}

/* The blocks that reach the loop's end without leaving by its header. */
static void add_cycle(struct control *control, const struct dominators *dominators, int end, int header)
{
    struct cycle *cycle = cycle_at(control, header);
    for (int i = 0; i < control->flow->count; i++) {
        uint64_t *stop = flow_set(control->flow), *ways = flow_set(control->flow);
        if (!flow_dominates(dominators, header, i))
            continue;
        set_add(stop, (size_t)header);
        if (i == header) {
            set_add(cycle->blocks, (size_t)i);
            continue;
        }
        flow_reach(control->flow, i, stop, ways);
        if (set_has(ways, (size_t)end))
            set_add(cycle->blocks, (size_t)i);
    }
}

static void find_cycles(struct control *control)
{
    const struct flow *flow = control->flow;
    const struct dominators *dominators = flow_dominators(flow);
    for (int i = 0; i < flow->count; i++)
        for (int k = 0; k < flow->successor_counts[i]; k++)
            if (flow_dominates(dominators, flow->successors[i][k], i))
                add_cycle(control, dominators, i, flow->successors[i][k]);
}

const struct control *control_new(struct arena *arena, LLVMValueRef function)
{
    if (LLVMCountBasicBlocks(function) > MOST_BLOCKS)
        return NULL;
    struct control *control = arena_alloc(arena, sizeof *control);
    const struct flow *flow = control->flow = flow_new(arena, function);
    control->reached = arena_alloc(arena, (size_t)flow->count * sizeof *control->reached);
    control->evaded = arena_alloc(arena, (size_t)flow->count * sizeof *control->evaded);
    for (int i = 0; i < flow->count; i++) {
        control->reached[i] = flow_set(flow);
        for (int k = 0; k < flow->successor_counts[i]; k++)
            flow_reach(flow, flow->successors[i][k], NULL, control->reached[i]);
        control->evaded[i] = evading(flow, i);
    }
    find_cycles(control);
    return control;
}

bool is_controlled(const struct control *control, int at, int by)
{
    const struct flow *flow = control->flow;
    bool evades = false;
    for (int k = 0; k < flow->successor_counts[by]; k++)
        evades |= set_has(control->evaded[at], (size_t)flow->successors[by][k]);
    return flow->successor_counts[by] > 1 && evades && set_has(control->reached[by], (size_t)at);
}

int block_of(const struct control *control, LLVMValueRef instruction)
{
    return flow_number(control->flow, LLVMGetInstructionParent(instruction));
}

bool leaves(const struct control *control, const struct cycle *cycle, int block)
{
    const struct flow *flow = control->flow;
    for (int k = 0; k < flow->successor_counts[block]; k++)
        if (set_has(cycle->blocks, (size_t)block) && !set_has(cycle->blocks, (size_t)flow->successors[block][k]))
            return true;
    return false;
}
