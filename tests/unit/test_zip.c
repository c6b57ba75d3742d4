/* Zip archives as `gpucc run` writes and reads them: sizes that need Zip64, and what is damaged in every place. */
#include "run/run_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static struct arena *arena;
static struct zip_writer written;

static void open_arena(void)
{
    arena = arena_new();
    zip_begin(&written, arena, "test.npz");
}

static void close_arena(void)
{
    zip_free(&written);
    arena_free(arena);
}

TestSuite(zip, .init = open_arena, .fini = close_arena);

static void add(const char *name, const char *data)
{
    char *place = zip_add(&written, name, strlen(data));
    cr_assert_eq((uintptr_t)place % 64, 0);
    memcpy(place, data, strlen(data));
}

static void expect(const char *name, const char *data)
{
    struct zip_member member;
    char reason[NPY_REASON] = "";
    cr_assert(npz_find(written.bytes, written.size, name, &member, reason), "%s", reason);
    cr_assert_eq(member.size, strlen(data));
    cr_assert(zip_is_stored(&member) && zip_unpack(&member, NULL, reason), "%s", reason);
    cr_assert_arr_eq(member.data, data, strlen(data));
}

static void write_three(uint64_t limit)
{
    written.limit = limit;
    add("x.npy", "the first");
    add("long name of a parameter.npy", "the second, which is longer");
    add("empty.npy", "");
    cr_assert(zip_has(&written, "x.npy") && !zip_has(&written, "y.npy"));
    zip_finish(&written);
}

static void expect_three(void)
{
    expect("x", "the first");
    expect("long name of a parameter", "the second, which is longer");
    expect("empty", "");
    expect("empty.npy", "");
}

Test(zip, comes_back)
{
    write_three(UINT32_MAX);
    expect_three();
}

/* Whatever is larger, or lies farther off, than the limit: members, their offsets, the directory. */
Test(zip, comes_back_as_zip64)
{
    for (uint64_t limit = 0; limit < 700; limit += limit < 40 ? 1 : 20) {
        write_three(limit);
        expect_three();
        zip_free(&written);
        zip_begin(&written, arena, "test.npz");
    }
}

Test(zip, holds_nothing)
{
    struct zip zip;
    struct zip_member member;
    char reason[NPY_REASON] = "";
    zip_finish(&written);
    cr_assert(zip_open(&zip, written.bytes, written.size, reason));
    cr_assert_not(zip_next(&zip, &member));
    cr_assert_str_eq(reason, "");
    cr_assert_not(npz_find(written.bytes, written.size, NULL, &member, reason));
    cr_assert_str_eq(reason, "it holds no array");
}

Test(zip, holds_more_members_than_16_bits_count)
{
    enum { COUNT = 65537 };
    struct zip zip;
    struct zip_member member;
    char reason[NPY_REASON] = "";
    for (int i = 0; i < COUNT; i++)
        zip_add(&written, arena_printf(arena, "%d", i), 0);
    zip_finish(&written);
    cr_assert(zip_open(&zip, written.bytes, written.size, reason));
    for (int i = 0; i < COUNT; i++)
        cr_assert(zip_next(&zip, &member) && member.size == 0);
    cr_assert_not(zip_next(&zip, &member));
}

/* ---- damage ---- */

static bool read_all(const unsigned char *bytes, size_t size)
{
    struct zip zip;
    struct zip_member member;
    char reason[NPY_REASON] = "";
    bool all = zip_open(&zip, bytes, size, reason);
    while (all && zip_next(&zip, &member)) {
        all = zip_check(&member, reason);
        unsigned char *out = all && !zip_is_stored(&member) ? malloc(member.size + 1) : NULL;
        all = all && zip_unpack(&member, out, reason);
        free(out);
    }
    all = all && !reason[0];
    cr_assert(all || reason[0]);
    return all;
}

/* One deflated member, by hand. */
static size_t deflated(unsigned char *bytes)
{
    unsigned char data[600], packed[700];
    struct zip_member member;
    char reason[NPY_REASON];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i >> 4);
    z_stream stream = {.next_in = data, .avail_in = sizeof data, .next_out = packed, .avail_out = sizeof packed};
    cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t size = stream.total_out;
    deflateEnd(&stream);
    memcpy(zip_add(&written, "d.npy", size), packed, size);
    zip_finish(&written);
    memcpy(bytes, written.bytes, written.size);
    const uint32_t sum = (uint32_t)crc32(0, data, sizeof data), whole = sizeof data;
    unsigned char *entry = bytes + written.size - 22 - 46 - strlen("d.npy");
    bytes[8] = entry[10] = 8;
    memcpy(entry + 16, &sum, 4);
    memcpy(entry + 24, &whole, 4);
    cr_assert(npz_find(bytes, written.size, NULL, &member, reason), "%s", reason);
    return written.size;
}

/* Every byte of a copy that ends where its memory does is changed in turn, and every end cut off. */
static void damage(const unsigned char *good, size_t size)
{
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    for (size_t at = 0; at < size; at++) {
        unsigned char *bad = malloc(size);
        for (size_t k = 0; k < sizeof changes; k++) {
            memcpy(bad, good, size);
            bad[at] ^= changes[k];
            read_all(bad, size);
        }
        free(bad);
        bad = malloc(at + 1);
        memcpy(bad, good, at);
        cr_assert_not(read_all(bad, at), "cut off after %zu bytes", at);
        free(bad);
    }
}

Test(zip, damaged_anywhere)
{
    write_three(UINT32_MAX);
    damage(written.bytes, written.size);
}

Test(zip, damaged_anywhere_as_zip64)
{
    write_three(0);
    damage(written.bytes, written.size);
}

Test(zip, damaged_anywhere_and_deflated)
{
    unsigned char bytes[2000];
    size_t size = deflated(bytes);
    cr_assert(read_all(bytes, size));
    damage(bytes, size);
}
