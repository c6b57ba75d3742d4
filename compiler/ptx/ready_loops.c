/* Loops around ufuncs that stand inside the executable as PTX (stdlib/ptx/loops_ptx.c): compiled once for each number
 * and size of operands, when gpucc is built.  A program compiles its function alone, without parameters, and its text
 * is put where the loops have words in its place:
 *
 *     gpucc$E %r3, %r4, %r1;        {
 *                                       .reg .b32 %gpucc_i0, %gpucc_o0, %gpucc_o1;
 *                                       mov.b32 %gpucc_i0, %r1;
 *                                       { the function's text, in which `gpucc$I %f1;` is mov.b32 %f1, %gpucc_i0; }
 *                                       mov.b32 %r3, %gpucc_o0;
 *                                   }
 *
 * Registers and labels of a block are its own, so that nothing else needs other names; ptxas sees through the moves. */
#include "ptx/ptx.h"

#include <ctype.h>
#include <string.h>

#define FOLDER EMBEDDED_ROOT "lib/nvptx64/loops/"
#define SUFFIX ".ptx"
#define SLOW_SUFFIX "-slow.ptx"

static const struct embedded_file *find_loops(const char *operands, size_t length, const char *suffix)
{
    for (size_t i = 0; i < embedded_ptx_count; i++) {
        const char *path = embedded_ptx[i].path, *name = path + strlen(FOLDER);
        if (begins(path, FOLDER) && !strncmp(name, operands, length) && !strcmp(name + length, suffix))
            return &embedded_ptx[i];
    }
    return NULL;
}

const struct embedded_file *ready_loops(const char *operands)
{
    return find_loops(operands, strlen(operands), SUFFIX);
}

const struct embedded_file *ready_loops_with_slow_paths(const struct embedded_file *loops)
{
    const char *operands = loops->path + strlen(FOLDER);
    return find_loops(operands, strlen(operands) - strlen(SUFFIX), SLOW_SUFFIX);
}

/* ---- the function ---- */

enum { MOST_REGISTERS = 16 };

/* Registers as they stand in one of the words: "%r1, %rd2;" */
struct registers {
    struct bytes items[MOST_REGISTERS];
    size_t count;
};

/* Returns what follows the line. */
static const char *read_registers(struct registers *registers, const char *at)
{
    registers->count = 0;
    while (*at != '\n' && registers->count < MOST_REGISTERS) {
        const size_t length = strcspn(at, ",;\n");
        registers->items[registers->count++] = (struct bytes){at, length};
        at += length + strspn(at + length, ",; ");
    }
    return at + (*at == '\n');
}

/* "b32" of %r1 and %f1 */
static const char *bits_of(struct bytes reg)
{
    const char *kind = reg.data + 1;
    const size_t length = strcspn(kind, "0123456789");
    return length > 1 && kind[1] == 'd' ? "b64" : length > 1 && kind[1] == 's' ? "b16" : "b32";
}

/* Moves between the registers and those that are named `kind` and a number, one way or the other. */
static void move(struct text *out, const struct registers *registers, size_t first, size_t count, char kind, bool into)
{
    for (size_t i = 0; i < count; i++) {
        const struct bytes reg = registers->items[first + i];
        const char *bits = bits_of(reg);
        if (into)
            text_printf(out, "\tmov.%s \t%.*s, %%gpucc_%c%zu;\n", bits, (int)reg.size, reg.data, kind, i);
        else
            text_printf(out, "\tmov.%s \t%%gpucc_%c%zu, %.*s;\n", bits, kind, i, (int)reg.size, reg.data);
    }
}

static bool begins_with(struct bytes line, const char *text)
{
    return line.size >= strlen(text) && !memcmp(line.data, text, strlen(text));
}

/* The last line before `end`, without blanks around it. */
static struct bytes last_line(const char *begin, const char *end)
{
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    const char *line = end;
    while (line > begin && line[-1] != '\n')
        line--;
    line += strspn(line, " \t");
    return (struct bytes){line, line < end ? (size_t)(end - line) : 0};
}

/* Whether control never reaches the line behind this one. */
static bool is_jump(struct bytes line)
{
    static const char *const jumps[] = {"ret;", "ret.uni;", "bra ", "bra\t", "bra.uni", "brx.idx", "exit;", "trap;"};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (begins_with(line, jumps[i]))
            return true;
    return false;
}

/* The lines between the outermost brackets of a function, without a return at their end.  LLVM orders the blocks, so
 * the last one may as well branch to one that returns before it. */
static struct bytes body_of(const struct ptx_statement *function)
{
    const char *begin = strchr(function->begin, '{'), *end = function->end - 1;
    begin += strcspn(begin, "\n") + 1;
    struct bytes last = last_line(begin, end);
    while (last.size && begins_with(last, "//"))
        last = last_line(begin, last.data);
    if (!is_jump(last)) /* control would fall out of the text into the loop */
        input_error("the PTX of '%s' ends in neither a return nor a branch; this is a bug in gpucc, not in your "
                    "program: please report it with the source", function->name);
    const struct bytes kept = begins_with(last, "ret") ? last_line(begin, last.data) : last;
    end = kept.data + kept.size + (kept.data[kept.size] == '\n');
    return (struct bytes){begin, (size_t)(end - begin)};
}

/* The length of a name, a number, or an opcode with its suffixes; 0 for other characters. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_$%.", at[length])))
        length++;
    return length;
}

/* A line of the body but its last return: a return goes to the end, and labels are not those around. */
static void put_line(struct text *out, const char *at, const char *end, bool *leaves)
{
    static const char label[] = "$L__";
    const char *first = at + strspn(at, " \t");
    for (const char *word = first; word < end; word += word_length(word) ? word_length(word) : 1) {
        const struct bytes rest = {word, (size_t)(end - word)};
        if (begins_with(rest, "//"))
            break;
        if (begins_with(rest, label)) {
            text_append(out, at, (size_t)(word - at));
            text_printf(out, "$E__");
            at = word + strlen(label);
        } else if (begins_with(rest, "ret;") || begins_with(rest, "ret.uni;")) {
            text_append(out, at, (size_t)(word - at));
            text_printf(out, word == first ? "bra.uni \t$E__end" : "bra \t$E__end"); /* a guard's is not uniform */
            at = word + strcspn(word, ";");
            *leaves = true;
        }
    }
    text_append(out, at, (size_t)(end - at));
}

/* So begins the declaration of a function's memory.  Its calls come one after the other, so they share it. */
static const char local[] = ".local";

/* The body with what it is given in %gpucc_i0 …, and its first `outputs` results in %gpucc_o0 … */
static void put_body(struct text *out, struct bytes body, size_t outputs, bool *leaves)
{
    struct registers registers;
    const char *end = body.data + body.size;
    for (const char *at = body.data, *next; at < end; at = next) {
        const char *word = at + strspn(at, " \t");
        next = at + strcspn(at, "\n") + 1;
        if (!strncmp(word, READY_TAKE, strlen(READY_TAKE))) {
            read_registers(&registers, word + strlen(READY_TAKE));
            move(out, &registers, 0, registers.count, 'i', true);
        } else if (!strncmp(word, READY_GIVE, strlen(READY_GIVE))) {
            read_registers(&registers, word + strlen(READY_GIVE));
            move(out, &registers, 0, outputs, 'o', false);
        } else if (strncmp(word, local, strlen(local)) != 0) {
            put_line(out, at, next, leaves);
        }
    }
}

static void declare(struct text *out, const struct registers *registers, size_t first, size_t count, char kind)
{
    for (size_t i = 0; i < count; i++)
        text_printf(out, "\t.reg .%s \t%%gpucc_%c%zu;\n", bits_of(registers->items[first + i]), kind, i);
}

/* In the place of `gpucc$E …`, of whose registers so many are inputs: the body. */
static void put_copy(struct text *out, const struct registers *registers, struct bytes body, size_t inputs)
{
    bool leaves = false;
    const size_t outputs = registers->count - inputs;
    text_printf(out, "{\n");
    declare(out, registers, outputs, inputs, 'i');
    declare(out, registers, 0, outputs, 'o');
    move(out, registers, outputs, inputs, 'i', false);
    text_printf(out, "\t{\n");
    put_body(out, body, outputs, &leaves);
    text_printf(out, leaves ? "\t}\n$E__end:\n" : "\t}\n");
    move(out, registers, 0, outputs, 'o', true);
    text_printf(out, "\t}\n");
}

/* ---- bodies out of line ---- */

/* A result of a function is one parameter, with eight bytes for each. */
#define CALLED_RESULT "gpucc_results"

/* The same: a call of the function that has the body. */
static void put_called(struct text *out, const struct registers *registers, const char *called, size_t inputs)
{
    const size_t outputs = registers->count - inputs;
    text_printf(out, "{\n\t.param .align 8 .b8 " CALLED_RESULT "[%zu];\n", 8 * outputs);
    for (size_t i = 0; i < inputs; i++) {
        const struct bytes reg = registers->items[outputs + i];
        text_printf(out, "\t.param .b64 gpucc_p%zu;\n\tst.param.%s \t[gpucc_p%zu], %.*s;\n", i, bits_of(reg), i,
                    (int)reg.size, reg.data);
    }
    text_printf(out, "\tcall.uni (" CALLED_RESULT "), %s, (", called);
    for (size_t i = 0; i < inputs; i++)
        text_printf(out, "%sgpucc_p%zu", i ? ", " : "", i);
    text_printf(out, ");\n");
    for (size_t i = 0; i < outputs; i++) {
        const struct bytes reg = registers->items[i];
        text_printf(out, "\tld.param.%s \t%.*s, [" CALLED_RESULT "+%zu];\n", bits_of(reg), (int)reg.size, reg.data,
                    8 * i);
    }
    text_printf(out, "\t}\n");
}

/* Defines the function; `registers` are those of a call. */
static void define_called(struct text *out, const struct registers *registers, const char *called, struct bytes body,
                          size_t inputs)
{
    bool leaves = false;
    const size_t outputs = registers->count - inputs;
    const char *memory = body.data + strspn(body.data, " \t");
    text_printf(out, ".func (.param .align 8 .b8 " CALLED_RESULT "[%zu]) %s(", 8 * outputs, called);
    for (size_t i = 0; i < inputs; i++)
        text_printf(out, "%s\n\t.param .b64 gpucc_p%zu", i ? "," : "", i);
    text_printf(out, "\n)\n{\n");
    if (!strncmp(memory, local, strlen(local)))
        text_printf(out, "\t%.*s\n", (int)strcspn(memory, "\n"), memory);
    declare(out, registers, outputs, inputs, 'i');
    declare(out, registers, 0, outputs, 'o');
    for (size_t i = 0; i < inputs; i++)
        text_printf(out, "\tld.param.%s \t%%gpucc_i%zu, [gpucc_p%zu];\n", bits_of(registers->items[outputs + i]), i, i);
    text_printf(out, "\t{\n");
    put_body(out, body, outputs, &leaves);
    text_printf(out, leaves ? "\t}\n$E__end:\n" : "\t}\n");
    for (size_t i = 0; i < outputs; i++)
        text_printf(out, "\tst.param.%s \t[" CALLED_RESULT "+%zu], %%gpucc_o%zu;\n", bits_of(registers->items[i]),
                    8 * i, i);
    text_printf(out, "\tret;\n}\n\n");
}

/* ---- the loops ---- */

/* A ufunc, and what its loops are made of. */
struct around {
    const struct ready_ufunc *ufunc;
    const char *name; /* that the loops have for it, gpucc_ready_u32_u32 */
    size_t name_length;
    struct bytes body;
    size_t inputs;
    const char *called;      /* in loops that call it the function that has the body; else null */
    const char *called_name; /* that function, once it is defined; else null */
};

/* Writes the replacement of a word that programs replace, if the text has one here; returns what follows, or null. */
static const char *replace(struct text *out, const char *at, const struct around *around)
{
    static const char careful[] = "_careful";
    const struct ready_ufunc *ufunc = around->ufunc;
    if (!strncmp(at, around->name, around->name_length)) {
        at += around->name_length;
        const bool is_careful = !strncmp(at, careful, strlen(careful));
        text_printf(out, "%s", is_careful ? ufunc->apart : ufunc->symbol);
        return at + (is_careful ? strlen(careful) : 0);
    }
    if (!strncmp(at, READY_CALL, strlen(READY_CALL))) {
        struct registers registers;
        const char *next = read_registers(&registers, at + strlen(READY_CALL));
        if (around->called)
            put_called(out, &registers, around->called, around->inputs);
        else
            put_copy(out, &registers, around->body, around->inputs);
        return next;
    }
    if (!strncmp(at, READY_CODE, strlen(READY_CODE)) && isdigit((unsigned char)at[strlen(READY_CODE)])) {
        at += strlen(READY_CODE);
        text_printf(out, "%s", ufunc->codes[*at - '0']);
        return at + 1;
    }
    return NULL;
}

/* The text with its words replaced. */
static void put_words(struct text *out, const char *from, const char *end, const struct around *around)
{
    static const char word[] = "gpucc";
    for (const char *at; (at = strstr(from, word)) && at < end;) {
        text_append(out, from, (size_t)(at - from));
        from = replace(out, at, around);
        if (!from) {
            text_append(out, word, strlen(word));
            from = at + strlen(word);
        }
    }
    text_append(out, from, (size_t)(end - from));
}

/* With the function's memory, which its declaration begins with. */
static void put_loop(struct text *out, const struct ptx_statement *loop, const struct around *around)
{
    const char *memory = around->body.data + strspn(around->body.data, " \t");
    const char *inside = strchr(loop->begin, '{') + 1;
    put_words(out, loop->begin, inside, around);
    if (!around->called && !strncmp(memory, local, strlen(local)))
        text_printf(out, "\n\t%.*s", (int)strcspn(memory, "\n"), memory);
    put_words(out, inside, loop->end, around);
    text_printf(out, "\n");
}

/* So many does the function take. */
static size_t count_inputs(struct bytes body)
{
    struct registers registers;
    read_registers(&registers, strstr(body.data, READY_TAKE) + strlen(READY_TAKE));
    return registers.count;
}

static bool is_wanted(const struct ready_ufunc *ufunc, const char *suffix)
{
    const size_t length = strlen(ufunc->symbol);
    for (size_t i = 0; i < ufunc->entry_count; i++)
        if (!strcmp(ufunc->entries[i] + length, suffix))
            return true;
    return false;
}

/* A program on its way. */
struct filling {
    struct ptx_text program;
    size_t next;          /* statement of it that is not in `out` yet */
    struct text out;
    struct text declared; /* what loops have declared so far, a line for each */
};

static bool is_declared(const struct filling *filling, const char *name)
{
    const size_t length = strlen(name);
    const char *at = filling->declared.data ? filling->declared.data : "";
    for (; *at; at += strcspn(at, "\n") + 1)
        if (!strncmp(at, name, length) && at[length] == '\n')
            return true;
    for (size_t i = 0; i < filling->next; i++)
        if (filling->program.statements[i].name && !strcmp(filling->program.statements[i].name, name))
            return true;
    return false;
}

/* The declaration of a conversion, unless one stands there already. */
static void put_declaration(struct filling *filling, const struct ptx_statement *statement,
                            const struct around *around)
{
    struct text name = {.arena = filling->out.arena};
    put_words(&name, statement->name, statement->name + strlen(statement->name), around);
    if (is_declared(filling, name.data))
        return;
    text_printf(&filling->declared, "%s\n", name.data);
    put_words(&filling->out, statement->begin, statement->end, around);
    text_printf(&filling->out, "\n");
}

/* A loop that converts operands has 4 or 8 copies of the body, and takes long for conversions: above so many bytes of
 * text it calls the body instead. */
enum { MOST_COPIED_TEXT = 4000 };
static const char converted[] = "_converted";

/* The loop, and before the first one that calls the body the function that has it. */
static void put_entry(struct filling *filling, const struct ptx_statement *loop, struct around *around)
{
    const bool calls = around->body.size > MOST_COPIED_TEXT && begins(loop->name + around->name_length, converted);
    const char *call = strstr(loop->begin, READY_CALL);
    if (calls && !around->called_name && call && call < loop->end) {
        struct registers registers;
        read_registers(&registers, call + strlen(READY_CALL));
        around->called_name = arena_printf(filling->out.arena, "%s_element", around->ufunc->symbol);
        define_called(&filling->out, &registers, around->called_name, around->body, around->inputs);
    }
    around->called = calls ? around->called_name : NULL;
    put_loop(&filling->out, loop, around);
}

/* Loops in the place of the function. */
static void put_loops(struct filling *filling, const struct ready_ufunc *ufunc, const struct ptx_statement *function)
{
    const struct ptx_text text = ptx_read(filling->out.arena, ufunc->loops->data);
    struct around around = {.ufunc = ufunc, .body = body_of(function)};
    around.inputs = count_inputs(around.body);
    for (size_t i = 0; i < text.count && !around.name; i++)
        if (text.statements[i].kind == PTX_ENTRY) { /* its name is the others' without what they end in */
            around.name = text.statements[i].name;
            around.name_length = strlen(around.name);
        }
    for (size_t i = 0; i < text.count; i++) {
        const struct ptx_statement *statement = &text.statements[i];
        if (statement->kind == PTX_FUNCTION && statement->is_extern)
            put_declaration(filling, statement, &around);
        else if (statement->kind == PTX_ENTRY && is_wanted(ufunc, statement->name + around.name_length))
            put_entry(filling, statement, &around);
    }
}

/* The ufunc whose function this is, or null. */
static const struct ready_ufunc *ufunc_of(const struct ptx_statement *statement, const struct ready_ufunc *ufuncs,
                                          size_t count)
{
    for (size_t i = 0; i < count && statement->name; i++)
        if (!strcmp(statement->name, ufuncs[i].element))
            return &ufuncs[i];
    return NULL;
}

/* A declaration of what loops have declared before it would be one too many. */
static bool is_second(const struct filling *filling, const struct ptx_statement *statement)
{
    return statement->kind == PTX_FUNCTION && statement->is_extern && is_declared(filling, statement->name);
}

struct bytes ptx_with_loops(struct arena *arena, struct bytes code, const struct ready_ufunc *ufuncs, size_t count)
{
    struct filling filling = {ptx_read(arena, code.data), 0, {.arena = arena}, {.arena = arena}};
    const char *from = code.data;
    for (size_t i = 0; i < filling.program.count; i++) {
        const struct ptx_statement *statement = &filling.program.statements[i];
        const struct ready_ufunc *ufunc = ufunc_of(statement, ufuncs, count);
        filling.next = i;
        if (!ufunc && !is_second(&filling, statement))
            continue;
        text_append(&filling.out, from, (size_t)(statement->begin - from));
        if (ufunc)
            put_loops(&filling, ufunc, statement);
        from = statement->end;
    }
    text_append(&filling.out, from, (size_t)(code.data + code.size - from));
    return (struct bytes){filling.out.data, filling.out.size};
}
