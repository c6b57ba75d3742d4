"""The programs that random programs are put through: gpucc, gcc, ptxas and replay."""
import os
import shutil
import subprocess
import tempfile

import device_functions

# Under load everything takes longer; what really hangs takes longer still.
SECONDS = 120


class ToolError(Exception):
    """A program that failed, and what it said."""


class NotInstalled(Exception):
    """A program that is needed is not there."""


def run(command, seconds=SECONDS, folder=None):
    """Returns the command's output.  Raises ToolError if it fails, dies or hangs."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, cwd=folder)
    except subprocess.TimeoutExpired:
        raise ToolError(f"{os.path.basename(command[0])} did not end within {seconds} s: {' '.join(command)}") from None
    if done.returncode:
        raise ToolError(f"{os.path.basename(command[0])} ended with {done.returncode}: {' '.join(command)}\n"
                        + done.stdout[-4000:])
    return done.stdout


def _processor_has(*flags):
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            words = file.read().split()
    except OSError:
        return False
    return all(flag in words for flag in flags)


class Tools:
    """`levels` are the ways in which native code is made: a label and options."""

    def __init__(self, root, build):
        self.root = root
        self.gpucc = os.path.join(build, "bin", "gpucc")
        self.replay = os.path.join(build, "bin", "random_replay")
        self.player = os.path.join(build, "gpu-suite", "tests", "gpu_random")
        self.fake_cuda = os.path.join(build, "lib", "libcuda-fake.so")
        self.ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
        self.levels = {"O0": ["-O0"], "O1": ["-O1"], "O3": ["-O3"]}
        if _processor_has("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"):
            self.levels["v4"] = ["-O3", "-march=x86-64-v4"]
        self.folder = tempfile.mkdtemp(prefix="gpucc-random-")
        self.math = None

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        return self.path(name)

    def skipped(self):
        """Yields descriptions of the tests that are skipped here."""
        if not self.ptxas:
            yield "no ptxas: the PTX is made but not assembled"
        if not self.plays():
            yield "no gpu_random (cmake --build build --target gpu_random): the PTX is not played"
        if "v4" not in self.levels:
            yield "no AVX-512: no native code for x86-64-v4"

    def native(self, source, label, options=(), ptx=None):
        """A shared library of the native code.  Without the name of a `ptx` to write, the GPU's code stays empty."""
        item, library = self.path(f"{label}.o"), self.path(f"{label}.so")
        extra = ["-o", ptx, "-o", ptx.removesuffix(".ptx") + ".json"] if ptx else ["-DGPUCC_RANDOM_NATIVE"]
        run([self.gpucc, "-w", *self.levels[label], *options, source, "-o", item, *extra])
        run(["gcc", "-shared", item, "-o", library])
        return library

    def reference(self, source, options=()):
        library = self.path("reference.so")
        run(["gcc", "-O0", "-w", "-std=c17", "-ffp-contract=off", "-fPIC", "-shared", "-I", f"{self.root}/include",
             "-I", f"{self.root}/tests/random", *options, source, self.math_natives(), "-o", library, "-lm"])
        return library

    def run_replay(self, arguments):
        """Its exit status, negative where a signal ended it, and what it printed."""
        try:
            done = subprocess.run([self.replay, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=SECONDS * 5, errors="replace", stdin=subprocess.DEVNULL)
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired as expired:
            return -9, (expired.stdout or b"").decode(errors="replace")

    def assemble(self, ptx, arch):
        if self.ptxas:
            run([self.ptxas, f"-arch={arch}", ptx, "-o", "/dev/null"])

    def play(self, kind):
        """Plays the PTX of the programs that were replayed: the exit status, and what was printed.  The GPU suite's program
        looks for them in a folder beside it."""
        program, folder = self.path("gpu_random"), self.path("random")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(self.player, program)
        for suffix in (".scene", ".data", ".expected", ".ptx", ".json"):
            shutil.copy(self.path("programs" + suffix), os.path.join(folder, f"{kind}-0{suffix}"))
        done = subprocess.run([program, kind], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS,
                              errors="replace", env=dict(os.environ, GPUCC_LIBCUDA=self.fake_cuda, GPUCC_FAKE_PTX="1"))
        return done.returncode, done.stdout

    def plays(self):
        return os.path.exists(self.player) and os.path.exists(self.fake_cuda)

    def math_natives(self):
        """An object with gpucc's math functions, from its native code without optimisation, as native_NAME."""
        if not self.math:
            lines = ["#include <gpucc.h>", "#include <math.h>"]
            for f in device_functions.REAL:
                parameters = ", ".join(f"{t.name} x{i}" for i, t in enumerate(f.parameters))
                arguments = ", ".join(f"x{i}" for i in range(len(f.parameters)))
                head = f"device {f.result.name} native_{f.name}({parameters})"
                lines.append(f"{head} {{ return {f.name}({arguments}); }}")
            self.math = self.path("math.o")
            run([self.gpucc, "-w", "-O0", self.write("math.c", "\n".join(lines) + "\n"), "-o", self.math])
        return self.math
