/* A PNG writer of one function.  The pixels are stored, not compressed: a file is as large as its picture. */
#ifndef PNG_H
#define PNG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline unsigned char *png_put32(unsigned char *at, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (unsigned char)(value >> shift);
    return at;
}

static inline uint32_t png_crc(const unsigned char *data, size_t size)
{
    uint32_t table[256], crc = 0xffffffff;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    for (size_t i = 0; i < size; i++)
        crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
    return ~crc;
}

static inline int png_chunk(FILE *file, const char *kind, unsigned char *chunk, size_t size)
{
    unsigned char length[4], crc[4];
    memcpy(chunk, kind, 4); /* the four bytes before the data */
    png_put32(length, (uint32_t)size);
    png_put32(crc, png_crc(chunk, size + 4));
    return fwrite(length, 1, 4, file) == 4 && fwrite(chunk, 1, size + 4, file) == size + 4 &&
           fwrite(crc, 1, 4, file) == 4;
}

/* zlib's wrapping of the rows, each after a filter byte of 0, in stored blocks; returns its end. */
static inline unsigned char *png_store(unsigned char *at, const unsigned char *pixels, size_t rows, size_t row_size)
{
    enum { BLOCK = 65535 };
    const size_t size = rows * (row_size + 1);
    uint32_t a = 1, b = 0; /* Adler-32 */
    *at++ = 0x78;
    *at++ = 0x01;
    for (size_t i = 0; i < size; i++) {
        if (i % BLOCK == 0) {
            size_t length = size - i < BLOCK ? size - i : BLOCK;
            *at++ = i + length == size;
            *at++ = (unsigned char)length;
            *at++ = (unsigned char)(length >> 8);
            *at++ = (unsigned char)~length;
            *at++ = (unsigned char)(~length >> 8);
        }
        unsigned char byte = i % (row_size + 1) ? pixels[i / (row_size + 1) * row_size + i % (row_size + 1) - 1] : 0;
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
        *at++ = byte;
    }
    return png_put32(at, b << 16 | a);
}

/* Writes height rows of width pixels, top row first, of 1 (grey) or 3 (red, green, blue) bytes each.  Returns 0, or -1
 * where the file cannot be written (errno says why). */
static inline int png_write(const char *path, uint32_t width, uint32_t height, int channels,
                            const unsigned char *pixels)
{
    const size_t row_size = (size_t)width * (size_t)channels, size = height * (row_size + 1);
    unsigned char header[4 + 13], *data = malloc(4 + size + size / 65535 * 5 + 16);
    FILE *file = data ? fopen(path, "wb") : NULL;
    int ok = file != NULL;
    if (ok) {
        png_put32(png_put32(header + 4, width), height);
        memcpy(header + 12, channels == 3 ? "\10\2\0\0\0" : "\10\0\0\0\0", 5);
        size_t stored = (size_t)(png_store(data + 4, pixels, height, row_size) - (data + 4));
        ok = fwrite("\211PNG\r\n\032\n", 1, 8, file) == 8;
        ok = ok && png_chunk(file, "IHDR", header, 13) && png_chunk(file, "IDAT", data, stored);
        ok = ok && png_chunk(file, "IEND", header, 0);
        ok = fclose(file) == 0 && ok;
    }
    free(data);
    return ok ? 0 : -1;
}

#endif
