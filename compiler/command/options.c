/* The command line. */
#define _XOPEN_SOURCE 700
#include "command/option_values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum form { ALONE, JOINED, EQUAL, EITHER, MAYBE };

enum option_id {
#define GROUP(title)
#define OPTION(id, spelling, form, argument, takers, help) OPTION_##id,
#include "command/options.def"
};

static const struct option {
    const char *spelling;
    enum form form;
    const char *argument;
    unsigned takers;
} option_list[] = {
#define GROUP(title)
#define OPTION(id, spelling, form, argument, takers, help) {spelling, form, argument, takers},
#include "command/options.def"
};

enum { OPTION_COUNT = sizeof option_list / sizeof *option_list, RESPONSE_DEPTH = 16 };

static const struct artefact_name {
    const char *suffix, *what;
    bool text;
} artefacts[] = {
#define ARTEFACT(id, suffix, what, is_text) {suffix, what, is_text},
#include "command/artefacts.def"
};

struct words {
    char **items;
    size_t count;
};

struct parser {
    struct options *options;
    struct words words;
    size_t next;
    struct words outputs; /* what -o said, in order */
    const char *emit;
    struct words inputs;
    struct text targets;  /* of -MT and -MQ */
    bool caches;          /* --cache is given, by which `cache` is the folder, or null */
    const char *cache, *cache_size;
};

static void add_word(struct arena *arena, struct words *words, const char *word)
{
    words->items = arena_grow(arena, words->items, words->count, sizeof *words->items);
    words->items[words->count++] = (char *)word;
}

/* ---- response files ---- */

/* The next word at *cursor, as a shell would split it; null at the end. */
static const char *next_word(struct arena *arena, const char **cursor)
{
    const char *p = *cursor + strspn(*cursor, " \t\r\n\f\v");
    struct text word = {.arena = arena};
    char quote = 0;
    if (!*p)
        return NULL;
    text_append(&word, "", 0);
    for (; *p && (quote || !strchr(" \t\r\n\f\v", *p)); p++) {
        if (*p == '\\' && p[1] && quote != '\'')
            text_append(&word, ++p, 1);
        else if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            text_append(&word, p, 1);
    }
    *cursor = p;
    return word.data;
}

static void expand(struct arena *arena, struct words *words, const char *word, int depth)
{
    if (word[0] != '@' || !word[1]) {
        add_word(arena, words, word);
        return;
    }
    if (depth == RESPONSE_DEPTH)
        usage_error("response files are nested too deeply at '%s'", word);
    if (!job_current())
        protect_file(word + 1, "is a response file");
    size_t size;
    const char *cursor = file_read(arena, word + 1, &size);
    if (!cursor)
        fatal("cannot open '%s': %s", word + 1, file_error(errno));
    for (const char *inner; (inner = next_word(arena, &cursor));)
        expand(arena, words, inner, depth + 1);
}

/* ---- make's targets ---- */

static void add_target(struct parser *parser, const char *target, bool quote)
{
    if (parser->targets.size)
        text_append(&parser->targets, " ", 1);
    for (const char *p = target; *p; p++) {
        if (quote && strchr(" \t#", *p))
            text_append(&parser->targets, "\\", 1);
        else if (quote && *p == '$')
            text_append(&parser->targets, "$", 1);
        text_append(&parser->targets, p, 1);
    }
}

/* ---- what ends the process ---- */

/* Bytes for so many columns: "…" is three bytes and one column. */
static int padded(const char *text, int columns)
{
    for (const char *p = text; (p = strstr(p, "…")); p += strlen("…"))
        columns += (int)strlen("…") - 1;
    return columns;
}

void print_usage(const char *command)
{
    static const struct {
        const char *name, *operands, *help;
    } commands[] = {
#define COMMAND(name, operands, help) {name, operands, help},
#include "command/commands.def"
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char left[64];
        const char *name = commands[i].name;
        if (command && strcmp(command, name))
            continue;
        snprintf(left, sizeof left, "gpucc%s%s %s", *name ? " " : "", name, commands[i].operands);
        printf("%s%-*s %s\n", command ? "" : "  ", padded(left, 44), left, commands[i].help);
    }
}

void print_option(const char *written, const char *help)
{
    printf("  %-*s %s\n", padded(written, 26), written, help);
}

const char *parse_output_path(const char *option, const char *path)
{
    if (!*path)
        usage_error("%s needs a file name", option);
    claim_output(path);
    return path;
}

static _Noreturn void print_help(void)
{
    static const struct {
        const char *title, *spelling, *argument, *help;
        enum form form;
    } lines[] = {
#define GROUP(title) {title, NULL, NULL, NULL, ALONE},
#define OPTION(id, spelling, form, argument, takers, help) {NULL, spelling, argument, help, form},
#define UNLISTED(id, spelling, form, argument, takers, help)
#include "command/options.def"
    };
    puts("gpucc: C functions for NVIDIA GPUs and for all cores of the CPU\n");
    print_usage(NULL);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char left[64];
        if (lines[i].title) {
            printf("\n%s\n", lines[i].title);
            continue;
        }
        snprintf(left, sizeof left, "%s%s%s%s", lines[i].spelling,
                 lines[i].form == EQUAL    ? "="
                 : lines[i].form == EITHER ? " "
                 : lines[i].form == MAYBE  ? "[="
                                           : "",
                 lines[i].argument ? lines[i].argument : "", lines[i].form == MAYBE ? "]" : "");
        print_option(left, lines[i].help);
    }
    puts("\n  @FILE                      take more arguments from FILE\n\n" COMPILE_NOTES);
    finish_standard_output();
    exit(EXIT_OK);
}

static _Noreturn void print_line(const char *line)
{
    puts(line);
    finish_standard_output();
    exit(EXIT_OK);
}

static _Noreturn void print_targets(const struct options *options)
{
    print_line(arena_printf(options->arena, "%s\n%s", arch_list(options, "\n"), native_list(options, "\n")));
}

/* ---- one option ---- */

static void set_dependencies(struct options *options, bool only, bool skip_system)
{
    options->deps = true;
    options->deps_only |= only;
    options->deps_skip_system |= skip_system;
}

/* "NAME,NAME" as a bit for each of the names, in their order. */
static unsigned parse_names(struct options *options, const char *option, const char *list, const char *const *names)
{
    unsigned bits = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        bits |= 1u << parse_choice(options, option, arena_strndup(options->arena, at, length), names);
        at += length;
        if (!*at)
            return bits;
    }
}

unsigned parse_checks(struct options *options, const char *option, const char *list)
{
    static const char *const names[] = {
#define CHECK(id, name) name,
#include <gpucc/checks.def>
        NULL};
    const unsigned checks = parse_names(options, option, list, names);
    /* This check finds more than address: the inner dimensions of an array. */
    return checks & CHECK_ADDRESS ? checks | CHECK_BOUNDS : checks;
}

static void apply(struct parser *parser, enum option_id id, const char *value)
{
    static const char *const standards[] = {"c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c18", "gnu18",
                                            "c23", "gnu23", "c2x", "gnu2x", NULL};
    static const char *const formats[] = {"text", "json", NULL};
    static const char *const colors[] = {"auto", "always", "never", NULL};
    static const char *const stages[] = {"instances", "loops", "codegen", "lower", NULL};
    static const char *const loops[] = {
#define LOOP_GROUP(id, name) name,
#include "command/loop_groups.def"
        NULL};
    struct options *options = parser->options;
    switch (id) {
    case OPTION_OUTPUT: add_word(options->arena, &parser->outputs, value); break;
    case OPTION_EMIT: parser->emit = value; break;
    case OPTION_ASSEMBLY: parser->emit = parser->emit ? parser->emit : "ptx"; break;
    case OPTION_ARCH: parse_archs(options, value); break;
    case OPTION_PREFIX: /* front.c answers these */
    case OPTION_CMAKE_DIR: usage_error("%s stands alone", option_list[id].spelling);
    case OPTION_PRINT_GDB: print_line(embedded_find(EMBEDDED_ROOT "lib/gpucc.gdb")->data);
    case OPTION_PRINT_TARGETS: print_targets(options);
    case OPTION_EMBED: options->embed = true; break;
    case OPTION_PROGRAM_NAME:
        if (!*value)
            usage_error("--program-name needs a name");
        options->program_name = value;
        break;
    case OPTION_RESOURCES: options->resources = true; break;
    case OPTION_SYNTAX_ONLY: options->syntax_only = true; break;
    case OPTION_INCLUDE_PATH: add_clang_pair(options, "-I", value); break;
    case OPTION_SYSTEM_PATH: add_clang_pair(options, "-isystem", value); break;
    case OPTION_INCLUDE: add_clang_pair(options, "-include", value); break;
    case OPTION_DEFINE: add_clang_pair(options, "-D", value); break;
    case OPTION_UNDEFINE: add_clang_pair(options, "-U", value); break;
    case OPTION_STANDARD:
        parse_choice(options, "-std", value, standards);
        add_clang(options, arena_printf(options->arena, "-std=%s", value));
        break;
    case OPTION_NO_SHORT_NAMES: options->no_short_names = true; break;
    case OPTION_OPTIMIZE: options->optimization = parse_level(value); break;
    case OPTION_DEBUG: options->debug = DEBUG_FULL; break;
    case OPTION_LINEINFO:
        if (options->debug == DEBUG_NONE)
            options->debug = DEBUG_LINES;
        break;
    case OPTION_TARGET: parse_targets(options, value); break;
    case OPTION_MARCH: options->native_targets = 1u << target_from_name(options, "-march", value, strlen(value)); break;
    case OPTION_FAST_MATH: options->fast_math = true; break;
    case OPTION_CONTRACT: options->no_contraction = !strcmp(parse_contraction(options, value), "off"); break;
    case OPTION_SANITIZE:
        options->checks |= parse_checks(options, "-fsanitize", value);
        break;
    case OPTION_MATH: parse_math(options, value); break;
    case OPTION_LOOPS: options->loops = parse_names(options, "--loops", value, loops); break;
    case OPTION_MAX_REGISTERS: options->max_registers = parse_number("--max-registers", value, 16, 255); break;
    case OPTION_WARNING: parse_warning(options, value); break;
    case OPTION_NO_WARNINGS:
        options->no_warnings = true;
        add_clang(options, "-w");
        break;
    case OPTION_DIAGNOSTICS_FORMAT:
        options->json_diagnostics = parse_choice(options, "--diagnostics-format", value, formats) == 1;
        break;
    case OPTION_COLOR: color_set((enum color_mode)parse_choice(options, "--color", value, colors)); break;
    case OPTION_VERBOSE: options->verbose = true; break;
    case OPTION_DEPENDENCIES: set_dependencies(options, true, false); break;
    case OPTION_DEPENDENCIES_USER: set_dependencies(options, true, true); break;
    case OPTION_DEPENDENCIES_TOO: set_dependencies(options, false, false); break;
    case OPTION_DEPENDENCIES_USER_TOO: set_dependencies(options, false, true); break;
    case OPTION_DEPENDENCY_FILE: options->deps_path = value; break;
    case OPTION_DEPENDENCY_TARGET: add_target(parser, value, false); break;
    case OPTION_DEPENDENCY_TARGET_QUOTED: add_target(parser, value, true); break;
    case OPTION_DEPENDENCY_PHONY: options->deps_phony = true; break;
    case OPTION_CACHE:
        parser->caches = true;
        parser->cache = value;
        break;
    case OPTION_CACHE_SIZE: parser->cache_size = value; break;
    case OPTION_HELP: print_help();
    case OPTION_VERSION: print_line("gpucc " GPUCC_VERSION " (LLVM " GPUCC_LLVM ")");
    case OPTION_DUMP: options->dump = DUMP_INSTANCES + parse_choice(options, "--dump", value, stages); break;
    case OPTION_EMULATE: options->emulate = true; break;
    }
}

/* ---- words to options ---- */

/* Whether `word` is written as this option may be; *value is then what follows in the same word, or null. */
static bool matches(const struct option *option, const char *word, const char **value)
{
    size_t length = strlen(option->spelling);
    if (strncmp(word, option->spelling, length))
        return false;
    const char *rest = word + length;
    *value = *rest ? rest : NULL;
    switch (option->form) {
    case ALONE: return !*rest;
    case JOINED: *value = rest; return true;
    case EQUAL:
    case MAYBE: *value = *rest ? rest + 1 : NULL; return !*rest || *rest == '=';
    case EITHER: return true;
    }
    return false;
}

/* The option with the longest spelling that matches, or OPTION_COUNT. */
static size_t find_option(const char *word, const char **value)
{
    size_t found = OPTION_COUNT, longest = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const char *candidate;
        size_t length = strlen(option_list[i].spelling);
        if (length > longest && matches(&option_list[i], word, &candidate)) {
            found = i;
            longest = length;
            *value = candidate;
        }
    }
    return found;
}

/* The way in which gpucc does what another compiler does by this option; null for other options. */
static const char *instead_of(const char *word)
{
    static const struct {
        const char *spelling, *advice;
    } known[] = {
        {"-c", "-o FILE.o makes an object"},
        {"-shared", "-o FILE.o makes an object for a linker"},
        {"-fPIC", "objects are position-independent anyway"},
        {"-lm", "the math library is always linked"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i].spelling))
            return known[i].advice;
    return NULL;
}

static _Noreturn void unknown_option(const char *word)
{
    const char *spellings[OPTION_COUNT], *advice = instead_of(word);
    if (advice)
        usage_error("unknown option '%s'; %s", word, advice);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        spellings[i] = option_list[i].spelling;
    size_t length = strcspn(word, "=");
    const char *near = length > 2 ? nearest(word, length, spellings, OPTION_COUNT) : NULL; /* -x is like every other */
    if (near)
        usage_error("unknown option '%s'; did you mean '%s'?", word, near);
    usage_error("unknown option '%s'; 'gpucc --help' lists them", word);
}

/* Adds the words from `first` to the one that is next. */
static void note(struct parser *parser, size_t first, const char ***list, size_t *count)
{
    for (size_t i = first; i < parser->next; i++) {
        *list = arena_grow(parser->options->arena, *list, *count, sizeof **list);
        (*list)[(*count)++] = parser->words.items[i];
    }
}

/* -march=native as the target that it means here: a cache may serve several machines. */
static const char *resolve_native(struct parser *parser, size_t first)
{
    const size_t last = parser->next - 1;
    const char *prefix = last == first ? "-march=" : "";
    char *word = arena_printf(parser->options->arena, "%s%s", prefix, target_here());
    parser->words.items[last] = word;
    return word + strlen(prefix);
}

/* Parses the words; with `rest`, those that `gpucc run` does not take go there instead. */
static void parse_words(struct parser *parser, struct words *rest)
{
    struct arena *arena = parser->options->arena;
    bool options_ended = false;
    while (parser->next < parser->words.count) {
        const size_t first = parser->next++;
        const char *word = parser->words.items[first], *value = NULL;
        if (options_ended || word[0] != '-' || !word[1]) {
            add_word(arena, rest ? rest : &parser->inputs, word);
            continue;
        }
        if (!strcmp(word, "--")) {
            options_ended = true;
            if (rest)
                add_word(arena, rest, word);
            continue;
        }
        size_t id = find_option(word, &value);
        if (rest && (id == OPTION_COUNT || !(option_list[id].takers & RUN))) {
            add_word(arena, rest, word);
            continue;
        }
        if (id == OPTION_COUNT)
            unknown_option(word);
        if (parser->options->in_library && !(option_list[id].takers & LIBRARY))
            usage_error("%s is supported by the command only", option_list[id].spelling);
        if (option_list[id].form != ALONE && option_list[id].form != MAYBE && !value) {
            if (parser->next == parser->words.count)
                usage_error("%s needs a value: %s", option_list[id].spelling, option_list[id].argument);
            value = parser->words.items[parser->next++];
        }
        if (id == OPTION_MARCH && !strcmp(value, "native"))
            value = resolve_native(parser, first);
        apply(parser, (enum option_id)id, value);
        if (rest)
            note(parser, first, &parser->options->extracted, &parser->options->extracted_count);
        if (!(option_list[id].takers & APART))
            note(parser, first, &parser->options->shaping, &parser->options->shaping_count);
    }
}

/* ---- outputs ---- */

const char *options_stem(const struct options *options)
{
    const char *base = base_name(options->inputs[0]);
    const char *dot = strrchr(base, '.');
    return arena_strndup(options->arena, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

static _Noreturn void unknown_suffix(const struct options *options, const char *what, const char *name)
{
    struct text list = {.arena = options->arena};
    for (size_t i = 0; i < ARTEFACT_COUNT; i++)
        text_printf(&list, "%s %s (%s)", i ? "," : "", artefacts[i].suffix, artefacts[i].what);
    usage_error("%s '%s'; known suffixes:%s", what, name, list.data);
}

static enum artefact kind_of_path(const struct options *options, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < ARTEFACT_COUNT; i++)
        if (!strcmp(dot, artefacts[i].suffix))
            return (enum artefact)i;
    if (strlen(path) == 1 && *path >= '0' && *path <= '3')
        usage_error("unknown output suffix in '%s'; did you mean '-O%s'?", path, path);
    unknown_suffix(options, "unknown output suffix in", path);
}

static enum artefact kind_of_emit(const struct options *options, const char *name)
{
    for (size_t i = 0; i < ARTEFACT_COUNT; i++)
        if (!strcmp(name, artefacts[i].suffix + 1))
            return (enum artefact)i;
    unknown_suffix(options, "--emit does not know", name);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!strcmp(a, b))
        return true;
    return !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool is_linkable(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".ptx") || !strcmp(dot, ".bc") || !strcmp(dot, ".ll"));
}

/* Whether C compilers take the file for C++, by its name. */
static bool is_cxx(const char *path)
{
    static const char *const suffixes[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".hpp"};
    const char *dot = strrchr(base_name(path), '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcmp(dot, suffixes[i]))
            return true;
    return false;
}

void options_add_input(struct options *options, const char *word)
{
    /* After "--" it may begin with a dash: no parser shall take it for an option. */
    const char *path = !strcmp(word, "-") ? "/dev/stdin"
                       : word[0] == '-'   ? arena_printf(options->arena, "./%s", word)
                                          : word;
    for (size_t i = 0; i < options->input_count; i++)
        if (same_file(options->inputs[i], path))
            usage_error("'%s' is given twice", path);
    for (size_t i = 0; i < options->linked_count; i++)
        if (same_file(options->linked[i], path))
            usage_error("'%s' is given twice", path);
    if (is_cxx(path))
        usage_error("'%s' is named as C++; gpucc compiles C: name it .c, or .cu for CUDA C", path);
    protect_file(path, is_linkable(path) ? "is linked" : "is a source");
    if (is_linkable(path)) {
        options->linked =
            arena_grow(options->arena, options->linked, options->linked_count, sizeof *options->linked);
        options->linked[options->linked_count++] = path;
        return;
    }
    options->inputs = arena_grow(options->arena, options->inputs, options->input_count, sizeof *options->inputs);
    options->inputs[options->input_count++] = path;
}

static void add_output(struct options *options, enum artefact kind, const char *path)
{
    if (!strcmp(path, "-") && !artefacts[kind].text)
        usage_error("%s is not text: give -o a file name", artefacts[kind].suffix);
    claim_output(path);
    options->outputs = arena_grow(options->arena, options->outputs, options->output_count, sizeof *options->outputs);
    options->outputs[options->output_count++] = (struct output){kind, path};
}

static void choose_outputs(struct parser *parser)
{
    struct options *options = parser->options;
    struct words *named = &parser->outputs;
    for (size_t i = 0; i < named->count; i++)
        if (!*named->items[i])
            usage_error("-o needs a file name");
    if (options->deps_only) {
        /* As with cc, -o then names the rule's file. */
        if (named->count && !options->deps_path)
            options->deps_path = named->items[named->count - 1];
        return;
    }
    if (options->syntax_only)
        return;
    if (parser->emit && named->count > 1)
        usage_error("--emit works with one -o; with several, each suffix selects a format");
    for (size_t i = 0; i < named->count; i++) {
        const char *path = named->items[i];
        if (!parser->emit && !strcmp(path, "-"))
            usage_error("'-o -' needs --emit=ptx, --emit=json, --emit=h or --emit=ll");
        add_output(options, parser->emit ? kind_of_emit(options, parser->emit) : kind_of_path(options, path), path);
    }
    if (named->count)
        return;
    const char *stem = options_stem(options);
    for (enum artefact kind = ARTEFACT_PTX; kind <= ARTEFACT_JSON && !parser->emit; kind++)
        add_output(options, kind, arena_printf(options->arena, "%s%s", stem, artefacts[kind].suffix));
    if (parser->emit) {
        enum artefact kind = kind_of_emit(options, parser->emit);
        add_output(options, kind, arena_printf(options->arena, "%s%s", stem, artefacts[kind].suffix));
    }
}

unsigned options_artefacts(const struct options *options)
{
    unsigned artefacts = 0;
    for (size_t i = 0; i < options->output_count && !options->syntax_only && !options->deps_only; i++)
        artefacts |= 1u << options->outputs[i].kind;
    return artefacts;
}

static void check_standard_output(const struct options *options)
{
    for (size_t i = 0; i < options->output_count && options->arch_count > 1; i++)
        if (options->outputs[i].kind == ARTEFACT_PTX && !strcmp(options->outputs[i].path, "-"))
            usage_error("standard output takes one PTX text, and --arch names %zu GPUs; name one, or give -o a file "
                        "name: -o x.ptx makes x.%s.ptx and so on", options->arch_count,
                        arch_name(options->arena, options->archs[0]));
}

/* ---- the cache ---- */

/* None but where --cache or GPUCC_CACHE_DIR asks for it. */
static void choose_cache(struct parser *parser)
{
    const char *variable = getenv("GPUCC_CACHE_SIZE"), *size = parser->cache_size;
    struct disk_cache *cache = &parser->options->cache;
    char folder[PATH_MAX];
    cache->limit = DISK_CACHE_SIZE;
    if (size && !disk_cache_limit(size, &cache->limit))
        usage_error("--cache-size takes a number of bytes, or one with K, M, G or T behind it, not '%s'", size);
    if (!parser->caches && !getenv("GPUCC_CACHE_DIR"))
        return;
    if (!size && variable && *variable && !disk_cache_limit(variable, &cache->limit))
        usage_error("GPUCC_CACHE_SIZE is '%s': expected a number of bytes, such as 500M or 2G", variable);
    if (disk_cache_folder(parser->cache, "compilations", folder, sizeof folder))
        cache->folder = arena_strdup(parser->options->arena, folder);
    else if (parser->caches && !parser->cache && !getenv("GPUCC_CACHE_DIR"))
        usage_error("--cache needs a folder: --cache=DIR, or GPUCC_CACHE_DIR");
}

/* ---- entry points ---- */

static void start(struct parser *parser, struct options *options, size_t count, const char *const *words)
{
    *parser = (struct parser){.options = options};
    if (!options->arena)
        options->arena = arena_new();
    if (!options->sources)
        options->sources = sources_new();
    if (!options->headers) {
        options->headers = embedded_files;
        options->header_count = embedded_header_count();
    }
    options->program = "gpucc";
    options->optimization = 3;
    parser->targets.arena = options->arena;
    for (size_t i = 0; i < count; i++)
        expand(options->arena, &parser->words, words[i], 0);
}

static void start_command(struct parser *parser, struct options *options, int argc, char **argv)
{
    start(parser, options, argc > 1 ? (size_t)argc - 1 : 0, (const char *const *)argv + 1);
    options->program = argv[0];
}

/* The default target, for the kind of machine that the compiler runs on. */
#ifdef __aarch64__
#define DEFAULT_TARGET GPUCC_NATIVE_AARCH64
#else
#define DEFAULT_TARGET GPUCC_NATIVE_X86_64_V3
#endif

static void finish(struct options *options)
{
    options->has_archs = options->arch_count > 0;
    if (!options->has_archs)
        add_arch(options, 75);
    if (!options->native_targets)
        options->native_targets = 1u << DEFAULT_TARGET;
    if (!same_machine(options->native_targets))
        usage_error("--target names processors of several machines, but an object is for one");
    if (options->emulate && options->native_targets & (options->native_targets - 1))
        usage_error("--emulate takes one --target");
}

/* A word that is neither a file nor has a suffix may be a misspelled command. */
static void check_command(const char *word)
{
    static const char *const commands[] = {
#define COMMAND(name, operands, help) name,
#include "command/commands.def"
        "--help", "--version"};
    const char *near = nearest(word, strlen(word), commands, sizeof commands / sizeof *commands);
    if (near && *near && !strpbrk(word, "./") && access(word, F_OK))
        usage_error("no such file: '%s'; did you mean 'gpucc %s'?", word, near);
}

void options_parse(struct options *options, int argc, char **argv)
{
    struct parser parser;
    start_command(&parser, options, argc, argv);
    parse_words(&parser, NULL);
    if (!parser.inputs.count)
        usage_error("no input file; see 'gpucc --help'");
    check_command(parser.inputs.items[0]);
    for (size_t i = 0; i < parser.inputs.count; i++)
        options_add_input(options, parser.inputs.items[i]);
    if (!options->input_count)
        usage_error("no C file to link '%s' to", options->linked[0]);
    if (options->fast_math && options->no_contraction)
        usage_error("--fast-math fuses multiplications and additions: it does not go with -ffp-contract=off");
    if (!options->deps && (options->deps_path || parser.targets.size || options->deps_phony))
        usage_error("-MF, -MT, -MQ and -MP need one of -M, -MM, -MD and -MMD");
    options->deps_targets = parser.targets.data;
    choose_outputs(&parser);
    choose_cache(&parser);
    finish(options);
    check_standard_output(options);
}

char **options_extract(struct options *options, int *argc, char **argv)
{
    struct parser parser;
    struct words rest = {0};
    start_command(&parser, options, *argc, argv);
    add_word(options->arena, &rest, argv[0]);
    parse_words(&parser, &rest);
    finish(options);
    *argc = (int)rest.count;
    add_word(options->arena, &rest, NULL);
    return rest.items;
}

void options_of_library(struct options *options, size_t count, const char *const *words)
{
    struct parser parser;
    options->in_library = true;
    start(&parser, options, count, words);
    parse_words(&parser, NULL);
    if (parser.inputs.count)
        usage_error("'%s' is not an option", parser.inputs.items[0]);
    finish(options);
}

bool options_threads(const struct options *options)
{
    return options->dump == DUMP_NONE && !options->verbose && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}
