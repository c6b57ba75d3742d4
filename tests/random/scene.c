/* Reads and writes scenes; links with the runtime for its types alone. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *code;
    size_t size;
    const char *kind;
} types[] = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) {#code, size, #kind},
#include <gpucc/dtypes.def>
#undef DTYPE
};

/* ---- reading ---- */

/* The whole file and a null byte; free() it. */
static char *read_file(const char *stem, const char *suffix, size_t *size)
{
    char path[4096], *text = NULL;
    snprintf(path, sizeof path, "%s%s", stem, suffix);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size + 1);
    if (text && fread(text, 1, *size, file) == *size)
        text[*size] = 0;
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    fclose(file);
    return text;
}

static bool find_type(const char *code, gpucc_dtype *dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].code, code)) {
            *dtype = (gpucc_dtype)i;
            return true;
        }
    return false;
}

static bool set_array(struct scene_operand *operand, const char *code, size_t count)
{
    operand->count = count;
    if (!find_type(code, &operand->dtype))
        return false;
    operand->size = count * types[operand->dtype].size;
    return true;
}

/* The rest of a line of a function: counts, codes and, of a kernel, the block. */
static bool read_function(struct scene_program *program, char **words)
{
    char *word = strtok_r(NULL, " ", words);
    program->count = word ? strtoul(word, NULL, 10) : 0;
    program->inputs = (word = strtok_r(NULL, " ", words)) ? atoi(word) : 0;
    program->operand_count = program->inputs + ((word = strtok_r(NULL, " ", words)) ? atoi(word) : 0);
    if (program->count == 0 || program->operand_count > SCENE_OPERANDS)
        return false;
    for (int i = 0; i < program->operand_count; i++) {
        word = strtok_r(NULL, " ", words);
        program->operands[i].is_result = i >= program->inputs;
        if (!word || !set_array(&program->operands[i], word, program->count))
            return false;
    }
    if (program->kind == SCENE_UFUNC)
        return true;
    word = strtok_r(NULL, " ", words);
    program->block = (struct gpucc_index){word ? (unsigned)atoi(word) : 0, 1, 1};
    if (program->block.x == 0)
        return false;
    program->grid = (struct gpucc_index){(unsigned)((program->count + program->block.x - 1) / program->block.x), 1, 1};
    return true;
}

static bool read_parameter(struct scene_operand *operand, const char *line)
{
    char code[8];
    size_t count;
    if (sscanf(line, "value %zu", &operand->size) == 1)
        return operand->is_value = true;
    operand->is_result = true;
    operand->is_empty = !strncmp(line, "empty ", strlen("empty "));
    return sscanf(line, operand->is_empty ? "empty %7s %zu" : "array %7s %zu", code, &count) == 2 &&
           set_array(operand, code, count);
}

static bool read_kernel(struct scene_program *program, char *rest, char **lines)
{
    struct gpucc_index *g = &program->grid, *b = &program->block;
    if (sscanf(rest, "%u %u %u %u %u %u %zu %d", &g->x, &g->y, &g->z, &b->x, &b->y, &b->z, &program->shared,
               &program->operand_count) != 8 || program->operand_count > SCENE_OPERANDS)
        return false;
    for (int i = 0; i < program->operand_count; i++) {
        const char *line = strtok_r(NULL, "\n", lines);
        if (!line || !read_parameter(&program->operands[i], line))
            return false;
    }
    return true;
}

static long next_number(char **words)
{
    const char *word = strtok_r(NULL, " ", words);
    return word ? strtol(word, NULL, 10) : -1;
}

static bool read_core(struct scene_operand *operand, char *line)
{
    char *words, *kind = strtok_r(line, " ", &words), *code = strtok_r(NULL, " ", &words);
    if (!code || strcmp(kind, "core") || !set_array(operand, code, (size_t)next_number(&words)))
        return false;
    operand->offset = (size_t)next_number(&words);
    operand->rank = (int)next_number(&words);
    operand->step = next_number(&words);
    for (int d = 0; d < operand->rank && d < SCENE_RANK; d++) {
        operand->dimensions[d] = (int)next_number(&words);
        operand->strides[d] = next_number(&words);
    }
    return operand->rank >= 0 && operand->rank <= SCENE_RANK;
}

static bool read_gufunc(struct scene_program *program, char *words, char **lines)
{
    program->count = (size_t)next_number(&words);
    program->rounds = next_number(&words) == 1;
    program->inputs = (int)next_number(&words);
    program->operand_count = program->inputs + (int)next_number(&words);
    program->dimension_count = (int)next_number(&words);
    if (program->operand_count > SCENE_OPERANDS || program->dimension_count > SCENE_RANK)
        return false;
    for (int d = 0; d < program->dimension_count; d++)
        program->extents[d] = (size_t)next_number(&words);
    for (int i = 0; i < program->operand_count; i++) {
        char *line = strtok_r(NULL, "\n", lines);
        program->operands[i].is_result = i >= program->inputs;
        if (!line || !read_core(&program->operands[i], line))
            return false;
    }
    return true;
}

static bool read_program(struct scene_program *program, char *line, char **lines)
{
    char *words, *kind = strtok_r(line, " ", &words), *name = strtok_r(NULL, " ", &words), *symbol = name;
    if (!name)
        return false;
    program->is_once = !strcmp(kind, "once");
    const bool is_gufunc = !strcmp(kind, "gufunc"), is_ufunc = !strcmp(kind, "ufunc");
    program->kind = is_gufunc ? SCENE_GUFUNC : is_ufunc ? SCENE_UFUNC : !strcmp(kind, "map") ? SCENE_MAP : SCENE_KERNEL;
    if ((is_gufunc || is_ufunc) && !(symbol = strtok_r(NULL, " ", &words)))
        return false;
    snprintf(program->name, sizeof program->name, "%s", name);
    snprintf(program->symbol, sizeof program->symbol, "%s", symbol);
    if (is_gufunc)
        return read_gufunc(program, words, lines);
    return program->kind == SCENE_KERNEL ? read_kernel(program, words, lines) : read_function(program, &words);
}

static bool read_programs(struct scene *scene, char *text)
{
    char *lines, *line = strtok_r(text, "\n", &lines);
    for (; line; line = strtok_r(NULL, "\n", &lines)) {
        scene->programs = realloc(scene->programs, (scene->count + 1) * sizeof *scene->programs);
        struct scene_program *program = &scene->programs[scene->count++];
        memset(program, 0, sizeof *program);
        if (!read_program(program, line, &lines)) {
            fprintf(stderr, "scene: program %zu cannot be understood\n", scene->count);
            return false;
        }
    }
    return true;
}

/* Gives each operand its place in the data. */
static bool place_operands(struct scene *scene, size_t data_size)
{
    size_t data = 0, expected = 0;
    for (size_t p = 0; p < scene->count; p++)
        for (int i = 0; i < scene->programs[p].operand_count; i++)
            if (scene->programs[p].operands[i].is_result)
                scene->expected_size += scene->programs[p].operands[i].size;
    scene->expected = calloc(scene->expected_size + 1, 1);
    for (size_t p = 0; p < scene->count; p++)
        for (int i = 0; i < scene->programs[p].operand_count; i++) {
            struct scene_operand *o = &scene->programs[p].operands[i];
            if (!o->is_result || (scene->programs[p].kind >= SCENE_KERNEL && !o->is_empty)) {
                o->initial = scene->data + data;
                data += o->size;
            }
            if (o->is_result) {
                o->expected = scene->expected + expected;
                expected += o->size;
            }
        }
    if (data != data_size)
        fprintf(stderr, "scene: there are %zu bytes of data, %zu are needed\n", data_size, data);
    return data == data_size;
}

static bool read_expected(struct scene *scene, const char *stem)
{
    size_t size;
    char *bytes = read_file(stem, ".expected", &size);
    if (!bytes)
        return false;
    if (size == scene->expected_size)
        memcpy(scene->expected, bytes, size);
    else
        fprintf(stderr, "scene: %zu bytes are expected, %zu are there\n", scene->expected_size, size);
    free(bytes);
    return size == scene->expected_size;
}

bool scene_read(struct scene *scene, const char *stem, bool with_expected)
{
    size_t text_size, data_size;
    char *text = read_file(stem, ".scene", &text_size);
    *scene = (struct scene){.data = read_file(stem, ".data", &data_size)};
    bool good = text && scene->data && read_programs(scene, text) && place_operands(scene, data_size) &&
                (!with_expected || read_expected(scene, stem));
    free(text);
    return good;
}

void scene_free(struct scene *scene)
{
    free(scene->programs);
    free(scene->data);
    free(scene->expected);
}

bool scene_write_expected(const struct scene *scene, const char *stem)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.expected", stem);
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(scene->expected, 1, scene->expected_size, file) == scene->expected_size;
    good &= file && fclose(file) == 0;
    if (!good)
        perror(path);
    return good;
}

/* ---- comparing ---- */

static bool is_nan(gpucc_dtype dtype, const char *at)
{
    uint16_t half;
    float single;
    double wide;
    switch (dtype) {
    case GPUCC_FLOAT16:
        memcpy(&half, at, sizeof half);
        return (half & 0x7fff) > 0x7c00;
    case GPUCC_BFLOAT16:
        memcpy(&half, at, sizeof half);
        return (half & 0x7fff) > 0x7f80;
    case GPUCC_FLOAT32:
        memcpy(&single, at, sizeof single);
        return isnan(single);
    case GPUCC_FLOAT64:
        memcpy(&wide, at, sizeof wide);
        return isnan(wide);
    default:
        return false;
    }
}

static bool are_same(gpucc_dtype dtype, const char *expected, const char *found, size_t size)
{
    return !memcmp(expected, found, size) || (is_nan(dtype, expected) && is_nan(dtype, found));
}

size_t scene_difference(gpucc_dtype dtype, const void *expected, const void *found, size_t count)
{
    const size_t size = types[dtype].size, parts = *types[dtype].kind == 'c' ? 2 : 1, part = size / parts;
    const gpucc_dtype part_type = parts == 1 ? dtype : dtype == GPUCC_COMPLEX64 ? GPUCC_FLOAT32 : GPUCC_FLOAT64;
    const char *a = expected, *b = found;
    for (size_t i = 0; i < count * parts; i++)
        if (!are_same(part_type, a + i * part, b + i * part, part))
            return i / parts;
    return count;
}

const char *scene_element(gpucc_dtype dtype, const void *array, size_t index, char text[40])
{
    const size_t size = types[dtype].size;
    const unsigned char *bytes = (const unsigned char *)array + index * size;
    for (size_t i = 0; i < size; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[size - 1 - i]);
    return text;
}
