"""wording.py: functions have no verb that means something else (a function that reports is no "tell"), and every comment
opens with its subject.  Exit status 1 with each place."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERBS = re.compile(r"(?:^|_)(?:tells?|telling|told|takes?|looks?|wish|brings?|keeps?|gives?|says?|said)(?:_|$)")
# Terms of the field: to look a name up, decoupled look-back, to give up; and symbols that compiled programs call.
TERMS = re.compile(r"look_up\w*|look_back|give_up\w*|gpucc_give_\w+|give_four")
OPENING = re.compile(r"(?:/\*+[ \n]\s*(?:\* )?|^\s*// )(What|Where|Of|Those|That|There)\b", re.M)
SCRIPT_OPENING = re.compile(r"^ *(?:# |// |\"\"\")(What|Where|Of|Those|That|There)\b", re.M)
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cu", ".def")
SUFFIXES = C_SUFFIXES + (".py", ".test", ".cmake", ".txt", ".sh", ".in")
FUNCTION = re.compile(r"^(?!return|else|typedef)[A-Za-z_][\w *]*?[ *](\w+)\([^;{}=]*\)\s*\{", re.M)
PYTHON_FUNCTION = re.compile(r"^ *def (\w+)\(", re.M)


def sources():
    rooms = ["cmake", "compiler", "include", "runtime", "samples", "stdlib", "tests"]
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", *rooms], capture_output=True, text=True).stdout.split()
    if not listed:
        print("skipped: this is no git checkout")
        sys.exit(0)
    return [n for n in listed if n.endswith(SUFFIXES) and (ROOT / n).is_file()]


def may_name_anything(name):
    """Programs that tests compile have names of their own."""
    return "/Inputs/" in name or name.startswith(("tests/compile/", "tests/faults/", "tests/gpu/programs/", "samples/"))


def main():
    broken = []
    for name in sources():
        text = (ROOT / name).read_text(errors="replace")
        is_c = name.endswith(C_SUFFIXES)
        for match in () if may_name_anything(name) else (FUNCTION if is_c else PYTHON_FUNCTION).finditer(text):
            if VERBS.search(match[1]) and not TERMS.fullmatch(match[1]):
                broken.append(f"{name}:{text.count(chr(10), 0, match.start(1)) + 1}: a function called {match[1]}")
        broken += [f"{name}:{text.count(chr(10), 0, m.start(1)) + 1}: a comment opens with \"{m[1]}\", no subject"
                   for m in (OPENING if is_c else SCRIPT_OPENING).finditer(text)]
    print("\n".join(broken) or "no function has a forbidden verb, and every comment opens with its subject")
    return 1 if broken else 0


sys.exit(main())
