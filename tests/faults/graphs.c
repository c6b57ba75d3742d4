// Faults in algorithms on graphs: rows of edges, worklists, labels, union-find.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// Vertex v of 64 has the edges from 2 * rows[v] up to 2 * rows[v + 1], which lead to columns[e].

// run: arange:65:int32 arange:128:int32 zeros:32:int32 --grid=2 --block=32
kernel void push(const int *rows, const int *columns, int *sums)
{
    int v = (int)grid(1);
    for (int e = 2 * rows[v]; e < 2 * rows[v + 1]; e++) {
        WRONG(sums[columns[e] / 4] += v;) // fault: race on 'sums'
        RIGHT(atomic_add(&sums[columns[e] / 4], v);)
    }
}

// run: arange:65:int32 arange:128:int32 zeros:64:int32 --grid=2 --block=32
kernel void pull_one_too_many(const int *rows, const int *columns, int *degree)
{
    int v = (int)grid(1), sum = 0;
    for (int e = 2 * rows[v]; e WRONG(<=) RIGHT(<) 2 * rows[v + 1]; e++)
        sum += columns[e] & 1; // fault: read of 4 bytes outside of 'columns' at index 128
    degree[v] = sum;
}

// run: 64 arange:65:int32 zeros:64:int32 --grid=3 --block=32
kernel void more_threads_than_vertices(int n, const int *rows, int *degree)
{
    int v = (int)grid(1);
    if (v WRONG(<= n) RIGHT(< n))
        degree[v] = rows[v + 1] - rows[v]; // fault: outside of 'rows' at index 65
}

// run: arange:128:int32 zeros:1:int32 zeros:128:int32 --grid=2 --block=64
kernel void worklist(const int *label, int *size, int *list)
{
    int v = (int)grid(1);
    if (label[v] % 3 == 0) {
        int slot = WRONG((*size)++) RIGHT(atomic_add(size, 1)); // fault: race on 'size'
        list[slot] = v;
    }
}

// run: arange:128:int32 zeros:1:int32 zeros:40:int32 --grid=2 --block=64
kernel void worklist_too_short(const int *label, int *size, int *list)
{
    int v = (int)grid(1);
    if (label[v] % 3 == 0) {
        int slot = atomic_add(size, 1);
        RIGHT(if (slot < 40))
            list[slot] = v; // fault: outside of 'list' at index 40
    }
}

// run: arange:128:int32 zeros:1:int32 --grid=2 --block=64
kernel void look_before_maximum(const int *label, int *most)
{
    int mine = label[grid(1)];
    WRONG(if (mine > *most)) // fault: race on 'most'
        atomic_max(most, mine);
}

// run: arange:128:int32 zeros:1:int32 --grid=2 --block=64
kernel void maximum_by_hand(const int *label, int *most)
{
    int mine = label[grid(1)];
    WRONG(if (mine > *most) *most = mine;) // fault: race on 'most'
    RIGHT(atomic_max(most, mine);)
}

// run: zeros:128:int32 --grid=1 --block=128
kernel void shorten_paths(RIGHT(volatile) int *parent)
{
    int v = (int)threadIdx.x;
    parent[v] = v / 2;
    syncthreads();
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]]; // fault: race on 'parent'
}

// run: arange:128:int32 zeros:2:int32 --grid=2 --block=64
kernel void largest_of_block(const int *label, int *out)
{
    shared int most[2];
    int mine = reduce_max_sync(0xffffffff, label[grid(1)]);
    if (laneid == 0)
        most[threadIdx.x / 32] = mine;
    RIGHT(syncthreads();)
    if (threadIdx.x == 0)
        out[blockIdx.x] = most[0] > most[1] ? most[0] : most[1]; // fault: 'most'
}

// run: arange:128:int32 zeros:2:int32 --grid=2 --block=64
kernel void edges_of_block(const int *label, int *out)
{
    shared int count;
    if (threadIdx.x == 0)
        count = 0;
    syncthreads();
    if (label[grid(1)] % 2) {
        WRONG(count++;) // fault: race on 'count'
        RIGHT(atomic_add(&count, 1);)
    }
    syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// run: arange:128:int32 zeros:1:int32 --grid=2 --block=64
kernel void anything_changed(const int *label, int *changed)
{
    if (label[grid(1)] % 2)
        *changed = WRONG(label[grid(1)]) RIGHT(1); // fault: race on 'changed'
}

// run: 0 arange:65:int32 arange:128:int32 zeros:128:int32 zeros:128:int32 --grid=2 --block=32
kernel void next_level(int depth, const int *rows, const int *columns, int *level, int *next)
{
    int v = (int)grid(1);
    if (level[v] == depth) // fault: race on 'level'
        for (int e = 2 * rows[v]; e < 2 * rows[v + 1]; e++)
            WRONG(level) RIGHT(next)[columns[e]] = depth + 1; // fault: race on 'level'
}

// run: arange:64:int32 full:64:int32:7 zeros:64:int32 --grid=2 --block=32
kernel void label_as_index(const int *vertex, const int *label, int *out)
{
    RIGHT(if (label[vertex[grid(1)]] < 1))
        out[label[grid(1)] * 10] = 1; // fault: outside of 'out' at index 70
}
