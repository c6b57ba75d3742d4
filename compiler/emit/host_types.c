/* The names of the program's types in a generated header. */
#include "emit/emit.h"

#include <string.h>

static bool is_listed(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

/* A keyword of C++ or a later C, or a macro of a C library that stands for something else. */
static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {
        "I", "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char16_t", "char32_t",
        "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "complex", "concept", "const_cast",
        "consteval", "constexpr", "constinit", "decltype", "delete", "dynamic_cast", "errno", "explicit", "export",
        "false", "friend", "linux", "mutable", "namespace", "new", "noexcept", "noreturn", "not", "not_eq", "nullptr",
        "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires", "static_assert",
        "static_cast", "template", "this", "thread_local", "throw", "true", "try", "typeid", "typename", "typeof",
        "typeof_unqual", "unix", "using", "virtual", "wchar_t", "xor", "xor_eq",
    };
    return is_listed(keywords, sizeof keywords / sizeof *keywords, name);
}

/* Names of this library begin so, and none ends in an underscore.  A kernel's tensor map is the library's own type. */
static bool is_ours(const char *name)
{
    return strcmp(name, "gpucc_tensor_map") != 0 && (begins(name, "gpucc_") || begins(name, "GPUCC_")) &&
           name[strlen(name) - 1] != '_';
}

const char *host_name(const struct options *options, const char *name, size_t index)
{
    if (!*name)
        return arena_printf(options->arena, "gpucc_%zu", index);
    return is_keyword(name) || is_ours(name) ? arena_printf(options->arena, "%s_", name) : name;
}

/* Whether the header has something of the source by that name. */
bool host_name_is_taken(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->written_count; i++) {
        const struct instance *instance = written_instance(program, i);
        const bool is_kernel = instance->function->kind == FUNCTION_KERNEL;
        if (!strcmp(is_kernel ? instance->symbol : instance->function->name, name))
            return true;
    }
    for (size_t i = 0; i < program->global_count; i++)
        if (!strcmp(program->globals[i].name, name))
            return true;
    return false;
}

static bool is_reserved(const struct options *options, const struct program *program, const char *name)
{
    static const char *const library[] = {
#include "emit/library_names.def"
    };
    return is_keyword(name) || is_ours(name) || is_listed(library, sizeof library / sizeof *library, name) ||
           !strcmp(name, arena_printf(options->arena, "gpucc_program_%s", program->stem));
}

const char *host_function(const struct options *options, const struct program *program, const char *name)
{
    const char *other = name;
    while (is_reserved(options, program, other) || (other != name && host_name_is_taken(program, other)))
        other = arena_printf(options->arena, "%s_", other);
    return other;
}

/* ---- structs ---- */

struct host_records {
    struct arena *arena;
    const char *source; /* that they are from */
    struct host_record {
        const struct record *record;
        bool ambiguous; /* for different types T, the struct has different members */
    } *items;
    size_t count;
};

static bool same_type(const struct type *a, const struct type *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->size == b->size;
}

static bool same_record(const struct record *a, const struct record *b)
{
    bool same = a->size == b->size && a->member_count == b->member_count;
    for (size_t i = 0; same && i < a->member_count; i++)
        same = !strcmp(a->members[i].name, b->members[i].name) &&
               same_type(&a->members[i].type, &b->members[i].type);
    return same;
}

static struct host_record *find_record(const struct host_records *records, const struct record *record)
{
    for (size_t i = 0; i < records->count; i++)
        if (!strcmp(records->items[i].record->spelling, record->spelling))
            return &records->items[i];
    return NULL;
}

/* After those that it is made of. */
static void add_record(struct host_records *records, const struct record *record)
{
    for (size_t i = 0; i < record->member_count; i++)
        if (record->members[i].type.kind == TYPE_STRUCT && record->members[i].type.record)
            add_record(records, record->members[i].type.record);
    struct host_record *known = find_record(records, record);
    if (known) {
        known->ambiguous |= !same_record(known->record, record);
        return;
    }
    records->items = arena_grow(records->arena, records->items, records->count, sizeof *records->items);
    records->items[records->count++] = (struct host_record){record, false};
}

/* Whether the header can define it: what a user's header defines, the host has from there. */
static bool is_definable(const struct host_records *records, const struct record *record)
{
    bool definable = record->in_source && record->plain && !find_record(records, record)->ambiguous;
    for (size_t i = 0; definable && i < record->member_count; i++)
        if (record->members[i].type.kind == TYPE_STRUCT)
            definable = is_definable(records, record->members[i].type.record);
    return definable;
}

/* "struct point", or null if the header has no name for it. */
static const char *record_name(const struct host_records *records, const struct record *record)
{
    const struct options names = {.arena = records->arena};
    if (!record || (!record->has_tag && !is_definable(records, record)))
        return NULL;
    return arena_printf(records->arena, "%s%s", record->has_tag ? "struct " : "", host_name(&names, record->name, 0));
}

static void append_member(struct text *text, const struct options *options, const struct host_records *records,
                          const struct member *member, size_t index)
{
    const struct type *type = &member->type;
    const char *name = type->kind == TYPE_POINTER ? "void *"
                       : type->record             ? record_name(records, type->record)
                                                  : dtype_host_type(type->dtype);
    text_printf(text, "    %s%s%s", name, type->kind == TYPE_POINTER ? "" : " ",
                host_name(options, member->name, index));
    for (size_t i = 0; i < type->dimension_count; i++)
        text_printf(text, "[%s]", type->dimensions[i]);
    text_printf(text, ";\n");
}

static void append_check(struct text *text, const struct host_records *records, const struct record *record)
{
    text_printf(text, "static_assert(sizeof(%s) == %zu, \"%s is not the one of %s\");\n",
                record_name(records, record), record->size, record->spelling, records->source);
}

static void define_record(struct text *text, const struct options *options, const struct host_records *records,
                          const struct record *record)
{
    text_printf(text, "#ifndef GPUCC_TYPE_%s /* to be defined where %s is there already */\n#define GPUCC_TYPE_%s\n",
                record->name, record->spelling, record->name);
    text_printf(text, record->has_tag ? "%s {\n" : "typedef struct {\n", record_name(records, record));
    for (size_t i = 0; i < record->member_count; i++)
        append_member(text, options, records, &record->members[i], i);
    text_printf(text, record->has_tag ? "};\n#endif\n" : "} %s;\n#endif\n", record_name(records, record));
    append_check(text, records, record);
    text_printf(text, "\n");
}

static void declare_record(struct text *text, const struct host_records *records, const struct host_record *item)
{
    const struct record *record = item->record;
    text_printf(text, "%s;\n", record_name(records, record));
    if (!item->ambiguous) {
        text_printf(text, "#ifdef GPUCC_TYPE_%s /* to be defined behind its definition, to have its size checked */\n",
                    record->name);
        append_check(text, records, record);
        text_printf(text, "#endif\n");
    }
    text_printf(text, "\n");
}

const struct host_records *declare_records(struct text *text, const struct options *options,
                                           const struct program *program)
{
    struct host_records *records = arena_alloc(options->arena, sizeof *records);
    *records = (struct host_records){.arena = options->arena, .source = program->source};
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++) {
            const struct instance *instance = &program->passes[i].instances[k];
            const struct function *function = instance->function;
            const bool has_records =
                function->kind == FUNCTION_KERNEL || (instance->layout && instance->layout->has_records);
            for (size_t p = 0; p < function->parameter_count && has_records; p++)
                if (function->parameters[p].type.record)
                    add_record(records, function->parameters[p].type.record);
        }
    for (size_t i = 0; i < records->count; i++)
        if (is_definable(records, records->items[i].record))
            define_record(text, options, records, records->items[i].record);
        else if (records->items[i].record->has_tag)
            declare_record(text, records, &records->items[i]);
    return records;
}

const char *host_parameter(const struct options *options, const struct host_records *records, const struct type *type)
{
    const char *record = record_name(records, type->record);
    if (type->kind == TYPE_SCALAR && type->dtype != DTYPE_NONE)
        return arena_printf(options->arena, "%s ", dtype_host_type(type->dtype));
    if (type->kind == TYPE_POINTER)
        return arena_printf(options->arena, "%s%s *", type->is_const ? "const " : "",
                            type->dtype != DTYPE_NONE ? dtype_host_type(type->dtype) : record ? record : "void");
    return arena_printf(options->arena, "const %s *", record ? record : "void");
}
