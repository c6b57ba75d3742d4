/* The annotations of declarations as written in the source, and the comments above them. */
#include "frontend/frontend_internal.h"

#include <string.h>

static void see_annotation(CXCursor cursor, void *data)
{
    struct annotations *list = data;
    if (cursor.kind != CXCursor_AnnotateAttr)
        return;
    const char *spelling = copy_string(list->parse, clang_getCursorSpelling(cursor));
    if (strncmp(spelling, "gpucc.", 6))
        return;
    size_t length = strcspn(spelling + 6, " ");
    struct annotation annotation = {
        .name = arena_strndup(list->parse->arena, spelling + 6, length),
        .text = spelling[6 + length] ? spelling + 6 + length + 1 : "",
    };
    annotation.place = place_of(list->parse, clang_getCursorLocation(cursor), &annotation.offset);
    list->items = arena_grow(list->parse->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = annotation;
}

struct annotations annotations_of(const struct parse *parse, CXCursor cursor)
{
    struct annotations list = {.parse = parse};
    visit_children(cursor, see_annotation, &list);
    return list;
}

const struct annotation *find_annotation(const struct annotations *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

const struct annotation *last_annotation(const struct annotations *list, const char *name)
{
    const struct annotation *last = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            last = &list->items[i];
    return last;
}

bool has_annotation(const struct parse *parse, CXCursor cursor, const char *name)
{
    struct annotations list = annotations_of(parse, cursor);
    return find_annotation(&list, name) != NULL;
}

const char *annotations_text(const struct parse *parse, CXCursor cursor)
{
    struct annotations list = annotations_of(parse, cursor);
    struct text text = {.arena = parse->arena};
    text_append(&text, "", 0);
    for (size_t i = 0; i < list.count; i++)
        text_printf(&text, "%s%s%s%s", i ? " " : "", list.items[i].name, *list.items[i].text ? " " : "",
                    list.items[i].text);
    return text.data;
}

static struct place place_at(const struct source *source, const char *file, size_t offset)
{
    size_t line = 0;
    while (line + 1 < source->line_count && source->lines[line + 1] <= offset)
        line++;
    return (struct place){file, (unsigned)line + 1, (unsigned)(offset - source->lines[line]) + 1, 0};
}

unsigned name_length(const struct source *source, size_t offset)
{
    size_t end = offset;
    while (end < source->size && is_word(source->text[end]))
        end++;
    return (unsigned)(end - offset);
}

const char *annotation_text(const struct parse *parse, const struct annotation *annotation,
                                   const char *stringized, struct place *place)
{
    const struct source *source =
        annotation->place.file ? source_open(parse->options->sources, annotation->place.file) : NULL;
    size_t start;
    *place = annotation->place;
    if (!source)
        return stringized;
    const char *text = source_annotation(source, annotation->offset, stringized, parse->arena, &start);
    if (text)
        *place = place_at(source, annotation->place.file, start);
    else
        place->length = name_length(source, annotation->offset);
    return text ? text : stringized;
}

const char *documentation(const struct parse *parse, CXCursor cursor, const struct annotations *list)
{
    size_t offset;
    struct place place = place_of(parse, clang_getRangeStart(clang_getCursorExtent(cursor)), &offset);
    const struct source *source = place.file ? source_open(parse->options->sources, place.file) : NULL;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].place.file && place.file && !strcmp(list->items[i].place.file, place.file) &&
            list->items[i].offset < offset)
            offset = list->items[i].offset;
    return source && offset <= source->size ? source_comment(source, offset, parse->arena) : "";
}

const char *comment_above(const struct parse *parse, CXCursor cursor)
{
    struct annotations list = annotations_of(parse, cursor);
    return documentation(parse, cursor, &list);
}
