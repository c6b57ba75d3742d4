"""nesting.py ROOT CC…: nests every macro with arguments of gpucc's headers in each of its arguments, and fails where the
preprocessed text grows faster than the depth."""
import re
import subprocess
import sys

root, *compiler = sys.argv[1:]
OURS = ["-nostdinc", "-isystem", root + "/stdlib/include", "-D__GPUCC__"]
TARGETS = {
    "the CPU": OURS,
    "sm_50": OURS + ["-D__NVPTX__", "-D__CUDA_ARCH__=500"],
    "sm_90": OURS + ["-D__NVPTX__", "-D__CUDA_ARCH__=900"],
    "another compiler": [],
}
GPUCC = ["gpucc.h", "gpucc/arithmetic.h", "gpucc/cluster.h", "gpucc/matrix.h", "gpucc/pair.h", "gpucc/random.h"]
C = ["complex.h", "tgmath.h", "stdatomic.h", "string.h", "stdio.h", "assert.h"]
# CUDA's names, and C's by type, are in each other's way.
PROGRAMS = [GPUCC + C, GPUCC + ["gpucc/cuda_half.h"]]
# Annotations, declarations and statements, which do not nest; accesses of textures, whose arguments are counted;
# conversions of float8 types, of which two may nest.
EXEMPT = (r"(gpucc_)?(float8_e\w+_from|float_from_float8|vectorize|guvectorize|typevar|dynamic_shared|unroll|syncwarp|"
          r"(tex|surf)[123]D\w*)|__syncwarp|assert")


def preprocess(target, text, *options):
    command = [*compiler, "-E", "-P", "-xc", "-I", root + "/include", *TARGETS[target], *options, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def macros(target, includes, foreign):
    """(name, number of parameters) of each that the headers define for their users."""
    found = re.findall(r"^#define (\w+)\(([^)]+)\)", preprocess(target, includes, "-dM"), re.M)
    short = {"gpucc_" + name for name, _ in found} # a short name is its long one
    return [(name, parameters.count(",") + 1) for name, parameters in found
            if not name.startswith("GPUCC_") and name not in short | foreign and not re.fullmatch(EXEMPT, name)]


def nested(name, count, place, depth):
    text = "x"
    for _ in range(depth):
        text = f"{name}({', '.join(text if i == place else f'y{i}' for i in range(count))})"
    return text


def sizes(target, includes, cases, depths):
    """The size of each case's text at each depth."""
    keys = [(case, depth) for case in cases for depth in depths]
    text = includes + "".join(f"@@\n{nested(*case, depth)}\n" for case, depth in keys)
    parts = preprocess(target, text).split("@@")[1:]
    assert len(parts) == len(keys)
    return {key: len(" ".join(part.split())) for key, part in zip(keys, parts)}


failures = seen = 0
for target in TARGETS:
    for headers in PROGRAMS:
        if target == "another compiler":
            headers = [header for header in headers if header in GPUCC] # the others are of its own
        includes = "".join(f"#include <{header}>\n" for header in headers)
        standard = "#include <stddef.h>\n#include <stdint.h>\n" + ("" if TARGETS[target] else "#include <math.h>\n")
        foreign = set(re.findall(r"^#define (\w+)", preprocess(target, standard, "-dM"), re.M))
        cases = [(name, count, place) for name, count in macros(target, includes, foreign) for place in range(count)]
        size = sizes(target, includes, cases, (1, 2, 3))
        bad = [case for case in cases
               if size[case, 3] - size[case, 2] > size[case, 2] - size[case, 1] + 8] # 8: room for names and numbers
        for name, count, place in bad:
            print(f"{name}, nested in argument {place + 1} of {count}, grows out of proportion, for {target}")
        failures += len(bad)
        seen += len(cases)
print(f"{seen} nestings, {failures} out of proportion")
sys.exit(failures > 0 or seen < 1000)
