/* How CUDA code spells textures and surfaces with templates and overloads, as macros of <gpucc/cuda_texture.h>. */
#include "spelling/spelling_internal.h"

static bool is_read(const struct token *t)
{
    static const char *const reads[] = {
        "tex1D", "tex2D", "tex3D", "tex1Dfetch", "tex1DLayered", "tex2DLayered", "surf1Dread", "surf2Dread",
        "surf3Dread", "surf1DLayeredread", "surf2DLayeredread"};
    return is_one_of(t, reads, sizeof reads / sizeof *reads);
}

static bool is_write(const struct token *t)
{
    static const char *const writes[] = {"surf1Dwrite", "surf2Dwrite", "surf3Dwrite", "surf1DLayeredwrite",
                                         "surf2DLayeredwrite"};
    return is_one_of(t, writes, sizeof writes / sizeof *writes);
}

/* The name gets a '$' at this place, and is then a use of `macro` with what it was. */
static void rename_to(const struct token *t, size_t place, const char *macro, struct text *own)
{
    const char *name = arena_strndup(own->arena, t->at, t->length);
    t->at[place] = '$';
    add_own(own, arena_printf(own->arena, "#define %.*s(...) %s(%s, __VA_ARGS__)\n", (int)t->length, t->at, macro,
                              name));
}

/* `surf2Dwrite<float>(v, s, x, y)` is s$rf2Dwrite(float, v, s, x, y) then, whose value is converted. */
static void rewrite_typed(struct token *t, struct token *end, struct text *own)
{
    *t[1].at = '(';
    *end->at = ',';
    *end[1].at = ' ';
    if (is_write(t))
        rename_to(t, 1, "GPUCC_TYPED", own);
}

/* `texture<float, 2> t;` is t$xture(float, 2) t; */
static void rewrite_declaration(const struct token *t, struct token *end, struct text *own)
{
    const char *macro = is(t, "texture") ? "GPUCC_TEXTURE_REFERENCE" : "GPUCC_SURFACE_REFERENCE";
    *t[1].at = '(';
    *end->at = ')';
    t->at[1] = '$';
    add_own(own, arena_printf(own->arena, "#define %.*s %s\n", (int)t->length, t->at, macro));
}

/* Whether a declared name stands there, or the end of a macro's body: `#define PICTURE texture<float, 2>`. */
static bool may_be_declared(const struct token *t)
{
    return t->kind == TOKEN_WORD || (t[-1].in_directive && t->kind == TOKEN_BREAK);
}

/* `surf2Dread(&v, s, x, y)`, whose parenthesis this is, stores in v; v's type says what stands in `<float>`. */
static void rewrite_store(const struct token *t, const struct token *open, struct text *own)
{
    if (open > t + 1)
        blank(t + 1, open - 1);
    *open->at = ' ';
    *open[1].at = ' ';
    t[1].at[0] = '(';
    rename_to(t, 2, "GPUCC_INTO", own);
}

void rewrite_texture(struct token *t, struct text *own)
{
    struct token *end = template_end(t), *open = end ? end + 1 : t + 1;
    if (is_read(t) && is(open, "(") && is(open + 1, "&"))
        rewrite_store(t, open, own);
    else if (end && is(open, "(") && (is_read(t) || is_write(t)))
        rewrite_typed(t, end, own);
    else if (end && may_be_declared(open) && (is(t, "texture") || is(t, "surface")))
        rewrite_declaration(t, end, own);
}
