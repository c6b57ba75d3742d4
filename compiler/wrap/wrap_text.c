/* Writes the C source of wrapped functions: annotated prototypes, and small functions around the others. */
#include "wrap/wrap_internal.h"

#include <string.h>

/* One source while it is written. */
struct writing {
    const struct wrap_options *options;
    struct arena *arena;
    struct text body;     /* behind the includes */
    bool has_header;      /* else the prototypes are written out */
    bool copies, drops_const;
};

/* Names of extents in one layout. */
struct layout {
    struct arena *arena;
    const char **expressions; /* that are neither numbers nor names: d1, d2 … */
    size_t count;
};

/* The parts of a list in parentheses. */
struct parts {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void add_part(struct parts *parts, const char *part)
{
    parts->items = arena_grow(parts->arena, parts->items, parts->count, sizeof *parts->items);
    parts->items[parts->count++] = part;
}

/* Appends "before(part, part)after", broken into lines that end by column 120. */
static void write_list(struct text *text, const char *before, const struct parts *parts, const char *after)
{
    enum { WIDTH = 120 };
    const char *line = text->data ? strrchr(text->data, '\n') : NULL;
    size_t column = (line ? strlen(line + 1) : text->size) + strlen(before) + 1;
    const size_t indent = column;
    text_printf(text, "%s(", before);
    for (size_t i = 0; i < parts->count; i++) {
        const bool is_last = i + 1 == parts->count;
        const size_t length = strlen(parts->items[i]) + (is_last ? strlen(after) + 1 : 1);
        if (i && column + 1 + length > WIDTH) {
            text_printf(text, "\n%*s", (int)indent, "");
            column = indent;
        } else if (i) {
            text_append(text, " ", 1);
            column++;
        }
        text_printf(text, "%s%s", parts->items[i], is_last ? "" : ",");
        column += strlen(parts->items[i]) + 1;
    }
    text_printf(text, ")%s", after);
}

/* ---- parts of a function ---- */

/* Typedefs are known where the library's header is included; those of numbers that C has not are gpucc's own. */
static const char *written_type(const struct writing *writing, struct written_type type, enum dtype dtype)
{
    if (writing->has_header)
        return type.spelling;
    return dtype == DTYPE_NONE || strchr("iu", dtype_kind(dtype)) ? type.canonical : dtype_c_type(dtype);
}

static const char *element_type(const struct writing *writing, const struct declared_parameter *parameter)
{
    return written_type(writing, parameter->written, parameter->type.dtype);
}

static const char *result_type(const struct writing *writing, const struct declared *function)
{
    if (function->result.kind == TYPE_VOID)
        return "void ";
    if (function->result.kind == TYPE_POINTER)
        return function->result.spelling;
    return arena_printf(writing->arena, "%s ",
                        written_type(writing, function->result_written, function->result.dtype));
}

static const char *brackets(struct arena *arena, const char *const *extents, size_t count)
{
    struct text text = {.arena = arena};
    text_append(&text, "", 0);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "[%s]", extents[i]);
    return text.data;
}

static bool is_input(const struct operand *operand)
{
    return operand->role == ROLE_INPUT || operand->role == ROLE_BOTH;
}

static bool is_output(const struct operand *operand)
{
    return operand->role == ROLE_OUTPUT || operand->role == ROLE_BOTH;
}

/* `name`, or another one if a parameter has it. */
static const char *free_name(const struct writing *writing, const struct wrapped *wrapped, const char *name)
{
    for (size_t i = 0; i < wrapped->function->parameter_count; i++)
        if (!strcmp(wrapped->operands[i].name, name))
            return arena_printf(writing->arena, "%s_result", name);
    return name;
}

static const char *result_name(const struct writing *writing, const struct wrapped *wrapped)
{
    return free_name(writing, wrapped,
                     wrapped->result == RESULT_VALUE    ? "value"
                     : wrapped->result == RESULT_STATUS ? "status"
                                                        : "failed");
}

/* An int that is returned stands behind the outputs, a value before them. */
static const char *result_parameter(const struct writing *writing, const struct wrapped *wrapped)
{
    const char *name = result_name(writing, wrapped);
    if (wrapped->result == RESULT_MASK)
        return arena_printf(writing->arena, "_Bool *%s", name);
    return arena_printf(writing->arena, "%s*%s", result_type(writing, wrapped->function), name);
}

/* ---- what is called ---- */

static const char *argument_of(struct writing *writing, const struct operand *operand)
{
    struct arena *arena = writing->arena;
    const struct type *type = &operand->parameter->type;
    const char *name = operand->output_name;
    if (operand->role == ROLE_SIZE)
        return strcmp(operand->parameter->written.spelling, "size_t")
                   ? arena_printf(arena, "(%s)%s", element_type(writing, operand->parameter), name)
                   : name;
    if (operand->is_struct && !operand->is_pointer)
        return arena_printf(arena, "*%s", name);
    if (operand->is_pointer && !operand->extent_count && !operand->is_struct && operand->role == ROLE_INPUT)
        return arena_printf(arena, "&%s", name);
    if ((operand->extent_count || operand->is_struct) && operand->role == ROLE_INPUT)
        writing->drops_const |= !type->is_const;
    if (operand->extent_count < 2 || type->dimension_count > 1)
        return name;
    struct text first = {.arena = arena}; /* the library counts the elements of all dimensions in one */
    text_printf(&first, "&%s", name);
    for (size_t i = 0; i < operand->extent_count; i++)
        text_append(&first, "[0]", 3);
    return first.data;
}

static void write_call(struct writing *writing, const struct wrapped *wrapped, const char *before, const char *after)
{
    struct parts arguments = {.arena = writing->arena};
    for (size_t i = 0; i < wrapped->function->parameter_count; i++)
        add_part(&arguments, argument_of(writing, &wrapped->operands[i]));
    write_list(&writing->body, arena_printf(writing->arena, "    %s%s", before, wrapped->function->name), &arguments,
               after);
}

/* An argument that the function changes is a copy: the output.  Members that it does not write are 0. */
static void write_copies(struct writing *writing, const struct wrapped *wrapped)
{
    for (size_t i = 0; i < wrapped->function->parameter_count; i++) {
        const struct operand *operand = &wrapped->operands[i];
        const char *to = operand->output_name;
        if (operand->role == ROLE_OUTPUT && operand->is_struct && !operand->extent_count)
            text_printf(&writing->body, "    *%s = (%s){0};\n", to, element_type(writing, operand->parameter));
        if (operand->role != ROLE_BOTH)
            continue;
        if (!operand->extent_count) {
            text_printf(&writing->body, "    *%s = %s%s;\n", to, operand->is_struct ? "*" : "", operand->name);
            continue;
        }
        writing->copies = true;
        text_printf(&writing->body, "    memcpy(%s, %s, sizeof(%s%s));\n", to, operand->name,
                    element_type(writing, operand->parameter),
                    brackets(writing->arena, operand->extents, operand->extent_count));
    }
}

static void write_body(struct writing *writing, const struct wrapped *wrapped, bool returns)
{
    struct text *text = &writing->body;
    const char *result = returns ? NULL : arena_printf(writing->arena, "*%s = ", result_name(writing, wrapped));
    text_printf(text, "{\n");
    write_copies(writing, wrapped);
    if (returns)
        write_call(writing, wrapped, "return ", ";\n");
    else if (wrapped->result == RESULT_MASK)
        write_call(writing, wrapped, result, " != 0;\n");
    else if (wrapped->result == RESULT_NONE)
        write_call(writing, wrapped, wrapped->function->result.kind == TYPE_VOID ? "" : "(void)", ";\n");
    else
        write_call(writing, wrapped, result, ";\n");
    text_printf(text, "}\n");
}

/* ---- parameters of ufuncs and gufuncs ---- */

static const char *input_parameter(const struct writing *writing, const struct operand *operand)
{
    const char *type = element_type(writing, operand->parameter);
    return operand->extent_count
               ? arena_printf(writing->arena, "const %s %s%s", type, operand->name,
                              brackets(writing->arena, operand->extents, operand->extent_count))
           : operand->is_struct ? arena_printf(writing->arena, "const %s *%s", type, operand->name)
                                : arena_printf(writing->arena, "%s %s", type, operand->name);
}

static const char *output_parameter(const struct writing *writing, const struct operand *operand)
{
    const char *type = element_type(writing, operand->parameter), *name = operand->output_name;
    return operand->extent_count ? arena_printf(writing->arena, "%s %s%s", type, name,
                                                brackets(writing->arena, operand->extents, operand->extent_count))
                                 : arena_printf(writing->arena, "%s *%s", type, name);
}

static struct parts parameters_of(const struct writing *writing, const struct wrapped *wrapped, bool returns)
{
    struct parts parts = {.arena = writing->arena};
    const size_t count = wrapped->function->parameter_count;
    for (size_t i = 0; i < count; i++)
        if (wrapped->operands[i].role == ROLE_SIZE)
            add_part(&parts, arena_printf(writing->arena, "size_t %s", wrapped->operands[i].name));
    for (size_t i = 0; i < count; i++)
        if (is_input(&wrapped->operands[i]))
            add_part(&parts, input_parameter(writing, &wrapped->operands[i]));
    if (wrapped->result == RESULT_VALUE && !returns)
        add_part(&parts, result_parameter(writing, wrapped));
    for (size_t i = 0; i < count; i++)
        if (is_output(&wrapped->operands[i]))
            add_part(&parts, output_parameter(writing, &wrapped->operands[i]));
    if (wrapped->result == RESULT_STATUS || wrapped->result == RESULT_MASK)
        add_part(&parts, result_parameter(writing, wrapped));
    return parts;
}

/* ---- layouts ---- */

static const char *dimension_name(struct layout *layout, const char *extent)
{
    size_t word = 0, index = 0;
    while (is_word(extent[word]))
        word++;
    if (!extent[word])
        return extent;
    while (index < layout->count && strcmp(layout->expressions[index], extent) != 0)
        index++;
    if (index == layout->count) {
        layout->expressions =
            arena_grow(layout->arena, layout->expressions, layout->count, sizeof *layout->expressions);
        layout->expressions[layout->count++] = extent;
    }
    return arena_printf(layout->arena, "d%zu", index + 1);
}

static void add_core(struct layout *layout, struct text *text, const struct operand *operand)
{
    text_printf(text, "%s(", text->size && text->data[text->size - 1] == ')' ? "," : "");
    for (size_t i = 0; operand && i < operand->extent_count; i++)
        text_printf(text, "%s%s", i ? "," : "", dimension_name(layout, operand->extents[i]));
    text_append(text, ")", 1);
}

static const char *layout_of(const struct writing *writing, const struct wrapped *wrapped)
{
    struct layout layout = {.arena = writing->arena};
    struct text text = {.arena = writing->arena};
    const size_t count = wrapped->function->parameter_count;
    for (size_t i = 0; i < count; i++)
        if (is_input(&wrapped->operands[i]))
            add_core(&layout, &text, &wrapped->operands[i]);
    text_append(&text, "->", 2);
    if (wrapped->result == RESULT_VALUE)
        add_core(&layout, &text, NULL);
    for (size_t i = 0; i < count; i++)
        if (is_output(&wrapped->operands[i]))
            add_core(&layout, &text, &wrapped->operands[i]);
    if (wrapped->result == RESULT_STATUS || wrapped->result == RESULT_MASK)
        add_core(&layout, &text, NULL);
    return text.data;
}

/* ---- functions ---- */

static const char *declared_parameter(const struct writing *writing, const struct operand *operand)
{
    const struct declared_parameter *parameter = operand->parameter;
    const struct type *type = &parameter->type;
    const char *element = element_type(writing, parameter);
    if (type->kind != TYPE_POINTER)
        return arena_printf(writing->arena, "%s %s", element, operand->name);
    if (type->dimension_count > 1)
        return arena_printf(writing->arena, "%s%s %s%s", type->is_const ? "const " : "", element, operand->name,
                            brackets(writing->arena, type->dimensions, type->dimension_count));
    return arena_printf(writing->arena, "%s%s *%s", type->is_const ? "const " : "", element, operand->name);
}

/* The function as the library declares it. */
static void write_prototype(struct writing *writing, const struct wrapped *wrapped, const char *before)
{
    struct parts parameters = {.arena = writing->arena};
    for (size_t i = 0; i < wrapped->function->parameter_count; i++)
        add_part(&parameters, declared_parameter(writing, &wrapped->operands[i]));
    write_list(&writing->body,
               arena_printf(writing->arena, "%s%s%s", before, result_type(writing, wrapped->function),
                            wrapped->function->name),
               &parameters, ";\n");
}

static void write_wrapper(struct writing *writing, const struct wrapped *wrapped)
{
    const bool has_outputs = !wrapped->is_gufunc && wrapped->result == RESULT_VALUE;
    bool returns = has_outputs;
    for (size_t i = 0; i < wrapped->function->parameter_count; i++)
        returns &= !is_output(&wrapped->operands[i]);
    const struct parts parameters = parameters_of(writing, wrapped, returns);
    if (wrapped->is_gufunc)
        text_printf(&writing->body, "gpucc_guvectorize(%s)\n", layout_of(writing, wrapped));
    else
        text_printf(&writing->body, "gpucc_vectorize()\n");
    write_list(&writing->body,
               arena_printf(writing->arena, "%s%s", returns ? result_type(writing, wrapped->function) : "void ",
                            wrapped->name),
               &parameters, "\n");
    write_body(writing, wrapped, returns);
}

static void write_comment(struct text *text, const char *comment)
{
    text_printf(text, "/* ");
    for (; *comment; comment++)
        if (*comment == '\n')
            text_printf(text, "\n *%s", comment[1] == '\n' ? "" : " ");
        else
            text_append(text, comment, 1);
    text_printf(text, " */\n");
}

/* In lines that end by column 120. */
static void write_reason(struct text *text, const struct wrapped *wrapped)
{
    enum { WIDTH = 120 - 3 };
    text_printf(text, "\n/* Left out: %s:", wrapped->function->name);
    size_t column = strlen("/* Left out: :") + strlen(wrapped->function->name);
    for (const char *at = wrapped->reason; *at;) {
        const size_t length = strcspn(at, " ");
        const bool breaks = column + 1 + length + 1 > WIDTH;
        text_printf(text, "%s%.*s", breaks ? "\n * " : " ", (int)length, at);
        column = (breaks ? 2 : column) + 1 + length;
        at += length;
        at += *at == ' ';
    }
    text_printf(text, ". */\n");
}

static void write_function(struct writing *writing, const struct wrapped *wrapped, bool after_prototype)
{
    struct text *text = &writing->body;
    if (wrapped->reason) {
        write_reason(text, wrapped);
        return;
    }
    if (!after_prototype || !wrapped->is_prototype || *wrapped->function->doc)
        text_append(text, "\n", 1);
    if (!wrapped->is_prototype && !writing->has_header)
        write_prototype(writing, wrapped, "");
    if (*wrapped->function->doc)
        write_comment(text, wrapped->function->doc);
    if (wrapped->is_prototype)
        write_prototype(writing, wrapped, "gpucc_vectorize() ");
    else
        write_wrapper(writing, wrapped);
}

/* ---- the whole file ---- */

/* The header as #include finds it: behind the nearest folder of -I above it. */
static const char *included_name(const struct options *options, const char *header)
{
    const char *name = base_name(header);
    size_t longest = 0;
    for (size_t i = 0; i + 1 < options->clang_argument_count; i++) {
        const char *folder = options->clang_arguments[i + 1];
        size_t length = strlen(folder);
        while (length > 1 && folder[length - 1] == '/')
            length--;
        if (strcmp(options->clang_arguments[i], "-I") != 0 || length <= longest ||
            strncmp(header, folder, length) != 0 || header[length] != '/')
            continue;
        longest = length;
        name = header + length + strspn(header + length, "/");
    }
    return name;
}

static void write_includes(const struct writing *writing, struct text *text)
{
    const struct options *options = &writing->options->compile;
    enum { MOST_NAMED = 3 };
    size_t count = 0;
    text_printf(text, "/* Ufuncs of");
    for (size_t i = 0; i < options->input_count; i++)
        if ((!writing->has_header || is_header_path(options->inputs[i])) && count++ < MOST_NAMED)
            text_printf(text, "%s %s", count > 1 ? "," : "", base_name(options->inputs[i]));
    if (count > MOST_NAMED)
        text_printf(text, " and %zu more files", count - MOST_NAMED);
    text_printf(text, ", made by gpucc wrap.  Compile this file together with the library's sources. */\n"
                      "#define GPUCC_NO_SHORT_NAMES /* the library may have a function named `device` */\n"
                      "#include <gpucc.h>\n");
    for (size_t i = 0; i < options->input_count; i++)
        if (is_header_path(options->inputs[i]))
            text_printf(text, "#include \"%s\"\n", included_name(options, options->inputs[i]));
    if (writing->copies)
        text_printf(text, "#include <string.h>\n");
    if (writing->drops_const)
        text_printf(text, "\n/* The library's prototypes lack 'const' for arrays that it only reads. */\n"
                          "#pragma clang diagnostic ignored \"-Wincompatible-pointer-types-discards-qualifiers\"\n");
}

struct bytes wrapped_source(const struct wrap_options *options, const struct wrapped *functions, size_t count)
{
    struct writing writing = {.options = options, .arena = options->compile.arena,
                              .body = {.arena = options->compile.arena}};
    struct text text = {.arena = writing.arena};
    for (size_t i = 0; i < options->compile.input_count; i++)
        writing.has_header |= is_header_path(options->compile.inputs[i]);
    text_append(&writing.body, "", 0);
    for (size_t i = 0; i < count; i++)
        write_function(&writing, &functions[i], i && functions[i - 1].is_prototype && !functions[i - 1].reason);
    write_includes(&writing, &text);
    text_append(&text, writing.body.data, writing.body.size);
    return (struct bytes){text.data, text.size};
}
