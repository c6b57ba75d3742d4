static int calls;

static int next(void)
{
    calls += 1;
    return calls;
}
double count_elsewhere(double x)
{
    return x + next();
}
void fills_elsewhere(double x, double *y)
{
    if (x > 0)
        *y = x;
}
