/* Formats of printf().  CUDA's has no length modifiers z, t, j, q and L: a size_t is a long long there.  A long double
 * is a double on every target, which a host's printf() cannot know. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

/* Copies one directive, which begins with '%', and returns what follows it. */
static const char *put_directive(struct text *out, const char *at)
{
    static const char flags[] = "-+ #0123456789.*", modifiers[] = "ztjqL", floating[] = "aAeEfFgG";
    const char *modifier = at + 1 + strspn(at + 1, flags), *end = modifier + strspn(modifier, modifiers);
    text_append(out, at, (size_t)(modifier - at));
    if (end > modifier && !strchr(floating, *end))
        text_printf(out, "ll");
    return end;
}

/* Null if it stays as it is. */
static const char *plain_format(struct arena *arena, const char *format)
{
    struct text out = {.arena = arena};
    const char *from = format, *at;
    for (at = strchr(from, '%'); at; at = strchr(from, '%')) {
        text_append(&out, from, (size_t)(at - from));
        if (at[1] == '%')
            text_append(&out, at, 2), from = at + 2;
        else
            from = put_directive(&out, at);
    }
    text_append(&out, from, strlen(from) + 1);
    return strcmp(out.data, format) ? out.data : NULL;
}

/* The text that a pointer points to the beginning of, or null. */
static const char *text_at(LLVMValueRef pointer)
{
    size_t size;
    LLVMValueRef text = LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer) ? LLVMGetInitializer(pointer)
                                                                                         : NULL;
    const char *data = text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &size) : NULL;
    return data && memchr(data, '\0', size) ? data : NULL;
}

void lower_printing(struct arena *arena, enum target target, LLVMModuleRef module)
{
    LLVMValueRef print = LLVMGetNamedFunction(module, target == TARGET_PTX ? "vprintf" : "printf");
    for (LLVMUseRef use = print ? LLVMGetFirstUse(print) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        const char *text = LLVMIsACallInst(call) ? text_at(LLVMGetOperand(call, 0)) : NULL;
        const char *plain = text ? plain_format(arena, text) : NULL;
        if (plain)
            LLVMSetOperand(call, 0, private_text(module, plain));
    }
}
