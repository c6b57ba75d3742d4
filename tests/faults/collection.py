"""Parses the files of this folder: kernels, ufuncs and gufuncs, each behind a line `// run: INPUT… OPTION…`."""
import re


class Kernel:
    def __init__(self, arguments):
        self.name, self.arguments, self.lines = None, arguments, []  # lines: (number, text), from `// run:` on


def kernels(path):
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if run := re.match(r"// run: (.*)", line):
            found.append(Kernel(run[1].split()))
        elif found and not found[-1].name and (
                function := re.match(r"(?:kernel\b.*?\b)?(?:void|int|float) (\w+)\(", line)):
            found[-1].name = function[1]
        if found:
            found[-1].lines.append((number, line))
    return found
