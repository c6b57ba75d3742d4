# gdb on kernels that run on the CPU, compiled with -g -O0: gpucc --print-gdb > gpucc.gdb; gdb -x gpucc.gdb …
python
import os
import re
import gdb

SELF = "((char *)gpucc_cpu_self())"
# Of struct gpucc_cpu_thread (<gpucc/cpu.h>), which begins with four indices of three unsigned numbers.
INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def number(index, axis):
    return f"*(unsigned *)({SELF} + {4 * (3 * INDICES.index(index) + axis)})"


def read(index):
    return tuple(int(gdb.parse_and_eval(number(index, axis))) for axis in range(3))


def in_kernel():
    """Whether the OS thread that gdb looks at runs a kernel."""
    try:
        return int(gdb.parse_and_eval(f"(long){SELF}")) != 0
    except gdb.error:
        return False


def need_kernel():
    if not in_kernel():
        raise gdb.GdbError("no kernel runs here on the CPU")


def parse_index(text):
    parts = text.split(",")
    if not re.fullmatch(r"\d+(,\d+){0,2}", text):
        raise gdb.GdbError(f"'{text}' is no index: 3 or 3,0,0")
    return tuple(int(part) for part in parts) + (0,) * (3 - len(parts))


def shown(index):
    return "({}, {}, {})".format(*index)


class Focus:
    """The block and thread in which breakpoints stop; those in host code stop anyway."""

    def __init__(self):
        self.chosen = {}
        self.conditions = {}  # by breakpoint's number: the user's, and the one that it was given here

    def condition(self):
        terms = [f"{number(index, axis)} == {value[axis]}" for index, value in self.chosen.items() for axis in range(3)]
        return f"!{SELF} || (" + " && ".join(terms) + ")"

    def apply(self, breakpoint):
        if breakpoint.type != gdb.BP_BREAKPOINT or breakpoint.number <= 0 or breakpoint.pending:
            return
        own, given = self.conditions.get(breakpoint.number, (None, None))
        if breakpoint.condition != given:
            own = breakpoint.condition
        wanted = own
        if self.chosen:
            wanted = self.condition() if own is None else f"({self.condition()}) && ({own})"
        self.conditions[breakpoint.number] = own, wanted
        if breakpoint.condition != wanted:
            breakpoint.condition = wanted

    def choose(self, chosen):
        self.chosen = chosen
        for breakpoint in gdb.breakpoints():
            self.apply(breakpoint)

    def changed(self, breakpoint):
        """Also where it has found its place, in code that was loaded since."""
        if self.chosen:
            self.apply(breakpoint)


# Where a condition calls a function of the program, as these do, gdb loses other threads that come to the breakpoint.
if "GPUCC_CPU_THREADS" not in os.environ:
    gdb.execute("set environment GPUCC_CPU_THREADS=1")

focus = Focus()
gdb.events.breakpoint_created.connect(focus.changed)
gdb.events.breakpoint_modified.connect(focus.changed)


class Gpucc(gdb.Command):
    """Kernels of gpucc on the CPU."""

    def __init__(self):
        super().__init__("gpucc", gdb.COMMAND_RUNNING, prefix=True)


class Where(gdb.Command):
    """gpucc where: the block and the thread that run here."""

    def __init__(self):
        super().__init__("gpucc where", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        need_kernel()
        print(f"block {shown(read('blockIdx'))} of {shown(read('gridDim'))}, "
              f"thread {shown(read('threadIdx'))} of {shown(read('blockDim'))}")


class Threads(gdb.Command):
    """gpucc threads: what each thread of the block that runs here does."""

    def __init__(self):
        super().__init__("gpucc threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        need_kernel()
        print(gdb.parse_and_eval("(char *)gpucc_cpu_threads()").string(), end="")


class Choose(gdb.Command):
    """gpucc block B [thread T]: breakpoints in kernels stop in that block, and thread, alone.
B and T are indices: 3 or 3,0,0.  `gpucc thread T` is any block's; `gpucc all` takes it back."""

    def __init__(self, word):
        self.word = word
        super().__init__("gpucc " + word, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        words = [self.word] + argument.split()
        names = {"block": "blockIdx", "thread": "threadIdx"}
        if len(words) % 2 or any(word not in names for word in words[::2]):
            raise gdb.GdbError("gpucc block 3,0,0 thread 17,0,0")
        focus.choose({names[word]: parse_index(index) for word, index in zip(words[::2], words[1::2])})
        print("breakpoints in kernels stop in " + " ".join(words) + " alone")


class All(gdb.Command):
    """gpucc all: breakpoints stop in every block and thread again."""

    def __init__(self):
        super().__init__("gpucc all", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        focus.choose({})


def show_indices(event):
    """$threadIdx and the others, where a kernel has stopped."""
    if not in_kernel():
        return
    for index in INDICES:
        try:
            kind = gdb.lookup_type("struct gpucc_index").pointer()
        except gdb.error:
            return
        address = int(gdb.parse_and_eval(f"(long){SELF}")) + 12 * INDICES.index(index)
        gdb.set_convenience_variable(index, gdb.Value(address).cast(kind).dereference())


gdb.events.stop.connect(show_indices)
Gpucc()
Where()
Threads()
Choose("block")
Choose("thread")
All()
end
