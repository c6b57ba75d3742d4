/* Inputs as they stand on the command line: x.npy, x.csv, x.txt, a number, zeros:… ones:… full:… empty:… linspace:…
 * arange:… random:… and map:… of an array. */
#include "run/run_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 5, BATCH = 4096, PROGRESS_STEP = 1 << 20 };

struct fields {
    const char *text;  /* the whole input, for messages */
    const char *usage; /* how it should look */
    struct arena *arena;
    const char *items[MAX_FIELDS];
    size_t count;
};

static _Noreturn void bad_input(const struct fields *fields, const char *reason)
{
    usage_error("input '%s': %s; expected %s", fields->text, reason, fields->usage);
}

/* ---- the parts of a constructor ---- */

static enum dtype parse_dtype(const struct fields *fields, const char *name)
{
    static const char *const names[] = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) #name,
#include <gpucc/dtypes.def>
    };
    enum dtype dtype = dtype_from_name(name, strlen(name));
    if (dtype != DTYPE_NONE)
        return dtype;
    const char *near = nearest(name, strlen(name), names, DTYPE_COUNT);
    usage_error("input '%s': unknown type '%s'%s%s%s", fields->text, name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
}

static int64_t parse_count(const struct fields *fields, const char *text, const char **end)
{
    char *stop;
    errno = 0;
    long long count = strtoll(text, &stop, 10);
    if (stop == text || *text < '0' || *text > '9')
        bad_input(fields, arena_printf(fields->arena, "invalid integer '%s'", text));
    if (errno)
        bad_input(fields, arena_printf(fields->arena, "'%s' is out of range", text));
    *end = stop;
    return count;
}

/* 1000x12 */
static void parse_shape(const struct fields *fields, const char *text, struct input *input)
{
    int64_t shape[GPUCC_MAX_DIMS];
    int ndim = 0;
    for (const char *at = text;; at++) {
        if (ndim == GPUCC_MAX_DIMS)
            bad_input(fields, "the shape has too many dimensions");
        shape[ndim++] = parse_count(fields, at, &at);
        if (!*at)
            break;
        if (*at != 'x')
            bad_input(fields, arena_printf(fields->arena, "invalid shape '%s' (write 1000x12)", text));
    }
    if (!host_array_lay_out(&input->array, input->dtype, ndim, shape, false))
        usage_error("input '%s': shape %s exceeds the address space", fields->text,
                    shape_spelling(fields->arena, ndim, shape));
}

/* The shape of linspace and arange, whose type may come later; 16 bytes are the most an element has. */
static void set_length(const struct fields *fields, const char *text, struct input *input)
{
    const char *end;
    int64_t length = parse_count(fields, text, &end);
    if (*end)
        bad_input(fields, arena_printf(fields->arena, "invalid integer '%s'", text));
    if (!host_array_lay_out(&input->array, DTYPE_complex128, 1, &length, false))
        usage_error("input '%s': %s elements exceed the address space", fields->text, text);
}

static void parse_value(const struct fields *fields, const char *text, struct number *number)
{
    if (!number_parse(text, number))
        bad_input(fields, arena_printf(fields->arena, "invalid number '%s'", text));
}

/* ---- constructors ---- */

static void check_fits(const struct fields *fields, const struct number *number, const char *text, enum dtype dtype)
{
    _Alignas(16) char element[16];
    if (dtype != DTYPE_NONE && !number_store(number, dtype, element))
        usage_error("input '%s': %s cannot hold %s", fields->text, dtype_name(dtype), text);
}

static void make_fill(struct input *input, const struct fields *fields)
{
    const char *value = fields->count > 3 ? fields->items[3] : *fields->items[0] == 'o' ? "1" : "0";
    input->kind = INPUT_FILL;
    input->is_empty = *fields->items[0] == 'e';
    input->dtype = parse_dtype(fields, fields->items[2]);
    parse_shape(fields, fields->items[1], input);
    parse_value(fields, value, &input->number);
    check_fits(fields, &input->number, value, input->dtype);
}

static void make_linspace(struct input *input, const struct fields *fields)
{
    input->kind = INPUT_LINSPACE;
    input->dtype = fields->count > 4 ? parse_dtype(fields, fields->items[4]) : DTYPE_NONE;
    parse_value(fields, fields->items[1], &input->from);
    parse_value(fields, fields->items[2], &input->to);
    set_length(fields, fields->items[3], input);
    if (input->dtype != DTYPE_NONE && !strchr("fc", dtype_kind(input->dtype)))
        bad_input(fields, arena_printf(fields->arena, "%s represents integers only", dtype_name(input->dtype)));
    check_fits(fields, &input->from, fields->items[1], input->dtype);
    check_fits(fields, &input->to, fields->items[2], input->dtype);
}

static void make_arange(struct input *input, const struct fields *fields)
{
    input->kind = INPUT_ARANGE;
    input->dtype = fields->count > 2 ? parse_dtype(fields, fields->items[2]) : DTYPE_NONE;
    set_length(fields, fields->items[1], input);
    int64_t last = input->array.shape[0] ? input->array.shape[0] - 1 : 0;
    const char *text = arena_printf(fields->arena, "%lld", (long long)last);
    parse_value(fields, text, &input->to);
    check_fits(fields, &input->to, text, input->dtype);
}

static void make_random(struct input *input, const struct fields *fields)
{
    struct number seed = {.magnitude = input->seed};
    input->kind = INPUT_RANDOM;
    input->dtype = parse_dtype(fields, fields->items[2]);
    parse_shape(fields, fields->items[1], input);
    if (!strchr("fc", dtype_kind(input->dtype)))
        usage_error("input '%s': random numbers are in [0,1), which %s cannot hold: use a floating or complex dtype, "
                    "arange, or a .npy file", fields->text, dtype_name(input->dtype));
    if (fields->count > 3)
        parse_value(fields, fields->items[3], &seed);
    if (seed.kind != NUMBER_INTEGER || seed.negative)
        bad_input(fields, "the seed must be an integer from 0 on");
    input->seed = seed.magnitude;
}

static const struct constructor {
    const char *name, *usage;
    size_t fewest, most; /* fields, the name among them */
    void (*make)(struct input *input, const struct fields *fields);
} constructors[] = {
    {"zeros", "zeros:SHAPE:DTYPE", 3, 3, make_fill},
    {"ones", "ones:SHAPE:DTYPE", 3, 3, make_fill},
    {"full", "full:SHAPE:DTYPE:VALUE", 4, 4, make_fill},
    {"empty", "empty:SHAPE:DTYPE", 3, 3, make_fill},
    {"linspace", "linspace:A:B:N[:DTYPE]", 4, 5, make_linspace},
    {"arange", "arange:N[:DTYPE]", 2, 3, make_arange},
    {"random", "random:SHAPE:DTYPE[:SEED]", 3, 4, make_random},
};

enum { CONSTRUCTOR_COUNT = sizeof constructors / sizeof *constructors };

static const struct constructor *find_constructor(const char *text)
{
    size_t length = strcspn(text, ":");
    for (size_t i = 0; text[length] && i < CONSTRUCTOR_COUNT; i++)
        if (strlen(constructors[i].name) == length && !memcmp(constructors[i].name, text, length))
            return &constructors[i];
    return NULL;
}

/* Ends the process where a file name is more likely a misspelled constructor. */
static void check_file_name(const char *text)
{
    const char *names[CONSTRUCTOR_COUNT];
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < CONSTRUCTOR_COUNT; i++)
        names[i] = constructors[i].name;
    const char *near = text[length] ? nearest(text, length, names, CONSTRUCTOR_COUNT) : NULL;
    FILE *file = near ? fopen(text, "rb") : NULL;
    if (file)
        fclose(file);
    else if (near)
        usage_error("unknown input '%s'; did you mean '%s:…'?", text, near);
}

static void read_file_input(struct input *input, const char *text)
{
    input->kind = is_text_file(text) ? INPUT_TEXT : INPUT_FILE;
    input->path = text;
    check_file_name(text);
    protect_file(strcmp(text, "-") ? input->path : "/dev/stdin", "is an input");
}

/* map:BOX:SWIZZLE:INPUT */
static void parse_map(struct input *input, const char *text, size_t position, struct arena *arena)
{
    struct fields fields = {.text = text, .usage = "map:BOX:SWIZZLE:INPUT", .arena = arena};
    const char *const box = text + 4, *const swizzle = box + strcspn(box, ":") + 1;
    const char *const array = swizzle[-1] ? swizzle + strcspn(swizzle, ":") + 1 : swizzle;
    const char *end;
    struct input shape = {.dtype = DTYPE_int8};
    if (!swizzle[-1] || !array[-1])
        bad_input(&fields, "it lacks a part");
    parse_shape(&fields, arena_strndup(arena, box, (size_t)(swizzle - 1 - box)), &shape);
    const int64_t bytes = parse_count(&fields, swizzle, &end);
    if (end != array - 1 || bytes > 128)
        bad_input(&fields, "its swizzle is not 0, 32, 64 or 128 bytes");
    input_parse(input, array, position, arena);
    if (input->kind == INPUT_NUMBER || input->box_count)
        bad_input(&fields, "its last part is no array");
    input->text = text;
    input->swizzle = (int)bytes;
    input->box_count = shape.array.ndim;
    for (int d = 0; d < shape.array.ndim; d++)
        input->box[d] = (size_t)shape.array.shape[d];
}

void input_parse(struct input *input, const char *text, size_t position, struct arena *arena)
{
    if (!strncmp(text, "map:", 4)) {
        parse_map(input, text, position, arena);
        return;
    }
    *input = (struct input){.text = text, .dtype = DTYPE_NONE, .seed = position};
    const struct constructor *constructor = find_constructor(text);
    if (!*text)
        usage_error("input %zu is empty", position + 1);
    if (number_parse(text, &input->number)) {
        input->kind = INPUT_NUMBER;
        return;
    }
    if (!constructor) {
        read_file_input(input, text);
        return;
    }
    struct fields fields = {.text = text, .usage = constructor->usage, .arena = arena};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ":");
        if (fields.count == constructor->most)
            bad_input(&fields, "it has too many parts");
        fields.items[fields.count++] = arena_strndup(arena, at, length);
        at += length;
        if (!*at)
            break;
    }
    if (fields.count < constructor->fewest)
        bad_input(&fields, "it lacks a part");
    constructor->make(input, &fields);
}

/* ---- data ---- */

static void open_text(struct input *input)
{
    int64_t shape[2];
    text_file_open(&input->text_file, input->path);
    host_array_lay_out(&input->array, DTYPE_complex128, text_file_shape(&input->text_file, shape), shape, false);
}

void input_open(struct input *input)
{
    if (input->kind == INPUT_TEXT)
        open_text(input);
    if (input->kind != INPUT_FILE)
        return;
    npy_load(input->path, &input->array);
    input->dtype = input->array.dtype;
}

bool input_fits(const struct input *input, enum dtype dtype)
{
    _Alignas(16) char element[16];
    if (input->dtype != DTYPE_NONE)
        return input->dtype == dtype;
    switch (input->kind) {
    case INPUT_NUMBER: return number_store(&input->number, dtype, element);
    case INPUT_ARANGE: return number_store(&input->to, dtype, element);
    case INPUT_TEXT: return text_file_fits(&input->text_file, dtype);
    case INPUT_LINSPACE:
        return strchr("fc", dtype_kind(dtype)) && number_store(&input->from, dtype, element) &&
               number_store(&input->to, dtype, element);
    default: return false;
    }
}

enum dtype input_usual_dtype(const struct input *input)
{
    switch (input->kind) {
    case INPUT_NUMBER: return number_dtype(&input->number);
    case INPUT_ARANGE: return DTYPE_int64;
    case INPUT_TEXT: return text_file_dtype(&input->text_file);
    default:
        return input->from.kind == NUMBER_COMPLEX || input->to.kind == NUMBER_COMPLEX ? DTYPE_complex128
                                                                                      : DTYPE_float64;
    }
}

/* The finaliser of SplitMix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Numbers first … first + count - 1 of the random stream: a function of seed and index alone, the same everywhere. */
static void random_batch(const struct input *input, uint64_t first, size_t count, double *values)
{
    int digits = dtype_digits(input->dtype), bits = digits ? digits : 53;
    uint64_t start = mix(input->seed);
    for (size_t i = 0; i < count; i++) {
        uint64_t z = mix(start + (first + i + 1) * 0x9e3779b97f4a7c15);
        values[i] = (double)(z >> (64 - bits)) / (double)((uint64_t)1 << bits);
    }
}

static void linspace_batch(const struct input *input, uint64_t first, size_t count, int parts, double *values)
{
    double intervals = (double)(input->array.shape[0] - 1);
    for (int part = 0; part < parts; part++) {
        double from = input->from.value[part], to = input->to.value[part];
        double step = intervals > 0 ? (to - from) / intervals : 0;
        for (size_t i = 0; i < count; i++)
            values[i * (size_t)parts + (size_t)part] =
                first + i && (double)(first + i) == intervals ? to : (double)(first + i) * step + from;
    }
}

static void arange_batch(uint64_t first, size_t count, int parts, double *values)
{
    for (size_t i = 0; i < count; i++) {
        values[i * (size_t)parts] = (double)(first + i);
        if (parts > 1)
            values[2 * i + 1] = 0;
    }
}

static void make_batch(const struct input *input, uint64_t first, size_t count, void *elements)
{
    double values[2 * BATCH];
    int parts = dtype_kind(input->array.dtype) == 'c' ? 2 : 1;
    if (input->kind == INPUT_RANDOM)
        random_batch(input, first * (uint64_t)parts, count * (size_t)parts, values);
    else if (input->kind == INPUT_LINSPACE)
        linspace_batch(input, first, count, parts, values);
    else
        arange_batch(first, count, parts, values);
    elements_from_double(input->array.dtype, values, count, elements);
}

/* Copies of one element; fresh memory is zero already. */
static void fill_batch(const struct input *input, size_t count, char *elements)
{
    static const char zero[16];
    _Alignas(16) char element[16];
    size_t size = dtype_size(input->array.dtype), total = count * size;
    number_store(&input->number, input->array.dtype, element);
    if (!memcmp(element, zero, size))
        return;
    memcpy(elements, element, size);
    for (size_t done = size; done < total; done *= 2)
        memcpy(elements + done, elements, total - done < done ? total - done : done);
}

void input_make(struct input *input, enum dtype dtype)
{
    struct host_array *array = &input->array;
    if (array->data)
        return;
    int64_t shape[GPUCC_MAX_DIMS];
    memcpy(shape, array->shape, sizeof shape);
    host_array_lay_out(array, input->dtype == DTYPE_NONE ? dtype : input->dtype, array->ndim, shape, false);
    host_array_allocate(array, input->text);
    if (input->kind == INPUT_TEXT) {
        text_file_read(&input->text_file, array->dtype, array->data);
        return;
    }
    size_t size = dtype_size(array->dtype), count = host_array_count(array);
    progress_begin(input->text, count);
    for (size_t first = 0, reported = 0; first < count; first += BATCH) {
        size_t some = count - first < BATCH ? count - first : BATCH;
        if (input->kind == INPUT_FILL)
            fill_batch(input, some, array->data + first * size);
        else
            make_batch(input, first, some, array->data + first * size);
        if (first - reported >= PROGRESS_STEP) {
            progress_add(first - reported);
            reported = first;
        }
    }
    progress_end();
}
