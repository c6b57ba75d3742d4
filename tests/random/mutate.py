"""Mutated sources: whatever a source holds, the compiler ends in time with a documented status and says where it is wrong.

    mutate.py GPUCC [--count=N] [--seed=S] [--first=I] [--keep=FOLDER] [--jobs=N]

Program I of seed S is the same in every run; --first=I --count=1 makes it alone, and --keep saves what fails.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import zlib

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 30      # of processor time; the largest of the sources takes 8 to 12 as it is, beside other work
MEMORY = 4 << 30  # address space
# The test of what is said when LLVM aborts, and one that nests macros fourteen deep, each its argument once.
EXEMPT = {"abort.c", "nesting.c"}
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|\w+|\s+|->|<<|>>|[^\w\s]", re.S)
SNIPPETS = """:: (::x) __builtin_alloca(8) vectorize() vectorize(float32(float32)) kernel device guvectorize((n)->())
identity(0) identity(none) reorderable
typevar(T,float32,float64); shared constant launch_bounds(64) cluster(2) max_registers(8) dynamic_shared(int,x);
syncthreads() atomic_add(p,1) shfl_sync(~0u,x,1) min(x,y) sin(x) grid(1) threadIdx.x goto return; while(1) for(;;) switch(x)
struct{int x;} union enum{A=1} _Generic(1,int:2,default:3) sizeof(int[x]) (int[]){1} ({1;}) static inline _Complex _BitInt(7)
__attribute__((annotate("gpucc.kernel"))) __attribute__((vector_size(16))) _Pragma("unroll") #define #if #endif #include
0x1p3f 1e999 99999999999999999999 'ab' "\\x" [n] [-1] *const volatile _Atomic(int) 1/0 x=x=x {{ }} (( )) , ; ? : \\ @ $ # ##
""".split()


def is_device_code(path):
    text = open(path, encoding="utf-8").read()
    return re.search(r"#include <(gpucc(/cuda)?|cuda_runtime)\.h>", text) and not re.search("runtime\\.h|digest\\.h", text)


def sources():
    found = []
    for folder in ("../samples", "compile", "gpu/programs"):
        for path, folders, names in os.walk(os.path.join(TESTS, folder)):
            found += [os.path.join(path, name) for name in names if name.endswith(".c") and name not in EXEMPT]
    return sorted(path for path in found if os.path.getsize(path) < 20000 and is_device_code(path))


def mutate_tokens(rng, text, other):
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        solid = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not solid:
            break
        i, k = rng.choice(solid), rng.choice(solid)
        change = rng.randrange(7)
        if change == 0:
            del tokens[i]
        elif change == 1:
            tokens.insert(i, tokens[i] + " ")
        elif change == 2:
            tokens[i], tokens[k] = tokens[k], tokens[i]
        elif change == 3:
            tokens[i] = rng.choice(other)
        elif change == 4:
            tokens[i] = rng.choice(SNIPPETS)
        elif change == 5:
            tokens.insert(i, f" {rng.choice(SNIPPETS)} ")
        else: # a run of tokens, moved
            piece = tokens[i:i + rng.randrange(1, 30)]
            del tokens[i:i + len(piece)]
            tokens[min(k, len(tokens)):min(k, len(tokens))] = piece
    return "".join(tokens).encode()


def mutate_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 2, 5))):
        i = rng.randrange(len(data) + 1)
        change = rng.randrange(4)
        if change == 0:
            data[i:i + 1] = bytes([rng.randrange(256)])
        elif change == 1:
            data[i:i] = bytes([rng.choice(b"(){}[];,*&:?#\\\"'\n\0")])
        elif change == 2:
            del data[i:i + rng.randrange(1, 40)]
        else:
            del data[i:]
    return bytes(data)


def choose(paths, key):
    """One of them, which a further file in the list hardly ever changes."""
    return max(paths, key=lambda path: zlib.crc32(f"{key} {os.path.relpath(path, TESTS)}".encode()))


def program(seed, index, paths):
    """The source that it comes from, its text, and how it is compiled."""
    rng = random.Random(f"{seed} {index}")
    path, other = choose(paths, f"{seed} {index}"), choose(paths, f"other {seed} {index}")
    text = open(path, encoding="utf-8").read()
    if rng.random() < 0.8:
        data = mutate_tokens(rng, text, TOKEN.findall(open(other, encoding="utf-8").read()))
    else:
        data = mutate_bytes(rng, text.encode())
    how = rng.choice((["-fsyntax-only"], ["-fsyntax-only", "-Wall"], ["-o", "out.ptx"], ["-O1", "-o", "out.o"]))
    return path, data, how + [f"--arch={rng.choice(('sm_75', 'sm_90'))}"]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fault(run):
    """Returns what is wrong with how the compiler ended, or an empty string."""
    errors = run.stderr.decode(errors="replace")
    if run.returncode == 3 and "out of processor time" in errors:
        return f"it takes more than {SECONDS} s"
    if run.returncode == 3 and re.search("out of (memory|stack)", errors):
        return ""
    if run.returncode not in (0, 1):
        return f"exit status {run.returncode}"
    if re.search("fault of gpucc|submit a bug report|Stack dump|LLVM ERROR", errors):
        return "it crashes"
    if run.returncode == 1 and not re.search(r"^[^\n]+:\d+:\d+: (fatal )?error: ", errors, re.M):
        return "no place in the message"
    return ""


def check(gpucc, seed, index, paths, keep):
    path, data, how = program(seed, index, paths)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "mutated.c"), "wb") as file:
            file.write(data)
        command = [gpucc, "-w", *how, "-I", os.path.dirname(path), "mutated.c"]
        try:
            run = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=limit,
                                 timeout=20 * SECONDS)
            wrong, errors = fault(run), run.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            wrong, errors = "it waits for ever", ""
    if wrong and keep:
        with open(os.path.join(keep, f"mutated-{seed}-{index}.c"), "wb") as file:
            file.write(data)
    return index, os.path.relpath(path, TESTS), how, wrong, errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpucc", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    paths = sources()
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        numbers = range(options.first, options.first + options.count)
        for index, path, how, wrong, errors in pool.map(
                lambda i: check(options.gpucc, options.seed, i, paths, options.keep), numbers):
            if wrong:
                failures += 1
                print(f"--seed={options.seed} --first={index} --count=1: {path}, {' '.join(how)}: {wrong}")
                print("".join(f"    {line}\n" for line in errors.splitlines()[:4]), end="", flush=True)
    print(f"{options.count} mutated sources, {failures} faults")
    sys.exit(failures > 0)


main()
