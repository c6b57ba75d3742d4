double sum(values, count) double values[]; int count;
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

double first(const void *values, int index) { return ((const double *)values)[index]; }
