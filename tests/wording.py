"""wording.py: functions are not named by verbs that say something else (a function that reports is no "tell"), and no
comment opens with a word that makes its reader start over.  Exit status 1 with each place."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERBS = re.compile(r"(?:^|_)(?:tell|tells|telling|told|take|takes|look|looks|wish|bring|keep|keeps|give|gives|say|says)(?:_|$)")
# Terms of the field: to look a name up, decoupled look-back, to give up; and symbols that compiled programs call.
TERMS = re.compile(r"look_up\w*|look_back|give_up\w*|gpucc_give_\w+|give_four")
OPENING = re.compile(r"(?:/\*+[ \n]\s*(?:\* )?|^\s*// )(What|Where|Of|Those|That|There)\b", re.M)
PYTHON_OPENING = re.compile(r"^ *(?:# |\"\"\")(What|Where|Of|Those|That|There)\b", re.M)
FUNCTION = re.compile(r"^(?!return|else|typedef)[A-Za-z_][\w *]*?[ *](\w+)\([^;{}=]*\)\s*\{", re.M)
PYTHON_FUNCTION = re.compile(r"^ *def (\w+)\(", re.M)


def sources():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "compiler", "runtime", "include", "stdlib", "samples", "tests"],
                            capture_output=True, text=True).stdout.split()
    if not listed:
        print("skipped: this is no git checkout")
        sys.exit(0)
    own = [n for n in listed if not n.startswith(("tests/compile/", "tests/faults/", "tests/fuzz/"))]
    return [n for n in own if n.endswith((".c", ".h", ".cpp", ".def", ".py")) and (ROOT / n).is_file()]


def main():
    broken = []
    for name in sources():
        text = (ROOT / name).read_text()
        is_product = name.startswith(("compiler/", "runtime/", "stdlib/"))
        for match in (PYTHON_FUNCTION if name.endswith(".py") else FUNCTION).finditer(text) if is_product else ():
            if VERBS.search(match[1]) and not TERMS.fullmatch(match[1]):
                broken.append(f"{name}:{text.count(chr(10), 0, match.start(1)) + 1}: a function called {match[1]}")
        if not name.endswith(".py") or is_product:
            opening = PYTHON_OPENING if name.endswith(".py") else OPENING
            broken += [f"{name}:{text.count(chr(10), 0, m.start(1)) + 1}: a comment opens with \"{m[1]}\", no subject"
                       for m in opening.finditer(text)]
    print("\n".join(broken) or "no function has a forbidden verb, and every comment opens with its subject")
    return 1 if broken else 0


sys.exit(main())
