"""public_kernels.py [--every N] [--keep FOLDER] [--passed FILE] FOLDER…: what gpucc makes of CUDA kernels as people write
them.  Each FOLDER is a collection of sources, such as a checkout of CUDA's samples.  Every kernel in it, and in the texts of
its Python modules that are sources as they stand, is cut out with what it uses, compiled to PTX and native code with
GPUCC_BUILD's gpucc (default: build), and assembled where there is a ptxas.  Prints how many each collection has and gives,
and what stops the others, by their first error.

  --every N      every Nth kernel only
  --keep FOLDER  leaves what was compiled there, and beside each what gpucc said
  --passed FILE  writes the names of the kernels that passed; those that it named before and that fail now are printed, and
                 make the exit status 1
"""
import argparse
import ast
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("GPUCC_BUILD", ROOT / "build")).resolve()
GPUCC = BUILD / "bin/gpucc"
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
ARCH = "sm_80"
SLOW = 10 # seconds of processor time after which a compilation counts as failed
HUNG = 300 # seconds after which it does that sleeps, or has a busy machine

TOKEN = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>^[ \t]*\#(?:[^\n\\/]|\\.|/(?!\*)|/\*.*?\*/)*)
                     |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<word>[A-Za-z_]\w*)|(?P<sign>[^\s\w])""",
                   re.MULTILINE | re.DOTALL | re.VERBOSE)
WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)')
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")
PASTED = re.compile(r"([A-Za-z_]\w*)\s*\#\#") # the beginning of other macros' names
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")
ERROR = re.compile(r"\s*#\s*(error|warning)\b")
DEVICE = {"__device__", "__global__", "constexpr"}
TYPES = {"namespace", "typedef", "struct", "class", "union", "enum", "using", "template"}
NO_FUNCTIONS = {"typedef", "struct", "class", "union", "enum"}
KEPT = {"const", "constexpr", "static", "__constant__", "__device__", "__shared__", "texture", "surface"}
QUALIFIERS = {"__launch_bounds__", "__align__", "__attribute__", "__declspec", "__cluster_dims__", "alignas"}
# The headers that device code may need; a kernel without its host functions does not need the others.
NAMES = "assert|float|limits|math|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|inttypes|complex"
FOR_DEVICES = re.compile(rf"(({NAMES})\.h|c({NAMES})|cuda(_(fp16|bf16|fp8|pipeline|runtime|runtime_api))?\.h|cuda/.*|"
                         r"cooperative_groups.*|cub/.*|cuComplex\.h|cufft\.h|curand_\w+\.h|mma\.h|thrust/.*|device_\w+\.h|"
                         r"hip/hip_runtime\.h|math_(constants|functions)\.h|(vector|texture|surface|sm_)\w+\.h|"
                         r"algorithm|array|complex|limits|tuple|type_traits|utility)$")
FOR_WINDOWS = re.compile(r"GL/|windows\.h") # of which collections have copies, and kernels need nothing

PYTHON = {".py", ".pyx"}
FILLED_IN = re.compile(r"%\(\w+\)|\$\{|\$[a-z]|\{%|\{[a-z_]\w*\}") # a template of a text, which Python completes

# The headers that a host library's header includes for its types.
BY_HOSTS = {"cublas": ["cuComplex.h", "cuda_fp16.h", "cuda_bf16.h"], "cufft": ["cufft.h"]}


class Item:
    """A declaration, definition or directive at file scope."""

    def __init__(self, text, kind, names, scopes=(), kernel=""):
        self.text, self.kind, self.names, self.scopes, self.kernel = text, kind, names, scopes, kernel
        self.path = None
        self.words = set(WORD.findall(text))
        self.pasted = tuple(PASTED.findall(text))


def function_name(tokens):
    """The word before the first parenthesis that belongs to no qualifier."""
    depth = 0
    for i, (_, word) in enumerate(tokens):
        if word == "(" and depth == 0 and i and tokens[i - 1][0] == "word" and tokens[i - 1][1] not in QUALIFIERS:
            return tokens[i - 1][1]
        depth += (word in "([<") - (word in ")]>") if len(word) == 1 else 0
    return ""


def declared(tokens):
    """Returns the names that a declaration declares: words before a sign that ends a declarator, and an enumeration's
    constants; but not those among a function's parameters and in values."""
    is_enum = any(word == "enum" for _, word in tokens)
    open_ones, in_value, names = [], False, set()
    words = [word for _, word in tokens] + [";", ";"]
    for (kind, word), after, second in zip(tokens, words[1:], words[2:]):
        if word in ("(", "{", "["):
            open_ones.append(word == "(" and after == "*") # a pointer's declarator is in parentheses
        elif word in (")", "}", "]") and open_ones:
            open_ones.pop()
        in_value = all(open_ones) and (word == "=" or (in_value and word != ","))
        is_declarator = after in ";=,[{():" and not (after == "(" and second == "*") # the type of a pointer to functions
        if kind == "word" and (is_enum or (all(open_ones) and not in_value and is_declarator)):
            names.add(word)
    return names


def make_item(text, tokens, scopes, has_body):
    words = [word for _, word in tokens]
    if "operator" in outside(itertools.takewhile(lambda word: word != "{", words)):
        return Item(text, "host", set(), scopes) # found by no name; where one is used, structs have no operators
    name = function_name(tokens) if "(" in words else ""
    if has_body and name:
        return Item(text, "function", {name}, scopes, name if "__global__" in words else "")
    if words[:2] == ["using", "namespace"]:
        return Item(text, "directive", set(), scopes)
    if not TYPES & set(words[:2]) and not KEPT & set(words):
        return Item(text, "host", set(), scopes) # a prototype, or a variable of the host's
    if "__global__" in words:
        return Item(text, "host", set(), scopes) # declared before it is defined
    return Item(text, "declaration", declared(tokens), scopes)


def outside(words):
    """Returns the words outside parentheses, without the defaults of arguments."""
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if depth == 0:
            yield word


def depth_after(directive, depth, depths):
    """Each branch of a conditional begins as deep in braces as the first one; `depths` is a stack of these."""
    found = CONDITIONAL.match(directive)
    if found and found.group(1).startswith("if"):
        depths.append(depth)
    elif found and found.group(1) in ("elif", "else") and depths:
        return depths[-1]
    elif found and found.group(1) == "endif" and depths:
        depths.pop()
    return depth


def items_of(text):
    """The file's items in order; linkage blocks are looked into, and namespaces, whose names the items keep."""
    items, tokens, scopes, depth, begin, body, depths = [], [], [], 0, None, False, []
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match.group()
        if kind == "comment":
            continue
        if kind == "directive":
            depth = depth_after(word, depth, depths)
            if depth == 0 and tokens and tokens[-1][1] == ")": # a macro's use
                items.append(make_item(text[begin:match.start()], tokens, tuple(filter(None, scopes)), False))
                tokens = []
            if depth == 0 and not tokens:
                items.append(Item(word, "directive", set(DEFINE.findall(word)), tuple(filter(None, scopes))))
            continue
        if depth == 0 and not tokens and word == "}":
            if scopes:
                scopes.pop()
            continue
        begin = match.start() if not tokens else begin
        tokens.append((kind, word))
        if word == "{" and depth == 0:
            words = [w for _, w in tokens]
            if words[0] == "extern" and words[1] == '"C"' and len(words) == 3:
                scopes.append("")
                tokens = []
                continue
            if words[0] == "namespace":
                scopes.append(" ".join(text[begin:match.start()].split()))
                tokens = []
                continue
            has_value = "=" in outside(words) and "operator" not in words
            body = ")" in words and not has_value and words[0] not in NO_FUNCTIONS
        depth += (word == "{") - (word == "}")
        if depth == 0 and (word == ";" or (word == "}" and body)):
            items.append(make_item(text[begin:match.end()], tokens, tuple(filter(None, scopes)), body))
            tokens, body = [], False
        depth = max(depth, 0)
    return items


def value_of(node, names):
    """The text that a Python expression is, where it is put together of constants and the module's names; or None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = value_of(node.left, names), value_of(node.right, names)
        return left + right if left is not None and right is not None else None
    return None


def texts_of(path):
    """The CUDA sources in a file: the file, or a Python module's texts that have kernels."""
    text = path.read_text("utf-8-sig", "replace")
    if path.suffix not in PYTHON:
        return [text]
    if "__global__" not in text:
        return []
    try:
        tree = ast.parse(text)
    except SyntaxError: # Cython's, of which the constants are taken
        found = [m.group(2) for m in re.finditer(r'("""|\'\'\')(.*?)\1', text, re.DOTALL)]
    else:
        found, names, todo = [], {}, [tree]
        while todo:
            node = todo.pop(0)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = value_of(node.value, names)
            value = value_of(node, names) if not isinstance(node, ast.Name) else None
            if value is not None:
                found.append(value)
            else:
                todo += [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.JoinedStr)]
    return [t for t in dict.fromkeys(found) if "__global__" in t and "{" in t and not FILLED_IN.search(t)]


class Collection:
    def __init__(self, folder):
        self.folder = folder
        self.files = [p for p in sorted(folder.rglob("*")) if p.is_file() and
                      (p.suffix in (".cu", ".cuh", ".h", ".hpp") or p.suffix in PYTHON or
                       (p.suffix == ".cpp" and "__global__" in p.read_text("utf-8-sig", "replace")))]
        self.by_name = collections.defaultdict(list)
        for path in self.files:
            self.by_name[path.name].append(path)

    def find(self, name, by):
        """A header of this name: beside the file, or the nearest of those that the collection has."""
        near = by.parent / name
        if near.is_file():
            return near
        found = [p for p in self.by_name[pathlib.Path(name).name] if p.as_posix().endswith("/" + name.lstrip("./"))]
        return max(found, key=lambda p: len(os.path.commonpath([p, by])), default=None)

    def read(self, path, text, seen=None):
        """The items of a file's text with those of the headers of its own."""
        seen = {path} if seen is None else seen
        items = []
        for item in items_of(text):
            include = INCLUDE.match(item.text) if item.kind == "directive" else None
            header = self.find(include.group(2), path) if include and not FOR_WINDOWS.match(include.group(2)) else None
            item.path = path
            if not include:
                items.append(item)
            elif header and header not in seen:
                seen.add(header)
                items += self.read(header, header.read_text("utf-8-sig", "replace"), seen)
            elif not header:
                names = BY_HOSTS.get(re.match(r"[a-z]*", include.group(2)).group(), [include.group(2)])
                items += [Item(f"#include <{name}>", "include", set()) for name in names if FOR_DEVICES.match(name)]
        return items

    def included(self):
        """The files that others include: their kernels are cut out of those, in which all that they need is declared."""
        found = set()
        for path in self.files:
            for match in re.finditer(r'^\s*#\s*include\s*"([^"]+)"', path.read_text("utf-8-sig", "replace"), re.MULTILINE):
                found.add(self.find(match.group(1), path))
        return found


def is_device(item, macros):
    return bool(item.words & DEVICE) or any("__device__" in macros.get(word, "") for word in item.words)


def needed_by(kernel, items):
    """The items that the kernel comes to by the words in it."""
    macros = {name: item.text for item in items for name in item.names if item.kind == "directive"}
    tested = [item for item in items if item.kind == "directive" and CONDITIONAL.match(item.text)]
    by_name = collections.defaultdict(list)
    for item in items:
        if not item.kernel and (item.kind != "function" or is_device(item, macros)):
            for name in item.names:
                by_name[name].append(item)
    needed, todo = {id(kernel)}, [kernel]
    for name in set().union(*(item.words for item in tested)) & set(macros):
        todo += by_name[name]
    needed |= {id(item) for item in todo}
    while todo:
        last = todo.pop()
        begun = {name for name in macros if last.pasted and name.startswith(last.pasted)}
        for word in last.words | begun:
            for item in by_name.get(word, ()):
                if id(item) not in needed:
                    needed.add(id(item))
                    todo.append(item)
    return needed


def without_empty(lines):
    """Conditionals that hold nothing are left out."""
    out = []
    for line in lines:
        found = CONDITIONAL.match(line)
        if not found or found.group(1) != "endif":
            out.append(line)
            continue
        first = len(out) - 1
        while first >= 0 and CONDITIONAL.match(out[first]) and not CONDITIONAL.match(out[first]).group(1).startswith("if"):
            first -= 1
        if first >= 0 and CONDITIONAL.match(out[first]) and CONDITIONAL.match(out[first]).group(1).startswith("if"):
            del out[first:]
        else:
            out.append(line)
    return out


def is_unused(item, words):
    """Whether this includes a library that is all in a namespace of its own which nothing names."""
    library = re.match(r"#include <(thrust|cub)/", item.text)
    return item.kind == "include" and library and library.group(1) not in words


def cut(kernel, items):
    needed = needed_by(kernel, items)
    words = set().union(*(item.words for item in items if id(item) in needed or item.text.startswith("using")))
    lines, scopes = ["#include <gpucc/cuda.h>"], ()
    for item in items:
        if is_unused(item, words):
            continue
        is_conditional = item.kind == "directive" and not item.names
        if ERROR.match(item.text):
            continue # which is about a host's configuration
        if not (id(item) in needed or is_conditional or item.kind == "include"):
            continue
        if not is_conditional and item.scopes != scopes:
            lines += ["}"] * len(scopes) + [scope + " {" for scope in item.scopes]
            scopes = item.scopes
        lines.append(item.text)
    return "\n".join(without_empty(lines + ["}"] * len(scopes))) + "\n"


def cuts_of(folder):
    """The name and the text of each kernel of a collection."""
    collection = Collection(folder)
    included, done = collection.included(), set()
    for path in sorted(collection.files, key=lambda path: path in included):
        if path.suffix in (".cuh", ".h", ".hpp") and path not in included:
            continue
        for items in (collection.read(path, text) for text in texts_of(path)):
            for item in items:
                if item.kernel and (item.path, item.text) not in done:
                    done.add((item.path, item.text))
                    own = sum(file == item.path for file, _ in done)
                    yield f"{item.path.relative_to(folder).as_posix()}:{item.kernel}.{own}", cut(item, items)


def first_error(said):
    """The first error, or the note that says what to do about it, without names that only this kernel has."""
    lines = [line for line in said.splitlines() if re.search(r"(error|note): ", line)]
    for i, line in enumerate(lines):
        if "error: " in line:
            note = re.search(r"note: (.*is C\+\+.*|.*are C\+\+.*|.*written.*|.*reference/cuda\.md.*|'\w+' is declared in.*)",
                             lines[i + 1] if i + 1 < len(lines) else "")
            return note.group(1) if note else re.sub(r"^.*?error: ", "", line)
    return said.strip().splitlines()[-1] if said.strip() else "nothing said"


def run(*command):
    """Returns the output of a command that fails.  Processor time is limited, as other work does not change it."""
    tool = pathlib.Path(command[0]).name
    limited = ("sh", "-c", f'ulimit -S -t {SLOW}; exec "$@"', "sh", *command)
    try:
        done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HUNG,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return f"error: {tool} does not end"
    if done.returncode == -signal.SIGXCPU:
        return f"error: {tool} takes more than {SLOW} s"
    return "" if done.returncode == 0 else done.stdout or f"error: {tool} ends with status {done.returncode}"


def compile_one(name, text, folder):
    """Returns the stage that fails and the tool's message, or nothing."""
    stem = folder / re.sub(r"\W", "_", name)[-150:]
    source, ptx = stem.with_suffix(".c"), stem.with_suffix(".ptx")
    source.write_text(text)
    said = run(str(GPUCC), "-w", f"--arch={ARCH}", str(source), "-o", str(ptx))
    if not said and ".entry" not in ptx.read_text():
        said = "error: the source's own conditions leave the kernel out"
    stage = "PTX" if said else ""
    if not said and PTXAS:
        said = run(PTXAS, f"-arch={ARCH}", str(ptx), "-o", os.devnull)
        stage = "ptxas" if said else ""
    if not said:
        said = run(str(GPUCC), "-w", str(source), "-o", str(stem.with_suffix(".o")))
        stage = "native" if said else ""
    stem.with_suffix(".txt").write_text(said)
    return stage, said


def compare(path, passed):
    """Writes the names, and gives those that are lost."""
    before = set(path.read_text().split("\n")) - {""} if path.exists() else set()
    path.write_text("\n".join(sorted(passed | before)) + "\n")
    return sorted(before - passed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--passed", type=pathlib.Path)
    arguments = parser.parse_args()
    scratch = arguments.keep or pathlib.Path(tempfile.mkdtemp())
    errors, passed, tried = collections.Counter(), set(), set()
    print("collection | kernels | PTX | assembled | native code")
    for folder in arguments.folders:
        cuts = list(cuts_of(folder))[::arguments.every]
        place = scratch / folder.name
        place.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda pair: compile_one(*pair, place), cuts))
        stages = collections.Counter(stage for stage, _ in results)
        made = len(results) - stages["PTX"]
        print(f"{folder.name} | {len(results)} | {made} | {made - stages['ptxas'] if PTXAS else 'no ptxas'} | {stages['']}",
              flush=True)
        errors.update((stage, first_error(said)) for stage, said in results if stage)
        passed |= {f"{folder.name}/{name}" for (name, _), (stage, _) in zip(cuts, results) if not stage}
        tried |= {f"{folder.name}/{name}" for name, _ in cuts}
    print(f"all | {len(tried)} | passed {len(passed)}\n\nkernels | stage | first error")
    for (stage, error), count in errors.most_common():
        print(f"{count} | {stage} | {error}")
    if not arguments.keep:
        shutil.rmtree(scratch)
    lost = [name for name in compare(arguments.passed, passed) if name in tried] if arguments.passed else []
    for name in lost:
        print(f"lost: {name}", file=sys.stderr)
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
