/* Inflates zlib's output of all its modes; damaged input stays within its bounds. */
#include "base/inflate.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 200000 };

static char text[MOST], unpacked[MOST + 1];
static unsigned char packed[2 * MOST];

/* Packs all of the text's first `size` bytes, and tells how many that makes. */
static size_t pack(size_t size, int level, int strategy)
{
    z_stream stream = {.next_in = (Bytef *)text, .avail_in = (uInt)size, .next_out = packed,
                       .avail_out = sizeof packed};
    cr_assert_eq(deflateInit2(&stream, level, Z_DEFLATED, -15, 9, strategy), Z_OK);
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

static void write_text(int kind, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(kind == 0   ? rand()                                   /* cannot be packed */
                         : kind == 1 ? 'a'                                      /* the longest repetitions */
                         : kind == 2 ? "mov.u32 %r, ld.global"[rand() % 21]     /* few letters */
                         : i < 40000 ? rand()                                   /* the longest distances */
                                     : text[i - 32768 + (rand() % 100 == 0)]);
}

static bool is_unpacked(size_t packed_size, size_t size)
{
    memset(unpacked, '!', sizeof unpacked);
    return inflate_bytes(packed, packed_size, unpacked, size) && !memcmp(unpacked, text, size) && unpacked[size] == '!';
}

Test(inflate, all_encodings)
{
    static const size_t sizes[] = {0, 1, 2, 300, 65535, 65536, MOST};
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED};
    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            write_text(kind, sizes[i]);
            for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++)
                for (int level = 0; level <= 9; level += 3) {
                    const size_t packed_size = pack(sizes[i], level, strategies[k]);
                    cr_assert(is_unpacked(packed_size, sizes[i]), "%d %zu %zu %d", kind, sizes[i], k, level);
                }
        }
}

Test(inflate, other_sizes)
{
    write_text(2, 1000);
    const size_t size = pack(1000, 9, Z_DEFAULT_STRATEGY);
    cr_assert(!inflate_bytes(packed, size, unpacked, 999));
    cr_assert(!inflate_bytes(packed, size, unpacked, 1001));
    for (size_t i = 0; i < size; i++)
        cr_assert(!inflate_bytes(packed, i, unpacked, 1000), "the first %zu of %zu", i, size);
    cr_assert(!inflate_bytes("\7", 1, unpacked, 0)); /* of no kind */
}

/* In memory of just that size, for sanitizers to see what is read and written outside. */
Test(inflate, damaged)
{
    for (int trial = 0; trial < 3000; trial++) {
        const size_t size = (size_t)rand() % 3000 + 1;
        write_text(trial % 3, size);
        const size_t packed_size = pack(size, trial % 10, trial % 5);
        unsigned char *copy = malloc(packed_size);
        char *to = malloc(size);
        memcpy(copy, packed, packed_size);
        for (int i = rand() % 4; i >= 0; i--)
            copy[rand() % packed_size] ^= (unsigned char)(1 << rand() % 8);
        inflate_bytes(copy, packed_size, to, size);
        free(copy);
        free(to);
    }
}
