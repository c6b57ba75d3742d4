/* Unpacks what libgpucc carries.  Bit by bit: the code is as small as can be, and called once for each text. */
#include "base/inflate.h"

#include <stdint.h>
#include <string.h>

enum { MOST_BITS = 15, LITERALS = 288, DISTANCES = 32, END = 256 };

struct bits {
    const unsigned char *at, *end;
    unsigned held, count; /* bits of the last byte that are still to be taken */
    bool ended;           /* more were asked for than there are */
};

struct output {
    char *begin, *at, *end;
};

/* A canonical Huffman code: how many symbols have so many bits, and the symbols in the order of their codes. */
struct code {
    uint16_t counts[MOST_BITS + 1], symbols[LITERALS];
};

static unsigned read_bits(struct bits *bits, unsigned count)
{
    unsigned value = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!bits->count) {
            bits->ended |= bits->at == bits->end;
            bits->held = bits->ended ? 0 : *bits->at++;
            bits->count = 8;
        }
        value |= (bits->held & 1) << i;
        bits->held >>= 1;
        bits->count--;
    }
    return value;
}

static void make_code(struct code *code, const unsigned char *lengths, unsigned count)
{
    uint16_t places[MOST_BITS + 2] = {0};
    memset(code->counts, 0, sizeof code->counts);
    for (unsigned i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (unsigned length = 1; length <= MOST_BITS; length++)
        places[length + 1] = (uint16_t)(places[length] + code->counts[length]);
    for (unsigned i = 0; i < count; i++)
        if (lengths[i])
            code->symbols[places[lengths[i]]++] = (uint16_t)i;
}

/* LITERALS where no symbol has such a code. */
static unsigned read_symbol(struct bits *bits, const struct code *code)
{
    unsigned value = 0, first = 0, before = 0;
    for (unsigned length = 1; length <= MOST_BITS; length++) {
        const unsigned count = code->counts[length];
        value = value << 1 | read_bits(bits, 1);
        first <<= 1;
        if (value < first + count)
            return value < first ? LITERALS : code->symbols[before + value - first];
        before += count;
        first += count;
    }
    return LITERALS;
}

/* `distance` back from the end; what it copies may begin with what it has just written. */
static bool repeat(struct output *to, size_t distance, size_t length)
{
    if (distance > (size_t)(to->at - to->begin) || length > (size_t)(to->end - to->at))
        return false;
    for (; length; length--, to->at++)
        *to->at = *(to->at - distance);
    return true;
}

/* Symbols of lengths and of distances stand for ranges, in which so many further bits say which one is meant. */
static bool copy_repetition(struct bits *bits, const struct code *distances, struct output *to, unsigned symbol)
{
    const unsigned kind = symbol - END - 1, length_bits = kind < 8 || kind == 28 ? 0 : kind / 4 - 1;
    const unsigned length = kind == 28  ? 258
                            : kind < 8  ? kind + 3
                                        : ((4 + kind % 4) << length_bits) + 3 + read_bits(bits, length_bits);
    const unsigned far = read_symbol(bits, distances), far_bits = far < 4 ? 0 : far / 2 - 1;
    if (kind > 28 || far >= 30)
        return false;
    const unsigned distance = far < 4 ? far + 1 : ((2 + far % 2) << far_bits) + 1 + read_bits(bits, far_bits);
    return repeat(to, distance, length);
}

static bool inflate_block(struct bits *bits, const struct code *literals, const struct code *distances,
                          struct output *to)
{
    for (;;) {
        const unsigned symbol = read_symbol(bits, literals);
        if (bits->ended || symbol == END)
            return !bits->ended;
        if (symbol > END ? !copy_repetition(bits, distances, to, symbol) : to->at == to->end)
            return false;
        if (symbol < END)
            *to->at++ = (char)symbol;
    }
}

static bool copy_stored(struct bits *bits, struct output *to)
{
    bits->count = 0; /* from the next byte on */
    const unsigned length = read_bits(bits, 16), inverted = read_bits(bits, 16);
    if (bits->ended || length != (~inverted & 0xffff) || length > (size_t)(bits->end - bits->at) ||
        length > (size_t)(to->end - to->at))
        return false;
    memcpy(to->at, bits->at, length);
    to->at += length;
    bits->at += length;
    return true;
}

static void make_fixed(struct code *literals, struct code *distances)
{
    unsigned char lengths[LITERALS];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 256 - 144);
    memset(lengths + 256, 7, 280 - 256);
    memset(lengths + 280, 8, LITERALS - 280);
    make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(distances, lengths, DISTANCES);
}

/* The lengths of both codes, in a code whose own lengths come first. */
static bool read_codes(struct bits *bits, struct code *literals, struct code *distances)
{
    static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LITERALS + DISTANCES] = {0};
    const unsigned literal_count = read_bits(bits, 5) + 257, count = literal_count + read_bits(bits, 5) + 1;
    const unsigned length_count = read_bits(bits, 4) + 4;
    for (unsigned i = 0; i < length_count; i++)
        lengths[order[i]] = (unsigned char)read_bits(bits, 3);
    make_code(literals, lengths, sizeof order);
    memset(lengths, 0, sizeof order);
    for (unsigned i = 0; i < count;) {
        const unsigned symbol = read_symbol(bits, literals);
        const unsigned char length = symbol < 16 ? (unsigned char)symbol : symbol == 16 && i ? lengths[i - 1] : 0;
        unsigned times = symbol < 16    ? 1
                         : symbol == 16 ? 3 + read_bits(bits, 2)
                         : symbol == 17 ? 3 + read_bits(bits, 3)
                                        : 11 + read_bits(bits, 7);
        if (bits->ended || symbol > 18 || (symbol == 16 && !i) || times > count - i)
            return false;
        for (; times; times--)
            lengths[i++] = length;
    }
    if (literal_count > LITERALS)
        return false;
    make_code(literals, lengths, literal_count);
    make_code(distances, lengths + literal_count, count - literal_count);
    return true;
}

bool inflate_bytes(const void *packed, size_t packed_size, char *to, size_t size)
{
    struct bits bits = {.at = packed, .end = (const unsigned char *)packed + packed_size};
    struct output output = {to, to, to + size};
    struct code literals, distances;
    for (bool is_last = false; !is_last;) {
        is_last = read_bits(&bits, 1);
        const unsigned kind = read_bits(&bits, 2);
        if (kind == 1)
            make_fixed(&literals, &distances);
        if (kind == 0   ? !copy_stored(&bits, &output)
            : kind == 3 ? true
                        : (kind == 2 && !read_codes(&bits, &literals, &distances)) ||
                              !inflate_block(&bits, &literals, &distances, &output))
            return false;
    }
    return !bits.ended && output.at == output.end;
}
