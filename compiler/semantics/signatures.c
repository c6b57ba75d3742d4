/* The texts of vectorize(…) and guvectorize(…), by recursive descent:
 *
 *   signatures: [ signature { "," signature } ]        layout:   operands "->" operands
 *   signature:  ( type | types ) types                 operands: dims { "," dims }
 *   types:      "(" [ type { "," type } ] ")"          dims:     "(" [ dim { "," dim } ] ")"
 *                                                      dim:      ( name | size ) [ "?" | "|" "1" | ":" name ]
 */
#include "semantics/semantics.h"

#include <gpucc/loops.h>
#include <string.h>

struct reader {
    const char *text, *p; /* p stands on a token */
    struct place start;
    const struct unit *unit;
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool failed;
};

static struct place place_at(const struct reader *reader, const char *at, size_t length)
{
    struct place place = place_in_text(reader->text, at, reader->start);
    if (!reader->start.length)
        place.length = (unsigned)length;
    return place;
}

/* ---- tokens ---- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

static size_t token_length(const char *p)
{
    size_t length = 0;
    while (is_name(p[length]))
        length++;
    if (!length && *p)
        length = p[0] == '-' && p[1] == '>' ? 2 : 1;
    return length;
}

static void advance(struct reader *reader, size_t length)
{
    reader->p = skip_space(reader->p + length);
}

static bool at(const struct reader *reader, const char *token)
{
    return !strncmp(reader->p, token, strlen(token));
}

static bool accept(struct reader *reader, const char *token)
{
    if (!at(reader, token))
        return false;
    advance(reader, strlen(token));
    return true;
}

static void expected(struct reader *reader, const char *what)
{
    size_t length = token_length(reader->p);
    struct place place = place_at(reader, reader->p, length ? length : 1);
    if (reader->failed)
        return;
    reader->failed = true;
    if (length)
        diagnose(reader->diagnostics, SEVERITY_ERROR, place, NULL, "expected %s before '%.*s'", what,
                 length > 40 ? 40 : (int)length, reader->p);
    else
        diagnose(reader->diagnostics, SEVERITY_ERROR, place, NULL, "expected %s", what);
}

/* ---- signatures ---- */

/* One name, of several words where C has such ("unsigned int"), spaces made one. */
static const char *read_type_words(struct reader *reader, size_t *length)
{
    struct text words = {.arena = reader->arena};
    const char *begin = reader->p;
    while (is_name(*reader->p)) {
        size_t word = token_length(reader->p);
        text_printf(&words, "%s%.*s", words.size ? " " : "", (int)word, reader->p);
        *length = (size_t)(reader->p + word - begin);
        advance(reader, word);
    }
    return words.data;
}

static void report_unknown_type(struct reader *reader, const char *name, struct place place)
{
    const char *meaning = c_type_meaning(name), *near = nearest_type_name(name, reader->unit);
    reader->failed = true;
    if (meaning)
        diagnose(reader->diagnostics, SEVERITY_ERROR, place, NULL,
                 "'%s' is C's name; signatures have '%s' for that type", name, meaning);
    else if (near)
        diagnose(reader->diagnostics, SEVERITY_ERROR, place, NULL, "unknown type '%s'; did you mean '%s'?", name, near);
    else
        diagnose(reader->diagnostics, SEVERITY_ERROR, place, NULL, "unknown type '%s'", name);
}

static bool read_type(struct reader *reader, struct type_name *type)
{
    const char *begin = reader->p;
    size_t length = 0;
    if (!is_name(*begin)) {
        expected(reader, "a type");
        return false;
    }
    const char *name = read_type_words(reader, &length);
    const struct typevar *typevar = find_typevar(reader->unit, name);
    *type = (struct type_name){dtype_from_name(name, strlen(name)), NULL, place_at(reader, begin, length)};
    if (typevar) {
        type->dtype = DTYPE_NONE;
        type->variable = typevar->name;
    } else if (type->dtype == DTYPE_NONE) {
        report_unknown_type(reader, name, type->place);
    }
    if (at(reader, "*") || at(reader, "[")) {
        expected(reader, "',' or ')' (a signature has dtypes, not pointers)");
        return false;
    }
    return true;
}

/* The types between parentheses. */
static bool read_types(struct reader *reader, struct type_name **types, size_t *count)
{
    *types = NULL;
    *count = 0;
    if (!accept(reader, "(")) {
        expected(reader, "'('");
        return false;
    }
    if (accept(reader, ")"))
        return true;
    do {
        *types = arena_grow(reader->arena, *types, *count, sizeof **types);
        if (!read_type(reader, &(*types)[*count]))
            return false;
        ++*count;
    } while (accept(reader, ","));
    if (!accept(reader, ")")) {
        expected(reader, "',' or ')'");
        return false;
    }
    return true;
}

static bool read_signature(struct reader *reader, struct signature *signature)
{
    const char *begin = reader->p;
    bool read;
    if (at(reader, "(")) {
        read = read_types(reader, &signature->outputs, &signature->output_count);
    } else {
        signature->outputs = arena_alloc(reader->arena, sizeof *signature->outputs);
        signature->output_count = 1;
        read = read_type(reader, signature->outputs);
    }
    if (!read || !read_types(reader, &signature->inputs, &signature->input_count))
        return false;
    const char *end = reader->p;
    while (end > begin && end[-1] != ')')
        end--;
    const char *newline = memchr(begin, '\n', (size_t)(end - begin));
    signature->place = place_at(reader, begin, (size_t)((newline ? newline : end) - begin));
    return true;
}

bool parse_signatures(const char *text, struct place place, const struct unit *unit, struct arena *arena,
                      struct diagnostics *diagnostics, struct signature **signatures, size_t *count)
{
    struct reader reader = {text, skip_space(text), place, unit, arena, diagnostics, false};
    *signatures = NULL;
    *count = 0;
    if (!*reader.p)
        return true;
    do {
        *signatures = arena_grow(arena, *signatures, *count, sizeof **signatures);
        if (!read_signature(&reader, &(*signatures)[*count]))
            return false;
        ++*count;
    } while (accept(&reader, ","));
    if (*reader.p)
        expected(&reader, "',' or the end of the signature");
    return !reader.failed;
}

/* ---- layouts ---- */

static bool read_size(struct reader *reader, const char *p, size_t length, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        if (p[i] < '0' || p[i] > '9') {
            expected(reader, "the name or the size of a core dimension");
            return false;
        }
        *size = *size * 10 + (size_t)(p[i] - '0');
        if (*size > INT32_MAX) {
            expected(reader, "a size of at most 2147483647");
            return false;
        }
    }
    if (!*size)
        expected(reader, "a size of at least 1");
    return *size > 0;
}

size_t find_named_dimension(const struct layout *layout, const char *name, size_t length)
{
    size_t i = 0;
    for (; i < layout->dimension_count; i++) {
        const char *other = layout->dimensions[i].name;
        if (other && strlen(other) == length && !memcmp(other, name, length))
            break;
    }
    return i;
}

static size_t find_fixed_dimension(const struct layout *layout, size_t size)
{
    size_t i = 0;
    while (i < layout->dimension_count && (layout->dimensions[i].name || layout->dimensions[i].size != size))
        i++;
    return i;
}

static void read_target(struct reader *reader, struct core_dimension *dimension)
{
    const size_t length = is_name(*reader->p) ? token_length(reader->p) : 0;
    dimension->target = arena_strndup(reader->arena, reader->p, length);
    if (!length)
        expected(reader, "the core dimension to which it broadcasts");
    advance(reader, length);
}

/* "n", "3", "n?", "n|1", "p:n" */
static bool read_core_dimension(struct reader *reader, const struct layout *layout, struct core_dimension *dimension,
                                size_t *index)
{
    size_t length = is_name(*reader->p) ? token_length(reader->p) : 0;
    if (!length) {
        expected(reader, "a core dimension");
        return false;
    }
    *dimension = (struct core_dimension){.place = place_at(reader, reader->p, length)};
    if (*reader->p >= '0' && *reader->p <= '9') {
        if (!read_size(reader, reader->p, length, &dimension->size))
            return false;
        *index = find_fixed_dimension(layout, dimension->size);
    } else {
        dimension->name = arena_strndup(reader->arena, reader->p, length);
        *index = find_named_dimension(layout, dimension->name, length);
    }
    advance(reader, length);
    dimension->is_optional = accept(reader, "?");
    dimension->broadcasts = accept(reader, "|");
    if (dimension->broadcasts && !accept(reader, "1"))
        expected(reader, "'1'");
    if (dimension->name && !dimension->is_optional && !dimension->broadcasts && accept(reader, ":"))
        read_target(reader, dimension);
    return !reader->failed;
}

/* Each is of one input, and its target, which may follow it, is a name without a target. */
static bool check_targets(struct reader *reader, const struct layout *layout)
{
    for (size_t i = 0; i < layout->dimension_count; i++) {
        const struct core_dimension *dimension = &layout->dimensions[i];
        if (!dimension->target)
            continue;
        const size_t target = find_named_dimension(layout, dimension->target, strlen(dimension->target));
        const bool exists = target < layout->dimension_count && !layout->dimensions[target].target;
        size_t uses = 0;
        for (size_t k = 0; k < layout->input_count + layout->output_count; k++)
            for (size_t d = 0; d < layout->operands[k].dimension_count; d++)
                if (layout->operands[k].dimensions[d] == i)
                    uses += k < layout->input_count ? 1 : 2;
        if (exists && uses == 1)
            continue;
        reader->failed = true;
        diagnose(reader->diagnostics, SEVERITY_ERROR, dimension->place, NULL,
                 exists ? "'%s:%s' must be a core dimension of one input, used once"
                        : "'%s' broadcasts to '%s', which is not a core dimension of its own",
                 dimension->name, dimension->target);
    }
    return !reader->failed;
}

static bool check_alike(struct reader *reader, const struct core_dimension *a, const struct core_dimension *b)
{
    if (a->is_optional == b->is_optional && a->broadcasts == b->broadcasts)
        return true;
    const char *sign = a->is_optional != b->is_optional ? "?" : "|1";
    reader->failed = true;
    diagnose(reader->diagnostics, SEVERITY_ERROR, b->place, NULL,
             "a core dimension has '%s' at each use, or at none", sign);
    return false;
}

static bool read_dimension(struct reader *reader, struct layout *layout, struct operand_layout *operand)
{
    struct core_dimension dimension;
    size_t index;
    if (!read_core_dimension(reader, layout, &dimension, &index))
        return false;
    if (index < layout->dimension_count && !check_alike(reader, &layout->dimensions[index], &dimension))
        return false;
    if (index == layout->dimension_count) {
        layout->dimensions = arena_grow(reader->arena, layout->dimensions, index, sizeof *layout->dimensions);
        layout->dimensions[layout->dimension_count++] = dimension;
    }
    operand->dimensions =
        arena_grow(reader->arena, operand->dimensions, operand->dimension_count, sizeof *operand->dimensions);
    operand->dimensions[operand->dimension_count++] = index;
    return true;
}

static bool read_operand(struct reader *reader, struct layout *layout)
{
    size_t index = layout->input_count + layout->output_count;
    layout->operands = arena_grow(reader->arena, layout->operands, index, sizeof *layout->operands);
    struct operand_layout *operand = &layout->operands[index];
    *operand = (struct operand_layout){.place = place_at(reader, reader->p, 1)};
    if (!accept(reader, "(")) {
        expected(reader, "'('");
        return false;
    }
    if (accept(reader, ")"))
        return true;
    do
        if (!read_dimension(reader, layout, operand))
            return false;
    while (accept(reader, ","));
    if (!accept(reader, ")"))
        expected(reader, "',' or ')'");
    return !reader->failed;
}

static bool read_operands(struct reader *reader, struct layout *layout, size_t *count)
{
    do {
        if (!read_operand(reader, layout))
            return false;
        ++*count;
    } while (accept(reader, ","));
    return true;
}

static const char *layout_text(const struct layout *layout, struct arena *arena)
{
    struct text text = {.arena = arena};
    for (size_t i = 0; i < layout->input_count + layout->output_count; i++) {
        const struct operand_layout *operand = &layout->operands[i];
        text_printf(&text, "%s(", i == layout->input_count ? "->" : i ? "," : "");
        for (size_t k = 0; k < operand->dimension_count; k++) {
            const struct core_dimension *dimension = &layout->dimensions[operand->dimensions[k]];
            text_printf(&text, "%s", k ? "," : "");
            if (dimension->name)
                text_printf(&text, "%s", dimension->name);
            else
                text_printf(&text, "%zu", dimension->size);
            text_printf(&text, "%s%s", dimension->is_optional ? "?" : "", dimension->broadcasts ? "|1" : "");
            text_printf(&text, "%s%s", dimension->target ? ":" : "", dimension->target ? dimension->target : "");
        }
        text_printf(&text, ")");
    }
    return text.data;
}

void append_fixed_dimension(struct layout *layout, size_t operand, size_t size, struct arena *arena)
{
    struct operand_layout *extended = &layout->operands[operand];
    const size_t index = find_fixed_dimension(layout, size);
    if (index == layout->dimension_count) {
        layout->dimensions = arena_grow(arena, layout->dimensions, index, sizeof *layout->dimensions);
        layout->dimensions[layout->dimension_count++] =
            (struct core_dimension){.size = size, .place = extended->place};
    }
    extended->dimensions =
        arena_grow(arena, extended->dimensions, extended->dimension_count, sizeof *extended->dimensions);
    extended->dimensions[extended->dimension_count++] = index;
    layout->text = layout_text(layout, arena);
}

static bool check_limits(struct reader *reader, const struct layout *layout)
{
    const char *wrong = NULL;
    size_t operands = layout->input_count + layout->output_count, most = 0;
    for (size_t i = 0; i < operands; i++)
        most = layout->operands[i].dimension_count > most ? layout->operands[i].dimension_count : most;
    if (operands > GPUCC_LOOP_OPERANDS)
        wrong = "a layout has at most 64 operands";
    else if (layout->dimension_count > GPUCC_CORE_DIMS)
        wrong = "a layout has at most 16 core dimensions";
    else if (most > GPUCC_CORE_RANK)
        wrong = "an operand has at most 8 core dimensions";
    if (wrong)
        diagnose(reader->diagnostics, SEVERITY_ERROR, reader->start, NULL, "%s", wrong);
    return !wrong;
}

_Static_assert(GPUCC_LOOP_OPERANDS == 64 && GPUCC_CORE_DIMS == 16 && GPUCC_CORE_RANK == 8,
               "check_limits() says the numbers");

bool parse_layout(const char *text, struct place place, struct arena *arena, struct diagnostics *diagnostics,
                  struct layout *layout)
{
    struct reader reader = {text, skip_space(text), place, NULL, arena, diagnostics, false};
    *layout = (struct layout){0};
    if (!read_operands(&reader, layout, &layout->input_count))
        return false;
    if (!accept(&reader, "->")) {
        expected(&reader, "',' or '->'");
        return false;
    }
    if (!read_operands(&reader, layout, &layout->output_count))
        return false;
    if (*reader.p)
        expected(&reader, "',' or the end of the layout");
    layout->text = layout_text(layout, arena);
    return check_limits(&reader, layout) && !reader.failed && check_targets(&reader, layout);
}
