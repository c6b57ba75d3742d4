"""faults.py GPUCC FILE.c [NAME…]: runs each kernel of the file checked, as it is and, with -DMENDED, mended.

A line `// run: INPUT… OPTION…` stands before each kernel; `--check` is added where it is none of them.  A line of it
that ends in `// fault: TEXT`, or stands below such a line, must be the place of an error that says TEXT, or of one of its
notes, which place comes first being a matter of the threads' order; errors at other places are wrong.
`// note: TEXT` must be said by some note.  Of the mended twin nothing may be told."""
import pathlib
import re
import subprocess
import sys

from collection import kernels

gpucc, path, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
failures = []


def expected(kernel, kind):
    """By line, what is to be told of it."""
    found = ((number, re.search(rf"(^ *)?// {kind}: (.*)", line)) for number, line in kernel.lines)
    return {number + (match[1] is not None): match[2] for number, match in found if match}


def run(kernel, *options):
    check = [] if any(word.startswith("--check") for word in kernel.arguments) else ["--check"]
    command = [gpucc, "run", path.name, kernel.name, *kernel.arguments, *check, *options]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def reports(text):
    """For each error what it says, the lines of it and its notes, and what the notes say."""
    found = []
    for line, severity, what in re.findall(rf"^{re.escape(path.name)}:(\d+):\d+: (error|note): (.*)$", text, re.M):
        if severity == "error":
            found.append((what, {int(line)}, []))
        else:
            found[-1][1].add(int(line))
            found[-1][2].append(what)
    return found


def missing(kernel, text):
    told, faults = reports(text), expected(kernel, "fault")
    for number, what in faults.items():
        if not any(what in error and number in lines for error, lines, _ in told):
            yield f"no error at line {number} that says {what!r}"
    for what in expected(kernel, "note").values():
        if not any(what in note for _, _, notes in told for note in notes):
            yield f"no note that says {what!r}"
    for error, lines, _ in told:
        if not lines & faults.keys():
            yield f"no such fault is at lines {sorted(lines)}: {error}"


chosen = [kernel for kernel in kernels(path) if not only or kernel.name in only]
if not chosen:
    sys.exit(f"{path}: no kernel to run")
for kernel in chosen:
    status, text = run(kernel)
    wrong = list(missing(kernel, text)) if expected(kernel, "fault") else ["it expects nothing"]
    wrong += [f"exit status {status}"] if status != 1 else []
    failures += [f"{kernel.name}: {what}\n{text}" for what in wrong]
    status, text = run(kernel, "-DMENDED")
    if status or text:
        failures.append(f"{kernel.name}, mended: exit status {status}\n{text}")
print("\n".join(failures) or f"{len(chosen)} kernels, each mended too")
sys.exit(bool(failures))
