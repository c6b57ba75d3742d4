/* Passes use precompiled headers only if no option could change them. */
#include "frontend/frontend.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct options parsed(const char *option, const char *value)
{
    struct options options = {.arena = arena_new(), .sources = sources_new()};
    const char *const words[] = {option, value};
    options_of_library(&options, (option != NULL) + (value != NULL), words);
    return options;
}

/* The headers' name for sm_80, or "none". */
static const char *precompiled_for(const char *text, const struct options *options)
{
    const struct unit unit = {.path = "x.c", .text = text, .text_size = strlen(text)};
    const struct embedded_file *file = precompiled_headers(options, &unit, "sm_80");
    return file ? file->path + strlen(PRECOMPILED_ROOT "sm_80-") : "none";
}

Test(precompiled, go_by_the_first_lines)
{
    static const struct {
        const char *text, *headers;
    } cases[] = {
        {"#include <gpucc.h>\n", "gpucc.pch"},
        {"#include <gpucc.h>\n#include <math.h>\nint x;\n", "math.pch"},
        {"// What it does.\n/* And\n how. */\n\n#include <math.h>\n#include <gpucc.h>\n", "math.pch"},
        {"#include <gpucc.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <math.h>\n", "math.pch"},
        {"#include <gpucc.h>\n#include <stdbool.h>\n#include <math.h>\n", "gpucc.pch"},
        {"#include <gpucc.h>\nint x;\n#include <math.h>\n", "gpucc.pch"},
        {"#include <math.h>\nint x;\n", "none"},
        {"#include <stdint.h>\nint x;\n#include <gpucc.h>\n", "none"},
        {"#include \"own.h\"\n#include <gpucc.h>\n", "none"},
        {"#include \"gpucc.h\"\n", "none"}, /* a header of one's own, perhaps */
        {"#define int8 own\n#include <gpucc.h>\n", "none"},
        {"#if 0\n#include <gpucc.h>\n#endif\n", "none"},
        {"// goes on \\\n#include <gpucc.h>\n", "none"},
        {"// goes on ?\?/\n#include <gpucc.h>\n", "none"},
        {"/* ends *\\\n/ int x; /* */\n#include <gpucc.h>\n", "none"},
        {"/* does not end\n#include <gpucc.h>\n", "none"},
        {"#include <gpucc.h> // why\n", "none"},
        {"#include <gpucc.h", "none"},
        {"", "none"},
    };
    const struct options options = parsed(NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(precompiled_for(cases[i].text, &options), cases[i].headers, "%s", cases[i].text);
}

Test(precompiled, are_not_for_options_that_could_change_them)
{
    static const struct {
        const char *option, *value;
        bool is_used;
    } cases[] = {
        {"-Wall", NULL, true},         {"-w", NULL, true},          {"-isystem", "/usr/include", true},
        {"-I", "/", true},             {"-O0", NULL, true},         {"-DN=3", NULL, false},
        {"-Ufabsf", NULL, false},      {"-std=c23", NULL, false},   {"-include", "own.h", false},
        {"--fast-math", NULL, false},  {"-g", NULL, false},         {"--no-short-names", NULL, false},
        {"-fsanitize=race", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct options options = parsed(cases[i].option, cases[i].value);
        cr_expect_str_eq(precompiled_for("#include <gpucc.h>\n", &options),
                         cases[i].is_used ? "gpucc.pch" : "none", "%s", cases[i].option);
    }
}

Test(precompiled, are_not_for_folders_with_headers_of_their_own)
{
    char folder[] = "/tmp/gpucc-precompiled-XXXXXX", path[sizeof folder + 16];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/stdint.h", folder);
    const struct options options = parsed("-I", folder);
    cr_expect_str_eq(precompiled_for("#include <gpucc.h>\n", &options), "gpucc.pch");
    FILE *file = fopen(path, "w");
    cr_assert(file && fclose(file) == 0);
    cr_expect_str_eq(precompiled_for("#include <gpucc.h>\n", &options), "none");
    const struct options behind = parsed("-isystem", folder);
    cr_expect_str_eq(precompiled_for("#include <gpucc.h>\n", &behind), "gpucc.pch");
    unlink(path);
    rmdir(folder);
}

Test(precompiled, name_their_headers)
{
    const struct embedded_file gpucc = {.path = PRECOMPILED_ROOT "sm_80-gpucc.pch"};
    const struct embedded_file math = {.path = PRECOMPILED_ROOT "sm_80-math.pch"};
    cr_expect(precompiled_has(&gpucc, "gpucc.h") && precompiled_has(&gpucc, "gpucc/warp.h"));
    cr_expect(!precompiled_has(&gpucc, "math.h") && precompiled_has(&math, "math.h"));
    cr_expect(!precompiled_has(&math, "gpucc/random.h"));
}

Test(precompiled, are_all_that_the_headers_include)
{
    static const char include[] = "#include <";
    const struct embedded_file gpucc = {.path = PRECOMPILED_ROOT "sm_80-gpucc.pch"};
    const struct embedded_file *header = embedded_find(EMBEDDED_ROOT "language/gpucc.h");
    cr_assert_not_null(header);
    size_t count = 0;
    for (const char *at = header->data; (at = strstr(at, include)); count++) {
        char name[64];
        at += strlen(include);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ">"), at);
        cr_expect(precompiled_has(&gpucc, name), "%s", name);
    }
    cr_expect_gt(count, 8);
}

Test(precompiled, are_this_libclangs)
{
    struct arena *arena = arena_new();
    const struct embedded_file *maker = precompiled_find("libclang");
    cr_assert_not_null(maker);
    cr_expect_str_eq(maker->data, libclang_version(arena));
    arena_free(arena);
}
