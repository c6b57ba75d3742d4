"""ptxas.py [--sweep] [RESULTS.xml]: assembles the PTX of every sample and of every test that compiles, with GPUCC_BUILD's
gpucc (default: build).  PTX for the lowest target must do for every newer one, and each target's own for itself.
Writes a JUnit file.  Exit status 1 where something failed.

  - A target's own PTX that is the lowest one's but for its header is that one: it has been assembled for that target.
  - What has passed before, a source with the same compiler or a text, is not assembled again (green.py).
  - The suites of the math library, which take as long as all others, and more targets than the lowest and the one with
    most instructions of its own, only with --sweep; but these suites for no more targets: but for its header their PTX
    is the same for each.
  - Without GPUCC_SHARE every source is assembled for every target.  With it the share (shares.py) is; with --sweep also
    those that GPUCC_SLOW selects, for the lowest target alone, except the math library's suites.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import green
import shares

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("GPUCC_BUILD", ROOT / "build")).resolve()
GPUCC = BUILD / "bin/gpucc"
OUT = BUILD / "ptxas"
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
TARGETS = ["sm_75", "sm_90"]
SWEPT_TARGETS = ["sm_75", "sm_90", "sm_100"]

# Native code of the functions of suite_math.c, whose PTX is that one's; the math library's suites, and which of them have the
# same PTX for all targets.
NATIVE = {"suite_scalar.c", "suite_avx512.c"}
ALIKE = {"suite_math.c", "suite_complex.c"}
SWEPT = ALIKE | {"half_functions.c"}
HEADER = re.compile(rb"^\.(version|target) .*$", re.M)


def sources(sweep):
    files = [*ROOT.glob("samples/*.c"), *ROOT.glob("stdlib/runtime/*.c"), *ROOT.glob("tests/gpu/programs/*.c")]
    files = [file for file in files if not file.stem.endswith("_host")]
    left_out = NATIVE if sweep else NATIVE | SWEPT
    return [file for file in sorted(files) + shares.compiled_alone() if file.name not in left_out]


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def assemble(ptx, target):
    """Returns what ptxas prints about a file: nothing if it is valid."""
    key = green.key(green.program_hash(PTXAS), target, ptx.read_text())
    if not green.is_known(key):
        done = output_of(PTXAS, "-arch=" + target, str(ptx), "-o", "/dev/null")
        # C7519 informs of a warpgroup.arrive that it has added, where a loop begins.
        said = "\n".join(line for line in done.stdout.splitlines() if "(C7519)" not in line)
        if done.returncode or said:
            return f"ptxas -arch={target} {ptx.name}: {said or 'failed'}"
        green.remember(key)
    return ""


def compile(source, targets):
    """The PTX files of one source by target, and what gpucc said if it failed."""
    text = source.read_text(errors="replace")
    options = re.findall(r"RUN:.* (-std=[a-z0-9]+)", text)[:1]
    stem = OUT / "_".join(source.relative_to(ROOT).with_suffix("").parts)
    done = output_of(str(GPUCC), "-w", *options, "-Itests/accuracy", "--arch=" + ",".join(targets),
                     str(source.relative_to(ROOT)), "-o", f"{stem}.ptx")
    if done.returncode:
        return {}, done.stdout or "gpucc failed"
    if len(targets) == 1:
        return {targets[0]: pathlib.Path(f"{stem}.ptx")}, ""
    return {target: pathlib.Path(f"{stem}.{target}.ptx") for target in targets}, ""


def check(source, known, own, in_share):
    """Compiles one source for all targets that the compiler has, and assembles what comes out; what failed, as text."""
    text = source.read_text(errors="replace")
    if "gpucc/wgmma.h" in text:
        known = ["sm_90a"] # no other target has it
    elif re.search(r"gpucc/(cluster|tma)\.h|__cluster_", text):
        known = [target for target in known if int(target[3:]) >= 90] # clusters and the copy engine need it
    if source.name in ALIKE:
        known = [target for target in known if target in TARGETS]
    if not in_share:
        known = known[:1]
    key = green.key(green.compiler_hash(GPUCC), green.program_hash(PTXAS), green.source_hash(source), *known)
    if green.is_known(key):
        return ""
    files, said = compile(source, [target for target in known if target in own])
    if not files:
        return said
    (lowest, first), *others = files.items()
    body = HEADER.sub(b"", first.read_bytes())
    said = [assemble(first, target) for target in known]
    said += [assemble(ptx, target) for target, ptx in others if HEADER.sub(b"", ptx.read_bytes()) != body]
    if not any(said):
        green.remember(key)
    return "\n".join(filter(None, said))


def write_results(path, outcomes):
    suite = ElementTree.Element("testsuite", name="ptxas")
    for name, said in outcomes:
        case = ElementTree.SubElement(suite, "testcase", name=name)
        if said:
            ElementTree.SubElement(case, "failure").text = said
    ElementTree.ElementTree(suite).write(path, encoding="unicode")


def main(arguments):
    results = next((argument for argument in arguments if argument != "--sweep"), OUT / "results.xml")
    OUT.mkdir(exist_ok=True)
    if not PTXAS:
        print("skipped: no ptxas")
        pathlib.Path(results).write_text(
            '<testsuite><testcase name="ptxas"><skipped message="no ptxas"/></testcase></testsuite>\n')
        return 0
    own = re.findall(r"^ *(sm_[0-9a-z]+)", output_of(str(GPUCC), "--print-targets").stdout, re.M)
    taken = re.findall(r"sm_\w+", output_of(PTXAS, "--help").stdout)
    sweep = "--sweep" in arguments
    targets = SWEPT_TARGETS if sweep else TARGETS
    known = [target for target in targets if target in taken]
    for target in targets:
        if target not in known:
            print(f"skipped: this ptxas has no {target}")
    files = sources(sweep)
    share = set(shares.selected(files))
    others = set(shares.selected(files, "GPUCC_SLOW")) if sweep else set()
    files = [file for file in files if file in share or (file in others and file.name not in SWEPT)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(lambda file: check(file, known, own, file in share), files))
    outcomes = [(str(file.relative_to(ROOT)), text) for file, text in zip(files, said)]
    for name, text in outcomes:
        if text:
            print(f"{name}:\n{text}", file=sys.stderr)
    write_results(results, outcomes)
    print(f"{len(files)} sources assembled for {' '.join(known)}")
    return int(any(said))


sys.exit(main(sys.argv[1:]))
