"""Compiles functions of 500 and 2000 branches, natively and as PTX, and compares the processor's times; a second time
where they are too far apart."""
import os
import resource
import subprocess
import sys

KINDS = {
    "switch": ("vectorize()\nint32 f(int32 x)\n{\n    switch (x) {\n", "    case %d: return %d + x * %d;\n",
               "    default: return -1;\n    }\n}\n"),
    "else if": ("vectorize()\nint32 f(int32 x)\n{\n    if (x == -5) return 3;\n",
                "    else if (x < %d) return %d + x * %d;\n", "    return -1;\n}\n"),
    "kernel": ("kernel void f(int *o, int n)\n{\n    int x = o[n], r;\n    switch (x) {\n",
               "    case %d: r = %d + x * %d; break;\n", "    default: r = -1;\n    }\n    o[n] = r;\n}\n"),
    "gufunc": ("guvectorize((n)->())\nvoid f(size_t n, const float x[n], float *o)\n{\n    float s = 0;\n",
               "    if (x[%d %% n] > %d.5f) s += %d;\n", "    *o = s;\n}\n"),
}


def write(path, kind, count):
    begin, line, end = KINDS[kind]
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <gpucc.h>\n" + begin)
        file.writelines(line % (7 * i + i * i % 5, i * 7919 % 10007, i % 13 + 1) for i in range(count))
        file.write(end)


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def times_of(gpucc, folder, kind, suffix):
    times = []
    for count in 500, 2000:
        source = os.path.join(folder, "branches.c")
        write(source, kind, count)
        times.append(seconds([gpucc, source, "-o", os.path.join(folder, "branches." + suffix)]))
    print(f"{kind} {suffix}: {times[0]:.2f} s, {times[1]:.2f} s")
    return times


def is_linear(times):
    return times[1] <= 9 * times[0] + 0.5


def main(gpucc, folder):
    failed = False
    os.makedirs(folder, exist_ok=True)
    for kind in KINDS:
        for suffix in "o", "ptx":
            tries = (times_of(gpucc, folder, kind, suffix) for _ in range(2))
            failed |= not any(map(is_linear, tries))
    return failed


sys.exit(main(*sys.argv[1:]))
