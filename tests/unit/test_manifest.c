/* The manifest's reader: what it takes from a good text, and that no text makes it crash or take what is out of range.
 */
#include "base/common.h"
#include "devices/driver.h"
#include "programs/manifest.h"
#include "sample_program.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In memory of just its size, so that reading beyond it is seen. */
static gpucc_status parse(const char *text, size_t size, struct manifest **out)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    gpucc_status status = manifest_parse(copy, size, out);
    free(copy);
    return status;
}

static void check_refused(const char *text, const char *words)
{
    struct manifest *manifest;
    cr_expect_eq(parse(text, strlen(text), &manifest), GPUCC_BAD_PROGRAM, "taken: %s", text);
    cr_expect(strstr(gpucc_last_error(), words), "\"%s\" lacks \"%s\" for %s", gpucc_last_error(), words, text);
}

Test(manifest, reads_a_good_text)
{
    struct manifest *manifest;
    cr_assert_eq(parse(sample_manifest, strlen(sample_manifest), &manifest), GPUCC_OK, "%s", gpucc_last_error());
    cr_assert_eq(manifest->abi, SAMPLE_ABI);
    cr_assert_str_eq(manifest->source, "sample.c");
    cr_assert_eq(manifest->target_count, 1);
    cr_assert(manifest->targets[0].arch == 75 && manifest->targets[0].isa == 63 &&
              manifest->targets[0].driver == 10000);
    cr_assert_eq(manifest->function_count, 4);
    const struct manifest_function *add = &manifest->functions[0], *spread = &manifest->functions[3];
    cr_assert(add->kind == FUNCTION_UFUNC && add->loop_count == 8 && !add->expect_low_occupancy);
    cr_assert(add->loops[0].kind == LOOP_NATIVE && add->loops[1].kind == LOOP_CONTIGUOUS);
    cr_assert(add->loops[3].inputs == 2 && add->loops[3].outputs == 1 && add->loops[3].types[2] == GPUCC_FLOAT64);
    cr_assert(add->loops[1].block == 256 && add->loops[1].elements_per_thread == 4);
    cr_assert(spread->kind == FUNCTION_KERNEL && spread->loops[1].kind == LOOP_KERNEL);
    cr_assert_str_eq(spread->loops[1].entry, "spread_f64");
    cr_assert(spread->loops[1].launch_bounds == 128 && spread->loops[1].barriers);
    cr_assert(spread->loops[1].shared == 0 && spread->loops[1].native_shared == 4096);
    cr_assert_str_eq(spread->loops[1].native_thread, "spread_thread");
    cr_assert_null(spread->loops[1].native_block);
    cr_assert(spread->loops[1].parameter_count == 1 && spread->loops[1].parameters[0].size == 8);
    manifest_free(manifest);
    manifest_free(NULL);
}

Test(manifest, passes_over_what_it_does_not_know)
{
    static const char text[] =
        "{\"schema\": 1, \"abi\": \"00000000000000ff\", \"targets\": [], \"new\": {\"field\": [1]}, \"functions\": ["
        "{\"name\": \"g\", \"kind\": \"hyperfunc\", \"layout\": \"(n)->()\", \"loops\": 5},"
        "{\"name\": \"u\", \"kind\": \"ufunc\", \"expect_low_occupancy\": true, \"loops\": [{\"kind\": "
        "\"reduction\"}]}]}\n";
    struct manifest *manifest;
    cr_assert_eq(parse(text, sizeof text - 1, &manifest), GPUCC_OK, "%s", gpucc_last_error());
    cr_assert_eq(manifest->functions[0].kind, FUNCTION_OTHER);
    cr_assert(manifest->functions[1].expect_low_occupancy);
    cr_assert_eq(manifest->functions[1].loops[0].kind, LOOP_OTHER);
    manifest_free(manifest);
}

#define HEAD "{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"targets\": [], \"functions\": ["
#define UFUNC(loop) HEAD "{\"name\": \"u\", \"kind\": \"ufunc\", \"loops\": [" loop "]}]}"
#define GUFUNC(layout, extents, loops)                                                                                 \
    HEAD "{\"name\": \"g\", \"kind\": \"gufunc\", \"layout\": \"" layout "\", " extents "\"loops\": [" loops "]}]}"
#define LOOP(kind, inputs, outputs)                                                                                    \
    "{\"kind\": \"" kind "\", \"entry\": \"e\", \"inputs\": [" inputs "], \"outputs\": [" outputs "]}"
#define KERNEL(loop) HEAD "{\"name\": \"k\", \"kind\": \"kernel\", \"loops\": [" loop "]}]}"

#define GLOBAL(variable) HEAD "], \"globals\": [" variable "]}"

Test(manifest, reads_variables)
{
    struct manifest *manifest;
    static const char text[] =
        GLOBAL("{\"name\": \"v\", \"dtype\": \"int16\", \"size\": 24, \"element_size\": 2, \"shape\": [4, 3]},"
               "{\"name\": \"w\", \"size\": 20, \"element_size\": 20, \"shape\": []}");
    cr_assert_eq(parse(text, sizeof text - 1, &manifest), GPUCC_OK, "%s", gpucc_last_error());
    cr_assert_eq(manifest->global_count, 2);
    const struct manifest_global *v = &manifest->globals[0], *w = &manifest->globals[1];
    cr_assert(v->dtype == GPUCC_INT16 && v->ndim == 2 && v->shape[0] == 4 && v->shape[1] == 3 && v->size == 24);
    cr_assert(w->dtype == GPUCC_DTYPE_COUNT && w->ndim == 0 && w->size == 20);
    manifest_free(manifest);
}

#define STAMPED(stamp, loop)                                                                                           \
    "{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"gpucc\": \"0.1.0\", \"loops\": \"" stamp "\", "                  \
    "\"targets\": [], \"functions\": [{\"name\": \"u\", \"kind\": \"ufunc\", \"loops\": [" loop "]}]}"

/* Programs of other versions load as far as their loops' parameters are C's and NumPy's. */
Test(manifest, loops_of_other_versions)
{
    static const char plain[] = UFUNC(LOOP("contiguous", "", "\"int8\"") "," LOOP("native", "", "\"int8\""));
    static const char own[] = STAMPED(GPUCC_LOOPS, LOOP("fold", "", "\"int8\""));
    struct manifest *manifest;
    cr_assert_eq(parse(plain, sizeof plain - 1, &manifest), GPUCC_OK, "%s", gpucc_last_error());
    manifest_free(manifest);
    cr_assert_eq(parse(own, sizeof own - 1, &manifest), GPUCC_OK, "%s", gpucc_last_error());
    manifest_free(manifest);
    check_refused(STAMPED("0123456789abcdef", LOOP("fold", "", "\"int8\"")),
                  "of another gpucc (0.1.0, stamp 0123456789abcdef) than this runtime (" GPUCC_LOOPS "): compile");
    check_refused(STAMPED("0123456789abcdef", LOOP("contiguous", "", "\"int8\"")), "left out instructions of ufuncs");
    static const char native[] = STAMPED("0123456789abcdef", LOOP("native", "", "\"int8\""));
    cr_assert_eq(parse(native, sizeof native - 1, &manifest), GPUCC_OK, "%s", gpucc_last_error());
    manifest_free(manifest);
    check_refused(UFUNC(LOOP("native_reduce", "", "\"int8\"")), "(?, stamp none)");
    check_refused(UFUNC(LOOP("strided", "", "\"int8\"")), "compile the program again");
}

Test(manifest, reports_the_fault)
{
    check_refused("", "invalid JSON");
    check_refused("[]", "not a JSON object");
    check_refused("{\"abi\": 1}", "schema is 0, but this runtime reads schema 1");
    check_refused("{\"schema\": 2}", "schema is 2, but this runtime reads schema 1");
    check_refused("{\"schema\": 1e300}", "\"schema\" is not an integer");
    check_refused("{\"schema\": 1.5}", "\"schema\" is not an integer");
    check_refused("{\"schema\": 1}", "\"abi\" is missing");
    check_refused("{\"schema\": 1, \"abi\": \"123\"}", "not 16 hexadecimal digits");
    check_refused("{\"schema\": 1, \"abi\": \"0123456789abcdefg\"}", "not 16 hexadecimal digits");
    check_refused("{\"schema\": 1, \"abi\": \"0123456789abcdef\"}", "\"targets\" is missing");
    check_refused(
        "{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"targets\": [{\"arch\": \"gfx90\", \"isa\": \"6.3\"}]}",
        "gfx90");
    check_refused(
        "{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"targets\": [{\"arch\": \"sm_75\", \"isa\": \"63\"}]}",
        "not a PTX version");
    check_refused("{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"targets\": [7]}", "targets");
    check_refused(HEAD "7]}", "\"name\" is missing");
    check_refused(HEAD "{\"name\": \"u\"}]}", "u: \"kind\" is missing");
    check_refused(UFUNC("3"), "u: \"kind\" is missing");
    check_refused(HEAD "{\"name\": \"g\", \"kind\": \"gufunc\", \"loops\": []}]}", "g: \"layout\" is missing");
    check_refused(GUFUNC("(n->()", "", ""), "\"(n->()\" is not a valid gufunc signature");
    check_refused(GUFUNC("(99999999999)->()", "", ""), "is not a valid gufunc signature");
    check_refused(GUFUNC("(p:n)->()", "", ""), "\"(p:n)->()\" is not a valid gufunc signature");
    check_refused(GUFUNC("(n)->(p:n)", "", ""), "is not a valid gufunc signature");
    check_refused(GUFUNC("(n),(p:n),(p:n)->()", "", ""), "is not a valid gufunc signature");
    check_refused(GUFUNC("(n),(p:)->()", "", ""), "is not a valid gufunc signature");
    check_refused(GUFUNC("(n)->(p)", "\"extents\": [\"p\"], ", ""), "g: \"extents\" is missing or not of type object");
    check_refused(GUFUNC("(n)->(p)", "\"extents\": {\"q\": \"n\"}, ", ""), "\"q\", which is not an extent");
    check_refused(GUFUNC("(n)->()", "", LOOP("outer", "", "\"int8\"")), "its layout has 1 inputs");
    check_refused(GUFUNC("(n)->()", "", LOOP("rows", "\"int8\"", "\"int8\"")), "of another kind of function");
    check_refused(UFUNC(LOOP("outer_block", "\"int8\"", "\"int8\"")), "of another kind of function");
    check_refused(UFUNC("{\"kind\": \"native\"}"), "\"entry\" is missing");
    check_refused(UFUNC("{\"kind\": \"native\", \"entry\": \"e\"}"), "e: \"inputs\" is missing");
    check_refused(UFUNC("{\"kind\": \"native\", \"entry\": \"e\", \"inputs\": [\"real\"], \"outputs\": []}"),
                  "has the unknown type real");
    check_refused(UFUNC("{\"kind\": \"native\", \"entry\": \"e\", \"inputs\": [], \"outputs\": []}"), "no outputs");
    check_refused(
        UFUNC("{\"kind\": \"native\", \"entry\": \"e\", \"inputs\": [], \"outputs\": [\"int8\"], \"shared\": -1}"),
        "\"shared\"");
    check_refused(
        UFUNC("{\"kind\": \"rows\", \"entry\": \"e\", \"inputs\": [], \"outputs\": [\"int8\"], \"block\": \"x\"}"),
        "\"block\"");
    check_refused(UFUNC("{\"kind\": \"kernel\", \"entry\": \"e\", \"parameters\": []}"), "another kind of function");
    check_refused(KERNEL("{\"kind\": \"native\", \"entry\": \"e\", \"inputs\": [], \"outputs\": [\"int8\"]}"),
                  "another kind of function");
    check_refused(KERNEL("{\"kind\": \"kernel\", \"entry\": \"e\"}"), "\"parameters\" is missing");
    check_refused(KERNEL("{\"kind\": \"kernel\", \"entry\": \"e\", \"parameters\": [{\"name\": \"n\"}]}"),
                  "parameter 0 has no size");
    check_refused(KERNEL("{\"kind\": \"kernel\", \"entry\": \"e\", \"parameters\": [], \"native_shared\": 1e10}"),
                  "native_shared");
    check_refused(GLOBAL("{}"), "\"name\" is missing");
    check_refused(GLOBAL("{\"name\": \"v\", \"size\": 4, \"element_size\": 4}"), "v: \"shape\" is missing");
    check_refused(GLOBAL("{\"name\": \"v\", \"size\": 4, \"element_size\": 4, \"shape\": [0]}"), "v: \"shape\" is not");
    check_refused(GLOBAL("{\"name\": \"v\", \"size\": 4, \"element_size\": 4, \"shape\": [2]}"), "contradict");
    check_refused(GLOBAL("{\"name\": \"v\", \"size\": 4, \"element_size\": 4, \"shape\": [], \"dtype\": \"int8\"}"),
                  "contradict");
    check_refused(HEAD "]} x", "unexpected text after the value");
    check_refused("{\"schema\": 1,\n\n oops", "at line 3");
}

Test(manifest, has_no_more_operands_than_loops_have)
{
    char text[2000] = HEAD
        "{\"name\": \"u\", \"kind\": \"ufunc\", \"loops\": [{\"kind\": \"native\", \"entry\": \"e\", \"inputs\": [";
    for (int i = 0; i < GPUCC_LOOP_OPERANDS; i++)
        strcat(text, i ? ", \"int8\"" : "\"int8\"");
    strcat(text, "], \"outputs\": [\"int8\"]}]}]}");
    check_refused(text, "more than 64 inputs and outputs");
}

Test(manifest, survives_every_truncation)
{
    size_t size = strlen(sample_manifest);
    for (size_t length = 0; length < size; length++) {
        struct manifest *manifest;
        cr_assert_eq(parse(sample_manifest, length, &manifest), GPUCC_BAD_PROGRAM, "the first %zu bytes were taken",
                     length);
    }
}

Test(manifest, survives_changed_bytes)
{
    static const char bytes[] = "\0\"{}[],:\\0-e\x80\xff t";
    size_t size = strlen(sample_manifest);
    char *text = malloc(size);
    for (size_t at = 0; at < size; at += 3) {
        for (size_t b = 0; b < sizeof bytes - 1; b++) {
            struct manifest *manifest;
            memcpy(text, sample_manifest, size);
            text[at] = bytes[b];
            if (manifest_parse(text, size, &manifest) == GPUCC_OK)
                manifest_free(manifest);
        }
    }
    free(text);
}

Test(manifest, survives_deep_nesting_and_long_lines)
{
    enum { DEEP = 200000 };
    char *text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    text[DEEP] = '\0';
    check_refused(text, "invalid JSON");
    memset(text, '1', DEEP);
    check_refused(text, "invalid JSON at line 1: ");
    memset(text, '\0', DEEP);
    struct manifest *manifest;
    cr_assert_eq(manifest_parse(text, DEEP, &manifest), GPUCC_BAD_PROGRAM);
    free(text);
}
