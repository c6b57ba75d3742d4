/* Lines of cases.txt, the numbers that they ask for, and how results differ. */
#include "public_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t element_size(const char *type)
{
    if (strcmp(type, "float") == 0)
        return 4;
    if (strcmp(type, "double") == 0)
        return 8;
    const char *digits = strpbrk(type, "0123456789");
    return digits ? (size_t)atoi(digits) / 8 : 0;
}

static bool is_real(const char *type)
{
    return type[0] == 'f' || type[0] == 'd';
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "cases.txt: %s\n", what);
    exit(2);
}

size_t public_argument_size(const struct public_argument *argument)
{
    return element_size(argument->type) * (argument->count ? argument->count : 1);
}

static void store(void *to, const char *type, double number)
{
    const size_t size = element_size(type);
    const float narrow = (float)number;
    const int64_t whole = is_real(type) ? 0 : number < 0 ? (int64_t)number : (int64_t)(uint64_t)number;
    const void *from = type[0] == 'd' ? (const void *)&number : type[0] == 'f' ? (const void *)&narrow : &whole;
    memcpy(to, from, size); /* of integers the low bytes, which come first */
}

static void read_argument(FILE *file, struct public_argument *argument)
{
    char number[64];
    *argument = (struct public_argument){0};
    must(fscanf(file, "%15s %63s %zu %15s %63s %lf", argument->type, argument->variable, &argument->count,
                argument->fill, number, &argument->second) == 6,
         "an argument");
    must(element_size(argument->type), argument->type);
    if (strcmp(argument->variable, "-") == 0)
        argument->variable[0] = 0;
    argument->first = atof(number);
    store(&argument->value, argument->type, argument->first);
}

bool public_case_read(FILE *file, struct public_case *next)
{
    int once;
    *next = (struct public_case){0};
    if (fscanf(file, "%127s", next->name) != 1)
        return false;
    unsigned *grid = next->grid, *block = next->block;
    must(fscanf(file, "%63s %127s %511s %u %u %u %u %u %u %u %lf %d %d", next->kind, next->kernel, next->entry,
                &grid[0], &grid[1], &grid[2], &block[0], &block[1], &block[2], &next->shared, &next->tolerance, &once,
                &next->count) == 13 &&
             next->count <= PUBLIC_ARGUMENTS,
         next->name);
    next->once = once;
    for (int i = 0; i < next->count; i++)
        read_argument(file, &next->arguments[i]);
    return true;
}

/* A number in [0, 1) that follows from two: splitmix64. */
static double uniform(uint64_t seed, uint64_t index)
{
    uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Element i of an array. */
static double drawn(const struct public_argument *argument, uint64_t seed, size_t i)
{
    const size_t pair = i / 2;
    switch (argument->fill[0]) {
    case 'b':
        return argument->first + (argument->second - argument->first) * uniform(seed, i);
    case 's':
        return argument->first + (double)i * argument->second;
    case 'c':
        return (double)(i % (size_t)argument->first);
    default:
        return i % 2 ? argument->first : (double)pair * argument->first;
    }
}

void *public_argument_draw(const struct public_argument *argument, uint64_t seed)
{
    const size_t size = element_size(argument->type);
    char *elements = malloc(public_argument_size(argument));
    must(elements, "no memory");
    for (size_t i = 0; i < argument->count; i++) {
        const double number = drawn(argument, seed, i);
        store(elements + i * size, argument->type, is_real(argument->type) ? number : floor(number));
    }
    return elements;
}

static double real(const struct public_argument *argument, const void *elements, size_t index)
{
    return argument->type[0] == 'f' ? (double)((const float *)elements)[index] : ((const double *)elements)[index];
}

static double mean_magnitude(const struct public_argument *argument, const void *elements)
{
    double sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < argument->count; i++) {
        double x = fabs(real(argument, elements, i));
        sum += isfinite(x) ? x : 0;
        finite += isfinite(x) != 0;
    }
    return finite ? sum / (double)finite : 0;
}

double public_difference(const struct public_argument *argument, const void *ours, const void *reference, size_t *where)
{
    const size_t size = element_size(argument->type);
    double largest = 0, mean = -1;
    if (memcmp(ours, reference, public_argument_size(argument)) == 0)
        return 0;
    for (size_t i = 0; i < argument->count; i++) {
        double difference = INFINITY;
        if (memcmp((const char *)ours + i * size, (const char *)reference + i * size, size) == 0)
            continue;
        if (is_real(argument->type)) {
            const double x = real(argument, ours, i), y = real(argument, reference, i);
            mean = mean < 0 ? mean_magnitude(argument, reference) : mean;
            if (x == y || (isnan(x) && isnan(y)))
                difference = 0;
            else if (isfinite(x) && isfinite(y))
                difference = fabs(x - y) / fmax(fabs(y), mean);
        }
        if (difference > largest) {
            largest = difference;
            *where = i;
        }
    }
    return largest;
}

const char *public_element(const struct public_argument *argument, const void *elements, size_t index)
{
    static char texts[2][32];
    static int turn;
    char *text = texts[turn ^= 1];
    int64_t whole = 0;
    const size_t size = element_size(argument->type);
    memcpy(&whole, (const char *)elements + index * size, size);
    if (is_real(argument->type))
        snprintf(text, sizeof texts[0], "%.9g", real(argument, elements, index));
    else
        snprintf(text, sizeof texts[0], "%#llx", (unsigned long long)whole);
    return text;
}
