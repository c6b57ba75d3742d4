"""rooms.py: holds the sources to what docs/internals.md says of their order.  Exit status 1 where a rule is broken, each
place on a line of its own.  With --figures it prints the graphs of includes between rooms, and with --figures BUILD also
of calls between the runtime's rooms, by that build's objects.

  - A file of compiler/ includes headers of its own room and of those below it, and no other room's internal header.
  - clang-c is included by one header of the frontend; the runtime includes neither the compiler nor LLVM.
  - A file of runtime/ includes headers of its own room and of those below it, and a header lies where its source lies.
  - No two files of compiler/, runtime/ and stdlib/ have the same name, none has more than 900 lines, and a C file begins
    with a comment that says what it is for.
  - docs/internals.md names every file of compiler/ and runtime/, or a pattern that it matches.
  - docs/internals.md and the pages of docs/how-it-works/ have at most 2500 words each.
"""
import collections
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# From the bottom to the top; rooms of one line do not know each other.  A room is a folder, or files that lie beside the
# folders.
ORDER = [
    ["bridge"],
    ["base"],
    ["ir", "ptx"],
    ["command"],
    ["spelling"],
    ["frontend"],
    ["semantics"],
    ["codegen"],
    ["derive"],
    ["blocks", "parallel"],
    ["lower"],
    ["emit"],
    ["lint"],
    ["compile", "builds"],
    ["run", "inspect", "wrap"],
    ["test"],
    ["startup"],
    ["commands", "front", "library", "main", "manual", "precompile"],
]
LEVEL = {room: level for level, rooms in enumerate(ORDER) for room in rooms}
RUNTIME_ORDER = [
    ["base"],
    ["nests", "executor"],
    ["devices"],
    ["arrays"],
    ["programs"],
    ["checks", "records"],
    ["cpu", "cuda"],
    ["parts"],
    ["calls"],
    ["reductions"],
    ["graphs"],
    ["contexts"],
]
RUNTIME_LEVEL = {room: level for level, rooms in enumerate(RUNTIME_ORDER) for room in rooms}
TOGETHER = {"builds": "compile"} # two files of one room
USE_RUNTIME = {"command", "run", "semantics", "test"} # they may know more of the runtime than its public headers say
MOST_LINES = 900
MOST_WORDS = 2500
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SOURCES = {".c", ".cpp", ".h", ".def", ".py"}

broken = []


def fail(path, what):
    broken.append(f"{path.relative_to(ROOT)}: {what}")


def files(folder):
    made = ROOT / "runtime" / "python" / "build"
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES and made not in p.parents)


def includes(path):
    return INCLUDE.findall(path.read_text())


def room_of(path):
    """The room of a path below compiler/."""
    name = path.parts[0] if len(path.parts) > 1 else path.stem
    return TOGETHER.get(name, name)


def check_compiler():
    for path in files("compiler"):
        room = room_of(path.relative_to(ROOT / "compiler"))
        if room not in LEVEL:
            fail(path, f"its room, {room}, has no place in the order")
            continue
        for quote, name in includes(path):
            if name.startswith("clang-c/") and path.name != "frontend_internal.h":
                fail(path, f"includes <{name}>; frontend/frontend_internal.h alone does")
            if quote == '"' and not (name.startswith("../runtime/") and room in USE_RUNTIME):
                check_include(path, room, name)


def check_include(path, room, name):
    if not (ROOT / "compiler" / name).exists():
        fail(path, f'includes "{name}", which is no path from compiler/')
        return
    other = room_of(pathlib.Path(name))
    if other == room:
        return
    if other not in LEVEL or LEVEL[other] >= LEVEL[room]:
        fail(path, f'includes "{name}", which does not lie below {room}')
    if name.endswith("_internal.h"):
        fail(path, f'includes "{name}", which belongs to {other} alone')


def check_runtime():
    own = [path for path in files("runtime") if "python" not in path.relative_to(ROOT).parts]
    sources = {path.stem: path.parent for path in own if path.suffix == ".c"}
    for path in files("runtime"):
        inner = path.relative_to(ROOT / "runtime")
        if path in own and path.suffix == ".h" and sources.get(path.stem, path.parent) != path.parent:
            fail(path, f"its source lies in {sources[path.stem].name}/")
        room = inner.parts[0]
        if room != "python" and room not in RUNTIME_LEVEL:
            fail(path, f"its room, {room}, has no place in the order")
            continue
        for quote, name in includes(path):
            if "compiler/" in name or name.startswith(("llvm", "clang")):
                fail(path, f'includes "{name}"')
            if quote != '"':
                continue
            # Python's extension is also built where its package lies alone.
            home = path.parent if room == "python" else ROOT / "runtime"
            if not (home / name).exists():
                fail(path, f'includes "{name}", which is no path from {home.relative_to(ROOT)}/')
            elif room != "python" and points_up(room, name):
                fail(path, f'includes "{name}", which does not lie below {room}')


def points_up(room, name):
    other = name.split("/")[0]
    return other != room and RUNTIME_LEVEL[other] >= RUNTIME_LEVEL[room]


def check_files():
    named = collections.defaultdict(list)
    for folder in ("compiler", "runtime", "stdlib"):
        for path in files(folder):
            named[path.name].append(path)
            text = path.read_text()
            if text.count("\n") > MOST_LINES:
                fail(path, f"has {text.count(chr(10))} lines, more than {MOST_LINES}")
            if path.suffix in (".c", ".cpp") and not text.startswith(("/*", "//")):
                fail(path, "does not begin with a comment")
    for paths in named.values():
        for path in paths[1:]:
            fail(path, f"has the name of {paths[0].relative_to(ROOT)}")


def check_document():
    """A room's ROOM.h, ROOM_internal.h and ROOM.c follow from it, and FILE.h from FILE.c."""
    text = (ROOT / "docs/internals.md").read_text()
    patterns = ["*/" + word for word in re.findall(r"`([\w*/]+\.(?:c|cpp|h|def|py))`", text)]
    for path in files("compiler") + files("runtime"):
        room = path.parent.name
        doors = (room + ".h", room + "_internal.h", room + ".c", "internal.h")
        names = {path, path.with_suffix(".c")} if path.suffix == ".h" else {path}
        if path.name not in doors and not any(fnmatch.fnmatch(name, p) for name in names for p in patterns):
            fail(path, "docs/internals.md does not name it")
    for page in (ROOT / "docs/internals.md", *sorted((ROOT / "docs/how-it-works").glob("*.md"))):
        words = len(page.read_text().split())
        if words > MOST_WORDS:
            fail(page, f"has {words} words, more than {MOST_WORDS}")


def graph_of_includes(folder):
    """The rooms that each room includes; python/ is no part of libgpucc."""
    graph = {}
    for path in files(folder):
        inner = path.relative_to(ROOT / folder)
        if inner.parts[0] == "python" or path.suffix == ".py":
            continue
        mine = graph.setdefault(room_of(inner), set())
        for quote, name in includes(path):
            if quote == '"' and (ROOT / folder / name).exists() and not name.startswith("."):
                mine.add(room_of(pathlib.Path(name)))
    return graph


def graph_of_calls(build):
    """The rooms whose symbols each room of the runtime uses."""
    folder = pathlib.Path(build) / "runtime/CMakeFiles/gpucc-objects.dir"
    owners, used = {}, collections.defaultdict(set)
    for path in sorted(folder.rglob("*.o")):
        inner = path.relative_to(folder).with_suffix("")
        if not (ROOT / "runtime" / inner).exists(): # of a file that has moved
            continue
        room = inner.parts[0]
        for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, symbol = line.split()[-2:]
            if kind == "U":
                used[room].add(symbol)
            elif kind.isupper():
                owners[symbol] = room
    return {room: {owners[symbol] for symbol in used[room] if symbol in owners} for room in set(owners.values())}


def figures(title, graph, level):
    arrows = [(room, other) for room in graph for other in graph[room] if other != room]
    up = [arrow for arrow in arrows if level.get(arrow[1], 0) >= level.get(arrow[0], 0)]
    reached = {room: set(graph[room]) - {room} for room in graph}
    for _ in graph:
        for room in graph:
            reached[room] |= set().union(*(reached.get(other, ()) for other in reached[room]))
    ring = {room for room in graph if room in reached[room]}
    print(f"{title}: {len(graph)} rooms, {len(set(level.values()))} levels, {len(arrows)} arrows, {len(up)} up, "
          f"{len(ring)} rooms in rings")
    for room, other in sorted(up):
        print(f"  up: {room} -> {other}")


if "--figures" in sys.argv[1:]:
    figures("includes of the compiler", graph_of_includes("compiler"), LEVEL)
    figures("includes of the runtime", graph_of_includes("runtime"), RUNTIME_LEVEL)
    for folder in sys.argv[2:]:
        figures("calls of the runtime", graph_of_calls(folder), RUNTIME_LEVEL)
    sys.exit()
check_compiler()
check_runtime()
check_files()
check_document()
print("\n".join(broken) or "every room includes only what lies below it")
sys.exit(1 if broken else 0)
