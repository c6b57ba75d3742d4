/* NumPy's .npy files: versions 1 to 3 are read, version 1 is written.  The header is a Python dictionary; whatever
 * the bytes are, npy_parse() stays inside them. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "run/run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_SIZE = 6, CHUNK = 16 << 20, MAP_FROM = 1 << 20 };

static const char magic[MAGIC_SIZE + 1] = "\x93NUMPY";

static bool is_little_endian(void)
{
    return *(const unsigned char *)&(const uint16_t){1} == 1;
}

/* ---- the dictionary ---- */

struct reader {
    const char *at, *end;
    struct npy_header *header;
    bool has_descr, has_order, has_shape;
    char *reason;
};

static bool refuse(struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->reason, NPY_REASON, format, arguments);
    va_end(arguments);
    return false;
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t'))
        reader->at++;
}

/* Takes the character if it comes next. */
static bool accept(struct reader *reader, char wanted)
{
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

/* A Python string without escapes, into `text` of `room` bytes. */
static bool parse_text(struct reader *reader, char *text, size_t room)
{
    skip_blanks(reader);
    if (reader->at == reader->end || (*reader->at != '\'' && *reader->at != '"'))
        return refuse(reader, "its header lacks a string");
    char quote = *reader->at++;
    size_t length = 0;
    while (reader->at < reader->end && *reader->at != quote) {
        if (length + 1 == room || *reader->at == '\\' || (unsigned char)*reader->at < ' ')
            return refuse(reader, "its header has an invalid string");
        text[length++] = *reader->at++;
    }
    text[length] = '\0';
    return accept(reader, quote) || refuse(reader, "its header has an unterminated string");
}

static bool parse_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length))
        return false;
    reader->at += length;
    return true;
}

static bool parse_extent(struct reader *reader, int64_t *extent)
{
    const char *start = reader->at;
    *extent = 0;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        if (__builtin_mul_overflow(*extent, 10, extent) || __builtin_add_overflow(*extent, *reader->at++ - '0', extent))
            return refuse(reader, "an extent of its shape exceeds 2^63 - 1");
    if (reader->at == start)
        return refuse(reader, "its shape is not a tuple of integers");
    if (reader->at < reader->end && *reader->at == 'L') /* as Python 2 wrote long integers */
        reader->at++;
    return true;
}

static bool parse_shape(struct reader *reader)
{
    struct npy_header *header = reader->header;
    if (!accept(reader, '('))
        return refuse(reader, "its shape is not a tuple");
    while (!accept(reader, ')')) {
        if (header->ndim == NPY_MAX_DIMS)
            return refuse(reader, "it has more than %d dimensions", NPY_MAX_DIMS);
        if (!parse_extent(reader, &header->shape[header->ndim]))
            return false;
        header->ndim++;
        bool comma = accept(reader, ',');
        skip_blanks(reader);
        bool closes = reader->at < reader->end && *reader->at == ')';
        if (comma ? false : !closes || header->ndim == 1)
            return refuse(reader, "its shape is not a tuple of integers");
    }
    return true;
}

static bool parse_descr(struct reader *reader)
{
    char descr[24];
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at == '[')
        return refuse(reader, "structured dtypes are not supported; save x.view(numpy.uint8) for a pointer to structs");
    if (!parse_text(reader, descr, sizeof descr))
        return false;
    char order = descr[0];
    const char *code = order && strchr("<>=|", order) ? descr + 1 : descr;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        if (strcmp(code, dtype_npy(dtype)))
            continue;
        reader->header->dtype = dtype;
        reader->header->swapped = dtype_size(dtype) > 1 && order == (is_little_endian() ? '>' : '<');
        return true;
    }
    return refuse(reader, "unsupported dtype '%s'", descr);
}

static bool parse_order(struct reader *reader)
{
    if (parse_word(reader, "True"))
        reader->header->fortran = true;
    else if (!parse_word(reader, "False"))
        return refuse(reader, "'fortran_order' in its header is neither True nor False");
    return true;
}

static bool parse_entry(struct reader *reader)
{
    const struct {
        const char *name;
        bool *seen;
        bool (*parse)(struct reader *reader);
    } entries[] = {{"descr", &reader->has_descr, parse_descr},
                   {"fortran_order", &reader->has_order, parse_order},
                   {"shape", &reader->has_shape, parse_shape}};
    char key[24];
    if (!parse_text(reader, key, sizeof key))
        return false;
    if (!accept(reader, ':'))
        return refuse(reader, "its header has no ':' after '%s'", key);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(key, entries[i].name))
            continue;
        if (*entries[i].seen)
            return refuse(reader, "its header has a duplicate key '%s'", key);
        *entries[i].seen = true;
        return entries[i].parse(reader);
    }
    return refuse(reader, "its header has an unknown key '%s'", key);
}

static bool parse_dictionary(struct reader *reader)
{
    if (!accept(reader, '{'))
        return refuse(reader, "its header is not a Python dictionary");
    while (!accept(reader, '}')) {
        if (!parse_entry(reader))
            return false;
        bool comma = accept(reader, ',');
        skip_blanks(reader);
        if (!comma && (reader->at == reader->end || *reader->at != '}'))
            return refuse(reader, "its header is not a Python dictionary");
    }
    skip_blanks(reader);
    if (reader->at < reader->end)
        return refuse(reader, "its header has text after the dictionary");
    const char *missing = !reader->has_descr ? "descr" : !reader->has_order ? "fortran_order" : "shape";
    if (!reader->has_descr || !reader->has_order || !reader->has_shape)
        return refuse(reader, "its header lacks '%s'", missing);
    return true;
}

/* ---- the file ---- */

static bool find_header(struct reader *reader, const unsigned char *bytes, size_t size)
{
    if (size < MAGIC_SIZE || memcmp(bytes, magic, MAGIC_SIZE))
        return refuse(reader, size ? "it is not a .npy file: its magic string is wrong" : "it is empty");
    size_t start = MAGIC_SIZE + 2 + (size > MAGIC_SIZE && bytes[MAGIC_SIZE] == 1 ? 2 : 4);
    if (size < start)
        return refuse(reader, "it is truncated: it ends after %zu bytes, inside its header", size);
    if (bytes[MAGIC_SIZE] < 1 || bytes[MAGIC_SIZE] > 3)
        return refuse(reader, "unsupported .npy version %d.%d; expected 1 to 3", bytes[MAGIC_SIZE],
                      bytes[MAGIC_SIZE + 1]);
    size_t length = 0;
    for (size_t i = start; i-- > MAGIC_SIZE + 2;)
        length = length << 8 | bytes[i];
    if (length > size - start)
        return refuse(reader, "it is truncated: expected %zu bytes of header, got %zu", length, size - start);
    reader->at = (const char *)bytes + start;
    reader->end = reader->at + length;
    reader->header->offset = start + length;
    return true;
}

bool npy_parse(const void *data, size_t size, struct npy_header *header, char reason[NPY_REASON])
{
    struct reader reader = {.header = header, .reason = reason};
    struct host_array array;
    *header = (struct npy_header){0};
    if (!find_header(&reader, data, size) || !parse_dictionary(&reader))
        return false;
    if (!host_array_lay_out(&array, header->dtype, header->ndim, header->shape, header->fortran))
        return refuse(&reader, "its shape exceeds the address space");
    header->size = host_array_size(&array);
    if (header->size > size - header->offset)
        return refuse(&reader, "it is truncated: expected %zu bytes of data, got %zu", header->size,
                      size - header->offset);
    return true;
}

/* ---- reading ---- */

void *anonymous_memory(const char *what, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fatal("out of memory: '%s' requires %zu bytes", what, size);
    return memory;
}

/* From a pipe, or a file that is not worth a mapping: until its end, in memory that grows. */
static struct file_bytes read_whole(const char *path, int descriptor, size_t expected)
{
    struct file_bytes file = {.mapped = expected + 4096};
    file.data = file.mapping = anonymous_memory(path, file.mapped);
    progress_begin(path, expected);
    for (;;) {
        if (file.size == file.mapped) {
            char *larger = anonymous_memory(path, 2 * file.mapped);
            memcpy(larger, file.data, file.size);
            munmap(file.data, file.mapped);
            file.data = file.mapping = larger;
            file.mapped *= 2;
        }
        size_t room = file.mapped - file.size;
        ssize_t count = read(descriptor, file.data + file.size, room < CHUNK ? room : CHUNK);
        if (count < 0 && errno != EINTR)
            fatal("cannot read '%s': %s", path, strerror(errno));
        if (count == 0)
            break;
        file.size += count > 0 ? (size_t)count : 0;
        progress_add(count > 0 ? (uint64_t)count : 0);
    }
    progress_end();
    return file;
}

struct file_bytes file_open(const char *path)
{
    struct stat status;
    int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_NONBLOCK) : dup(STDIN_FILENO);
    if (descriptor < 0 || fstat(descriptor, &status))
        fatal("cannot open '%s': %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        fatal("cannot read '%s': %s", path, strerror(EISDIR));
    const bool is_given = !strcmp(path, "-") || (S_ISFIFO(status.st_mode) && is_given_pipe(path));
    if (!is_given && !S_ISREG(status.st_mode))
        fatal("cannot read '%s': it is not a regular file", path);
    if (strcmp(path, "-") && fcntl(descriptor, F_SETFL, 0)) /* which waits for a pipe's writer */
        fatal("cannot read '%s': %s", path, strerror(errno));
    struct file_bytes file;
    if (S_ISREG(status.st_mode) && status.st_size >= MAP_FROM) {
        /* Private: kernels may write into their parameters, and the file stays as it is, which may be larger than the
           machine's memory: no room is kept for pages that nobody writes. */
        void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                            descriptor, 0);
        if (memory == MAP_FAILED)
            fatal("cannot map '%s': %s", path, strerror(errno));
        file = (struct file_bytes){memory, (size_t)status.st_size, memory, (size_t)status.st_size};
    } else {
        file = read_whole(path, descriptor, S_ISREG(status.st_mode) ? (size_t)status.st_size : 0);
    }
    close(descriptor);
    return file;
}

static void reverse(char *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        char byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
}

static void swap_bytes(struct host_array *array)
{
    bool complex = dtype_kind(array->dtype) == 'c';
    size_t step = dtype_size(array->dtype) / (complex ? 2 : 1), size = host_array_size(array);
    for (size_t i = 0; i < size; i += step)
        reverse(array->data + i, step);
}

/* C knows 0 and 1 alone. */
static void make_booleans(struct host_array *array)
{
    unsigned char *bytes = (unsigned char *)array->data;
    for (size_t i = 0, size = host_array_size(array); i < size; i++)
        if (bytes[i] > 1)
            bytes[i] = 1;
}

void npy_decode(struct file_bytes file, const char *what, struct host_array *array)
{
    struct npy_header header;
    char reason[NPY_REASON];
    if (!npy_parse(file.data, file.size, &header, reason))
        input_error("cannot use '%s': %s", what, reason);
    *array = (struct host_array){0};
    host_array_lay_out(array, header.dtype, header.ndim, header.shape, header.fortran);
    char *data = file.data + header.offset;
    if ((uintptr_t)data % 16) {
        /* Some writers do not align the data, but compiled code counts on it. */
        host_array_allocate(array, what);
        memcpy(array->data, data, header.size);
        munmap(file.mapping, file.mapped);
    } else {
        array->mapping = file.mapping;
        array->mapping_size = file.mapped;
        array->data = data;
    }
    if (header.swapped)
        swap_bytes(array);
    if (header.dtype == DTYPE_boolean)
        make_booleans(array);
}

void npy_load(const char *path, struct host_array *array)
{
    npy_decode(file_open(path), path, array);
}

/* ---- writing ---- */

size_t npy_header(const struct host_array *array, char header[HOST_ARRAY_HEADROOM])
{
    size_t start = MAGIC_SIZE + 4, size = start, room = HOST_ARRAY_HEADROOM;
    char order = dtype_size(array->dtype) == 1 ? '|' : is_little_endian() ? '<' : '>';
    size += (size_t)snprintf(header + size, room - size, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
                             dtype_npy(array->dtype));
    for (int d = 0; d < array->ndim; d++)
        size += (size_t)snprintf(header + size, room - size, "%s%lld", d ? ", " : "", (long long)array->shape[d]);
    size += (size_t)snprintf(header + size, room - size, array->ndim == 1 ? ",), }" : "), }");
    while ((size + 1) % 64)
        header[size++] = ' ';
    header[size++] = '\n';
    memcpy(header, magic, MAGIC_SIZE);
    header[MAGIC_SIZE] = 1;
    header[MAGIC_SIZE + 1] = 0;
    header[MAGIC_SIZE + 2] = (char)((size - start) & 0xff);
    header[MAGIC_SIZE + 3] = (char)((size - start) >> 8);
    return size;
}

void npy_save(const char *path, const struct host_array *array)
{
    char header[HOST_ARRAY_HEADROOM];
    size_t size = npy_header(array, header);
    memcpy(array->data - size, header, size);
    write_file(path, array->data - size, size + host_array_size(array), false);
}
