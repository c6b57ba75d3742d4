/* Textures and surfaces: tex, suld and sust, whose texels the owner of the memory finds. */
#include "ptx.h"

#include <gpucc/cpu.h>
#include <string.h>

/* detail: the geometry; mode: what happens beyond a surface's edges; vector: registers of the texel. */
static const struct {
    const char *name;
    int dims;
    bool is_layered;
} geometries[] = {
    [GPUCC_CPU_1D] = {"1d", 1, false},          [GPUCC_CPU_2D] = {"2d", 2, false},
    [GPUCC_CPU_3D] = {"3d", 3, false},          [GPUCC_CPU_LINEAR] = {"", 0, true}, /* an index alone */
    [GPUCC_CPU_1D_LAYERED] = {"a1d", 1, true},  [GPUCC_CPU_2D_LAYERED] = {"a2d", 2, true},
};

static uint64_t defined_operand(struct thread *t, const struct reg *r, const struct instruction *i, int k)
{
    const struct reg value = r[i->operand[k]];
    if (value.undefined)
        fault(t, "the object of a texture or surface, or a coordinate, is undefined");
    return value.value;
}

static struct gpucc_cpu_place place_of(const struct thread *t, const struct instruction *i)
{
    int line = 1;
    for (const char *at = t->block->launch->module->text; at < i->text; at++)
        line += *at == '\n';
    return (struct gpucc_cpu_place){t->block->launch->asked->entry, line, 0};
}

/* ---- tex: {four}, [object, {coordinates}]; an index or a layer is the first of them ---- */

static void sample(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct ptx_memory *memory = &t->block->launch->module->memory;
    const struct gpucc_cpu_place place = place_of(t, i);
    const char kinds[] = {[UNSIGNED] = 'u', [SIGNED] = 's', [BITS] = 'u', [FLOAT] = 'f'};
    struct gpucc_cpu_sample asked = {.texture = defined_operand(t, r, i, 4), .geometry = i->detail, .count = 1,
                                     .kind = kinds[i->type.kind], .place = &place};
    uint32_t texel[4];
    int next = 5;
    if (!memory->sample)
        fault(t, "there are no textures");
    if (geometries[i->detail].is_layered)
        asked.index = (int)defined_operand(t, r, i, next++);
    for (int d = 0; d < geometries[i->detail].dims; d++)
        asked.at[d] = float_of(defined_operand(t, r, i, next++));
    memory->sample(memory->data, &asked, texel);
    for (int k = 0; k < 4; k++)
        r[i->operand[k]] = (struct reg){texel[k], 0};
}

/* ---- suld: value, [object, {coordinates}]; sust: [object, {coordinates}], value ---- */

static struct gpucc_cpu_spot spot_of(struct thread *t, const struct reg *r, const struct instruction *i, int first,
                                     const struct gpucc_cpu_place *place)
{
    struct gpucc_cpu_spot spot = {.surface = defined_operand(t, r, i, first), .geometry = i->detail, .beyond = i->mode,
                                  .size = (unsigned)i->vector * i->type.bits / 8, .place = place};
    int next = first + 1;
    if (!t->block->launch->module->memory.surface)
        fault(t, "there are no surfaces");
    if (geometries[i->detail].is_layered)
        spot.at[2] = (int)defined_operand(t, r, i, next++);
    for (int d = 0; d < geometries[i->detail].dims; d++)
        spot.at[d] = (int)defined_operand(t, r, i, next++);
    return spot;
}

static void load_texel(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct ptx_memory *memory = &t->block->launch->module->memory;
    const struct gpucc_cpu_place place = place_of(t, i);
    const struct gpucc_cpu_spot spot = spot_of(t, r, i, i->vector, &place);
    uint64_t words[2] = {0, 0};
    memory->surface(memory->data, &spot, words, false);
    for (int k = 0; k < i->vector; k++)
        r[i->operand[k]] = (struct reg){words[k], 0};
}

static void store_texel(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct ptx_memory *memory = &t->block->launch->module->memory;
    const struct gpucc_cpu_place place = place_of(t, i);
    const struct gpucc_cpu_spot spot = spot_of(t, r, i, 0, &place);
    uint64_t words[2] = {0, 0};
    for (int k = 0; k < i->vector; k++) {
        const struct reg value = r[i->operand[i->count - i->vector + k]];
        if (value.undefined & type_mask(i->type))
            fault(t, "a texel with undefined bits %#llx is stored", (unsigned long long)value.undefined);
        words[k] = value.value;
    }
    memory->surface(memory->data, &spot, words, true);
}

/* ---- decoding ---- */

static bool find_geometry(const struct parts *parts, struct instruction *i)
{
    for (uint8_t k = 0; k < sizeof geometries / sizeof *geometries; k++)
        if (find_part(parts, geometries[k].name) > 0) {
            i->detail = k;
            return true;
        }
    return false;
}

/* tex.GEOMETRY.v4.TYPE.TYPE, the result's and the coordinates' */
static bool decode_sample(const struct parts *parts, struct instruction *i)
{
    const bool by_index = i->type.kind == SIGNED;
    if (parts->count != 5 || !part_is(parts, 2, "v4") || !find_geometry(parts, i) ||
        !find_type(parts->text[3] - 1, parts->length[3] + 1, &i->type) || i->type.bits != 32)
        return false;
    if (by_index && i->detail != GPUCC_CPU_1D)
        return false;
    if (by_index)
        i->detail = GPUCC_CPU_LINEAR;
    i->run = sample;
    return true;
}

/* suld.b.GEOMETRY[.v2].TYPE.BEYOND */
bool decode_texel(const struct parts *parts, struct instruction *i)
{
    static const char *const beyond[] = {
        [GPUCC_CPU_ZERO] = "zero", [GPUCC_CPU_CLAMP] = "clamp", [GPUCC_CPU_TRAP] = "trap"};
    const int type = parts->count - 2;
    if (part_is(parts, 0, "tex"))
        return decode_sample(parts, i);
    if ((!part_is(parts, 0, "suld") && !part_is(parts, 0, "sust")) || !part_is(parts, 1, "b") ||
        !find_geometry(parts, i) || !find_type(parts->text[type] - 1, parts->length[type] + 1, &i->type))
        return false;
    i->vector = find_part(parts, "v2") > 0 ? 2 : 1;
    for (uint8_t k = GPUCC_CPU_ZERO; k <= GPUCC_CPU_TRAP; k++)
        if (part_is(parts, parts->count - 1, beyond[k])) {
            i->mode = k;
            i->run = part_is(parts, 0, "suld") ? load_texel : store_texel;
        }
    return i->run;
}
