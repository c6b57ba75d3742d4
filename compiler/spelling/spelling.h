/* A CUDA source in C's spelling: a rewrite of its tokens, before Clang parses it as C.
 *
 * The scope of this room ends where a rewrite needs a type, an overload or a template's argument.  It rewrites what its
 * tokens determine: linkage, casts by name, namespaces, aliases, references, default arguments, values in braces, calls
 * of cooperative groups, textures.  Each line stays in its place, so that diagnostics and debuggers name lines and
 * columns of the source.  Everything else of C++ stays as it is; Clang reports it, and cplusplus.c adds the note.
 * docs/reference/cuda.md lists the supported spellings. */
#ifndef GPUCC_SPELLING_H
#define GPUCC_SPELLING_H

#include "bridge/bridge.h"
#include "command/command.h"

/* ---- spelling.c ---- */

/* A source in C's spelling, in the arena of spell_as_c(). */
struct c_source {
    const char *text;             /* NUL-terminated */
    size_t text_size;
    const struct lookups *lookups; /* which headers of its own were looked up */
    bool is_bare_cuda;            /* a .cu file that includes no header of CUDA's: <gpucc/cuda.h> is included for it */
    /* Null if the source is not read as CUDA's: */
    const struct spelling *spelling;
    struct namespaces *namespaces;
    const char *own_names;        /* what <gpucc/cuda.h> ends with for this program; null: nothing */
};

/* Rewrites the source as C; the result lives in the arena. A source that is not CUDA's is returned unchanged. */
struct c_source spell_as_c(const struct options *options, const struct source *source, struct arena *arena);

/* ---- own_headers.c: paths are as Clang has them; what no file of the spelling is stays ---- */

struct insertions;

/* The source with the headers of its own, as one text in which each stands where it is first included. */
struct spelling *spelling_new(const struct options *options, const struct source *source, struct arena *arena);
struct source spelling_whole(const struct spelling *all);
/* Makes the files' texts of what has become of the whole, as long, with insertions (null: none) into it. */
void spelling_cut(struct spelling *all, const char *text, const struct insertions *insertions);
/* The source's text; NUL-terminated. */
const char *spelling_text(const struct spelling *all, size_t *size);
const struct lookups *spelling_lookups(const struct spelling *all);
/* The headers' texts, by each path that leads there; of null none. */
struct embedded_file *spelled_headers(const struct spelling *all, struct arena *arena, size_t *count);
/* Maps a place in the file to its place in the spelled text. */
unsigned spelling_column(const void *spelling, const char *path, unsigned line, unsigned column);
size_t spelling_offset(const struct spelling *all, const char *path, size_t offset);
/* Maps a file's offset to the whole text; SIZE_MAX if the file is not part of the spelling. */
size_t spelling_place(const void *spelling, const char *path, size_t offset);
/* Whether something was inserted there in the file. */
bool spelling_inserts(const struct spelling *all, const char *path, size_t offset);

/* ---- namespaces.c: offsets are bytes into the whole of a spelling; texts live as long as the arena ---- */

/* The namespaces without which the compiler's own headers declare what C++ has in them. */
#define KNOWN_NAMESPACES {"std", "cooperative_groups", "cuda", "nvcuda", "wmma", "precision", "thread_scope"}

/* An empty record of scopes and scoped names, in the arena. */
struct namespaces *namespaces_new(struct arena *arena);
/* The same to be asked with another arena, by another thread; null of null. */
struct namespaces *namespaces_for(const struct namespaces *all, struct arena *arena);
/* `namespace name { … }`: the braces' places; an outer one first. */
void namespaces_add_block(struct namespaces *all, const char *name, size_t begin, size_t end, bool is_inline);
/* `namespace name = scope;` */
void namespaces_add_alias(struct namespaces *all, const char *name, const char *scope, size_t at);
/* `using scope::name;`, or `using namespace scope;` (null), in a function's block that ends there, or SIZE_MAX. */
void namespaces_add_using(struct namespaces *all, const char *scope, const char *name, size_t at, size_t end);
/* A name behind a scope: "a::b", or "::". */
void namespaces_add_name(struct namespaces *all, const char *scope, size_t at);
/* Records that the names from `from` to `end` moved to `to`. */
void namespaces_move_names(struct namespaces *all, size_t from, size_t end, size_t to);
/* For codegen(), whose data are the namespaces: what is wrong with a name, as C has none; null: nothing. */
const char *misnamed(void *data, const struct codegen_name *name);

/* ---- insertions.c: a text made of a source by what is inserted within its lines ---- */

/* An empty list of insertions, in the arena. */
struct insertions *insertions_new(struct arena *arena);
/* Puts two pieces, either may be empty, around what stands there in the source: inside of what was put there before.
 * Offsets are bytes; the pieces have no newlines and live as long as the arena. */
void insert_around(struct insertions *all, size_t begin, size_t end, const char *before, const char *after);
/* The text, in the arena.  Nothing can be inserted afterwards. */
const char *insertions_apply(struct insertions *all, const char *source, size_t size, size_t *new_size);
/* Maps a place in the text to the source: a piece maps to the place of its insertion.  Columns are bytes from 1.  Null
 * stands for a text without insertions. */
unsigned source_column(const struct insertions *all, unsigned line, unsigned column);
size_t source_offset(const struct insertions *all, size_t offset);
/* Whether a piece was inserted there in the source. */
bool is_inserted_at(const struct insertions *all, size_t source_offset);
/* Puts each into those that `place` gives, at the offset that it makes of the one here: before they are applied. */
void insertions_spread(const struct insertions *all, struct insertions *(*place)(void *data, size_t *at, bool is_end),
                       void *data);

/* ---- tags.c: tags that are names of types ---- */

/* The line "typedef struct node node;" if Clang's error asks for one: "must use 'struct' tag to refer to type 'node'".
 * `text` is what Clang parsed; null if the error does not, or nothing there declares the tag. */
const char *tag_typedef(const struct spelling *spelling, const char *text, const char *error, struct arena *arena);

/* ---- cplusplus.c: notes about C++ ---- */

/* The note for Clang's error at `offset` of this file, or null if no C++ is there.  `is_cuda`: the source includes
 * <gpucc/cuda.h>. */
const char *cplusplus_note(const struct spelling *spelling, bool is_cuda, const struct source *source,
                           const char *error, size_t offset);

#endif
