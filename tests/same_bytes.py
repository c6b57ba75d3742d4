#!/usr/bin/env python3
"""The bytes of what gpucc makes, and what it says, depend neither on its threads nor on precompiled headers: each sample and
each C file of the compiler's tests is compiled with both and with neither, for two architectures and two processors.

usage: same_bytes.py GPUCC [FILE.c …]; without files, the share that GPUCC_SHARE selects (shares.py)"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import green
import shares

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = ("ptx", "o", "json", "h", "ll")
# -v keeps threads away, and no precompiled headers are taken where a macro is defined.
ALONE = ("-v", "-DNOBODY_ASKS_FOR_THIS")
TIME = re.compile(r"^gpucc: \S+ +[0-9.]+ ms$")


def compile(gpucc, source, folder, *options):
    outputs = [word for suffix in SUFFIXES for word in ("-o", f"out.{suffix}")]
    command = [gpucc, str(source), "--arch=sm_75,sm_90", "--target=x86-64-v2,x86-64-v3", *options, *outputs]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
    made = {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}
    said = [line for line in done.stderr.splitlines() if not TIME.match(line)]
    return done.returncode, said, made


def difference(gpucc, source):
    """Returns the difference or None, and whether anything was made.  Sources that passed before did (green.py)."""
    key = green.key("same bytes", green.compiler_hash(gpucc), green.file_hash(__file__), green.source_hash(source))
    if green.is_known(key):
        return None, True
    with tempfile.TemporaryDirectory() as folder:
        status, said, made = compile(gpucc, source, folder)
    with tempfile.TemporaryDirectory() as folder:
        other_status, other_said, other_made = compile(gpucc, source, folder, *ALONE)
    if status != other_status:
        return f"exit status {status} with threads and precompiled headers, {other_status} without", made
    if said != other_said:
        return "other diagnostics: " + "\n".join(["", *said, "without:", *other_said]), made
    names = [name for name in made.keys() | other_made.keys() if made.get(name) != other_made.get(name)]
    if made and not names:
        green.remember(key)
    if names:
        return f"differs without threads and precompiled headers ({' '.join(ALONE)}): {', '.join(sorted(names))}", made
    return None, made


def main():
    gpucc = os.path.abspath(sys.argv[1])
    sources = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    sources = sources or shares.selected(sorted([*ROOT.glob("samples/*.c"), *ROOT.glob("tests/compile/**/*.c")]))
    bad = made = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, (what, files) in zip(sources, pool.map(lambda s: difference(gpucc, s), sources)):
            made += bool(files)
            if what:
                bad += 1
                print(f"{source}: {what}")
    if not sys.argv[2:] and made < len(sources) // 2:
        bad += 1
        print(f"of {len(sources)} sources only {made} made something")
    print(f"{len(sources) - bad} passed, {bad} failed, 0 skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
