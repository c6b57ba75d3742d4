/* A CUDA source as tokens, which the files of this room rewrite in place. */
#ifndef GPUCC_SPELLING_INTERNAL_H
#define GPUCC_SPELLING_INTERNAL_H

#include "spelling/spelling.h"

#include <string.h>

enum token_kind { TOKEN_WORD, TOKEN_SIGN, TOKEN_TEXT, TOKEN_BREAK /* where a directive begins or ends */ };

struct token {
    enum token_kind kind;
    char *at;
    size_t length;
    bool in_directive;
};

/* The source as tokens.  Two breaks stand behind the last one, and one before the first, so that neighbours can be
 * looked at without asking whether there are any. */
struct tokens {
    struct arena *arena;
    const char *text; /* the source as it was */
    char *changed;    /* into which the tokens point */
    struct token *items;
    size_t count;
    struct namespaces *scopes;
    const char **namespaces;
    size_t namespace_count;
};

static inline bool is(const struct token *token, const char *text)
{
    return token->kind != TOKEN_BREAK && strlen(text) == token->length && !strncmp(token->at, text, token->length);
}

static inline bool is_one_of(const struct token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(token, words[i]))
            return true;
    return false;
}

static inline bool is_blank(const struct token *token)
{
    return token->kind != TOKEN_BREAK && *token->at == ' ';
}

static inline size_t offset_of(const struct tokens *tokens, const struct token *token)
{
    return (size_t)(token->at - tokens->changed);
}

/* tokens.c */

void find_tokens(struct tokens *tokens, char *text);
/* unread.c: without those that no compiler of C reads (`#ifdef __cplusplus`), or of CUDA (`#ifndef __CUDACC__`); the
 * directives that say so stay. */
void drop_unread(struct tokens *tokens, bool is_cuda);
/* Blanks for a token and for what lies between it and `last`; lines stay. */
void blank(const struct token *first, const struct token *last);
/* The source text of the tokens from `first` up to `end`, without the text between them. */
const char *written(const struct tokens *tokens, const struct token *first, const struct token *end);
bool was(const struct tokens *tokens, const struct token *token, const char *text);
/* From `first` on, the next ';' of the declaration, before which stand words and the other `signs` alone; or null. */
struct token *find_end(struct token *first, const char *const *signs, size_t count);
/* The brace that closes this one, wherever directives stand, but in its own directive; null if none does. */
struct token *closing_brace(struct token *open, const struct tokens *tokens);
/* The brace that opens this one; null if none does behind a directive. */
struct token *opening_brace(struct token *close);
/* The bracket or parenthesis that opens this one; null if none does behind a directive. */
struct token *opening_bracket(struct token *close);
/* The same the other way round. */
struct token *closing_parenthesis(struct token *open);
/* The parenthesis behind the parameters of the function that is declared at file scope by this name; null if none
 * is. */
struct token *behind_parameters(struct token *name);
bool same_word(const struct token *a, const struct token *b);
/* A word that is no number. */
bool is_name(const struct token *t);
/* A type of numbers that C, or <stdint.h>, names in a word. */
bool is_number_type(const struct token *t);
/* Words before which an expression stands, no declared name. */
bool is_of_statement(const struct token *t);
/* The token beside this one, without those that are blank by now. */
struct token *before(struct token *t);
struct token *behind(struct token *t);
/* The beginning of the token's statement: after a ';', a brace or an open parenthesis, which it gives. */
struct token *statement_start(struct token *t);
/* The beginning of the token's list of declarators or of expressions: a ';', a brace or an open bracket; null where
 * brackets do not match, or that is far away. */
struct token *list_start(struct token *t);
/* Whether what begins behind `start` and comes to `end` declares: a type of words alone, and a declarator's name. */
bool declares_until(struct token *start, const struct token *end);
/* Whether this name, or one that a comma follows, is declared there by such a type. */
bool declares(struct token *name);
/* Whether a macro's body begins with this token. */
bool is_first_of_macro(struct token *t);
/* Whether an expression begins behind this token, where a declaration cannot. */
bool is_before_expression(const struct token *t);
/* The '>' of `name<…>`, where only words and commas stand between; or null. */
struct token *template_end(struct token *name);
/* Adds a line to what <gpucc/cuda.h> ends with. */
void add_own(struct text *own, const char *line);

/* namespace_macros.c */

/* A namespace that a macro opens: the macro's use, and where it ends. */
struct macro_namespace {
    struct token *begin, *end;
    const char *scope; /* "a::b" */
};

/* The tokens of the source, in the arena, whose macros have nothing in them then; not where they are used otherwise
 * too. */
struct macro_namespace *find_macro_namespaces(struct tokens *tokens, size_t *count);

/* textures.c: a read, write or declaration of a texture or surface that begins here, if one does */

void rewrite_texture(struct token *t, struct text *own);

/* defaults.c: default arguments of the function that is declared by this name; those that are no constants stay */

void rewrite_defaults(struct token *name, struct text *own);

/* values.c: values in braces and parentheses, `T x{1}` and `T{1}`, become those of C */

void rewrite_assignments(struct tokens *tokens, struct insertions *insertions);
/* The rest of them, within what references become. */
void rewrite_values(struct tokens *tokens, struct insertions *insertions);

/* extents.c: what C++ takes for constants, as an array's extents */

void rewrite_constant_extents(struct tokens *tokens, struct insertions *insertions);

/* assembly.c: registers' names in inline assembly */

void rewrite_assembly(const struct tokens *tokens, struct insertions *insertions);

/* references.c: references become pointers */

void rewrite_references(struct tokens *tokens, struct insertions *insertions);

#endif
