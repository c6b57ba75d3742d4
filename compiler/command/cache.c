/* Compilations that are kept, to be found without LLVM.
 *
 * A compilation is known by what the command line says, by its sources' contents and by the compiler.  Under that name
 * is a list of what it has looked for besides: headers, places where there was none, libraries; and the lists of
 * others, which found other headers.  A list, with the contents that all this has now, is the name of what was made. */
#define _GNU_SOURCE /* CLOCK_REALTIME_COARSE */
#include "command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FORMAT "gpucc compilations 1"
enum { NAME_SIZE = 2 * SHA256_SIZE + 1, MOST_LISTS = 8 };

struct cached {
    const struct options *options;
    struct timespec begun;
    struct sha256 known;            /* the command line, the sources and the compiler */
    char name[NAME_SIZE + 8];       /* of the list */
};

/* ---- names ---- */

/* With its length, so that no two lists of texts give the same bytes. */
static void add_text(struct sha256 *sum, const char *text)
{
    const uint64_t length = text ? strlen(text) + 1 : 0;
    sha256_add(sum, &length, sizeof length);
    sha256_add(sum, text, length);
}

/* False if it cannot be read. */
static bool add_file(struct arena *arena, struct sha256 *sum, const char *path)
{
    size_t size;
    const char *text = file_read(arena, path, &size);
    const uint64_t length = text ? size : 0;
    add_text(sum, path);
    sha256_add(sum, &length, sizeof length);
    if (text)
        sha256_add(sum, text, size);
    return text != NULL;
}

static void name_of(const struct sha256 *sum, const char *suffix, char *name, size_t size)
{
    unsigned char digest[SHA256_SIZE];
    char digits[NAME_SIZE];
    struct sha256 copy = *sum;
    sha256_end(&copy, digest);
    sha256_name(digest, digits);
    snprintf(name, size, "%s.%s", digits, suffix);
}

/* False if there is none, and then there is nothing to keep. */
static bool add_program(struct sha256 *sum, const char *path)
{
    add_text(sum, path);
    return path && program_id(path, sum);
}

/* Names that are searched for: the compiler's libraries, by these variables, NVIDIA's programs and library, the
 * linker. */
static bool add_found(const struct options *options, struct sha256 *sum)
{
    struct arena *arena = options->arena;
    struct text tried = {.arena = arena};
    add_text(sum, getenv("LD_LIBRARY_PATH"));
    add_text(sum, getenv("LD_PRELOAD"));
    if (options->libdevice)
        add_text(sum, libdevice_find(options, &tried));
    return (!options->resources || add_program(sum, ptxas_find(arena))) &&
           (!(options_artefacts(options) >> ARTEFACT_SHARED & 1) || !child_find(arena, linker_name(options)) ||
            add_program(sum, child_find(arena, linker_name(options))));
}

static bool is_working_directory(const char *path)
{
    char *directory = getcwd(NULL, 0);
    const bool is_same = directory && !strcmp(directory, path);
    free(directory);
    return is_same;
}

/* Debug information names the working directory; diagnostics are laid out for the terminal. */
static void add_surroundings(const struct options *options, struct sha256 *sum)
{
    char *directory = options->debug != DEBUG_NONE ? getcwd(NULL, 0) : NULL;
    const struct terminal terminal = standard_error();
    add_text(sum, directory);
    free(directory);
    add_text(sum, arena_printf(options->arena, "%d %u", terminal.has_colours, terminal.width));
}

static bool add_sources(const struct options *options, struct sha256 *sum)
{
    bool read = true;
    for (size_t i = 0; i < options->input_count && read; i++)
        read = add_file(options->arena, sum, options->inputs[i]);
    for (size_t i = 0; i < options->linked_count && read; i++)
        read = add_file(options->arena, sum, options->linked[i]);
    return read;
}

/* A pipe can be read once. */
static bool are_files(const char **paths, size_t count)
{
    struct stat status;
    for (size_t i = 0; i < count; i++)
        if (stat(paths[i], &status) || !S_ISREG(status.st_mode))
            return false;
    return true;
}

struct cached *cache_place(const struct options *options, const char *compiler)
{
    const unsigned artefacts = options_artefacts(options);
    if (!options->cache.folder || !artefacts || options->dump != DUMP_NONE ||
        !are_files(options->inputs, options->input_count) || !are_files(options->linked, options->linked_count))
        return NULL;
    struct cached *place = arena_alloc(options->arena, sizeof *place);
    struct sha256 *sum = &place->known;
    place->options = options;
    clock_gettime(CLOCK_REALTIME_COARSE, &place->begun); /* the one that files are dated by */
    sha256_begin(sum);
    add_text(sum, FORMAT);
    add_text(sum, options->program);
    sha256_add(sum, &options->shaping_count, sizeof options->shaping_count);
    for (size_t i = 0; i < options->shaping_count; i++)
        add_text(sum, options->shaping[i]);
    sha256_add(sum, &artefacts, sizeof artefacts);
    add_surroundings(options, sum);
    if (!add_found(options, sum) || !program_id(compiler, sum) || !add_sources(options, sum))
        return NULL;
    name_of(sum, "files", place->name, sizeof place->name);
    return place;
}

/* Whether there is such a thing, with what it is. */
static bool is_at(struct arena *arena, struct sha256 *sum, const struct lookup *lookup)
{
    switch (lookup->kind) {
    case LOOKUP_FILE: return add_file(arena, sum, lookup->path);
    case LOOKUP_NOTHING: return !access(lookup->path, F_OK);
    case LOOKUP_PROGRAM: return program_id(lookup->path, sum);
    case LOOKUP_FOLDER: return is_working_directory(lookup->path);
    }
    return false;
}

/* The name of what is made where all that was looked up is as it is now. */
static void name_products(const struct cached *place, const struct products *products, char *name, size_t size)
{
    struct sha256 sum = place->known;
    for (size_t i = 0; i < products->lookups.count; i++) {
        const struct lookup *lookup = &products->lookups.items[i];
        const unsigned char kind = (unsigned char)lookup->kind;
        sha256_add(&sum, &kind, sizeof kind);
        add_text(&sum, lookup->path);
        const bool is_there = is_at(place->options->arena, &sum, lookup);
        sha256_add(&sum, &is_there, sizeof is_there);
    }
    name_of(&sum, "made", name, size);
}

/* ---- as bytes ---- */

static void put_number(struct text *to, uint64_t number)
{
    text_append(to, (const char *)&number, sizeof number);
}

static void put_bytes(struct text *to, struct bytes bytes)
{
    put_number(to, bytes.size);
    text_append(to, bytes.data, bytes.size);
}

static void put_text(struct text *to, const char *text)
{
    put_bytes(to, (struct bytes){text, strlen(text)});
}

static void put_lookups(struct text *to, const struct lookups *lookups)
{
    put_number(to, lookups->count);
    for (size_t i = 0; i < lookups->count; i++) {
        put_number(to, lookups->items[i].kind);
        put_text(to, lookups->items[i].path);
    }
}

static void put_products(struct text *to, const struct products *products)
{
    put_number(to, products->image_count);
    for (size_t i = 0; i < products->image_count; i++) {
        put_number(to, (uint64_t)products->images[i].arch);
        put_bytes(to, products->images[i].text);
    }
    for (enum artefact kind = 0; kind < ARTEFACT_COUNT; kind++)
        put_bytes(to, products->made[kind]);
    put_number(to, products->include_count);
    for (size_t i = 0; i < products->include_count; i++) {
        put_number(to, products->includes[i].is_system);
        put_text(to, products->includes[i].path);
    }
    put_bytes(to, products->said);
}

/* Bytes that were kept; what is behind their end is 0, as the cache sees to it that they are whole. */
struct reader {
    struct arena *arena;
    const char *at, *end;
};

static uint64_t read_number(struct reader *from)
{
    uint64_t number = 0;
    if ((size_t)(from->end - from->at) >= sizeof number) {
        memcpy(&number, from->at, sizeof number);
        from->at += sizeof number;
    }
    return number;
}

static struct bytes read_bytes(struct reader *from)
{
    uint64_t size = read_number(from);
    if (size > (size_t)(from->end - from->at))
        size = (uint64_t)(from->end - from->at);
    struct bytes bytes = {arena_strndup(from->arena, from->at, size), size};
    from->at += size;
    return bytes;
}

/* How many there are, of things of which each takes two numbers at least. */
static size_t read_count(struct reader *from)
{
    const uint64_t count = read_number(from), most = (uint64_t)(from->end - from->at) / (2 * sizeof count);
    return count < most ? count : most;
}

static void read_lookups(struct reader *from, struct lookups *lookups)
{
    lookups->count = read_count(from);
    lookups->items = arena_alloc(from->arena, lookups->count * sizeof *lookups->items);
    for (size_t i = 0; i < lookups->count; i++) {
        lookups->items[i].kind = (enum lookup_kind)read_number(from);
        lookups->items[i].path = read_bytes(from).data;
    }
}

static void read_products(struct reader *from, struct products *products)
{
    products->image_count = read_count(from);
    products->images = arena_alloc(from->arena, products->image_count * sizeof *products->images);
    for (size_t i = 0; i < products->image_count; i++) {
        products->images[i].arch = (int)read_number(from);
        products->images[i].text = read_bytes(from);
    }
    for (enum artefact kind = 0; kind < ARTEFACT_COUNT; kind++)
        products->made[kind] = read_bytes(from);
    products->include_count = read_count(from);
    products->includes = arena_alloc(from->arena, products->include_count * sizeof *products->includes);
    for (size_t i = 0; i < products->include_count; i++) {
        products->includes[i].is_system = read_number(from) != 0;
        products->includes[i].path = read_bytes(from).data;
    }
    products->said = read_bytes(from);
}

/* ---- finding and keeping ---- */

/* The cached entry of that name; empty if there is none. */
static struct reader read_entry(const struct cached *place, const char *name)
{
    size_t size;
    struct arena *arena = place->options->arena;
    char *data = disk_cache_find(&place->options->cache, name, &size);
    if (!data)
        return (struct reader){.arena = arena};
    const char *copy = arena_strndup(arena, data, size);
    free(data);
    return (struct reader){arena, copy, copy + size};
}

const struct products *cache_find(const struct cached *place)
{
    struct reader lists = read_entry(place, place->name);
    while (lists.at < lists.end) {
        char name[sizeof place->name];
        struct products *products = arena_alloc(place->options->arena, sizeof *products);
        const struct bytes list = read_bytes(&lists);
        read_lookups(&(struct reader){lists.arena, list.data, list.data + list.size}, &products->lookups);
        name_products(place, products, name, sizeof name);
        struct reader made = read_entry(place, name);
        if (made.at == made.end)
            continue;
        read_products(&made, products);
        return products;
    }
    return NULL;
}

/* This list, and those that were there. */
static struct bytes lists_with(const struct cached *place, struct bytes list)
{
    struct text all = {.arena = place->options->arena};
    struct reader before = read_entry(place, place->name);
    put_bytes(&all, list);
    for (size_t count = 1; count < MOST_LISTS && before.at < before.end;) {
        const struct bytes other = read_bytes(&before);
        if (other.size == list.size && !memcmp(other.data, list.data, list.size))
            continue;
        put_bytes(&all, other);
        count++;
    }
    return (struct bytes){all.data, all.size};
}

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* Whether none of the path's folders is a link that leads elsewhere since. */
static bool are_links_older(const struct cached *place, const char *path)
{
    struct stat status;
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        const char *folder = arena_strndup(place->options->arena, path, (size_t)(end - path));
        if (!lstat(folder, &status) && S_ISLNK(status.st_mode) && !is_before(status.st_ctim, place->begun))
            return false;
    }
    return !lstat(path, &status) && is_before(status.st_ctim, place->begun);
}

/* Whether the file is the one that the compiler has read. */
static bool is_older(const struct cached *place, const char *path)
{
    struct stat status;
    return !stat(path, &status) && is_before(status.st_mtim, place->begun) &&
           is_before(status.st_ctim, place->begun) && are_links_older(place, path);
}

/* Whether the compiler would see the same there. */
static bool is_unchanged(const struct cached *place, const struct lookup *lookup)
{
    switch (lookup->kind) {
    case LOOKUP_FILE: return is_older(place, lookup->path);
    case LOOKUP_NOTHING: return access(lookup->path, F_OK) != 0;
    case LOOKUP_PROGRAM:
    case LOOKUP_FOLDER: return true;
    }
    return false;
}

static bool is_all_unchanged(const struct cached *place, const struct products *products)
{
    const struct options *options = place->options;
    bool same = true;
    for (size_t i = 0; i < options->input_count && same; i++)
        same = is_older(place, options->inputs[i]);
    for (size_t i = 0; i < options->linked_count && same; i++)
        same = is_older(place, options->linked[i]);
    for (size_t i = 0; i < products->lookups.count && same; i++)
        same = is_unchanged(place, &products->lookups.items[i]);
    return same;
}

static void warn(const struct options *options, int error)
{
    struct diagnostics *diagnostics =
        diagnostics_new(&(struct diagnostic_settings){.arena = options->arena, .sources = options->sources,
                                                      .no_warnings = options->no_warnings,
                                                      .json = options->json_diagnostics});
    diagnose(diagnostics, SEVERITY_WARNING, (struct place){0}, NULL, "cannot write this compilation to the cache '%s': "
                                                                     "%s",
             options->cache.folder, strerror(error));
    diagnostics_flush(diagnostics);
}

/* Products are stored first: who finds the list shall find them.  Named by what is there now, and only then is that
 * compared with what was there before: what changes in between is not taken for what was read. */
void cache_store(const struct cached *place, const struct products *products)
{
    const struct options *options = place->options;
    struct text list = {.arena = options->arena}, made = {.arena = options->arena};
    char name[sizeof place->name];
    name_products(place, products, name, sizeof name);
    if (products->lookups.reads_clock || !is_all_unchanged(place, products))
        return;
    put_lookups(&list, &products->lookups);
    put_products(&made, products);
    int error = disk_cache_store(&options->cache, name, made.data, made.size);
    const struct bytes lists = lists_with(place, (struct bytes){list.data, list.size});
    if (!error)
        error = disk_cache_store(&options->cache, place->name, lists.data, lists.size);
    if (error)
        warn(options, error);
}
