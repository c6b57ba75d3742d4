"""Puts programs through the tools, and says which of them came out wrong."""
from dataclasses import dataclass

from toolchain import ToolError

ARCHITECTURES = ("sm_75", "sm_80", "sm_90")


@dataclass
class Failure:
    """`stage` is where it went wrong: a label of native code, "ptx" or "reference"; `how` the kind of failure."""

    name: str
    stage: str
    how: str
    message: str

    def is_like(self, other):
        return self.stage == other.stage and self.how.split(":")[0] == other.how.split(":")[0]


class Checker:
    def __init__(self, tools, kind):
        self.tools, self.kind = tools, kind
        self.endless = set()  # programs whose reference does not end, or does what C leaves undefined

    def check(self, programs, arch, stages=None):
        """The failures among the programs, at most one of each.  `stages` limits what is tried."""
        try:
            return self._check(programs, arch, stages or [*self.tools.levels, "ptx"])
        except _StageError as error:
            if len(programs) == 1:
                return [Failure(programs[0].name, error.stage, error.how, str(error))]
            middle = len(programs) // 2
            return self.check(programs[:middle], arch, stages) + self.check(programs[middle:], arch, stages)

    def _check(self, programs, arch, stages):
        tools = self.tools
        source = tools.write("programs.c", self.kind.source(programs))
        scene = [self.kind.scene(p) for p in programs]
        tools.write("programs.scene", "".join(text for text, _ in scene))
        tools.write("programs.data", b"".join(data for _, data in scene))
        with _stage("reference", "gcc"):
            reference = tools.reference(tools.write("reference.c", self.kind.reference(programs)),
                                        [*self.kind.options, *self.kind.reference_options])
        libraries = []
        for label in tools.levels:
            with_ptx = label == "O3" and "ptx" in stages
            if label not in stages and not with_ptx:
                continue
            ptx = tools.path("programs.ptx") if with_ptx else None
            with _stage(label, "compiling"):
                options = [*self.kind.options, f"--arch={arch}"]
                libraries.append(f"{label}={tools.native(source, label, options, ptx)}")
        if "ptx" in stages:
            with _stage("ptx", "ptxas"):
                tools.assemble(tools.path("programs.ptx"), arch)
        failures = self._replay(reference, libraries)
        if "ptx" in stages and self.kind.plays and not failures and not self.endless and tools.plays():
            status, said = tools.play(self.kind.name)
            if status:
                raise _StageError("ptx", "playing", said[-2000:])
        return failures

    def _replay(self, reference, libraries):
        status, said = self.tools.run_replay(["--save", self.tools.path("programs"), reference, *libraries])
        failures, last = {}, ["run", "", "reference", "replay"]
        for line in said.splitlines():
            if line.startswith("run "):
                last = line.split()
            elif line.startswith("ENDLESS "):
                self.endless.add(line.split()[1])
            elif line.startswith("FAIL "):
                _, name, stage, how = line.split(maxsplit=3)
                failures.setdefault(name, Failure(name, stage, how, line))
        if status not in (0, 1):
            raise _StageError(last[2], f"{last[3]}, status {status}", " ".join(last) + "\n" + said[-2000:])
        return list(failures.values())


class _StageError(Exception):
    def __init__(self, stage, how, message):
        super().__init__(message)
        self.stage, self.how = stage, how


class _stage:
    """Says of a ToolError where it happened."""

    def __init__(self, stage, how):
        self.stage, self.how = stage, how

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if isinstance(error, ToolError):
            raise _StageError(self.stage, self.how, str(error)) from None
