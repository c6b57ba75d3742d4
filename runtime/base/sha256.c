/* SHA-256 (FIPS 180-4). */
#include "base/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, int bits)
{
    return value >> bits | value << (32 - bits);
}

static uint32_t read_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void add_block(struct sha256 *sum, const unsigned char *block)
{
    uint32_t w[64], s[8];
    memcpy(s, sum->state, sizeof s);
    for (int i = 0; i < 16; i++)
        w[i] = read_word(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3);
        w[i] += w[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 64; i++) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t high = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        const uint32_t first = s[7] + high + choice + constants[i] + w[i];
        const uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        sum->state[i] += s[i];
}

void sha256_begin(struct sha256 *sum)
{
    *sum = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t used = sum->size % SHA256_BLOCK;
    if (!size) /* `data` may be null */
        return;
    sum->size += size;
    if (used) {
        const size_t part = size < SHA256_BLOCK - used ? size : SHA256_BLOCK - used;
        memcpy(sum->waiting + used, bytes, part);
        bytes += part;
        size -= part;
        if (used + part < SHA256_BLOCK)
            return;
        add_block(sum, sum->waiting);
    }
    for (; size >= SHA256_BLOCK; bytes += SHA256_BLOCK, size -= SHA256_BLOCK)
        add_block(sum, bytes);
    memcpy(sum->waiting, bytes, size);
}

void sha256_end(struct sha256 *sum, unsigned char digest[SHA256_SIZE])
{
    static const unsigned char padding[SHA256_BLOCK] = {0x80};
    const uint64_t bits = sum->size * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sum, padding, (2 * SHA256_BLOCK - sizeof length - 1 - sum->size % SHA256_BLOCK) % SHA256_BLOCK + 1);
    sha256_add(sum, length, sizeof length);
    for (int i = 0; i < SHA256_SIZE; i++)
        digest[i] = (unsigned char)(sum->state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_name(const unsigned char digest[SHA256_SIZE], char name[2 * SHA256_SIZE + 1])
{
    for (int i = 0; i < SHA256_SIZE; i++) {
        name[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        name[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    name[2 * SHA256_SIZE] = '\0';
}
