/* SHA-256, by which files of a cache are found and seen to be whole. */
#ifndef GPUCC_SHA256_H
#define GPUCC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char waiting[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *data, size_t size);
void sha256_end(struct sha256 *sum, unsigned char digest[SHA256_SIZE]);
/* In hexadecimal digits, with a NUL behind them. */
void sha256_name(const unsigned char digest[SHA256_SIZE], char name[2 * SHA256_SIZE + 1]);

#endif
