/* Parses test(name, kernel(arguments…), clauses…): finds the parts that are C, and leaves their meaning to Clang, which
 * compiles the test's driver (test_drivers.c). */
#include "frontend/frontend_internal.h"

#include <string.h>

struct span {
    const char *at;
    size_t size;
};

struct spans {
    struct span *items;
    size_t count;
};

struct parser {
    const struct parse *parse;
    struct test *test;
    bool failed;
};

static struct place place_of_span(const struct parser *parser, struct span span)
{
    struct place place = place_in_text(parser->test->text, span.at, parser->test->start);
    place.length = parser->test->start.length ? parser->test->start.length : (unsigned)span.size;
    return place;
}

#define FAIL(parser, span, ...)                                                                                       \
    do {                                                                                                               \
        if (!(parser)->failed)                                                                                        \
            diagnose((parser)->parse->diagnostics, SEVERITY_ERROR, place_of_span(parser, span), NULL, __VA_ARGS__);  \
        (parser)->failed = true;                                                                                      \
    } while (0)

/* ---- pieces of the text ---- */

static struct span trimmed(const char *at, const char *end)
{
    at = skip_space(at);
    if (at > end)
        at = end;
    while (end > at && strchr(" \t\r\n\\", end[-1]))
        end--;
    return (struct span){at, (size_t)(end - at)};
}

static bool is(struct span span, const char *word)
{
    return strlen(word) == span.size && !memcmp(span.at, word, span.size);
}

static const char *copy(const struct parser *parser, struct span span)
{
    return arena_strndup(parser->parse->arena, span.at, span.size);
}

/* Behind the string or character constant that begins there. */
static const char *behind_quotes(const char *at, const char *end)
{
    const char quote = *at++;
    while (at < end && *at != quote)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* Returns the first `stop` outside of parentheses, constants and comments, or `end` if there is none. */
static const char *find_outside(const char *at, const char *end, char stop)
{
    for (int depth = 0; at < end;) {
        if (*at == stop && !depth)
            return at;
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (*at == '"' || *at == '\'')
            at = behind_quotes(at, end);
        else if (*at == '/' && skip_space(at) > at)
            at = skip_space(at);
        else
            at++;
    }
    return end;
}

/* Splits at commas; an empty text has no parts. */
static struct spans split(const struct parser *parser, struct span whole)
{
    struct spans spans = {0};
    const char *end = whole.at + whole.size;
    for (const char *at = whole.at; whole.size; at++) {
        const char *comma = find_outside(at, end, ',');
        spans.items = arena_grow(parser->parse->arena, spans.items, spans.count, sizeof *spans.items);
        spans.items[spans.count++] = trimmed(at, comma);
        at = comma;
        if (at == end)
            break;
    }
    return spans;
}

/* "word(arguments)[extent][extent]", each part of which may be left out. */
struct phrase {
    struct span whole, word;
    bool has_arguments;
    struct spans arguments, extents;
};

/* Parses the parentheses or brackets that open at *at, and moves *at behind them. */
static bool parse_group(const char **at, const char *end, char close, struct span *inside)
{
    const char *stop = find_outside(*at + 1, end, close);
    if (stop == end)
        return false;
    *inside = trimmed(*at + 1, stop);
    *at = skip_space(stop + 1);
    return true;
}

static struct phrase read_phrase(struct parser *parser, struct span span)
{
    struct phrase phrase = {.whole = span, .word = {span.at, 0}};
    const char *end = span.at + span.size;
    struct span inside;
    while (phrase.word.size < span.size && is_word(span.at[phrase.word.size]))
        phrase.word.size++;
    const char *at = skip_space(span.at + phrase.word.size);
    bool well = phrase.word.size > 0;
    if (well && at < end && *at == '(') {
        phrase.has_arguments = true;
        well = parse_group(&at, end, ')', &inside);
        phrase.arguments = well ? split(parser, inside) : phrase.arguments;
    }
    while (well && at < end && *at == '[') {
        well = parse_group(&at, end, ']', &inside);
        phrase.extents.items = arena_grow(parser->parse->arena, phrase.extents.items, phrase.extents.count,
                                          sizeof inside);
        phrase.extents.items[phrase.extents.count++] = inside;
    }
    if (!well || at < end)
        phrase.word.size = 0; /* it is none */
    return phrase;
}

static bool is_plain_name(const struct phrase *phrase)
{
    const bool is_number = phrase->word.size && *phrase->word.at >= '0' && *phrase->word.at <= '9';
    return phrase->word.size && !is_number && !phrase->has_arguments && !phrase->extents.count;
}

/* ---- values ---- */

enum { CELL = 16 };

static size_t reserve_cell(struct test *test, size_t size)
{
    const size_t cell = test->cell_size;
    test->cell_size += (size + CELL - 1) / CELL * CELL;
    return cell;
}

static struct test_value parse_value(struct parser *parser, struct span span, const char *type, size_t size)
{
    if (!span.size)
        FAIL(parser, span, "expected a value");
    return (struct test_value){copy(parser, span), place_of_span(parser, span), type,
                               reserve_cell(parser->test, size)};
}

static struct test_values parse_values(struct parser *parser, struct spans spans, const char *type)
{
    struct test_values values = {.count = spans.count};
    values.items = arena_alloc(parser->parse->arena, (spans.count + 1) * sizeof *values.items);
    for (size_t i = 0; i < spans.count; i++)
        values.items[i] = parse_value(parser, spans.items[i], type, sizeof(double));
    return values;
}

static const char *const WHOLE = "long long", *const REAL = "double";

/* ---- arrays ---- */

static const struct {
    const char *word, *kinds, *usage;
    size_t least, most;
} fills[] = {
#define TEST_FILL(id, word, least, most, kinds, usage) {word, kinds, usage, least, most},
#include "frontend/test_fills.def"
};

enum { FILLS = sizeof fills / sizeof *fills };

static void report_unknown_fill(struct parser *parser, struct span span, const struct phrase *phrase)
{
    const char *words[FILLS];
    for (size_t i = 0; i < FILLS; i++)
        words[i] = fills[i].word;
    const char *near = phrase->word.size ? nearest(phrase->word.at, phrase->word.size, words, FILLS) : NULL;
    if (near)
        FAIL(parser, phrase->word, "unknown filling '%s'; did you mean '%s'?", copy(parser, phrase->word), near);
    FAIL(parser, span, "expected an array's contents: zeros, ones, full(number), arange, linspace(first, last), "
                        "random, random(low, high), special, or a file name");
}

static void check_fill(struct parser *parser, const struct phrase *phrase, enum test_fill fill,
                       const struct parameter *parameter)
{
    const struct type *type = &parameter->type;
    const size_t given = phrase->arguments.count;
    if (given < fills[fill].least || given > fills[fill].most || (fill == TEST_FILL_RANDOM && given == 1))
        FAIL(parser, phrase->whole, "'%s' is written %s", fills[fill].word, fills[fill].usage);
    if (*fills[fill].kinds && (type->dtype == DTYPE_NONE || !strchr(fills[fill].kinds, dtype_kind(type->dtype))))
        FAIL(parser, phrase->word, "'%s' has type '%s', for which '%s' cannot make elements", parameter->name,
             type->spelling, fills[fill].word);
    if (!phrase->extents.count && (!type->dimension_count || !*type->dimensions[0]))
        FAIL(parser, phrase->whole, "the type of '%s' does not specify its number of elements: write %s[n]",
             parameter->name, fills[fill].word);
    if (!type->element_size)
        FAIL(parser, phrase->whole, "'%s' has type '%s', an incomplete type: give a file",
             parameter->name, type->spelling);
}

static struct test_array read_array(struct parser *parser, struct span span, const struct parameter *parameter)
{
    struct test_array array = {.place = place_of_span(parser, span)};
    if (span.size > 1 && *span.at == '"' && span.at[span.size - 1] == '"') {
        array.fill = TEST_FILL_FILE;
        array.path = arena_strndup(parser->parse->arena, span.at + 1, span.size - 2);
        return array;
    }
    const struct phrase phrase = read_phrase(parser, span);
    while ((int)array.fill < FILLS && !is(phrase.word, fills[array.fill].word))
        array.fill++;
    if ((int)array.fill == FILLS) {
        report_unknown_fill(parser, span, &phrase);
        return array;
    }
    check_fill(parser, &phrase, array.fill, parameter);
    array.numbers = parse_values(parser, phrase.arguments, REAL);
    array.extents = parse_values(parser, phrase.extents, WHOLE);
    return array;
}

/* ---- functions that are named ---- */

static size_t find_parameter(const struct function *kernel, const char *name, size_t length)
{
    size_t i = 0;
    while (i < kernel->parameter_count && (strlen(kernel->parameters[i].name) != length ||
                                           memcmp(kernel->parameters[i].name, name, length) != 0))
        i++;
    return i;
}

size_t find_test_parameter(const struct function *kernel, const char *name, bool *before)
{
    static const char suffix[] = "_before";
    const size_t length = strlen(name), behind = sizeof suffix - 1;
    const size_t i = find_parameter(kernel, name, length);
    *before = i == kernel->parameter_count && length > behind && !strcmp(name + length - behind, suffix);
    return *before ? find_parameter(kernel, name, length - behind) : i;
}

static void check_parameter(struct parser *parser, struct span span, const struct function *function, size_t k,
                            bool may_widen, enum dtype *dtypes)
{
    const struct function *kernel = parser->test->kernel;
    const struct parameter *own = &function->parameters[k];
    bool before;
    const size_t i = find_test_parameter(kernel, own->name, &before);
    if (i == kernel->parameter_count) {
        FAIL(parser, span, "'%s' takes '%s', but '%s' has no parameter of that name", function->name, own->name,
             kernel->name);
        return;
    }
    const struct type *theirs = &kernel->parameters[i].type;
    const bool alike = own->type.kind == theirs->kind && (!before || theirs->kind == TYPE_POINTER);
    const bool same = own->type.dtype == theirs->dtype || theirs->kind != TYPE_POINTER;
    const bool wider = may_widen && own->type.dtype != DTYPE_NONE && theirs->dtype != DTYPE_NONE &&
                       dtype_size(own->type.dtype) > dtype_size(theirs->dtype);
    if (!alike || (!same && !wider))
        FAIL(parser, span, "'%s' takes '%s' as '%s', but it is '%s' in '%s'", function->name, own->name,
             own->type.spelling, theirs->spelling, kernel->name);
    if (alike && !same)
        dtypes[i] = own->type.dtype;
}

static struct test_function read_function(struct parser *parser, struct span span, bool is_property, bool may_widen)
{
    const struct parse *parse = parser->parse;
    const size_t count = parser->test->kernel->parameter_count;
    enum dtype *dtypes = arena_alloc(parse->arena, (count + 1) * sizeof *dtypes);
    const struct function function = plain_function(parse, copy(parser, span));
    for (size_t i = 0; i < count; i++)
        dtypes[i] = DTYPE_NONE;
    if (!function.name)
        FAIL(parser, span, "use of undeclared function '%s'", copy(parser, span));
    else if (is_property ? function.result.kind != TYPE_SCALAR : function.result.kind != TYPE_VOID)
        FAIL(parser, span, is_property ? "'%s' returns '%s', but must return whether a claim holds: make it 'bool'"
                                        : "'%s' returns '%s', but must only write into arrays: make it 'void'",
             function.name, function.result.spelling);
    for (size_t k = 0; k < function.parameter_count && !parser->failed; k++)
        check_parameter(parser, span, &function, k, may_widen, dtypes);
    return (struct test_function){function.name, function.parameters, function.parameter_count,
                                  ++parser->test->step_count, dtypes};
}

/* ---- clauses ---- */

static const struct {
    const char *word, *usage;
    size_t least, most;
} clauses[] = {
#define TEST_CLAUSE(id, word, least, most, usage) {word, usage, least, most},
#include "frontend/test_clauses.def"
};

/* "within(2), absolute(1e-6)" from the argument of that number on. */
static struct tolerance read_tolerance(struct parser *parser, const struct phrase *phrase, size_t first)
{
    struct tolerance tolerance = {0};
    for (size_t i = first; i < phrase->arguments.count; i++) {
        const struct phrase bound = read_phrase(parser, phrase->arguments.items[i]);
        struct test_values *values = is(bound.word, "within")     ? &tolerance.ulps
                                     : is(bound.word, "absolute") ? &tolerance.absolute
                                     : is(bound.word, "relative") ? &tolerance.relative : NULL;
        if (!values || bound.arguments.count != 1 || bound.extents.count)
            FAIL(parser, phrase->arguments.items[i], "expected a tolerance: within(units in the last place), "
                                                      "absolute(difference) or relative(difference)");
        else
            *values = parse_values(parser, bound.arguments, REAL);
    }
    return tolerance;
}

/* each(…), or any(…), whose bounds are whole numbers. */
static void read_axis(struct parser *parser, const struct phrase *phrase, bool is_any)
{
    struct test *test = parser->test;
    const struct phrase name = read_phrase(parser, phrase->arguments.items[0]);
    const struct spans values = {phrase->arguments.items + 1, phrase->arguments.count - 1};
    struct test_axis axis = {.name = copy(parser, name.word), .is_any = is_any};
    if (!is_plain_name(&name))
        FAIL(parser, phrase->arguments.items[0], "expected the name of the parameter that takes %s of the values",
             is_any ? "any" : "each");
    for (size_t i = 0; i < test->axis_count; i++)
        if (!strcmp(test->axes[i].name, axis.name))
            FAIL(parser, name.word, "duplicate values for '%s'", axis.name);
    axis.values = parse_values(parser, values, is_any ? WHOLE : REAL);
    axis.as_real = parse_value(parser, name.word, REAL, sizeof(double));
    test->axes = arena_grow(parser->parse->arena, test->axes, test->axis_count, sizeof axis);
    test->axes[test->axis_count++] = axis;
}

static const char *const check_names[] = {
#define CHECK(id, name) name,
#include <gpucc/checks.def>
};

static void report_missing_check(struct parser *parser, struct span word)
{
    struct text list = {.arena = parser->parse->arena};
    for (size_t k = 0; k < CHECK_COUNT; k++)
        text_printf(&list, "%s%s", k == 0 ? "" : k + 1 < CHECK_COUNT ? ", " : " and ", check_names[k]);
    FAIL(parser, word, "unknown check '%s'; expected one of %s", copy(parser, word), list.data);
}

static void read_checks(struct parser *parser, const struct phrase *phrase)
{
    for (size_t i = 0; i < phrase->arguments.count; i++) {
        const struct span word = phrase->arguments.items[i];
        size_t k = 0;
        while (k < CHECK_COUNT && !is(word, check_names[k]))
            k++;
        if (k < CHECK_COUNT)
            parser->test->checks |= 1u << k;
        else if (is(word, "none") && phrase->arguments.count == 1)
            parser->test->unchecked = true;
        else
            report_missing_check(parser, word);
    }
}

static void add_claim(struct parser *parser, const struct phrase *phrase, enum test_clause clause)
{
    struct test *test = parser->test;
    struct test_claim claim = {.clause = clause, .place = place_of_span(parser, phrase->word)};
    const struct span first = phrase->arguments.items[0];
    if (clause == TEST_CLAUSE_EXPECT) {
        claim.parameter = find_parameter(test->kernel, first.at, first.size);
        const bool is_array = claim.parameter < test->kernel->parameter_count &&
                              test->kernel->parameters[claim.parameter].type.kind == TYPE_POINTER;
        if (!is_array)
            FAIL(parser, first, "'%s' is not an array parameter of '%s'", copy(parser, first), test->kernel->name);
        else
            claim.array = read_array(parser, phrase->arguments.items[1], &test->kernel->parameters[claim.parameter]);
    } else {
        claim.function = read_function(parser, first, clause == TEST_CLAUSE_HOLDS, clause == TEST_CLAUSE_REFERENCE);
    }
    claim.within = read_tolerance(parser, phrase, clause == TEST_CLAUSE_EXPECT ? 2 : 1);
    test->claims = arena_grow(parser->parse->arena, test->claims, test->claim_count, sizeof claim);
    test->claims[test->claim_count++] = claim;
}

static void add_preparation(struct parser *parser, const struct phrase *phrase)
{
    struct test *test = parser->test;
    const struct test_function function = read_function(parser, phrase->arguments.items[0], false, false);
    test->prepares = arena_grow(parser->parse->arena, test->prepares, test->prepare_count, sizeof function);
    test->prepares[test->prepare_count++] = function;
}

static void read_devices(struct parser *parser, const struct phrase *phrase)
{
    parser->test->devices.any = phrase->arguments.count == 1 && is(phrase->arguments.items[0], "differ");
    if (!parser->test->devices.any)
        parser->test->devices = read_tolerance(parser, phrase, 0);
}

static void apply(struct parser *parser, const struct phrase *phrase, enum test_clause clause)
{
    struct test *test = parser->test;
    struct test_values *values = NULL;
    switch (clause) {
    case TEST_CLAUSE_EACH: read_axis(parser, phrase, false); break;
    case TEST_CLAUSE_ANY: read_axis(parser, phrase, true); break;
    case TEST_CLAUSE_THREADS: values = &test->threads; break;
    case TEST_CLAUSE_GRID: values = &test->grid; break;
    case TEST_CLAUSE_BLOCK: values = &test->block; break;
    case TEST_CLAUSE_SHARED: values = &test->shared; break;
    case TEST_CLAUSE_SEED: values = &test->seed; break;
    case TEST_CLAUSE_SCHEDULES: values = &test->schedules; break;
    case TEST_CLAUSE_CHECKS: read_checks(parser, phrase); break;
    case TEST_CLAUSE_DEVICES: read_devices(parser, phrase); break;
    case TEST_CLAUSE_PREPARE: add_preparation(parser, phrase); break;
    case TEST_CLAUSE_REFERENCE:
    case TEST_CLAUSE_HOLDS:
    case TEST_CLAUSE_EXPECT: add_claim(parser, phrase, clause); break;
    case TEST_CLAUSE_COUNT: break;
    }
    if (values && values->count)
        FAIL(parser, phrase->word, "duplicate clause '%s'", clauses[clause].word);
    if (values)
        *values = parse_values(parser, phrase->arguments, WHOLE);
}

static void read_clause(struct parser *parser, struct span span)
{
    const char *words[TEST_CLAUSE_COUNT];
    const struct phrase phrase = read_phrase(parser, span);
    int clause = 0;
    while (clause < TEST_CLAUSE_COUNT && !is(phrase.word, clauses[clause].word))
        clause++;
    for (int i = 0; i < TEST_CLAUSE_COUNT; i++)
        words[i] = clauses[i].word;
    const char *near = phrase.word.size ? nearest(phrase.word.at, phrase.word.size, words, TEST_CLAUSE_COUNT) : NULL;
    if (clause == TEST_CLAUSE_COUNT)
        FAIL(parser, phrase.word.size ? phrase.word : span, near ? "unknown clause '%s'; did you mean '%s'?"
             : "unknown clause '%s' of a test", copy(parser, phrase.word.size ? phrase.word : span), near);
    else if (!phrase.has_arguments || phrase.extents.count || phrase.arguments.count < clauses[clause].least ||
             phrase.arguments.count > clauses[clause].most)
        FAIL(parser, span, "'%s' is written %s", clauses[clause].word, clauses[clause].usage);
    else
        apply(parser, &phrase, (enum test_clause)clause);
}

/* ---- the call ---- */

static const struct function *find_kernel(struct parser *parser, struct span name)
{
    const struct unit *unit = parser->parse->unit;
    const char **names = arena_alloc(parser->parse->arena, (unit->function_count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < unit->function_count; i++) {
        if (unit->functions[i].kind != FUNCTION_KERNEL)
            continue;
        if (is(name, unit->functions[i].name))
            return &unit->functions[i];
        names[count++] = unit->functions[i].name;
    }
    const char *near = nearest(name.at, name.size, names, count);
    FAIL(parser, name, near ? "'%s' is not a kernel of this file; did you mean '%s'?" : "'%s' is not a kernel of this "
                                                                                      "file",
         copy(parser, name), near);
    return NULL;
}

static void read_argument(struct parser *parser, struct span span, const struct parameter *parameter,
                          struct test_argument *argument)
{
    const struct type *type = &parameter->type;
    argument->is_array = type->kind == TYPE_POINTER;
    if (argument->is_array)
        argument->array = read_array(parser, span, parameter);
    else
        argument->value = parse_value(parser, span, type->variable ? type->variable : type->spelling, type->size);
}

static void read_call(struct parser *parser, struct span span)
{
    struct test *test = parser->test;
    const struct phrase phrase = read_phrase(parser, span);
    if (!phrase.word.size || !phrase.has_arguments || phrase.extents.count) {
        FAIL(parser, span, "expected a call of a kernel, as in test(name, kernel(n, random, zeros), threads(n))");
        return;
    }
    test->kernel = find_kernel(parser, phrase.word);
    if (!test->kernel)
        return;
    const size_t count = test->kernel->parameter_count;
    if (phrase.arguments.count != count) {
        FAIL(parser, phrase.word, "'%s' takes %zu parameter%s, got %zu", test->kernel->name, count,
             count == 1 ? "" : "s", phrase.arguments.count);
        return;
    }
    test->arguments = arena_alloc(parser->parse->arena, (count + 1) * sizeof *test->arguments);
    for (size_t i = 0; i < count; i++)
        read_argument(parser, phrase.arguments.items[i], &test->kernel->parameters[i], &test->arguments[i]);
}

static void check_launch(struct parser *parser, struct span call)
{
    const struct test *test = parser->test;
    const bool grids = test->grid.count && test->block.count && !test->threads.count;
    const bool threads = test->threads.count && !test->grid.count;
    if (test->threads.count && test->grid.count)
        FAIL(parser, call, "threads(…) and grid(…) both set the number of threads of '%s': remove one",
             test->kernel->name);
    else if (!grids && !threads)
        FAIL(parser, call, "missing number of threads for '%s': add threads(n), or grid(n) and block(n)",
             test->kernel->name);
}

static void check_name(struct parser *parser, struct span name)
{
    const struct unit *unit = parser->parse->unit;
    for (const struct test *other = unit->tests; other < parser->test; other++)
        if (other->name && is(name, other->name))
            FAIL(parser, name, "redefinition of test '%s'", other->name);
}

static void read_test(const struct parse *parse, struct test *test)
{
    struct parser parser = {.parse = parse, .test = test};
    const struct spans spans = split(&parser, trimmed(test->text, test->text + strlen(test->text)));
    const struct phrase name = read_phrase(&parser, spans.items[0]);
    test->verdict_cell = reserve_cell(test, sizeof(int));
    check_name(&parser, name.word);
    test->name = copy(&parser, name.word);
    test->driver = arena_printf(parse->arena, "drive_test_%s", test->name);
    if (spans.count < 2 || !is_plain_name(&name)) {
        FAIL(&parser, name.word, "a test is written test(name, kernel(arguments), clauses)");
        return;
    }
    read_call(&parser, spans.items[1]);
    for (size_t i = 2; i < spans.count && !parser.failed; i++)
        read_clause(&parser, spans.items[i]);
    if (!parser.failed)
        check_launch(&parser, spans.items[1]);
}

void read_tests(const struct parse *parse)
{
    for (size_t i = 0; i < parse->unit->test_count; i++)
        read_test(parse, &parse->unit->tests[i]);
}
