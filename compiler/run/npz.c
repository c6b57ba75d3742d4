/* NumPy's .npz files: zip archives whose members are .npy files. */
#include "run/run_internal.h"

#include <string.h>
#include <sys/mman.h>

static const char suffix[] = ".npz";

bool npz_is(const char *path)
{
    const size_t length = strlen(path), end = strlen(suffix);
    return length >= end && !strcmp(path + length - end, suffix);
}

const char *npz_name(const char *text)
{
    const char *name = NULL;
    for (const char *at = text; (at = strstr(at, ".npz:")) != NULL; at++)
        name = at + strlen(".npz:");
    return name;
}

/* Bytes that are an array's name: those of the member without ".npy". */
static size_t name_length(const struct zip_member *member)
{
    const size_t length = member->name_length;
    return length > 4 && !memcmp(member->name + length - 4, ".npy", 4) ? length - 4 : length;
}

static bool has_name(const struct zip_member *member, const char *name)
{
    const size_t length = strlen(name);
    return (length == name_length(member) || length == member->name_length) && !memcmp(member->name, name, length);
}

/* Names, as many as there is room for; what no terminal shows as it is becomes '?'. */
struct name_list {
    char text[120];
    size_t used;
    bool is_full;
};

static void list_name(struct name_list *list, const struct zip_member *member)
{
    const size_t length = name_length(member), room = sizeof list->text - list->used;
    const char *separator = list->used ? ", " : "";
    if (list->is_full)
        return;
    list->is_full = length + sizeof ", , …" > room;
    list->used += (size_t)snprintf(list->text + list->used, room, list->is_full ? "%s…" : "%s", separator);
    if (list->is_full)
        return;
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)member->name[i];
        list->text[list->used++] = byte < ' ' || byte == 0x7f ? '?' : (char)byte;
    }
    list->text[list->used] = '\0';
}

bool npz_find(const void *data, size_t size, const char *name, struct zip_member *member, char reason[NPY_REASON])
{
    struct zip zip;
    struct zip_member each;
    struct name_list names = {.text = ""};
    size_t found = 0;
    if (!zip_open(&zip, data, size, reason))
        return false;
    while (zip_next(&zip, &each)) {
        list_name(&names, &each);
        if (name && !has_name(&each, name))
            continue;
        *member = each;
        found++;
    }
    if (reason[0])
        return false;
    if (found == 1)
        return zip_check(member, reason);
    if (!names.used)
        snprintf(reason, NPY_REASON, "it holds no array");
    else if (found && name)
        snprintf(reason, NPY_REASON, "it holds several arrays of this name");
    else
        snprintf(reason, NPY_REASON, "%s; it has: %s", name ? "it has no such array" : "which one? Write FILE.npz:NAME",
                 names.text);
    return false;
}

void npz_load(struct arena *arena, const char *path, const char *name, struct host_array *array)
{
    struct zip_member member;
    char reason[NPY_REASON];
    const char *what = name ? arena_printf(arena, "%s:%s", path, name) : path;
    struct file_bytes file = file_open(path), unpacked = file;
    if (!npz_find(file.data, file.size, name, &member, reason))
        input_error("cannot use '%s': %s", what, reason);
    unpacked.size = member.size;
    if (!zip_is_stored(&member)) {
        unpacked.mapped = member.size + 1; /* none is no mapping */
        unpacked.data = unpacked.mapping = anonymous_memory(what, unpacked.mapped);
    } else {
        unpacked.data = (char *)(uintptr_t)member.data;
    }
    if (!zip_unpack(&member, unpacked.data, reason))
        input_error("cannot use '%s': %s", what, reason);
    if (!zip_is_stored(&member))
        munmap(file.mapping, file.mapped);
    npy_take(unpacked, what, array);
}
