/* A module: its variables with their initial values, and where its functions begin. */
#define _POSIX_C_SOURCE 200809L
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        abort();
    return memory;
}

/* ---- names ---- */

static bool same_name(const char *name, int length, const char *other, int other_length)
{
    return length == other_length && !memcmp(name, other, (size_t)length);
}

struct function *find_function(const struct ptx_module *module, const char *name, int length)
{
    struct function *found = NULL;
    for (int i = 0; i < module->function_count; i++)
        if (same_name(module->functions[i]->name, module->functions[i]->length, name, length))
            if (!found || found->is_declared_only)
                found = module->functions[i];
    return found;
}

struct variable *find_variable(const struct ptx_module *module, const char *name, int length)
{
    for (int i = module->variable_count; i-- > 0;)
        if (same_name(module->variables[i]->name, module->variables[i]->length, name, length))
            return module->variables[i];
    return NULL;
}

/* ---- variables ---- */

static const char *const ignored[] = {".visible", ".weak", ".common", ".extern", ".noreturn", ".volatile"};

static bool accept_ignored(struct lexer *lexer)
{
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
        if (accept_token(lexer, ignored[k]))
            return true;
    return false;
}

void read_declaration(struct lexer *lexer, struct declaration *d)
{
    struct type type;
    size_t align = 0, vector = 1;
    for (;; next_token(lexer)) {
        if (token_is(lexer, ".align")) {
            next_token(lexer);
            align = strtoull(lexer->token, NULL, 0);
        } else if (token_is(lexer, ".v2") || token_is(lexer, ".v4")) {
            vector = (size_t)(lexer->token[2] - '0');
        } else if (find_type(lexer->token, lexer->length, &type)) {
            break;
        } else {
            syntax_error(lexer, "expected a type");
        }
    }
    next_token(lexer);
    while (token_is(lexer, ".ptr") || token_is(lexer, ".align") || token_is(lexer, ".global") ||
           token_is(lexer, ".const") || token_is(lexer, ".shared") || token_is(lexer, ".local")) {
        const bool has_number = token_is(lexer, ".align"); /* of what a pointer points to */
        next_token(lexer);
        if (has_number)
            next_token(lexer);
    }
    *d = (struct declaration){lexer->token, lexer->length, .element = (size_t)(type.bits + 7) / 8 * vector};
    d->size = d->element;
    d->align = align ? align : d->element;
    next_token(lexer);
    while (accept_token(lexer, "[")) {
        d->is_dynamic = token_is(lexer, "]");
        if (!d->is_dynamic)
            d->size *= read_number(lexer);
        expect_token(lexer, "]");
    }
}

static void lay_out(struct variable *v, size_t *end)
{
    v->address = (*end + v->align - 1) / v->align * v->align;
    *end = v->address + v->size;
}

void add_shared(struct function *function, const struct declaration *d)
{
    const size_t before = function->module->shared_size;
    struct variable *v = add_variable(function->module, d, SHARED);
    if (!function->is_entry || d->is_dynamic)
        return;
    function->module->shared_size = before;
    v->is_of_entry = true;
    lay_out(v, &function->shared_size);
}

struct variable *add_variable(struct ptx_module *module, const struct declaration *d, enum space space)
{
    struct variable *v = must_allocate(sizeof *v);
    *v = (struct variable){.name = d->name, .length = d->length, .space = space, .size = d->is_dynamic ? 0 : d->size,
                           .align = d->align, .is_dynamic = d->is_dynamic};
    if (space == SHARED && !d->is_dynamic)
        lay_out(v, &module->shared_size);
    module->variables = realloc(module->variables, (size_t)(module->variable_count + 1) * sizeof(struct variable *));
    module->variables[module->variable_count++] = v;
    return v;
}

/* A number, or an address: NAME, NAME+4, generic(NAME)+4, each perhaps behind a mask, as 0xFF00(NAME). */
static uint64_t read_initial(struct lexer *lexer)
{
    uint64_t mask = UINT64_MAX, value = 0;
    bool has_mask = false;
    if (is_number(lexer)) {
        value = read_number(lexer);
        if (!accept_token(lexer, "("))
            return value;
        mask = value;
        has_mask = true;
    }
    const bool is_generic = accept_token(lexer, "generic");
    if (is_generic)
        expect_token(lexer, "(");
    const struct variable *v = find_variable(lexer->module, lexer->token, lexer->length);
    struct function *f = find_function(lexer->module, lexer->token, lexer->length);
    if (!v && !f)
        syntax_error(lexer, "unknown name in an initializer");
    if (f)
        f->is_wanted = true;
    value = f ? (uint64_t)(uintptr_t)f : v->address;
    next_token(lexer);
    if (is_generic)
        expect_token(lexer, ")");
    if (accept_token(lexer, "+"))
        value += read_number(lexer);
    if (has_mask) {
        expect_token(lexer, ")");
        value &= mask;
        while (mask && !(mask & 1)) {
            mask >>= 1;
            value >>= 1;
        }
    }
    return value;
}

static void read_initials(struct lexer *lexer, uint8_t *bytes, const struct declaration *d)
{
    size_t at = 0;
    int depth = 0;
    do {
        while (accept_token(lexer, "{"))
            depth++;
        if (accept_token(lexer, "}")) /* nothing: zeros */
            return;
        const uint64_t value = read_initial(lexer);
        if (at + d->element > d->size)
            syntax_error(lexer, "too many initial values");
        memcpy(bytes + at, &value, d->element);
        at += d->element;
        while (depth > 0 && accept_token(lexer, "}"))
            depth--;
    } while (accept_token(lexer, ","));
}

static void read_variable(struct lexer *lexer, enum space space)
{
    struct declaration d;
    struct ptx_module *module = lexer->module;
    next_token(lexer);
    read_declaration(lexer, &d);
    struct variable *v = add_variable(module, &d, space);
    if (space != SHARED) { /* its address may stand in its own initializer */
        char *name = strndup(d.name, (size_t)d.length);
        v->address = (uintptr_t)module->memory.variable(module->memory.data, name, d.size, d.align, NULL);
        free(name);
        if (!v->address)
            syntax_error(lexer, "no memory for a variable");
    }
    if (accept_token(lexer, "=")) {
        uint8_t *bytes = must_allocate(d.size);
        read_initials(lexer, bytes, &d);
        char *name = strndup(d.name, (size_t)d.length);
        module->memory.variable(module->memory.data, name, d.size, d.align, bytes);
        free(name);
        free(bytes);
    }
    expect_token(lexer, ";");
}

/* ---- functions ---- */

static void skip_block(struct lexer *lexer)
{
    for (int depth = 1; depth > 0; next_token(lexer)) {
        if (lexer->length == 0)
            syntax_error(lexer, "unexpected end of the text");
        depth += token_is(lexer, "{") - token_is(lexer, "}");
    }
}

static void skip_parentheses(struct lexer *lexer)
{
    while (!token_is(lexer, ")") && lexer->length)
        next_token(lexer);
    expect_token(lexer, ")");
}

static void read_function(struct lexer *lexer, bool is_entry)
{
    struct ptx_module *module = lexer->module;
    struct function *f = must_allocate(sizeof *f);
    *f = (struct function){.module = module, .is_entry = is_entry, .head = lexer->token};
    if (!is_entry && accept_token(lexer, "("))
        skip_parentheses(lexer);
    f->name = lexer->token;
    f->length = lexer->length;
    next_token(lexer);
    if (accept_token(lexer, "("))
        skip_parentheses(lexer);
    while (!token_is(lexer, "{") && !token_is(lexer, ";") && lexer->length)
        next_token(lexer); /* .maxntid and other directives */
    f->is_declared_only = token_is(lexer, ";");
    module->functions = realloc(module->functions, (size_t)(module->function_count + 1) * sizeof(struct function *));
    module->functions[module->function_count++] = f;
    f->body = lexer->at;
    next_token(lexer);
    if (!f->is_declared_only)
        skip_block(lexer);
}

static void read_statement(struct lexer *lexer)
{
    if (accept_ignored(lexer))
        return;
    if (token_is(lexer, ".global")) {
        read_variable(lexer, GLOBAL);
    } else if (token_is(lexer, ".const")) {
        read_variable(lexer, CONSTANT);
    } else if (token_is(lexer, ".shared")) {
        read_variable(lexer, SHARED);
    } else if (accept_token(lexer, ".func")) {
        read_function(lexer, false);
    } else if (accept_token(lexer, ".entry")) {
        read_function(lexer, true);
    } else if (accept_token(lexer, ".section")) {
        next_token(lexer);
        expect_token(lexer, "{");
        skip_block(lexer);
    } else if (token_is(lexer, ".version") || token_is(lexer, ".target") || token_is(lexer, ".address_size") ||
               token_is(lexer, ".file") || token_is(lexer, ".pragma")) {
        skip_line(lexer);
    } else {
        syntax_error(lexer, "unknown statement");
    }
}

static bool read_text(struct ptx_module *module)
{
    struct lexer lexer = {module, module->text, module->text, 0};
    if (setjmp(module->failure))
        return false;
    next_token(&lexer);
    while (lexer.length)
        read_statement(&lexer);
    return true;
}

struct ptx_module *ptx_module_read(const char *text, const struct ptx_memory *memory, char message[PTX_MESSAGE])
{
    struct ptx_module *module = must_allocate(sizeof *module);
    *module = (struct ptx_module){.text = text, .memory = *memory, .message = message};
    module->shared_size = SHARED_FIRST;
    if (read_text(module))
        return module;
    ptx_module_free(module);
    return NULL;
}

void ptx_module_free(struct ptx_module *module)
{
    for (int i = 0; i < module->function_count; i++) {
        struct function *f = module->functions[i];
        for (int k = 0; k < f->scratch_count; k++)
            free(f->scratch[k]);
        free(f->scratch);
        free(f->code);
        free(f->constants);
        free(f->variables);
        free(f->parameters);
        free(f);
    }
    for (int i = 0; i < module->variable_count; i++)
        free(module->variables[i]);
    free(module->functions);
    free(module->variables);
    free(module);
}
