/* Opcodes: what executes an instruction, by tables of names and by what takes opcodes with modifiers. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

bool find_type(const char *text, int length, struct type *type)
{
    static const struct {
        const char *name;
        struct type type;
    } types[] = {
        {".b32", {BITS, 32}},  {".u32", {UNSIGNED, 32}}, {".s32", {SIGNED, 32}}, {".f32", {FLOAT, 32}},
        {".b64", {BITS, 64}},  {".u64", {UNSIGNED, 64}}, {".s64", {SIGNED, 64}}, {".f64", {FLOAT, 64}},
        {".b16", {BITS, 16}},  {".u16", {UNSIGNED, 16}}, {".s16", {SIGNED, 16}}, {".f16", {FLOAT, 16}},
        {".b8", {BITS, 8}},    {".u8", {UNSIGNED, 8}},   {".s8", {SIGNED, 8}},   {".pred", {PREDICATE, 1}},
        {".bf16", {BFLOAT, 16}}, {".f16x2", {PACKED, 32}}, {".bf16x2", {PACKED_BFLOAT, 32}}, {".tf32", {FLOAT, 19}},
    };
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if ((int)strlen(types[k].name) == length && !memcmp(types[k].name, text, (size_t)length)) {
            *type = types[k].type;
            return true;
        }
    return false;
}

uint64_t type_mask(struct type type)
{
    return type.bits == 0 || type.bits >= 64 ? UINT64_MAX : (UINT64_C(1) << type.bits) - 1;
}

/* ---- the parts of an opcode ---- */

static struct parts split_opcode(const char *text, int length)
{
    struct parts parts = {0};
    for (int at = 0; at <= length && parts.count < 16; at++) {
        const char *dot = memchr(text + at, '.', (size_t)(length - at));
        const int end = dot ? (int)(dot - text) : length;
        parts.text[parts.count] = text + at;
        parts.length[parts.count++] = end - at;
        at = end;
    }
    return parts;
}

bool part_is(const struct parts *parts, int index, const char *text)
{
    return index < parts->count && parts->length[index] == (int)strlen(text) &&
           !memcmp(parts->text[index], text, (size_t)parts->length[index]);
}

int find_part(const struct parts *parts, const char *text)
{
    for (int k = 1; k < parts->count; k++)
        if (part_is(parts, k, text))
            return k;
    return -1;
}

/* ---- the tables ---- */

enum { HASH_SIZE = 4096 };
static const struct opcode *hashed[HASH_SIZE];

static unsigned hash_of(const char *text, int length)
{
    unsigned hash = 2166136261U;
    for (int k = 0; k < length; k++)
        hash = (hash ^ (unsigned char)text[k]) * 16777619U;
    return hash % HASH_SIZE;
}

static void hash_table(const struct opcode *table)
{
    for (; table->name; table++) {
        unsigned at = hash_of(table->name, (int)strlen(table->name));
        while (hashed[at])
            at = (at + 1) % HASH_SIZE;
        hashed[at] = table;
    }
}

static const struct opcode *find_opcode(const char *text, int length)
{
    static bool is_hashed;
    if (!is_hashed) {
        hash_table(integer_opcodes);
        hash_table(bit_opcodes);
        hash_table(float_opcodes);
        hash_table(place_opcodes);
        hash_table(control_opcodes);
        is_hashed = true;
    }
    for (unsigned at = hash_of(text, length); hashed[at]; at = (at + 1) % HASH_SIZE)
        if ((int)strlen(hashed[at]->name) == length && !memcmp(hashed[at]->name, text, (size_t)length))
            return hashed[at];
    return NULL;
}

/* ---- decoding ---- */

bool decode_opcode(const char *text, int length, struct instruction *i)
{
    static bool (*const decoders[])(const struct parts *, struct instruction *) = {
        decode_engine, decode_warpgroup, decode_access, decode_convert, decode_compare, decode_half,
        decode_float,  decode_atomic,  decode_warp,    decode_texel};
    const struct opcode *found = find_opcode(text, length);
    if (found) {
        i->run = found->run;
        i->type = found->type;
        i->mode = found->mode;
        return true;
    }
    const struct parts parts = split_opcode(text, length);
    char last[16];
    if (parts.count > 1 && parts.length[parts.count - 1] < 14) {
        const int size = parts.length[parts.count - 1] + 1;
        memcpy(last, parts.text[parts.count - 1] - 1, (size_t)size);
        find_type(last, size, &i->type);
    }
    for (size_t k = 0; k < sizeof decoders / sizeof *decoders; k++)
        if (decoders[k](&parts, i))
            return true;
    return false;
}
