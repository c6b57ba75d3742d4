"""cuda_kernels.py [--emulate] FOLDER SOURCE…: the kernels that tests/compile/cuda runs on the CPU, for the GPU suite.

A line `RUN: %gpucc run %s KERNEL …` of a source is a case: it is run here on the CPU device, and FOLDER gets what
gpu_cuda.c repeats on a GPU: the source's PTX and manifest, and for each case a scene (tests/random/scene.h) of that one
launch, its arrays before and what they are afterwards.  With --emulate also native code for the stand-in for libcuda.
Left out are lines in which `gpucc run` has options before the source, and kernels that the source names in a line

  // ORDER: KERNEL…

as their results depend on the order in which blocks or threads come to them.  GPUCC_BUILD is the build (default: build).
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from scene_files import Array, number, scene

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPUCC = pathlib.Path(os.environ.get("GPUCC_BUILD", ROOT / "build")) / "bin/gpucc"


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}")


class Source:
    """A file of tests/compile/cuda, compiled into `scratch`."""

    def __init__(self, path, scratch, emulate):
        self.path, self.scratch, self.emulate = path, scratch, emulate
        text = path.read_text()
        self.lines = re.findall(r"RUN: (.*)", text)
        self.unordered = " ".join(re.findall(r"// ORDER: (.*)", text)).split()
        self.kernels = {} # their parameters, as the manifest has them

    def filled(self, text):
        """Without lit's names, of those that stand in lines of interest."""
        for name, value in (("%python", sys.executable), ("%S", self.path.parent), ("%t", self.scratch / "t")):
            text = text.replace(name, str(value))
        return text

    def compile(self, stem):
        """STEM.ptx and its kind, for the newest architecture that the file's own lines name."""
        archs = re.findall(r"sm_\d+", " ".join(re.findall(r"--arch=(\S+)", "\n".join(self.lines))))
        arch = [f"--arch={max(archs, key=lambda name: int(name[3:]))}"] if archs else []
        run(GPUCC, "-w", *arch, self.path, "-o", f"{stem}.ptx", "-o", f"{stem}.json")
        if self.emulate:
            run(GPUCC, "-w", "-O1", "--emulate", *arch, self.path, "-o", self.scratch / "emulated.o")
            run("cc", "-shared", "-s", self.scratch / "emulated.o", "-o", f"{stem}.so")
        functions = json.loads(pathlib.Path(f"{stem}.json").read_text())["functions"]
        self.kernels = {f["name"]: f["loops"][0]["parameters"] for f in functions if f["kind"] == "kernel"}

    def cases(self):
        """(kernel, arguments, options) of each line that is one."""
        makers = [] # lines before it, which may make its files
        for line in self.lines:
            found = re.match(r"%gpucc run %s (\w+) ([^|]*)", line)
            if not found:
                makers += [line] if line.startswith("%python") and "|" not in line else []
                continue
            words = shlex.split(found[2])
            options = dict(word[2:].split("=", 1) for word in words if re.match("--[a-z]+=", word))
            arguments = [word for before, word in zip([""] + words, words)
                         if before not in ("-o", "--save") and not re.match("-[^0-9.]", word)]
            if any(word.endswith(".npy") for word in arguments):
                for maker in makers:
                    run("sh", "-c", self.filled(maker))
                makers = []
            if found[1] not in self.unordered:
                yield found[1], [self.filled(word) for word in arguments], options

    def export(self, stem, kernel, arguments, options):
        """STEM.scene and its kind: one launch."""
        parameters = self.kernels[kernel]
        if "threads" in options:
            options |= {"grid": "1", "block": options["threads"]}
        lines, data, command, saved, results = [], b"", [], [], []
        for i, (parameter, text) in enumerate(zip(parameters, arguments, strict=True)):
            path = self.scratch / f"argument{i}.npy"
            if parameter["role"] == "scalar":
                value = number(text, parameter["dtype"])
                lines.append(f"value {len(value)}\n")
                data += value
                command.append(text)
                continue
            array = Array.read(text) if text.endswith(".npy") else Array.asked_for(text)
            array.write(path)
            lines.append(array.line())
            data += array.data
            command.append(path)
            results.append(array)
            if not parameter["const"]:
                results[-1] = f"{path}.after.npy"
                saved += ["--save", f"{parameter['name']}={results[-1]}"]
        run(GPUCC, "run", self.path, kernel, *command, "--device=cpu", *saved,
            *(f"--{name}={value}" for name, value in options.items() if name in ("grid", "block", "shared")))
        results = [Array.read(result) if isinstance(result, str) else result for result in results]
        for suffix, content in ((".scene", scene(kernel, options, lines).encode()), (".data", data),
                                (".expected", b"".join(result.data for result in results))):
            pathlib.Path(f"{stem}{suffix}").write_bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulate", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for path in arguments.sources:
        stem = arguments.folder / path.stem
        for old in arguments.folder.glob(f"{path.stem}.*"):
            old.unlink()
        with tempfile.TemporaryDirectory() as scratch:
            source = Source(path, pathlib.Path(scratch), arguments.emulate)
            cases = list(source.cases())
            if cases:
                source.compile(stem)
            for i, case in enumerate(cases):
                source.export(f"{stem}.{i}-{case[0]}", *case)


if __name__ == "__main__":
    main()
