/* Reads JSON (RFC 8259) into a tree. */
#ifndef GPUCC_JSON_TREE_H
#define GPUCC_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    const char *name;   /* as a member of an object */
    const char *string; /* UTF-8, with no NUL but the one behind it */
    double number;
    struct json *items; /* an array's elements, an object's members */
    size_t count;
};

struct json_error {
    int line; /* from 1 on */
    const char *what;
};

/* The tree, to be freed with json_tree_free(); null after saying what is wrong.  Names in an object are to be
 * different, and nesting is bounded, so that a tree can be walked over by recursion. */
struct json *json_tree_parse(const char *text, size_t size, struct json_error *error);
void json_tree_free(struct json *root); /* null: nothing */

/* Looking up in null, or in a value of another kind, returns null or 0. */
const struct json *json_tree_get(const struct json *object, const char *name);
const struct json *json_tree_at(const struct json *array, size_t index);
bool json_tree_is(const struct json *json, enum json_kind kind);
const char *json_tree_string(const struct json *json);
double json_tree_number(const struct json *json);

#endif
