"""pages.py GPUCC CC INCLUDE PAGE.md…: the C that pages show compiles, sources with gpucc and hosts with CC, each in the
surroundings that it takes for granted.  Another block is a whole source.  Exit status 1 where one
does not compile."""
import re
import subprocess
import sys

TYPEVAR = "#include <gpucc.h>\ntypevar(T, float32, int32);\n"
KERNEL = "#include <gpucc.h>\n#include <stdatomic.h>\n#include <gpucc/matrix.h>\n#include <gpucc/random.h>\n"
HOST = """#include <gpucc/runtime.h>
#include <stdio.h>
void use(const char *ptx);
void return_buffer(void *data);
void f(gpucc_context *context, gpucc_program *program, gpucc_ufunc *add, gpucc_ufunc *inner, gpucc_ufunc *trig,
       gpucc_kernel *kernel, gpucc_array *x, gpucc_array *y, gpucc_array *z, gpucc_array *mask, gpucc_array *indices,
       void *stream, float *data, int64_t n, const char *text)
{
{
"""

UFUNCS = """#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);
identity(0) reorderable vectorize() T add(T x, T y) { return x + y; }
identity(-INFINITY) reorderable vectorize() T most(T x, T y) { return fmax(x, y); }
vectorize() T sub(T x, T y) { return x - y; }
vectorize() T mul(T x, T y) { return x * y; }
vectorize() T div(T x, T y) { return x / y; }
vectorize() T exp_(T x) { return exp(x); }
vectorize() T rsqrt_(T x) { return 1 / sqrt(x); }
vectorize() T relu(T x) { return fmax(x, 0); }
fuse(mean, div(reduce(add, x), 1));
fuse(variance, reduce(add, mul(x, x)));
guvectorize((m,n),(n)->(m)) reorderable
void matvec(size_t m, size_t n, const T A[m][n], const T x[n], T y[m])
{
    for (size_t j = 0; j < m; j++) {
        y[j] = 0;
        for (size_t i = 0; i < n; i++)
            y[j] += A[j][i] * x[i];
    }
}
"""

# By words of a block: what stands in front of it, and behind.
SOURCES = {
    "identity(0) reorderable vectorize()\nT add": (TYPEVAR, ""),
    "fuse(axpy": (TYPEVAR + "identity(0) vectorize() T add(T x, T y) { return x + y; }\n"
                  "vectorize() T mul(T x, T y) { return x * y; }\n", ""),
    "fuse(softmax": (UFUNCS, ""),
    "tangent(matvec_jvp": (UFUNCS + "adjoint(matvec_vjp, matvec);\n", ""),
    "fuse(linear_gelu": (TYPEVAR + "vectorize() T add(T x, T y) { return x + y; }\n"
                         "vectorize() T gelu(T x) { return x; }\n", ""),
    "guvectorize((m,n),(n,p)->(m,p))": (TYPEVAR, ""),
    "launch_bounds(TILE * TILE)": ("#include <gpucc.h>\nenum { TILE = 16 };\n", ""),
    "dynamic_shared(float, a);": (KERNEL + "kernel void f(size_t n)\n{\n", "a[0] = 0, b[0] = 0;\n}\n"),
    "atomic_fetch_add_explicit(&done": (KERNEL + "static atomic_uint done;\nkernel void f(void)\n{\n", "}\n"),
    "philox_init": (KERNEL + "kernel void f(unsigned long long seed, int n, float *out)\n{\nfloat sum = 0;\n",
                    "*out = sum;\n}\n"),
    "mma_load_a": (KERNEL + "kernel void f(size_t depth, size_t columns, const bfloat16 A[16][depth], const bfloat16 "
                   "B[depth][columns], float C[16][columns])\n{\nsize_t row = 0, column = 0;\n", "}\n"),
    "wgmma_rows": ("#include <gpucc/wgmma.h>\nkernel launch_bounds(128)\nvoid f(int keep, float *out)\n{\n"
                   "shared char tile_a[8192], tile_b[32768];\n", "out[threadIdx.x] = d[0];\n}\n"),
    "is_sorted": ("#include <gpucc.h>\nkernel void sort(size_t n, float keys[n])\n{\n}\n", ""),
    "test(sizes": ("#include <gpucc.h>\nkernel void sums(size_t n, const float *x, float *out)\n{\n}\n"
                   "void sums_plainly(size_t n, const float *x, float *out)\n{\n}\n", ""),
}
IS_HOST = re.compile(r"\bgpucc_(?:context|array|call|kernel|ufunc|reduction|tensor_map|program|compile|can_cast|status)\w*\b")
LEFT_OUT = {"device float weight"} # two files
INCLUDE = re.compile(r"^#include .*\n", re.M)

gpucc, cc, include, *pages = sys.argv[1:]
unused = {*SOURCES, *LEFT_OUT}
failed = 0


def surroundings(text, known):
    """Returns the code around a block of that text, or None."""
    words = next((words for words in known if words in text), None)
    unused.discard(words)
    return known[words] if words else None


def check(place, text):
    """Includes stand outside of functions, those of headers that gpucc makes nowhere, and an ellipsis is a statement.  What
    calls the runtime, or the compiler's library, is a part of a host's function."""
    global failed
    host = IS_HOST.search(text)
    front, back = (HOST, "}\n}\n") if host else surroundings(text, SOURCES) or ("#include <gpucc.h>\n", "")
    includes = "".join(line for line in INCLUDE.findall(text) if '"' not in line)
    with open("block.c", "w", encoding="utf-8") as file:
        file.write(includes + front + INCLUDE.sub("", text).replace("…", ";") + back)
    command = [*cc.split(), "-I" + include, "-fsyntax-only"] if host else [gpucc, "-w", "--arch=sm_90a", "-o", "block.ptx"]
    done = subprocess.run([*command, "block.c"], capture_output=True, text=True)
    if done.returncode:
        failed += 1
        print(f"{place}: {done.stderr}")


count = 0
for page in pages:
    with open(page, encoding="utf-8") as file:
        content = file.read()
    for block in re.finditer(r"^```c\n(.*?)^```$", content, re.M | re.S):
        if surroundings(block[1], dict.fromkeys(LEFT_OUT, True)):
            continue
        count += 1
        check(f"{page}:{content.count(chr(10), 0, block.start()) + 1}", block[1])
if unused:
    print("no page has", ", ".join(map(repr, sorted(unused))))
print(f"{count} blocks of C, {failed} faults")
sys.exit(1 if failed or unused else 0)
