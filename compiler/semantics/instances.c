/* Which types each function is compiled for: signatures are matched against prototypes, which binds type variables;
 * instances with bindings that agree share one pass over the file. */
#include "semantics/semantics.h"

#include <ctype.h>
#include <gpucc/loops.h>
#include <gpucc/tensor_map.h>
#include <string.h>

/* An instance before it has a pass. */
struct candidate {
    struct unit *unit;
    size_t function; /* index in the unit */
    struct binding binding;
    enum dtype *inputs, *outputs;
    struct prototype prototype;
    const char *symbol;
    const char *identity; /* the number, or null */
    const struct candidate *by; /* of a fused reduction: what combines its elements */
    struct place place;
    size_t number;      /* among the program's symbols */
    size_t pass, index; /* where it went */
};

struct work {
    const struct options *options;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct unit *unit; /* whose functions are looked at; as parsed first: each type variable is its first type */
    struct candidate *candidates;
    size_t candidate_count;
    struct pass *passes;
    size_t pass_count;
};

/* ---- bindings ---- */

/* The type bound to the variable, or DTYPE_NONE. */
static enum dtype bound_to(const struct binding *binding, const char *variable)
{
    for (size_t i = 0; i < binding->count; i++)
        if (!strcmp(binding->variables[i].name, variable))
            return binding->variables[i].dtype;
    return DTYPE_NONE;
}

static void bind(struct arena *arena, struct binding *binding, const char *variable, enum dtype dtype)
{
    if (bound_to(binding, variable) != DTYPE_NONE)
        return;
    binding->variables = arena_grow(arena, binding->variables, binding->count, sizeof *binding->variables);
    binding->variables[binding->count++] = (struct bound){variable, dtype};
}

static struct binding binding_copy(struct arena *arena, const struct binding *binding)
{
    struct binding copy = {0};
    for (size_t i = 0; i < binding->count; i++)
        bind(arena, &copy, binding->variables[i].name, binding->variables[i].dtype);
    return copy;
}

static bool agree(const struct binding *a, const struct binding *b)
{
    for (size_t i = 0; i < a->count; i++) {
        enum dtype other = bound_to(b, a->variables[i].name);
        if (other != DTYPE_NONE && other != a->variables[i].dtype)
            return false;
    }
    return true;
}

/* ---- a signature against a prototype ---- */

struct match {
    struct work *work;
    const struct function *function;
    const struct prototype *prototype;
    struct binding binding;
    const char **free_variables; /* to be each of their types in turn */
    size_t free_count;
    bool failed;
};

static void add_free(struct match *match, const char *variable)
{
    for (size_t i = 0; i < match->free_count; i++)
        if (!strcmp(match->free_variables[i], variable))
            return;
    match->free_variables =
        arena_grow(match->work->arena, match->free_variables, match->free_count, sizeof *match->free_variables);
    match->free_variables[match->free_count++] = variable;
}

/* "parameter 'x' is 'double'", "'f' returns 'T'" */
static const char *operand_text(const struct match *match, const struct parameter *operand)
{
    struct arena *arena = match->work->arena;
    const struct type *type = &operand->type;
    const char *spelling = type->variable ? type->variable : dtype_c_type(type->dtype);
    const char *star = type->kind == TYPE_POINTER ? " *" : "";
    if (match->prototype->results_by_value && operand == match->prototype->operands[match->prototype->input_count])
        return arena_printf(arena, "'%s' returns '%s'", match->function->name, spelling);
    return arena_printf(arena, "parameter '%s' is '%s%s'", operand->name, spelling, star);
}

static void report_mismatch(struct match *match, const struct type_name *name, const struct parameter *operand)
{
    struct diagnostics *diagnostics = match->work->diagnostics;
    match->failed = true;
    diagnose(diagnostics, SEVERITY_ERROR, name->place, NULL, "the signature has '%s' where %s",
             name->variable ? name->variable : dtype_name(name->dtype), operand_text(match, operand));
    diagnose(diagnostics, SEVERITY_NOTE, operand->place, NULL, "declared here; in signatures this type is '%s'",
             operand->type.variable ? operand->type.variable : dtype_name(operand->type.dtype));
}

static bool typevar_has(const struct typevar *typevar, enum dtype dtype)
{
    for (size_t i = 0; i < typevar->dtype_count; i++)
        if (typevar->dtypes[i] == dtype)
            return true;
    return false;
}

static void bind_operand(struct match *match, const struct type_name *name, const struct parameter *operand)
{
    struct diagnostics *diagnostics = match->work->diagnostics;
    const char *variable = operand->type.variable;
    const struct typevar *typevar = find_typevar(match->work->unit, variable);
    enum dtype before = bound_to(&match->binding, variable);
    if (!typevar_has(typevar, name->dtype)) {
        match->failed = true;
        diagnose(diagnostics, SEVERITY_ERROR, name->place, NULL, "type variable '%s' cannot be '%s'", variable,
                 dtype_name(name->dtype));
        diagnose(diagnostics, SEVERITY_NOTE, typevar->place, NULL, "its types are listed here");
    } else if (before != DTYPE_NONE && before != name->dtype) {
        match->failed = true;
        diagnose(diagnostics, SEVERITY_ERROR, name->place, NULL,
                 "type variable '%s' cannot be both '%s' and '%s' in one signature", variable, dtype_name(before),
                 dtype_name(name->dtype));
        diagnose(diagnostics, SEVERITY_NOTE, operand->place, NULL, "%s", operand_text(match, operand));
    } else {
        bind(match->work->arena, &match->binding, variable, name->dtype);
    }
}

static void match_operand(struct match *match, const struct type_name *name, const struct parameter *operand)
{
    const char *variable = operand->type.variable;
    if (name->variable) {
        if (variable && !strcmp(name->variable, variable))
            add_free(match, variable);
        else
            report_mismatch(match, name, operand);
    } else if (variable) {
        bind_operand(match, name, operand);
    } else if (name->dtype != operand->type.dtype) {
        report_mismatch(match, name, operand);
    }
}

static void report_count(struct match *match, const struct signature *signature, const char *what, size_t said,
                         size_t is)
{
    match->failed = true;
    diagnose(match->work->diagnostics, SEVERITY_ERROR, signature->place, NULL,
             "the signature has %zu %s%s, but '%s' has %zu", said, what, said == 1 ? "" : "s",
             match->function->name, is);
    diagnose(match->work->diagnostics, SEVERITY_NOTE, match->function->place, NULL, "'%s' is defined here",
             match->function->name);
}

static void match_signature(struct match *match, const struct signature *signature)
{
    const struct prototype *prototype = match->prototype;
    if (signature->input_count != prototype->input_count)
        report_count(match, signature, "input", signature->input_count, prototype->input_count);
    if (signature->output_count != prototype->output_count)
        report_count(match, signature, "output", signature->output_count, prototype->output_count);
    for (size_t i = 0; i < signature->input_count && !match->failed; i++)
        match_operand(match, &signature->inputs[i], prototype->operands[i]);
    for (size_t i = 0; i < signature->output_count && !match->failed; i++)
        match_operand(match, &signature->outputs[i], prototype->operands[prototype->input_count + i]);
}

/* ---- candidates ---- */

static enum dtype operand_dtype(const struct binding *binding, const struct type *type)
{
    enum dtype bound = type->variable ? bound_to(binding, type->variable) : DTYPE_NONE;
    return bound != DTYPE_NONE ? bound : type->dtype;
}

static enum dtype *operand_dtypes(const struct work *work, const struct candidate *candidate, size_t first,
                                  size_t count, struct text *codes)
{
    enum dtype *dtypes = arena_alloc(work->arena, count * sizeof *dtypes);
    for (size_t i = 0; i < count; i++) {
        dtypes[i] = operand_dtype(&candidate->binding, &candidate->prototype.operands[first + i]->type);
        text_printf(codes, "%s", dtype_code(dtypes[i]));
    }
    return dtypes;
}

/* NAME_f32f32_f32; a kernel's or device function's is NAME, with the codes of its type variables if it has any. */
static void name_candidate(const struct work *work, struct candidate *candidate)
{
    const struct function *function = &work->unit->functions[candidate->function];
    const struct prototype *prototype = &candidate->prototype;
    struct text symbol = {.arena = work->arena};
    text_printf(&symbol, "%s", function->name);
    if (function->kind == FUNCTION_UFUNC || function->kind == FUNCTION_GUFUNC) {
        text_printf(&symbol, "_");
        candidate->inputs = operand_dtypes(work, candidate, 0, prototype->input_count, &symbol);
        text_printf(&symbol, "_");
        candidate->outputs =
            operand_dtypes(work, candidate, prototype->input_count, prototype->output_count, &symbol);
    } else if (candidate->binding.count) {
        text_printf(&symbol, "_");
        for (size_t i = 0; i < work->unit->typevar_count; i++) {
            enum dtype dtype = bound_to(&candidate->binding, work->unit->typevars[i].name);
            text_printf(&symbol, "%s", dtype == DTYPE_NONE ? "" : dtype_code(dtype));
        }
    }
    candidate->symbol = symbol.data;
}

static void add_candidate(struct work *work, const struct candidate *candidate)
{
    work->candidates = arena_grow(work->arena, work->candidates, work->candidate_count, sizeof *work->candidates);
    struct candidate *added = &work->candidates[work->candidate_count++];
    *added = *candidate;
    name_candidate(work, added);
}

/* One candidate for each combination of the free variables' types, the first variable's changing slowest. */
static void expand(struct work *work, const struct candidate *candidate, const char *const *variables, size_t count)
{
    if (!count) {
        add_candidate(work, candidate);
        return;
    }
    const struct typevar *typevar = find_typevar(work->unit, variables[0]);
    if (bound_to(&candidate->binding, variables[0]) != DTYPE_NONE) {
        expand(work, candidate, variables + 1, count - 1);
        return;
    }
    for (size_t i = 0; i < typevar->dtype_count; i++) {
        struct candidate next = *candidate;
        next.binding = binding_copy(work->arena, &candidate->binding);
        bind(work->arena, &next.binding, typevar->name, typevar->dtypes[i]);
        expand(work, &next, variables + 1, count - 1);
    }
}

/* A variable that the body uses and no operand has could be anything. */
static bool check_bound(struct match *match)
{
    const struct function *function = match->function;
    const struct prototype *prototype = match->prototype;
    for (size_t i = 0; i < function->variable_count; i++) {
        const char *variable = function->variables[i];
        bool found = false;
        for (size_t k = 0; k < prototype->input_count + prototype->output_count && !found; k++)
            found = prototype->operands[k]->type.variable && !strcmp(prototype->operands[k]->type.variable, variable);
        if (found)
            continue;
        diagnose(match->work->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "'%s' uses type variable '%s', but none of its parameters has that type, so nothing binds it",
                 function->name, variable);
        diagnose(match->work->diagnostics, SEVERITY_NOTE, find_typevar(match->work->unit, variable)->place, NULL,
                 "'%s' is declared here", variable);
        return false;
    }
    return true;
}

/* Checks identity(…) and `reorderable`, which hold for all types of the function. Its candidates start at `first`. */
static void check_properties(struct work *work, const struct function *function, size_t first)
{
    const bool has_identity = function->identity;
    const bool has_any = has_identity || (function->reorderable_place.file && function->kind == FUNCTION_UFUNC);
    const char *identity = has_identity ? read_identity(function, work->arena, work->diagnostics) : NULL;
    for (size_t i = first; has_any && i < work->candidate_count; i++) {
        struct candidate *candidate = &work->candidates[i];
        const struct prototype *prototype = &candidate->prototype;
        candidate->identity = identity;
        if (!folds(candidate->inputs, prototype->input_count, candidate->outputs, prototype->output_count)) {
            diagnose(work->diagnostics, SEVERITY_ERROR,
                     has_identity ? function->identity_place : function->reorderable_place, NULL,
                     prototype->input_count && dtype_is_stored(candidate->inputs[0])
                         ? "'%s' of '%s': the inputs of its loop %s have no arithmetic"
                         : "'%s' requires loops with two inputs and one output of the same type, but '%s' has a "
                           "loop %s",
                     has_identity ? "identity" : "reorderable", function->name, candidate->symbol);
            return;
        }
        if (identity && !check_identity(function, identity, candidate->inputs[0], work->diagnostics))
            return;
    }
}

static void add_signature(struct work *work, const struct match *start, const struct candidate *candidate,
                          const struct signature *signature)
{
    struct match match = *start;
    struct candidate next = *candidate;
    match_signature(&match, signature);
    if (match.failed)
        return;
    next.binding = match.binding;
    next.place = signature->place;
    expand(work, &next, match.free_variables, match.free_count);
}

static void infer_signatures(struct work *work, struct match *match, const struct candidate *candidate)
{
    const struct prototype *prototype = match->prototype;
    for (size_t i = 0; i < prototype->input_count + prototype->output_count; i++)
        if (prototype->operands[i]->type.variable)
            add_free(match, prototype->operands[i]->type.variable);
    expand(work, candidate, match->free_variables, match->free_count);
}

static void add_function(struct work *work, size_t index)
{
    const struct function *function = &work->unit->functions[index];
    struct candidate candidate = {.unit = work->unit, .function = index, .place = function->place};
    struct signature *signatures = NULL;
    size_t count = 0;
    if (function->invalid)
        return;
    if (function->kind == FUNCTION_KERNEL || function->kind == FUNCTION_DEVICE) {
        expand(work, &candidate, function->variables, function->variable_count);
        return;
    }
    /* Both are read, so that both are reported. */
    bool good = function->kind != FUNCTION_UFUNC ||
                parse_signatures(function->annotation, function->annotation_place, work->unit, work->arena,
                                 work->diagnostics, &signatures, &count);
    good = read_prototype(function, work->arena, work->diagnostics, &candidate.prototype) && good;
    struct match match = {.work = work, .function = function, .prototype = &candidate.prototype};
    if (!good || !check_bound(&match))
        return;
    const size_t first = work->candidate_count;
    if (!count)
        infer_signatures(work, &match, &candidate);
    for (size_t i = 0; i < count; i++)
        add_signature(work, &match, &candidate, &signatures[i]);
    if (function->kind == FUNCTION_UFUNC)
        check_properties(work, function, first);
}

/* ---- fused reductions ---- */

static const struct function *function_of(const struct candidate *candidate)
{
    return &candidate->unit->functions[candidate->function];
}

/* The loop by which a fused reduction's elements are combined, which are of one type; reports a missing one. */
static void find_reducer(struct work *work, struct candidate *candidate)
{
    const struct function *function = function_of(candidate);
    for (size_t i = 0; i < work->candidate_count && !candidate->by; i++) {
        const struct candidate *other = &work->candidates[i];
        if (other->unit == candidate->unit && !strcmp(function_of(other)->name, function->by) &&
            other->inputs[0] == candidate->outputs[0])
            candidate->by = other;
    }
    if (!candidate->by)
        diagnose(work->diagnostics, SEVERITY_ERROR, function->place, NULL,
                 "'%s' returns %s, but '%s' has no loop of that type", function->name,
                 dtype_name(candidate->outputs[0]), function->by);
}

/* Once all candidates have their places. */
static void find_reducers(struct work *work)
{
    for (size_t i = 0; i < work->candidate_count; i++)
        if (function_of(&work->candidates[i])->by)
            find_reducer(work, &work->candidates[i]);
}

/* ---- a choice ---- */

bool is_called(const struct function *function, const char *symbol, const char *name)
{
    return !strcmp(function->name, name) || (function->kind == FUNCTION_KERNEL && !strcmp(symbol, name));
}

/* Whether a fused reduction of that name combines elements by this one. */
static bool is_reducer(const struct work *work, const struct candidate *candidate, const char *name)
{
    for (size_t i = 0; i < work->candidate_count; i++) {
        const struct function *function = function_of(&work->candidates[i]);
        if (function->by && !strcmp(function->name, name) && work->candidates[i].unit == candidate->unit &&
            !strcmp(function->by, function_of(candidate)->name))
            return true;
    }
    return false;
}

/* Device functions stay, which other files may call.  Where there is none of that name, all are left. */
static void filter_candidates(struct work *work, const char *name)
{
    struct candidate *kept = arena_alloc(work->arena, work->candidate_count * sizeof *kept);
    size_t count = 0;
    bool found = false;
    for (size_t i = 0; i < work->candidate_count; i++) {
        const struct candidate *candidate = &work->candidates[i];
        const struct function *function = function_of(candidate);
        const bool wanted = is_called(function, candidate->symbol, name);
        found |= wanted;
        if (wanted || function->kind == FUNCTION_DEVICE || is_reducer(work, candidate, name))
            kept[count++] = *candidate;
    }
    if (!found)
        return;
    work->candidates = kept;
    work->candidate_count = count;
}

/* ---- passes ---- */

static bool has_function(const struct work *work, size_t pass, size_t function)
{
    for (size_t i = 0; i < work->candidate_count; i++)
        if (work->candidates[i].pass == pass && work->candidates[i].function == function && work->candidates[i].index)
            return true;
    return false;
}

static size_t add_pass(struct work *work, struct unit *unit, bool is_first)
{
    work->passes = arena_grow(work->arena, work->passes, work->pass_count, sizeof *work->passes);
    work->passes[work->pass_count] = (struct pass){.unit = unit, .is_first = is_first};
    return work->pass_count++;
}

/* The first pass of the unit whose binding agrees and that has no instance of this function yet. */
static size_t choose_pass(struct work *work, size_t first, const struct candidate *candidate)
{
    for (size_t i = first; i < work->pass_count; i++)
        if (agree(&work->passes[i].binding, &candidate->binding) && !has_function(work, i, candidate->function))
            return i;
    return add_pass(work, candidate->unit, false);
}

/* A unit has one pass at least, for what the file defines besides annotated functions. */
static void assign_passes(struct work *work, struct unit *unit)
{
    size_t first = add_pass(work, unit, true);
    for (size_t i = 0; i < work->candidate_count; i++) {
        struct candidate *candidate = &work->candidates[i];
        if (candidate->unit != unit)
            continue;
        candidate->pass = choose_pass(work, first, candidate);
        candidate->index = ++work->passes[candidate->pass].instance_count;
        for (size_t k = 0; k < candidate->binding.count; k++)
            bind(work->arena, &work->passes[candidate->pass].binding, candidate->binding.variables[k].name,
                 candidate->binding.variables[k].dtype);
    }
}

static bool is_first_binding(const struct unit *unit, const struct binding *binding)
{
    for (size_t i = 0; i < unit->typevar_count; i++) {
        enum dtype dtype = bound_to(binding, unit->typevars[i].name);
        if (dtype != DTYPE_NONE && unit->typevars[i].dtype_count && dtype != unit->typevars[i].dtypes[0])
            return false;
    }
    return true;
}

static void parse_pass(struct work *work, struct pass *pass, const struct symbols *symbols)
{
    if (!is_first_binding(pass->unit, &pass->binding)) {
        pass->unit = frontend(work->options, pass->unit->path, &pass->binding, true, work->diagnostics);
        if (pass->unit) {
            follow_unit(symbols->files->linkage, symbols->files->units, symbols->files->unit_count, pass->unit);
            check_externals(symbols, pass->unit);
            close_unit(pass->unit);
        }
    }
    pass->instances = arena_alloc(work->arena, pass->instance_count * sizeof *pass->instances);
}

/* The function as this pass sees it; null when the file has none of that name there, reported as an error. */
static const struct function *function_in(const struct work *work, const struct unit *unit,
                                          const struct function *first)
{
    for (size_t i = 0; unit && i < unit->function_count; i++)
        if (!strcmp(unit->functions[i].name, first->name))
            return &unit->functions[i];
    if (unit && !diagnostics_errors(work->diagnostics))
        diagnose(work->diagnostics, SEVERITY_ERROR, first->place, NULL,
                 "'%s' does not exist for all types of its type variables", first->name);
    return NULL;
}

/* Whether warpgroups multiply elements of this type. */
static bool is_of_units(enum dtype dtype, bool is_tf32)
{
    const size_t size = dtype_size(dtype);
    return is_tf32 || (dtype_kind(dtype) == 'f' ? size <= 2 : strchr("iu", dtype_kind(dtype)) && size == 1);
}

/* Whether tiles of products of such elements come out of stages: stdlib/loops/product_stages.h. */
static bool is_of_stages(enum dtype dtype, bool is_tf32)
{
    return !is_tf32 && (dtype == DTYPE_float32 || dtype == DTYPE_float64);
}

/* Whether the matrices of a product have elements that `is` is true of. */
static bool multiplies(const struct instance *instance, bool (*is)(enum dtype dtype, bool is_tf32))
{
    const size_t k = find_named_dimension(instance->layout, "k", 1);
    bool are = true;
    for (size_t i = 0; i < instance->input_count; i++) {
        const struct operand_layout *operand = &instance->layout->operands[i];
        const bool is_matrix =
            operand->dimension_count == 2 && (operand->dimensions[0] == k || operand->dimensions[1] == k);
        are = are && (!is_matrix || is(instance->inputs[i], instance->function->multiplies_tf32));
    }
    return are;
}

/* Whether a product's loop by warpgroups has room for its parameters. */
static bool has_warpgroup_room(const struct instance *instance)
{
    const size_t operands = instance->input_count + instance->output_count;
    return sizeof(struct gpucc_iteration) + sizeof(struct gpucc_core) + sizeof(struct gpucc_tiling) +
               operands * sizeof(struct gpucc_operand) + 3 * sizeof(gpucc_tensor_map) <=
           GPUCC_PARAMETER_BYTES;
}

/* Under this pass's binding the prototype's own types are the instance's.  Null after errors. */
static const struct function *fill_instance(const struct work *work, const struct candidate *candidate)
{
    struct pass *pass = &work->passes[candidate->pass];
    struct instance *instance = &pass->instances[candidate->index - 1];
    *instance = (struct instance){
        .function = function_in(work, pass->unit, &candidate->unit->functions[candidate->function]),
        .inputs = candidate->inputs,
        .outputs = candidate->outputs,
        .input_count = candidate->prototype.input_count,
        .output_count = candidate->prototype.output_count,
        .symbol = candidate->symbol,
        .results_by_value = candidate->prototype.results_by_value,
        .layout = candidate->prototype.layout,
        .identity = candidate->identity,
    };
    const struct function *function = instance->function;
    if (function && function->kind == FUNCTION_UFUNC) {
        instance->folds = folds(instance->inputs, instance->input_count, instance->outputs, instance->output_count);
        instance->reorderable = instance->folds && function->reorderable_place.file;
        instance->updates = instance->folds && strchr("biu", dtype_kind(instance->inputs[0]));
    }
    if (function && function->by)
        instance->folds = instance->updates = false;
    const bool has_choice = function && function->kind == FUNCTION_UFUNC && !function->by;
    instance->loops = has_choice && work->options->loops ? work->options->loops : ~0u;
    instance->by_block = function && function->kind == FUNCTION_GUFUNC && function->cooperative_place.file;
    if (function && function->kind == FUNCTION_GUFUNC && !instance->by_block) {
        instance->reorderable = function->reorderable_place.file;
        instance->has_tiles = function->tiles && !work->options->checks;
        instance->has_stages = instance->has_tiles && function->multiplies_plain && multiplies(instance, is_of_stages);
        instance->has_warpgroups = instance->has_tiles && function->warpgroups && multiplies(instance, is_of_units) &&
                                   has_warpgroup_room(instance);
        instance->has_team = instance->layout->dimension_count > 0 && !work->options->checks && !function->tiles;
    }
    return function;
}

/* Fused reductions have the properties of what combines their elements. */
static void fill_reducer(const struct work *work, const struct candidate *candidate)
{
    struct instance *instance = &work->passes[candidate->pass].instances[candidate->index - 1];
    if (!candidate->by)
        return;
    instance->by = &work->passes[candidate->by->pass].instances[candidate->by->index - 1];
    instance->reorderable = instance->by->reorderable;
    instance->identity = instance->by->identity;
}

/* ---- the program ---- */

/* Passes are in the order in which bindings were met, which says nothing about any one function. */
static void record_order(const struct work *work, struct program *program)
{
    program->written = arena_alloc(work->arena, work->candidate_count * sizeof *program->written);
    program->written_count = work->candidate_count;
    for (size_t i = 0; i < work->candidate_count; i++)
        program->written[i] = (struct written){work->candidates[i].pass, work->candidates[i].index - 1};
}

const struct instance *written_instance(const struct program *program, size_t index)
{
    const struct written *written = &program->written[index];
    return &program->passes[written->pass].instances[written->index];
}

static void hash_text(uint64_t *hash, const char *text)
{
    do
        *hash = (*hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
}

static void hash_number(uint64_t *hash, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    hash_text(hash, text);
}

static void hash_type(uint64_t *hash, const struct type *type)
{
    hash_number(hash, type->kind);
    hash_text(hash, type->spelling);
    hash_number(hash, type->size);
    hash_number(hash, type->align);
    hash_number(hash, type->element_size);
    for (size_t i = 0; i < type->dimension_count; i++)
        hash_text(hash, type->dimensions[i]);
}

/* FNV-1a over what callers depend on, in the order of the source: names, kinds, entries, parameter types. */
static uint64_t abi_hash(const struct program *program)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *instance = written_instance(program, i);
        hash_text(&hash, instance->function->name);
        hash_number(&hash, instance->function->kind);
        hash_text(&hash, instance->symbol);
        hash_text(&hash, instance->layout ? instance->layout->text : "");
        hash_type(&hash, &instance->function->result);
        for (size_t k = 0; k < instance->function->parameter_count; k++)
            hash_type(&hash, &instance->function->parameters[k].type);
        if (instance->by)
            hash_text(&hash, instance->by->symbol);
        if (instance->reorderable)
            hash_text(&hash, "reorderable");
        if (instance->identity)
            hash_text(&hash, instance->identity);
    }
    for (size_t i = 0; i < program->global_count; i++) {
        hash_text(&hash, program->globals[i].name);
        hash_type(&hash, &program->globals[i].type);
    }
    return hash;
}

static bool same_type(const struct type *a, const struct type *b)
{
    bool same = !strcmp(a->spelling, b->spelling) && a->size == b->size && a->dimension_count == b->dimension_count;
    for (size_t i = 0; same && i < a->dimension_count; i++)
        same = !strcmp(a->dimensions[i], b->dimensions[i]);
    return same;
}

/* One variable serves all instances, so its type must not follow theirs. */
static void check_globals(const struct work *work, const struct unit *unit)
{
    for (size_t i = 0; i < unit->global_count; i++) {
        const struct global *global = &unit->globals[i];
        bool same = true;
        for (size_t k = 0; same && k < work->pass_count; k++) {
            const struct unit *other = work->passes[k].unit;
            same = !other || other->path != unit->path || i >= other->global_count ||
                   same_type(&global->type, &other->globals[i].type);
        }
        if (same)
            continue;
        diagnose(work->diagnostics, SEVERITY_ERROR, global->place, NULL,
                 "the type of '%s' depends on a type variable, but hosts see one variable of this name",
                 global->name);
        diagnose(work->diagnostics, SEVERITY_NOTE, global->place, NULL,
                 "make it 'static': then each type has its own, invisible to hosts");
    }
}

/* The runtime has functions gpucc_program_load() and so on, beside which a descriptor cannot be called the same. */
static bool is_runtime_name(const char *name)
{
    static const char *const names[] = {"load", "load_files", "load_memory", "release", "ufunc", "kernel", "global",
                                        "manifest", "compile", "cubin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static const char *identifier(const struct options *options)
{
    char *name = arena_strdup(options->arena, options->program_name ? options->program_name : options_stem(options));
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return is_runtime_name(name) ? arena_printf(options->arena, "%s_", name) : name;
}

static void collect_globals(struct arena *arena, struct program *program)
{
    for (size_t u = 0; u < program->files->unit_count; u++)
        for (size_t i = 0; i < program->files->units[u]->global_count; i++) {
            const char *name = program->files->units[u]->globals[i].name;
            const struct linkable *linkable = find_linkable(program->files->linkage, name);
            if (linkable && linkable->unit != program->files->units[u])
                continue; /* this one is weak */
            program->globals = arena_grow(arena, program->globals, program->global_count, sizeof *program->globals);
            program->globals[program->global_count++] = program->files->units[u]->globals[i];
        }
}

static struct symbols symbols_of(const struct work *work, const struct files *files)
{
    struct symbols symbols = {.files = files, .diagnostics = work->diagnostics};
    symbols.items = arena_alloc(work->arena, work->candidate_count * sizeof *symbols.items);
    for (size_t i = 0; i < work->candidate_count; i++) {
        struct candidate *candidate = &work->candidates[i];
        candidate->number = symbols.count;
        symbols.items[symbols.count++] = (struct symbol){
            candidate->symbol, candidate->place, candidate->unit, &candidate->unit->functions[candidate->function]};
    }
    return symbols;
}

struct program *instances(const struct options *options, const struct files *files, struct diagnostics *diagnostics)
{
    struct work work = {.options = options, .arena = options->arena, .diagnostics = diagnostics};
    for (size_t u = 0; u < files->unit_count; u++) {
        work.unit = files->units[u];
        for (size_t i = 0; i < files->units[u]->function_count; i++)
            if (is_made_here(files, u, &files->units[u]->functions[i], diagnostics))
                add_function(&work, i);
    }
    struct symbols symbols = symbols_of(&work, files);
    check_unique(&symbols);
    for (size_t u = 0; u < files->unit_count; u++)
        check_externals(&symbols, files->units[u]);
    if (diagnostics_errors(diagnostics))
        return NULL;
    if (options->only)
        filter_candidates(&work, options->only);
    find_reducers(&work);
    if (diagnostics_errors(diagnostics))
        return NULL;
    for (size_t u = 0; u < files->unit_count; u++)
        assign_passes(&work, files->units[u]);
    for (size_t i = 0; i < work.pass_count; i++)
        parse_pass(&work, &work.passes[i], &symbols);
    for (size_t i = 0; i < work.candidate_count; i++) {
        const struct function *function = fill_instance(&work, &work.candidates[i]);
        if (!function)
            return NULL;
        symbols.items[work.candidates[i].number].function = function;
    }
    for (size_t i = 0; i < work.candidate_count; i++)
        fill_reducer(&work, &work.candidates[i]);
    for (size_t i = 0; i < work.pass_count; i++)
        check_prototypes(&symbols, work.passes[i].unit);
    for (size_t u = 0; u < files->unit_count; u++)
        check_globals(&work, files->units[u]);
    if (diagnostics_errors(diagnostics))
        return NULL;
    struct program *program = arena_alloc(options->arena, sizeof *program);
    *program = (struct program){
        .passes = work.passes,
        .pass_count = work.pass_count,
        .files = files,
        .stem = identifier(options),
        .source = base_name(options->inputs[0]),
    };
    record_order(&work, program);
    collect_globals(options->arena, program);
    program->abi = abi_hash(program);
    return program;
}

const struct external *find_external(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].unit->external_count; k++)
            if (!strcmp(program->passes[i].unit->externals[k].name, name))
                return &program->passes[i].unit->externals[k];
    return NULL;
}
