#include <errno.h>
#include <stdlib.h>
#include <stdio.h>

static double *allocate(int n)
{
    double *x = malloc(n * sizeof *x);
    return x;
}
double *table_new(int n)
{
    return allocate(n);
}
void table_print(const char *path)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "%d", errno);
}
