"""messages.py [--write]: lists every message of the compiler, the runtime and the Python package in tests/messages.txt.

Without an option it compares that file with the sources, and exit status 1 says that the file is stale.  Read a change of
the file as a user would: a message says what is wrong (with both values), where, and what to do."""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTING = ROOT / "tests/messages.txt"
HEAD = """Every message that users read, by source file, as `tests/messages.py --write` finds them.
"%s" and the like stand for values, "{}" for a value in Python; "…" joins the parts of one call.
"""
# Calls whose strings nobody reads as a message: generated code and pictures, and other programs' words.
SILENT = re.compile(r"__asm__|asm|_Static_assert|static_assert|begins|strstr|strn?cmp|strlen|sscanf|svg_\w+|add_own|"
                    r"number_before|_Pragma|__attribute__|add_parameter|private_text|COPY|roff\w*|find_text")
CODE = re.compile(r"[{};]\\n|#define|#include|^\s*(static|extern|const|typedef|struct|for|return)\b|^\s*(//|/\*|<|\.SH)|</|"
                  r"__\w+__|#undef|#ifdef|__fish|gpucc_\w*%|gpucc_core|gpucc_ptx_|gpucc_parameters|_describe|COMPREPLY|"
                  r"bra\.uni|cvt\.|"
                  r"(ld|st)\.\w+\.gpu|\.reg |explicitcluster|unsigned (long|short)|\(\*|\(int|void \w*\(|gpucc_\w+\(")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|\s+|.', re.S)
CONVERSION = re.compile(r"PRI\w+")
WORDS = 3  # fewer are a name, a key or a part of a message


def sources():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "compiler", "runtime"], capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else []
    found = names or [str(p.relative_to(ROOT)) for room in ("compiler", "runtime") for p in (ROOT / room).rglob("*")]
    return sorted(n for n in found if n.endswith((".c", ".h", ".cpp", ".def", ".py")) and (ROOT / n).is_file())


def is_message(text):
    return len(re.findall(r"[A-Za-z][a-z]+", text)) >= WORDS and " " in text and not CODE.search(text)


def c_messages(text):
    """The strings of each call, those that the compiler joins as one."""
    tokens = [t for t in TOKEN.findall(text) if not t.isspace() and not t.startswith(("//", "/*"))]
    callees, literal, previous = [], [], ""
    for token in tokens + [";"]:
        if token[0] == '"' or (literal and CONVERSION.fullmatch(token)):
            literal.append(token[1:-1] if token[0] == '"' else "")
            continue
        if literal:
            whole = "".join(literal)
            silent = any(name and SILENT.fullmatch(name) for name in callees)
            if not silent and is_message(whole):
                yield whole
            literal = []
        if token == "(":
            callees.append(previous if re.fullmatch(r"\w+", previous) else "")
        elif token == ")" and callees:
            callees.pop()
        previous = token


def shown(node):
    """A string of Python, with {} for what is computed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(shown(v) if isinstance(v, ast.Constant) else "{}" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return shown(node.left) + shown(node.right)
    return "{}"


def python_messages(text):
    tree = ast.parse(text)
    documentation = {id(n.body[0].value) for n in ast.walk(tree)
                     if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef)) and n.body
                     and isinstance(n.body[0], ast.Expr)}
    inside = {id(v) for n in ast.walk(tree) if isinstance(n, (ast.JoinedStr, ast.BinOp)) for v in ast.walk(n) if v is not n}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr, ast.BinOp)) and id(node) not in documentation | inside:
            message = shown(node)
            if is_message(message):
                yield message.replace("\n", "\\n")


def listing():
    lines = [HEAD]
    for name in sources():
        text = (ROOT / name).read_text()
        found = sorted(set(python_messages(text) if name.endswith(".py") else c_messages(text)))
        if found:
            lines.append(f"\n{name}\n" + "".join(f"    {message.rstrip()}\n" for message in found))
    return "".join(lines)


def main():
    now = listing()
    if sys.argv[1:] == ["--write"]:
        LISTING.write_text(now)
        return 0
    if LISTING.exists() and LISTING.read_text() == now:
        print(f"{now.count(chr(10) + '    ')} messages are listed")
        return 0
    print("tests/messages.txt is stale: run `python3 tests/messages.py --write` and read the difference")
    return 1


sys.exit(main())
