"""Counts the PTX instructions of math functions' fast paths and compares them with a table.

    count_instructions.py FILE.ptx TABLE [--update]

FILE.ptx is tests/gpu/programs/suite_math.c compiled; TABLE has a line `NAME COUNT` for each function.  Counted is what
stands between the contiguous loop's load of an item (four float32, two float64) and its store of the results: all basic
blocks on a way from the one to the other, so both loads of an unaligned operand, but no slow path; divisions and roots count as
what ptxas makes of them, and moves between registers, which it leaves out, nothing.  Exit status 1 where a count differs, with what to do about it; --update writes TABLE anew.
"""
import re
import sys

# The instructions of the ordinary path for each PTX instruction that ptxas expands.
COST = {"div.rn.f32": 10, "rcp.rn.f32": 8, "sqrt.rn.f32": 10, "div.rn.f64": 16, "rcp.rn.f64": 12, "sqrt.rn.f64": 16}
ENTRY = re.compile(r"^\.visible \.entry ufunc_(\w+?)_(?:f\d\d)+_f\d\d\(.*?^{(.*?)^}", re.M | re.S)
BRANCH = re.compile(r"^(@!?%p\d+ )?bra(?:\.uni)?\s+(\$\w+);")


MOVE = re.compile(r"mov\.[a-z]\d+ \t%\w+, %\w+;")


def with_own_labels(body):
    """Each copy of the function stands in a block that declares %gpucc_i0, and its labels are that block's."""
    copies = re.split(r"(?=\.reg \.b\d+ \t%gpucc_i0;)", body)
    return "".join(copy.replace("$E__", f"$E{i}__") for i, copy in enumerate(copies))


def basic_blocks(body):
    """A list of (label, instructions), the label of the first one empty."""
    blocks = [("", [])]
    for line in with_own_labels(body).splitlines():
        label = re.match(r"(\$\w+):", line)
        if label:
            blocks.append((label.group(1), []))
        elif line.startswith("\t") and not re.match(r"\t(\.|//|[{}])", line) and not MOVE.match(line.strip()):
            blocks[-1][1].append(line.strip())
            if BRANCH.match(line.strip()):
                blocks.append(("", []))
    return blocks


def successors(blocks):
    """For each block the indices of those that may follow it."""
    place = {label: i for i, (label, _) in enumerate(blocks) if label}
    result = []
    for i, (_, instructions) in enumerate(blocks):
        last = instructions[-1] if instructions else ""
        branch = BRANCH.match(last)
        targets = [place[branch.group(2)]] if branch else []
        if not (branch and not branch.group(1)) and last != "ret;" and i + 1 < len(blocks):
            targets.append(i + 1)
        result.append(targets)
    return result


def reachable(start, edges, barrier):
    """The blocks that can be reached from `start` without going on from `barrier`."""
    seen, waiting = {start}, [start]
    while waiting:
        block = waiting.pop()
        new = [b for b in edges[block] if b not in seen] if block != barrier else []
        seen.update(new)
        waiting += new
    return seen


def with_instruction(blocks, pattern):
    return next(i for i, (_, code) in enumerate(blocks) if any(re.match(pattern, line) for line in code))


def count(body):
    blocks = basic_blocks(body)
    forward = successors(blocks)
    backward = [[i for i, targets in enumerate(forward) if b in targets] for b in range(len(blocks))]
    store = with_instruction(blocks, r"st\.global\.v")
    load = with_instruction(blocks, r"ld\.global\.v")
    # The way to the load forks where an operand may be unaligned: that block is where an item begins.
    start = next((b for b in backward[load] if len(forward[b]) == 2), load)
    path = reachable(start, forward, store) & reachable(store, backward, start)
    assert {start, load, store} <= path
    return sum(COST.get(line.split()[0], 1) for b in path for line in blocks[b][1])


def read_table(path):
    with open(path, encoding="ascii") as file:
        rows = [line.split() for line in file if not line.startswith("#") and line.strip()]
    return {name: int(number) for name, number in rows}


HEADER = """\
# PTX instructions between load and store of an item: four float32, two float64.  Written by
#   gpucc tests/gpu/programs/suite_math.c -Itests/accuracy -o FILE.ptx
#   python3 tests/compile/ptx/Inputs/count_instructions.py FILE.ptx tests/compile/ptx/Inputs/math_instructions.txt --update
"""


def write_table(path, counts):
    with open(path, "w", encoding="ascii") as file:
        file.write(HEADER)
        file.writelines(f"{name} {number}\n" for name, number in counts.items())


def main():
    ptx, table = sys.argv[1:3]
    with open(ptx, encoding="utf-8") as file:
        counts = {match.group(1): count(match.group(2)) for match in ENTRY.finditer(file.read())}
    if not counts:
        sys.exit(f"{ptx} has no entry ufunc_…")
    if "--update" in sys.argv[3:]:
        write_table(table, counts)
        return
    wanted = read_table(table)
    differing = [name for name in sorted(wanted | counts) if wanted.get(name) != counts.get(name)]
    for name in differing:
        print(f"{name}: {wanted.get(name, 'nothing')} in the table, {counts.get(name, 'nothing')} now")
    if differing:
        sys.exit(f"Where that is meant (fewer, or well spent), say why in the commit, and update the table:\n"
                 f"  python3 {sys.argv[0]} {ptx} {table} --update")


main()
