"""cases.py [--emulate] GPUCC FOLDER [FILE.c…]: all that sanitizers.py needs on a machine without a compiler.

FOLDER gets the PTX and manifest of each file of this folder, or of those named, as it is and mended, a scene
(tests/random/scene.h) for each kernel, sanitizers.py, and cases.txt with a line for each kernel:

  FILE KERNEL VARIABLE=BYTES…     variables of the program that are set before, in hexadecimal

tests/gpu/launch_scene.c, built beside it as `launch_scene`, runs one.  With --emulate there is also native code, for
the stand-in for libcuda.  Files of <gpucc/tma.h> are left out: their faults may hang a GPU."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from collection import kernels

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "gpu"))
from scene_files import Array, number, scene  # noqa: E402

ARCH = "sm_90" # clusters


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}")


def compile_file(arguments, path, stem, *options):
    """STEM.ptx and its kind; the manifest."""
    command = [arguments.gpucc, "-w", f"--arch={ARCH}", path, *options]
    run(*command, "-o", f"{stem}.ptx", "-o", f"{stem}.json")
    if arguments.emulate:
        with tempfile.TemporaryDirectory() as scratch:
            run(*command, "-O1", "--emulate", "-o", f"{scratch}/emulated.o")
            run("cc", "-shared", "-s", f"{scratch}/emulated.o", "-o", f"{stem}.so")
    return json.loads(pathlib.Path(f"{stem}.json").read_text())


def options_of(words):
    """The inputs, what --NAME=VALUE says, and the variables that `--set` names, with their texts."""
    options = dict(word[2:].split("=", 1) for word in words if re.match("--[a-z]+=", word))
    sets = [text for before, text in zip(words, words[1:]) if before == "--set"]
    inputs = [word for before, word in zip(["", *words], words) if not word.startswith("--") and before != "--set"]
    return inputs, options, dict(text.split("=", 1) for text in sets)


def write_scene(stem, kernel, parameters, inputs, options):
    lines, data = [], b""
    for parameter, text in zip(parameters, inputs, strict=True):
        if parameter["role"] == "scalar":
            value = number(text, parameter["dtype"])
            lines.append(f"value {len(value)}\n")
            data += value
        else:
            array = Array.asked_for(text)
            lines.append(array.line())
            data += array.initial()
    pathlib.Path(f"{stem}.{kernel}.scene").write_text(scene(kernel, options, lines))
    pathlib.Path(f"{stem}.{kernel}.data").write_bytes(data)


def export(arguments, path):
    """The lines of cases.txt."""
    stem = arguments.folder / path.stem
    compile_file(arguments, path, f"{stem}.mended", "-DMENDED")
    manifest = compile_file(arguments, path, stem)
    parameters = {f["name"]: f["loops"][0]["parameters"] for f in manifest["functions"] if f["kind"] == "kernel"}
    types = {variable["name"]: variable["dtype"] for variable in manifest.get("globals", [])}
    for kernel in [k for k in kernels(path) if k.name in parameters]:  # no ufuncs
        inputs, options, sets = options_of(kernel.arguments)
        write_scene(stem, kernel.name, parameters[kernel.name], inputs, options)
        sets = [f"{name}={number(text, types[name]).hex()}" for name, text in sets.items()]
        yield " ".join([path.stem, kernel.name, *sets]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulate", action="store_true")
    parser.add_argument("gpucc", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    files = arguments.files or [path for path in sorted(HERE.glob("*.c")) if "<gpucc/tma.h>" not in path.read_text()]
    lines = [line for path in files if kernels(path)
             for line in export(arguments, path)]
    (arguments.folder / "cases.txt").write_text("".join(lines))
    shutil.copy(HERE / "sanitizers.py", arguments.folder)


if __name__ == "__main__":
    main()
