/* Tests valid and invalid JSON, and its contents. */
#include "base/json_tree.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static struct json *parse(const char *text)
{
    struct json_error error;
    return json_tree_parse(text, strlen(text), &error);
}

Test(json_tree, values)
{
    struct json *root = parse(" {\"a\": [1, -2.5e-1, 1e3, 0, -0],\n"
                              "\"b\" : {\"\": null, \"t\":true,\"f\":false}, \"s\":\"\"} ");
    cr_assert(root && json_tree_is(root, JSON_OBJECT) && root->count == 3);
    const struct json *a = json_tree_get(root, "a"), *b = json_tree_get(root, "b");
    static const double numbers[] = {1, -0.25, 1000, 0, 0};
    cr_assert(json_tree_is(a, JSON_ARRAY) && a->count == 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(json_tree_number(json_tree_at(a, i)), numbers[i]);
    cr_assert(json_tree_is(json_tree_get(b, ""), JSON_NULL) && json_tree_is(json_tree_get(b, "t"), JSON_TRUE));
    cr_assert(json_tree_is(json_tree_get(b, "f"), JSON_FALSE) && !strcmp(b->items[2].name, "f"));
    cr_assert_str_eq(json_tree_string(json_tree_get(root, "s")), "");
    cr_assert(!json_tree_get(root, "c") && !json_tree_get(a, "a") && !json_tree_at(a, 5) && !json_tree_at(b, 0));
    cr_assert(!json_tree_get(NULL, "a") && !json_tree_string(a) && json_tree_number(b) == 0);
    json_tree_free(root);
    json_tree_free(NULL);
}

Test(json_tree, strings)
{
    static const struct {
        const char *json, *meant;
    } pairs[] = {
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "a\"\\/\b\f\n\r\tz"},
        {"\"\\u0041\\u00e4\\u20AC\\ud83d\\ude00\\uFFFF\"", "A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbf"},
        {"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct json *root = parse(pairs[i].json);
        cr_assert(root, "%s", pairs[i].json);
        cr_assert_str_eq(json_tree_string(root), pairs[i].meant);
        json_tree_free(root);
    }
}

Test(json_tree, refused)
{
    static const char *const texts[] = {
        "", " ", "nul", "nulls", "tru", "True", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[[]", "[]]", "{",
        "{]", "[}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}",
        "1 2", "+1", "01", "-", "-a", ".5", "1.", "1.e1", "1e", "1e+", "0x1", "1e999", "-1e999", "Infinity", "NaN",
        "\"", "\"a", "'a'", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u123g\"", "\"\\u0000\"", "\"\\ud800\"",
        "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\t\"", "\"\x80\"", "\"\xc3\"", "\"\xc3(\"",
        "\"\xc0\xaf\"", "\"\xe0\x80\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf8\x88\x80\x80\x80\"",
        "\"\xe2\x82\"", "/**/1", "[1]//", "\xef\xbb\xbf" "1",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_assert(!parse(texts[i]), "%s", texts[i]);
    struct json_error error;
    cr_assert(!json_tree_parse("[1]\0", 4, &error));
    cr_assert(!json_tree_parse("\"a\0b\"", 5, &error));
    cr_assert(!json_tree_parse("{\"a\": \"\\n\",\n\n x}", 16, &error));
    cr_assert_eq(error.line, 3);
}

/* A manifest's numbers do not depend on its host's locale. */
Test(json_tree, locale)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where the system has it */
    struct json *root = parse("2.5");
    cr_assert_eq(json_tree_number(root), 2.5);
    json_tree_free(root);
}

static char text[1 << 20];

Test(json_tree, large)
{
    struct json_error error;
    for (int depth = 99; depth < 102; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        struct json *root = json_tree_parse(text, 2 * (size_t)depth, &error);
        cr_assert_eq(root != NULL, depth <= 100);
        json_tree_free(root);
    }
    memset(text, '[', sizeof text);
    cr_assert(!json_tree_parse(text, sizeof text, &error));
    for (size_t i = 1; i < sizeof text; i++)
        text[i] = i % 2 ? '1' : ',';
    text[sizeof text - 2] = ']';
    struct json *root = json_tree_parse(text, sizeof text - 1, &error);
    cr_assert(root && root->count == sizeof text / 2 - 1);
    json_tree_free(root);
}

/* In memory of just that size, for sanitizers to see what is read outside. */
Test(json_tree, damaged)
{
    static const char whole[] = "{\"a\": [1.5e3, \"\\u20ac\xe2\x82\xac\", {\"b\": [null, true, false]}], \"c\\n\": {}}";
    struct json_error error;
    for (int trial = 0; trial < 30000; trial++) {
        const size_t size = (size_t)rand() % sizeof whole;
        char *copy = malloc(size + 1);
        memcpy(copy, whole, size);
        for (int i = rand() % 3; size && i > 0; i--)
            copy[(size_t)rand() % size] = (char)(rand() % 4 ? whole[(size_t)rand() % (sizeof whole - 1)] : rand());
        json_tree_free(json_tree_parse(copy, size, &error));
        free(copy);
    }
}
