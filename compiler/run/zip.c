/* Zip archives, as .npz files are: members that are stored or deflated, Zip64 too.  Whatever the bytes are, reading
 * stays inside them. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, mremap */
#include "run/run_internal.h"

#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

enum {
    END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, ENTRY_SIZE = 46, LOCAL_SIZE = 30,
    END = 0x06054b50, END64 = 0x06064b50, LOCATOR = 0x07064b50, ENTRY = 0x02014b50, LOCAL = 0x04034b50,
    STORED = 0, DEFLATED = 8,
    ZIP64_VERSION = 45,
    ENCRYPTED = 1,
    UTF8 = 1 << 11,
    EXTRA64 = 1, WIDE_EXTRA = 20, EXTRA_HEAD = 4,
    PADDING = 0xd935, /* known to zip tools as nothing but that */
    ALIGNMENT = 64,
    MOST_COMMENT = UINT16_MAX,
    PIECE = 1 << 30 /* zlib counts in unsigned int */
};

/* ---- numbers, lowest byte first ---- */

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t number = 0;
    while (bytes-- > 0)
        number = number << 8 | at[bytes];
    return number;
}

static unsigned char *put(unsigned char *at, int bytes, uint64_t number)
{
    for (; bytes > 0; bytes--, number >>= 8)
        *at++ = (unsigned char)number;
    return at;
}

/* ---- reading: where the directory is ---- */

static bool refuse(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, NPY_REASON, format, arguments);
    va_end(arguments);
    return false;
}

/* `size` bytes from `offset` on; null where they are not all there. */
static const unsigned char *bytes_at(const struct zip *zip, uint64_t offset, uint64_t size)
{
    return offset <= zip->size && size <= zip->size - offset ? zip->bytes + offset : NULL;
}

/* The record at the end, behind which there is nothing but its comment. */
static const unsigned char *find_end(const struct zip *zip)
{
    for (size_t comment = 0; comment <= MOST_COMMENT && comment + END_SIZE <= zip->size; comment++) {
        const unsigned char *at = zip->bytes + zip->size - END_SIZE - comment;
        if (get(at, 4) == END && get(at + 20, 2) == comment)
            return at;
    }
    return NULL;
}

/* The Zip64 one in its place, where there is one. */
static const unsigned char *find_end64(const struct zip *zip, const unsigned char *end)
{
    if (end - zip->bytes < LOCATOR_SIZE || get(end - LOCATOR_SIZE, 4) != LOCATOR)
        return NULL;
    const unsigned char *at = bytes_at(zip, get(end - LOCATOR_SIZE + 8, 8), END64_SIZE);
    return at && get(at, 4) == END64 ? at : NULL;
}

bool zip_open(struct zip *zip, const void *data, size_t size, char reason[NPY_REASON])
{
    *zip = (struct zip){.bytes = data, .size = size, .reason = reason};
    const unsigned char *end = find_end(zip);
    if (!end)
        return refuse(reason, size ? "it does not end as .npz files do: it is none, or truncated" : "it is empty");
    const unsigned char *end64 = find_end64(zip, end);
    const bool parts = end64 ? get(end64 + 16, 4) != get(end64 + 20, 4) || get(end64 + 24, 8) != get(end64 + 32, 8)
                             : get(end + 4, 2) != get(end + 6, 2) || get(end + 8, 2) != get(end + 10, 2);
    if (parts)
        return refuse(reason, "it is one of several parts of an archive");
    zip->left = end64 ? get(end64 + 32, 8) : get(end + 10, 2);
    const uint64_t length = end64 ? get(end64 + 40, 8) : get(end + 12, 4);
    zip->at = bytes_at(zip, end64 ? get(end64 + 48, 8) : get(end + 16, 4), length);
    if (!zip->at)
        return refuse(reason, "its directory of %llu bytes lies outside of it", (unsigned long long)length);
    zip->end = zip->at + length;
    return true;
}

/* ---- reading: members ---- */

/* Numbers that have no room in an entry stand in its Zip64 field, one behind the other. */
static bool take_extra(const unsigned char *extra, size_t length, uint64_t *const *numbers, int count)
{
    bool all = true;
    for (int i = 0; i < count; i++)
        all = all && *numbers[i] != UINT32_MAX;
    while (!all && length >= 4) {
        const uint64_t id = get(extra, 2), size = get(extra + 2, 2);
        const unsigned char *at = extra + 4;
        if (size > length - 4)
            return false;
        extra += 4 + size;
        length -= 4 + size;
        if (id != EXTRA64)
            continue;
        for (int i = 0; i < count; i++) {
            if (*numbers[i] != UINT32_MAX)
                continue;
            if (extra - at < 8)
                return false;
            *numbers[i] = get(at, 8);
            at += 8;
        }
        return true;
    }
    return all;
}

/* Its data follow a header of their own, which names it again. */
static bool find_data(const struct zip *zip, struct zip_member *member, uint64_t offset)
{
    const unsigned char *local = bytes_at(zip, offset, LOCAL_SIZE);
    if (!local || get(local, 4) != LOCAL)
        return refuse(zip->reason, "a member of it is not where its directory says");
    const uint64_t name = get(local + 26, 2), start = offset + LOCAL_SIZE + name + get(local + 28, 2);
    const unsigned char *again = bytes_at(zip, offset + LOCAL_SIZE, name);
    if (!again || name != member->name_length || memcmp(again, member->name, name) ||
        (int)get(local + 8, 2) != member->method)
        return refuse(zip->reason, "a member of it is another than its directory says");
    member->data = bytes_at(zip, start, member->packed);
    if (!member->data)
        return refuse(zip->reason, "it is truncated: a member of %llu bytes does not end inside it",
                      (unsigned long long)member->packed);
    return true;
}

bool zip_next(struct zip *zip, struct zip_member *member)
{
    const size_t left = (size_t)(zip->end - zip->at);
    const unsigned char *at = zip->at;
    zip->reason[0] = '\0';
    if (zip->left == 0)
        return false;
    if (left < ENTRY_SIZE || get(at, 4) != ENTRY)
        return refuse(zip->reason, "its directory is damaged");
    const size_t name = get(at + 28, 2), extra = get(at + 30, 2), size = ENTRY_SIZE + name + extra + get(at + 32, 2);
    uint64_t packed = get(at + 20, 4), unpacked = get(at + 24, 4), offset = get(at + 42, 4);
    uint64_t *const numbers[] = {&unpacked, &packed, &offset};
    if (size > left || !take_extra(at + ENTRY_SIZE + name, extra, numbers, 3))
        return refuse(zip->reason, "its directory is damaged");
    *member = (struct zip_member){.name = (const char *)at + ENTRY_SIZE, .name_length = name,
                                  .encrypted = get(at + 8, 2) & ENCRYPTED, .method = (int)get(at + 10, 2),
                                  .crc = (uint32_t)get(at + 16, 4), .packed = packed, .size = unpacked};
    zip->at += size;
    zip->left--;
    return find_data(zip, member, offset);
}

/* ---- reading: bytes ---- */

static uint32_t sum_of(const unsigned char *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

static unsigned piece_of(uint64_t left)
{
    return left < PIECE ? (unsigned)left : PIECE;
}

/* True where the data inflate to just these bytes. */
static bool inflate_all(const struct zip_member *member, unsigned char *out)
{
    z_stream stream = {0};
    uint64_t in_left = member->packed, out_left = member->size;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        fatal("out of memory");
    stream.next_in = (unsigned char *)(uintptr_t)member->data;
    stream.next_out = out;
    int result = Z_OK;
    while (result == Z_OK) {
        const unsigned in = piece_of(in_left), room = piece_of(out_left);
        stream.avail_in = in;
        stream.avail_out = room;
        result = inflate(&stream, Z_NO_FLUSH);
        in_left -= in - stream.avail_in;
        out_left -= room - stream.avail_out;
    }
    inflateEnd(&stream);
    return result == Z_STREAM_END && in_left == 0 && out_left == 0;
}

bool zip_check(const struct zip_member *member, char reason[NPY_REASON])
{
    enum { MOST_RATIO = 1032 }; /* deflate makes no less of anything */
    if (member->encrypted)
        return refuse(reason, "it is encrypted");
    if (member->method != STORED && member->method != DEFLATED)
        return refuse(reason, "it is compressed by method %d; stored and deflated members are known", member->method);
    const bool fits = member->method == STORED ? member->size == member->packed
                                               : member->size / MOST_RATIO <= member->packed;
    return fits || refuse(reason, "%llu bytes cannot be %llu compressed ones", (unsigned long long)member->size,
                          (unsigned long long)member->packed);
}

bool zip_is_stored(const struct zip_member *member)
{
    return member->method == STORED;
}

bool zip_unpack(const struct zip_member *member, void *out, char reason[NPY_REASON])
{
    if (!zip_is_stored(member) && !inflate_all(member, out))
        return refuse(reason, "its compressed data are damaged");
    if (sum_of(zip_is_stored(member) ? member->data : out, member->size) != member->crc)
        return refuse(reason, "its check sum is wrong: it is damaged");
    return true;
}

/* ---- writing ---- */

/* A member on its way; its data end where the next begins. */
struct zip_entry {
    struct zip_entry *next;
    const char *name;
    uint64_t offset; /* of its local header */
    uint64_t data;
    uint64_t size;
    bool wide;       /* its local header has Zip64 sizes */
    unsigned padding; /* bytes behind its local header, so that arrays are aligned in a file that is mapped */
};

/* Room for `size` more bytes. */
static unsigned char *extend(struct zip_writer *zip, uint64_t size)
{
    enum { STEP = 1 << 16 };
    if (size > zip->room - zip->size) {
        const size_t room = (size_t)(zip->size + size + STEP);
        void *memory = room < size || room > PTRDIFF_MAX ? MAP_FAILED
                       : zip->bytes ? mremap(zip->bytes, zip->room, room, MREMAP_MAYMOVE)
                                    : mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            fatal("out of memory: '%s' needs %llu bytes", zip->path, (unsigned long long)(zip->size + size));
        zip->bytes = memory;
        zip->room = room;
    }
    unsigned char *at = zip->bytes + zip->size;
    zip->size += size;
    return at;
}

void zip_begin(struct zip_writer *zip, struct arena *arena, const char *path)
{
    *zip = (struct zip_writer){.arena = arena, .path = path, .limit = UINT32_MAX, .last = &zip->first};
}

void *zip_add(struct zip_writer *zip, const char *name, size_t size)
{
    struct zip_entry *entry = arena_alloc(zip->arena, sizeof *entry);
    const size_t length = strlen(name);
    *entry = (struct zip_entry){.name = name, .offset = zip->size, .size = size, .wide = size >= zip->limit};
    extend(zip, LOCAL_SIZE + length + (entry->wide ? WIDE_EXTRA : 0) + EXTRA_HEAD);
    entry->padding = EXTRA_HEAD + (unsigned)(-zip->size % ALIGNMENT);
    extend(zip, -zip->size % ALIGNMENT);
    entry->data = zip->size;
    *zip->last = entry;
    zip->last = &entry->next;
    zip->count++;
    return extend(zip, size);
}

bool zip_has(const struct zip_writer *zip, const char *name)
{
    for (const struct zip_entry *entry = zip->first; entry; entry = entry->next)
        if (!strcmp(entry->name, name))
            return true;
    return false;
}

/* What local header and directory say alike: the versions, flags and method, time and date, check sum and sizes, and
 * lengths of what follows.  The time is the first of 1980, so that the same results make the same bytes. */
static unsigned char *put_description(unsigned char *at, const struct zip_entry *entry, uint32_t sum, uint64_t extra)
{
    enum { FIRST_DAY = 1 << 5 | 1 };
    const uint64_t size = entry->wide ? UINT32_MAX : entry->size;
    at = put(at, 2, ZIP64_VERSION);
    at = put(at, 2, UTF8);
    at = put(at, 2, STORED);
    at = put(at, 2, 0);
    at = put(at, 2, FIRST_DAY);
    at = put(at, 4, sum);
    at = put(at, 4, size);
    at = put(at, 4, size);
    at = put(at, 2, strlen(entry->name));
    return put(at, 2, extra);
}

static uint32_t write_local(struct zip_writer *zip, const struct zip_entry *entry)
{
    const uint32_t sum = sum_of(zip->bytes + entry->data, entry->size);
    unsigned char *at = put(zip->bytes + entry->offset, 4, LOCAL);
    at = put_description(at, entry, sum, (entry->wide ? WIDE_EXTRA : 0) + entry->padding);
    memcpy(at, entry->name, strlen(entry->name));
    at += strlen(entry->name);
    if (entry->wide)
        at = put(put(put(put(at, 2, EXTRA64), 2, 16), 8, entry->size), 8, entry->size);
    put(put(at, 2, PADDING), 2, entry->padding - EXTRA_HEAD);
    return sum;
}

static void write_entry(struct zip_writer *zip, const struct zip_entry *entry, uint32_t sum)
{
    const bool far = entry->offset >= zip->limit, extended = entry->wide || far;
    const uint64_t extra = extended ? EXTRA_HEAD + (entry->wide ? 16 : 0) + (far ? 8 : 0) : 0;
    const size_t length = strlen(entry->name);
    unsigned char *at = extend(zip, ENTRY_SIZE + length + extra);
    at = put(put(at, 4, ENTRY), 2, ZIP64_VERSION);
    at = put_description(at, entry, sum, extra);
    at = put(at, 2, 0);  /* no comment … */
    at = put(at, 4, 0);  /* on the first disk, and no text … */
    at = put(at, 4, 0);  /* and of no system */
    at = put(at, 4, far ? UINT32_MAX : entry->offset);
    memcpy(at, entry->name, length);
    at += length;
    if (extended)
        at = put(put(at, 2, EXTRA64), 2, extra - EXTRA_HEAD);
    if (entry->wide)
        at = put(put(at, 8, entry->size), 8, entry->size);
    if (far)
        put(at, 8, entry->offset);
}

static void write_end64(struct zip_writer *zip, uint64_t directory, uint64_t length)
{
    const uint64_t offset = zip->size;
    unsigned char *at = put(extend(zip, END64_SIZE), 4, END64);
    at = put(at, 8, END64_SIZE - 12);
    at = put(put(at, 2, ZIP64_VERSION), 2, ZIP64_VERSION);
    at = put(at, 8, 0); /* the first disk, of one */
    at = put(put(at, 8, zip->count), 8, zip->count);
    put(put(at, 8, length), 8, directory);
    at = put(extend(zip, LOCATOR_SIZE), 4, LOCATOR);
    at = put(at, 4, 0);
    put(put(at, 8, offset), 4, 1);
}

void zip_finish(struct zip_writer *zip)
{
    const uint64_t directory = zip->size;
    for (const struct zip_entry *entry = zip->first; entry; entry = entry->next)
        write_entry(zip, entry, write_local(zip, entry));
    const uint64_t length = zip->size - directory;
    const bool wide = directory >= zip->limit || length >= zip->limit || zip->count >= UINT16_MAX;
    if (wide)
        write_end64(zip, directory, length);
    unsigned char *at = put(put(extend(zip, END_SIZE), 4, END), 4, 0);
    const uint64_t count = wide ? UINT16_MAX : zip->count;
    at = put(put(at, 2, count), 2, count);
    at = put(at, 4, wide ? UINT32_MAX : length);
    at = put(at, 4, wide ? UINT32_MAX : directory);
    put(at, 2, 0);
}

void zip_free(struct zip_writer *zip)
{
    if (zip->bytes)
        munmap(zip->bytes, zip->room);
    zip->bytes = NULL;
}
