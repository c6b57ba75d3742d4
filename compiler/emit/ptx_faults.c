/* Works around bugs of ptxas, and of LLVM, in the text that LLVM emits. */
#include "emit/emit_internal.h"

#include <string.h>

/* The operation, where the line is one of 16 bits that wraps at the least number. */
static const char *wrapping_operation(const char *line, const char **operands)
{
    static const char *const operations[] = {"neg", "abs"};
    static const char type[] = ".s16 \t";
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (line[0] == '\t' && !strncmp(line + 1, operations[i], 3) && !strncmp(line + 4, type, sizeof type - 1)) {
            *operands = line + 4 + sizeof type - 1;
            return operations[i];
        }
    return NULL;
}

/* In CUDA 13's ptxas the negation and the magnitude of the least 16-bit number are 32768 where they are compared or
 * converted, as if it could not be.  What is done in 32 bits wraps when it is cut to 16. */
static struct bytes negate_in_32_bits(struct arena *arena, struct bytes code)
{
    struct text text = {.arena = arena};
    const char *from = code.data, *line = code.data, *operands;
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *operation = wrapping_operation(line, &operands);
        if (!operation)
            continue;
        const int target = (int)strcspn(operands, ",");
        const char *source = operands + target + strspn(operands + target, ", ");
        text_append(&text, from, (size_t)(line - from));
        text_printf(&text, "\t{ .reg .b32 wide; cvt.s32.s16 wide, %.*s; %s.s32 wide, wide; cvt.u16.u32 %.*s, wide; }",
                    (int)strcspn(source, ";"), source, operation, target, operands);
        from = line + strcspn(line, "\n");
    }
    if (from == code.data)
        return code;
    text_append(&text, from, strlen(from));
    return (struct bytes){text.data, text.size};
}

/* The arguments that are declared between `call` and `end`, as parameters of a prototype. */
static void append_parameters(struct text *text, const char *call, const char *end)
{
    const char *separator = "";
    for (const char *at = call; (at = strstr(at, "\t.param ")) && at < end; at++) {
        const char *name = strstr(at, " param"), *semicolon = strchr(at, ';');
        if (!name || name > semicolon)
            continue; /* of the result */
        const char *extent = name + strcspn(name, "[;");
        text_printf(text, "%s%.*s _%.*s", separator, (int)(name - at - 1), at + 1, (int)(semicolon - extent), extent);
        separator = ", ";
    }
}

/* LLVM 19 counts the parts of a vector as parameters: behind one, the prototype of an indirect call has a pointer for
 * a struct by value, or parameters in another order.  Each prototype gets the parameters that its call declares. */
static struct bytes match_prototypes(struct arena *arena, struct bytes code)
{
    static const char begin[] = "{ // callseq ", end[] = "} // callseq ", prototype[] = ": .callprototype ";
    struct text text = {.arena = arena};
    const char *from = code.data;
    for (const char *at = code.data; (at = strstr(at, prototype)); at += sizeof prototype - 1) {
        const char *call = at, *formal = strstr(at, "_ ("), *call_end = strstr(at, end);
        while (call > from && strncmp(call, begin, sizeof begin - 1) != 0)
            call--;
        if (call == from || !formal || !call_end || formal > call_end)
            continue; /* of inline assembly */
        formal += strlen("_ (");
        text_append(&text, from, (size_t)(formal - from));
        append_parameters(&text, call, at);
        from = formal + strcspn(formal, ")");
    }
    if (from == code.data)
        return code;
    text_append(&text, from, strlen(from));
    return (struct bytes){text.data, text.size};
}

struct bytes avoid_ptx_faults(struct arena *arena, struct bytes code)
{
    return match_prototypes(arena, negate_in_32_bits(arena, code));
}
