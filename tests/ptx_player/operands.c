/* The operands of instructions: registers, constants, addresses, vectors and calls. */
#include "body.h"

#include <stdlib.h>
#include <string.h>

int32_t constant_register(struct body *body, enum constant_kind kind, uint64_t value)
{
    struct function *f = body->function;
    for (int i = 0; i < f->constant_count; i++)
        if (f->constants[i].kind == kind && f->constants[i].value == value)
            return f->constants[i].number;
    if (f->constant_count == body->constant_room) {
        body->constant_room = body->constant_room ? 2 * body->constant_room : 32;
        f->constants = realloc(f->constants, (size_t)body->constant_room * sizeof *f->constants);
    }
    f->constants[f->constant_count] = (struct constant){kind, -2 - f->constant_count, value};
    return f->constants[f->constant_count++].number; /* negative until the registers are counted */
}

/* ---- registers ---- */

static bool is_digits(const char *text, int length)
{
    for (int i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return length > 0;
}

static int32_t number_in(const struct register_name *r, const char *name, int length)
{
    if (r->count == 0)
        return r->length == length && !memcmp(r->name, name, (size_t)length) ? r->number : -1;
    if (length <= r->length || memcmp(r->name, name, (size_t)r->length) != 0 ||
        !is_digits(name + r->length, length - r->length))
        return -1;
    const long index = strtol(name + r->length, NULL, 10);
    return index < r->count ? r->number + (int32_t)index : -1;
}

static bool is_visible(const struct body *body, int scope)
{
    int at = body->scope;
    while (at > scope)
        at = body->parents[at];
    return at == scope;
}

int32_t find_register(const struct body *body, const char *name, int length, uint8_t *bits)
{
    for (int k = body->register_name_count; k-- > 0;) {
        const struct register_name *r = &body->registers[k];
        const int32_t number = number_in(r, name, length);
        if (number >= 0 && is_visible(body, r->scope)) {
            *bits = r->bits;
            return number;
        }
    }
    return -1;
}

/* ---- values ---- */

static uint64_t to_type(uint64_t value, const struct instruction *i, bool is_decimal)
{
    double number;
    const struct type type = i->from.bits ? i->from : i->type;
    if (!is_decimal)
        return value & type_mask(type);
    memcpy(&number, &value, sizeof number);
    if (type.kind == FLOAT && type.bits == 32) {
        const float single = (float)number;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    return value;
}

static int32_t name_operand(struct body *body, struct lexer *lexer)
{
    struct ptx_module *module = lexer->module;
    const char *name = lexer->token;
    const int length = lexer->length;
    uint8_t bits;
    int32_t number = find_register(body, name, length, &bits);
    if (number >= 0)
        return number;
    if ((number = find_special(name, length)) >= 0)
        return constant_register(body, SPECIAL, (uint64_t)number);
    uint64_t offset = 0;
    const struct local_variable *local = find_local(body, name, length);
    const struct variable *v = local ? NULL : find_variable(module, name, length);
    struct function *f = local || v ? NULL : find_function(module, name, length);
    if (!local && !v && !f)
        syntax_error(lexer, "unknown name");
    if (lexer->at[0] == '+') {
        next_token(lexer);
        next_token(lexer);
        offset = strtoull(lexer->token, NULL, 0);
    }
    if (f) {
        f->is_wanted = true;
        return constant_register(body, VALUE, (uint64_t)(uintptr_t)f);
    }
    if (local)
        return constant_register(body, local->space == LOCAL ? LOCAL_ADDRESS : PARAM_ADDRESS, local->offset + offset);
    if (v->space != SHARED)
        return constant_register(body, VALUE, v->address + offset);
    const enum constant_kind kind = v->is_dynamic ? DYNAMIC_SHARED : v->is_of_entry ? ENTRY_SHARED : SHARED_ADDRESS;
    return constant_register(body, kind, v->address + offset);
}

static int32_t value_operand(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    int32_t number;
    if (accept_token(lexer, "_"))
        return 0; /* no register of the text has this number */
    if (is_number(lexer)) {
        const bool is_decimal = lexer->token[1] != 'x' && memchr(lexer->token, '.', (size_t)lexer->length);
        return constant_register(body, VALUE, to_type(read_number(lexer), i, is_decimal));
    }
    number = name_operand(body, lexer);
    next_token(lexer);
    return number;
}

static void add_operand(struct body *body, struct instruction *i, int32_t number)
{
    if (i->count == MOST_OPERANDS)
        syntax_error(&body->lexer, "too many operands");
    i->operand[i->count++] = number;
}

static void read_operand(struct body *body, struct instruction *i);

/* [ADDRESS], [ADDRESS+NUMBER], [OBJECT, {COORDINATES}] */
static void read_address(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    const struct local_variable *local = find_local(body, lexer->token, lexer->length);
    if (local && i->space == PARAM) {
        i->variable = local;
        next_token(lexer);
        add_operand(body, i, -1);
    } else {
        add_operand(body, i, value_operand(body, i));
    }
    if (accept_token(lexer, "+")) {
        if (i->offset != 0)
            syntax_error(lexer, "two addresses with offsets");
        i->offset = (int64_t)read_number(lexer);
    }
    if (accept_token(lexer, ",")) { /* of a texture or a surface: the coordinates */
        read_operand(body, i);
    }
    expect_token(lexer, "]");
}

/* {REGISTERS}, more than an instruction has operands. */
static void read_list(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    enum { MOST = 128 };
    i->list = function_allocate(body->function, MOST * sizeof *i->list);
    do {
        if (i->vector == MOST)
            syntax_error(lexer, "too many registers");
        i->list[i->vector++] = value_operand(body, i);
    } while (accept_token(lexer, ","));
    expect_token(lexer, "}");
}

static void read_operand(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    if (i->flags & LISTED && !i->list && accept_token(lexer, "{")) {
        read_list(body, i);
        return;
    }
    if (accept_token(lexer, "[")) {
        read_address(body, i);
    } else if (accept_token(lexer, "{")) {
        i->flags |= i->count == 0 ? UNPACK : 0;
        do
            add_operand(body, i, value_operand(body, i));
        while (accept_token(lexer, ","));
        expect_token(lexer, "}");
    } else {
        if (accept_token(lexer, "!"))
            i->flags |= NEGATED;
        add_operand(body, i, value_operand(body, i));
    }
}

void read_operands(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    while (!token_is(lexer, ";")) {
        read_operand(body, i);
        if (accept_token(lexer, "|"))
            i->flags |= PAIR;
        else if (!accept_token(lexer, ",") && !token_is(lexer, ";"))
            syntax_error(lexer, "expected ',' or ';'");
    }
}

/* ---- calls: [(RESULT),] CALLEE [, (ARGUMENT, …)] [, PROTOTYPE] ---- */

static const struct local_variable *variable_operand(struct body *body)
{
    struct lexer *lexer = &body->lexer;
    const struct local_variable *v = find_local(body, lexer->token, lexer->length);
    if (!v)
        syntax_error(lexer, "unknown parameter of a call");
    next_token(lexer);
    return v;
}

static void read_callee(struct body *body, struct instruction *i, struct call *call)
{
    struct lexer *lexer = &body->lexer;
    call->callee = find_function(lexer->module, lexer->token, lexer->length);
    if (call->callee) {
        call->callee->is_wanted = true;
        next_token(lexer);
    } else {
        add_operand(body, i, value_operand(body, i));
    }
}

void read_call(struct body *body, struct instruction *i)
{
    struct lexer *lexer = &body->lexer;
    struct call *call = function_allocate(body->function, sizeof *call);
    if (accept_token(lexer, "(")) {
        call->has_result = true;
        call->result = variable_operand(body);
        expect_token(lexer, ")");
        expect_token(lexer, ",");
    }
    read_callee(body, i, call);
    if (accept_token(lexer, ",") && accept_token(lexer, "(")) {
        while (!accept_token(lexer, ")")) {
            if (call->argument_count == 64)
                syntax_error(lexer, "too many arguments");
            call->arguments[call->argument_count++] = variable_operand(body);
            accept_token(lexer, ",");
        }
        accept_token(lexer, ",");
    }
    if (!token_is(lexer, ";"))
        next_token(lexer); /* a prototype */
    i->call = call;
}
