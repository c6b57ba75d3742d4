/* Finds the parts that a compiler of C or CUDA skips: those between directives whose conditions are known. */
#include "spelling/spelling_internal.h"

enum truth { NEVER, ALWAYS, UNKNOWN };

static enum truth is_defined_here(const struct token *name, bool is_cuda)
{
    if (is(name, "__cplusplus"))
        return NEVER;
    return is(name, "__GPUCC__") || (is_cuda && is(name, "__CUDACC__")) ? ALWAYS : UNKNOWN;
}

/* The rest of a condition after && or || something unknown. */
static enum truth with_others(enum truth truth, const struct token *sign)
{
    bool has_and = false, has_or = false;
    if (sign->kind != TOKEN_BREAK && !is(sign, "&") && !is(sign, "|"))
        return UNKNOWN;
    for (const struct token *t = sign; t->kind != TOKEN_BREAK; t++)
        has_and |= is(t, "&"), has_or |= is(t, "|");
    return (has_and && truth != NEVER) || (has_or && truth != ALWAYS) ? UNKNOWN : truth;
}

/* `defined(NAME)`, `!defined NAME`, `__cplusplus` and `0`, with others behind it. */
static enum truth expression(const struct token *t, bool is_cuda)
{
    const bool is_not = is(t, "!");
    t += is_not;
    const bool asks = is(t, "defined"), in_parentheses = asks && is(t + 1, "(");
    t += asks + in_parentheses;
    enum truth truth = is(t, "0") ? NEVER : asks || is(t, "__cplusplus") ? is_defined_here(t, is_cuda) : UNKNOWN;
    if (is_not && truth != UNKNOWN)
        truth = truth == NEVER ? ALWAYS : NEVER;
    return with_others(truth, t + 1 + in_parentheses);
}

static enum truth condition(const struct token *word, bool is_cuda)
{
    const enum truth defined = is_defined_here(word + 1, is_cuda);
    if (is(word, "ifdef"))
        return defined;
    if (is(word, "ifndef"))
        return defined == UNKNOWN ? UNKNOWN : defined == NEVER ? ALWAYS : NEVER;
    return is(word, "else") ? ALWAYS : expression(word + 1, is_cuda);
}

enum { DEEPEST = 64 };

/* The conditionals around a token: of each whether its part is read, and whether one before it surely was. */
struct conditionals {
    bool is_unread[DEEPEST], is_over[DEEPEST];
    size_t depth;
};

static void see_conditional(struct conditionals *all, const struct token *word, bool is_cuda)
{
    if (is(word, "endif")) {
        all->depth -= all->depth > 0;
        return;
    }
    const bool is_first = begins(word->at, "if");
    if (is_first && all->depth < DEEPEST)
        all->is_over[all->depth] = false;
    all->depth += is_first;
    if (!all->depth || all->depth > DEEPEST)
        return;
    const enum truth truth = condition(word, is_cuda);
    bool *over = &all->is_over[all->depth - 1];
    all->is_unread[all->depth - 1] = *over || truth == NEVER;
    *over |= truth == ALWAYS;
}

static bool is_unread(const struct conditionals *all)
{
    for (size_t i = 0; i < all->depth && i < DEEPEST; i++)
        if (all->is_unread[i])
            return true;
    return false;
}

void drop_unread(struct tokens *tokens, bool is_cuda)
{
    static const char *const words[] = {"if", "ifdef", "ifndef", "elif", "else", "endif"};
    struct conditionals all = {.depth = 0};
    size_t kept = 0;
    for (size_t i = 0; i < tokens->count;) {
        struct token *t = &tokens->items[i];
        const bool is_conditional = t->kind == TOKEN_BREAK && i + 2 < tokens->count && is(t + 1, "#") &&
                                    is_one_of(t + 2, words, sizeof words / sizeof *words);
        size_t end = i + 1;
        if (is_conditional) {
            see_conditional(&all, t + 2, is_cuda);
            while (tokens->items[end].kind != TOKEN_BREAK)
                end++;
            end += end + 1 < tokens->count - 1; /* the break behind it */
        }
        const bool stays = is_conditional || i + 2 >= tokens->count || i == 0 || !is_unread(&all);
        for (; i < end; i++)
            if (stays)
                tokens->items[kept++] = tokens->items[i];
    }
    tokens->count = kept;
}
