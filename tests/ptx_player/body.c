/* Reads the body of a function: scopes, declarations, labels and instructions. */
#include "body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *function_allocate(struct function *f, size_t size)
{
    f->scratch = realloc(f->scratch, (size_t)(f->scratch_count + 1) * sizeof(char *));
    return f->scratch[f->scratch_count++] = must_allocate(size);
}

struct instruction *append_instruction(struct body *body, execute *run)
{
    struct function *f = body->function;
    if (f->code_count == body->code_room) {
        body->code_room = body->code_room ? 2 * body->code_room : 128;
        f->code = realloc(f->code, (size_t)body->code_room * sizeof *f->code);
    }
    struct instruction *i = &f->code[f->code_count++];
    *i = (struct instruction){.run = run, .guard = -1, .text = body->statement};
    for (int k = 0; k < MOST_OPERANDS; k++)
        i->operand[k] = -1;
    return i;
}

/* ---- variables ---- */

static bool same(const char *name, int length, const char *other, int other_length)
{
    return length == other_length && !memcmp(name, other, (size_t)length);
}

static bool is_open(const struct body *body, int scope, int from)
{
    while (from > scope)
        from = body->parents[from];
    return from == scope;
}

const struct local_variable *find_local(const struct body *body, const char *name, int length)
{
    const struct function *f = body->function;
    for (int k = f->variable_count; k-- > 0;)
        if (same(f->variables[k]->name, f->variables[k]->length, name, length) &&
            is_open(body, f->variables[k]->scope, body->scope))
            return f->variables[k];
    return NULL;
}

static struct local_variable *add_local(struct body *body, enum space space)
{
    struct function *f = body->function;
    struct declaration d;
    read_declaration(&body->lexer, &d);
    struct local_variable *v = function_allocate(f, sizeof *v);
    size_t *used = space == LOCAL ? &f->local_size : &f->param_size;
    const size_t offset = (*used + d.align - 1) / d.align * d.align;
    *v = (struct local_variable){d.name, d.length, body->scope, space, d.size, d.align, offset};
    *used = offset + d.size;
    f->variables = realloc(f->variables, (size_t)(f->variable_count + 1) * sizeof(struct local_variable *));
    f->variables[f->variable_count++] = v;
    return v;
}

static void add_register(struct body *body, uint8_t bits)
{
    struct lexer *lexer = &body->lexer;
    struct register_name r = {lexer->token, lexer->length, body->scope, body->function->register_count, 0, bits, -1};
    next_token(lexer);
    if (accept_token(lexer, "<")) {
        r.count = (int32_t)read_number(lexer);
        expect_token(lexer, ">");
    }
    body->function->register_count += r.count ? r.count : 1;
    body->registers = realloc(body->registers, (size_t)(body->register_name_count + 1) * sizeof r);
    body->registers[body->register_name_count++] = r;
}

static void read_registers(struct body *body)
{
    struct type type;
    if (!find_type(body->lexer.token, body->lexer.length, &type))
        syntax_error(&body->lexer, "expected a type");
    next_token(&body->lexer);
    do
        add_register(body, type.bits);
    while (accept_token(&body->lexer, ","));
    expect_token(&body->lexer, ";");
}

static void read_shared(struct body *body)
{
    struct declaration d;
    read_declaration(&body->lexer, &d);
    add_shared(body->function, &d);
    expect_token(&body->lexer, ";");
}

/* ---- labels ---- */

static void add_label(struct body *body, const char *name, int length)
{
    for (int k = 0; k < body->label_count; k++)
        if (body->labels[k].scope == body->scope && same(body->labels[k].name, body->labels[k].length, name, length))
            syntax_error(&body->lexer, "a label stands twice");
    body->labels = realloc(body->labels, (size_t)(body->label_count + 1) * sizeof *body->labels);
    body->labels[body->label_count++] = (struct label){name, length, body->scope, body->function->code_count};
}

void use_label(struct body *body, const char *name, int length, int32_t *target)
{
    body->uses = realloc(body->uses, (size_t)(body->use_count + 1) * sizeof *body->uses);
    body->uses[body->use_count++] =
        (struct use){name, length, body->scope, target, body->function->code_count - 1};
}

static int32_t resolve(const struct body *body, const struct use *use)
{
    for (int scope = use->scope; scope >= 0; scope = scope ? body->parents[scope] : -1)
        for (int k = 0; k < body->label_count; k++)
            if (body->labels[k].scope == scope &&
                same(body->labels[k].name, body->labels[k].length, use->name, use->length))
                return body->labels[k].at;
    struct lexer at = body->lexer;
    at.token = use->name;
    at.length = use->length;
    syntax_error(&at, "unknown label");
}

static void resolve_labels(struct body *body)
{
    for (int k = 0; k < body->use_count; k++) {
        const int32_t at = resolve(body, &body->uses[k]);
        if (body->uses[k].target)
            *body->uses[k].target = at;
        else
            body->function->code[body->uses[k].instruction].target = at;
    }
}

/* NAME: .branchtargets LABEL, … ; */
static void read_table(struct body *body, const char *name, int length)
{
    struct lexer *lexer = &body->lexer;
    struct lexer counter = *lexer;
    int count = 1;
    for (; !token_is(&counter, ";") && counter.length; next_token(&counter))
        count += token_is(&counter, ",");
    struct targets *targets = function_allocate(body->function, sizeof *targets);
    targets->at = function_allocate(body->function, (size_t)count * sizeof *targets->at);
    while (!token_is(lexer, ";")) {
        use_label(body, lexer->token, lexer->length, &targets->at[targets->count++]);
        next_token(lexer);
        accept_token(lexer, ",");
    }
    next_token(lexer);
    body->tables = realloc(body->tables, (size_t)(body->table_count + 1) * sizeof *body->tables);
    body->tables[body->table_count].targets = targets;
    body->tables[body->table_count].name = name;
    body->tables[body->table_count++].length = length;
}

static const struct targets *find_table(struct body *body)
{
    for (int k = body->table_count; k-- > 0;)
        if (same(body->tables[k].name, body->tables[k].length, body->lexer.token, body->lexer.length))
            return body->tables[k].targets;
    syntax_error(&body->lexer, "unknown table of labels");
}

static void read_label(struct body *body, const char *name, int length)
{
    if (accept_token(&body->lexer, ".branchtargets")) {
        read_table(body, name, length);
    } else if (token_is(&body->lexer, ".callprototype")) {
        while (!token_is(&body->lexer, ";"))
            next_token(&body->lexer);
        next_token(&body->lexer);
    } else {
        add_label(body, name, length);
    }
}

/* ---- scopes ---- */

static void open_scope(struct body *body)
{
    if (body->depth == MOST_DEPTH)
        syntax_error(&body->lexer, "scopes are nested too deeply");
    body->open[body->depth].opening = body->function->code_count;
    body->open[body->depth++].first = body->function->register_count;
    append_instruction(body, run_scope)->operand[2] = (int32_t)body->function->param_size;
    body->parents = realloc(body->parents, (size_t)(body->scope_count + 1) * sizeof *body->parents);
    body->parents[body->scope_count] = body->scope;
    body->scope = body->scope_count++;
}

/* A scope's declarations are undefined where it begins: its registers, and its parameters for calls. */
static void close_scope(struct body *body)
{
    const int32_t opening = body->open[--body->depth].opening;
    struct instruction *i = &body->function->code[opening];
    i->operand[0] = body->open[body->depth].first;
    i->operand[1] = body->function->register_count;
    i->operand[3] = (int32_t)body->function->param_size;
    body->scope = body->parents[body->scope];
}

/* ---- instructions ---- */

static int32_t read_guard(struct body *body, bool *negated)
{
    struct lexer *lexer = &body->lexer;
    uint8_t bits = 0;
    if (!accept_token(lexer, "@"))
        return -1;
    *negated = accept_token(lexer, "!");
    const int32_t number = find_register(body, lexer->token, lexer->length, &bits);
    if (number < 0 || bits != 1)
        syntax_error(lexer, "unknown predicate");
    next_token(lexer);
    return number;
}

static void read_branch_table(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    uint8_t bits;
    i->operand[0] = find_register(body, lexer->token, lexer->length, &bits);
    if (i->operand[0] < 0)
        syntax_error(lexer, "unknown register");
    next_token(lexer);
    expect_token(lexer, ",");
    i->targets = find_table(body);
    next_token(lexer);
}

static uint8_t width_of(const struct body *body, int32_t number)
{
    for (int k = body->register_name_count; k-- > 0;) {
        const struct register_name *r = &body->registers[k];
        if (number >= r->number && number < r->number + (r->count ? r->count : 1))
            return r->bits;
    }
    return 64;
}

/* Moves of vectors, and of registers that change by themselves. */
static void choose_move(const struct body *body, struct instruction *i)
{
    const struct function *f = body->function;
    if (i->run != run_move)
        return;
    if (i->count > 2)
        i->run = i->flags & UNPACK ? run_unpack : run_pack;
    const int constant = -2 - i->operand[1];
    if (constant >= 0 && f->constants[constant].kind == SPECIAL && special_changes((int)f->constants[constant].value)) {
        i->run = run_special;
        i->offset = (int64_t)f->constants[constant].value;
    }
}

static void report_unknown(struct body *body)
{
    struct lexer *lexer = &body->lexer;
    if (!lexer->module->report)
        syntax_error(lexer, "unknown opcode");
    lexer->module->report(lexer->token, lexer->length);
    while (!token_is(lexer, ";") && lexer->length)
        next_token(lexer);
}

static void read_instruction(struct body *body)
{
    struct lexer *lexer = &body->lexer;
    bool negated = false;
    const int32_t guard = read_guard(body, &negated);
    struct instruction *i = append_instruction(body, NULL);
    i->guard = guard;
    i->guard_negated = negated;
    const bool is_known = decode_opcode(lexer->token, lexer->length, i);
    if (is_known)
        next_token(lexer);
    if (!is_known) {
        report_unknown(body);
    } else if (i->run == run_branch) {
        use_label(body, lexer->token, lexer->length, NULL);
        next_token(lexer);
    } else if (i->run == run_branch_table) {
        read_branch_table(body, i);
    } else if (i->run == run_call) {
        read_call(body, i);
    } else {
        read_operands(body, i);
        choose_move(body, i);
        i->width = width_of(body, i->operand[0]);
    }
    expect_token(lexer, ";");
}

static void read_declared(struct body *body)
{
    struct lexer *lexer = &body->lexer;
    if (accept_token(lexer, ".reg")) {
        read_registers(body);
    } else if (accept_token(lexer, ".local") || token_is(lexer, ".param")) {
        const enum space space = accept_token(lexer, ".param") ? PARAM : LOCAL;
        add_local(body, space);
        expect_token(lexer, ";");
    } else if (accept_token(lexer, ".shared")) {
        read_shared(body);
    } else if (token_is(lexer, ".loc") || token_is(lexer, ".file")) {
        skip_line(lexer);
    } else if (token_is(lexer, ".pragma")) {
        while (!accept_token(lexer, ";"))
            next_token(lexer);
    } else {
        syntax_error(lexer, "unknown statement");
    }
}

static void read_statement(struct body *body)
{
    struct lexer *lexer = &body->lexer;
    body->statement = lexer->token;
    if (lexer->length == 0)
        syntax_error(lexer, "unexpected end of the text");
    if (accept_token(lexer, "{")) {
        open_scope(body);
    } else if (accept_token(lexer, "}")) {
        close_scope(body);
    } else if (*lexer->token == '.') {
        read_declared(body);
    } else if (!accept_token(lexer, ";")) {
        struct lexer ahead = *lexer;
        next_token(&ahead);
        if (*lexer->token != '@' && token_is(&ahead, ":")) {
            const char *name = lexer->token;
            const int length = lexer->length;
            next_token(&ahead);
            *lexer = ahead;
            read_label(body, name, length);
        } else {
            read_instruction(body);
        }
    }
}

/* ---- functions ---- */

static void read_parameters(struct body *body, bool is_result)
{
    struct function *f = body->function;
    struct lexer *lexer = &body->lexer;
    if (!accept_token(lexer, "("))
        return;
    while (!accept_token(lexer, ")")) {
        expect_token(lexer, ".param");
        const struct local_variable *v = add_local(body, PARAM);
        if (is_result) {
            f->result = v;
        } else {
            f->parameters = realloc(f->parameters, (size_t)(f->parameter_count + 1) * sizeof v);
            f->parameters[f->parameter_count++] = v;
        }
        accept_token(lexer, ",");
    }
}

static void read_head(struct body *body)
{
    body->lexer.at = body->function->head;
    next_token(&body->lexer);
    if (!body->function->is_entry)
        read_parameters(body, true);
    next_token(&body->lexer); /* its name */
    read_parameters(body, false);
}

/* Registers begin undefined, to their width. */
static void initialize_registers(const struct body *body)
{
    struct function *f = body->function;
    f->initial = function_allocate(f, (size_t)f->register_count * sizeof *f->initial);
    for (int k = 0; k < body->register_name_count; k++) {
        const struct register_name *r = &body->registers[k];
        for (int32_t n = 0; n < (r->count ? r->count : 1); n++)
            f->initial[r->number + n].undefined = type_mask((struct type){BITS, r->bits});
    }
    for (int k = 0; k < f->constant_count; k++)
        f->initial[f->constants[k].number].value = f->constants[k].value;
}

/* Constants come behind the registers that the text declares. */
static void place_constants(struct function *f)
{
    const int32_t first = f->register_count;
    for (int k = 0; k < f->code_count; k++)
        for (int o = 0; o < MOST_OPERANDS; o++)
            if (f->code[k].operand[o] < -1)
                f->code[k].operand[o] = first - 2 - f->code[k].operand[o];
    for (int k = 0; k < f->constant_count; k++)
        f->constants[k].number = first + k;
    f->register_count += f->constant_count;
}

static void run_off_the_end(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r, (void)i;
    fault(t, "control reaches the end of the function");
}

static void parse_body(struct function *f)
{
    struct body body = {.lexer = {f->module, f->body, f->body, 0}, .function = f, .scope_count = 1};
    body.parents = must_allocate(sizeof *body.parents);
    body.parents[0] = -1;
    f->is_parsed = true;
    f->register_count = 1; /* takes results that the text drops */
    read_head(&body);
    body.lexer.at = f->body;
    next_token(&body.lexer);
    while (body.depth > 0 || !token_is(&body.lexer, "}"))
        read_statement(&body);
    body.statement = body.lexer.token;
    append_instruction(&body, run_off_the_end);
    resolve_labels(&body);
    place_constants(f);
    initialize_registers(&body);
    free(body.registers);
    free(body.labels);
    free(body.uses);
    free(body.tables);
    free(body.parents);
}

struct function *definition_of(struct function *f)
{
    struct function *found = f->is_declared_only ? find_function(f->module, f->name, f->length) : f;
    return found && !found->is_declared_only ? found : NULL;
}

void parse_reachable(struct ptx_module *module, struct function *entry)
{
    entry->is_wanted = true;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int k = 0; k < module->function_count; k++) {
            struct function *f = module->functions[k];
            struct function *definition = f->is_wanted ? definition_of(f) : NULL;
            if (definition && !definition->is_parsed) {
                definition->is_wanted = true;
                parse_body(definition);
                is_changed = true;
            }
        }
    }
}

bool ptx_module_check(struct ptx_module *module, ptx_report *report, char message[PTX_MESSAGE])
{
    module->message = message;
    module->report = report;
    const bool is_good = !setjmp(module->failure);
    for (int k = 0; is_good && k < module->function_count; k++)
        if (!module->functions[k]->is_declared_only && !module->functions[k]->is_parsed)
            parse_body(module->functions[k]);
    module->report = NULL;
    return is_good;
}
