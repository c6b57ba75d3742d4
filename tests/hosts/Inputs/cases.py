"""Runs random cases in a process of their own, and makes the first that fails smaller: also one that ends the process.

The command line of a tester is LIBRARY PROGRAM DEVICES SEED COUNT[:K/N], or LIBRARY PROGRAM DEVICES again CASE for a case
that has been printed.  K/N selects every Nth case from K on."""
import json
import mmap
import multiprocessing
import os
import shlex
import sys
import traceback

import draws
from host import Device

SECONDS_OF_A_CASE = 300
SECONDS_OF_SHRINKING = float(os.environ.get("GPUCC_SHRINK", "60"))
START = ("start",)
forked = multiprocessing.get_context("fork")


class Failed(Exception):
    """`problem` says what kind of failure it is: a smaller case must have the same."""

    def __init__(self, problem, text):
        super().__init__(text)
        self.problem = problem


def fail(what, problem, *details):
    """`what` names the case."""
    raise Failed(problem, f"{what}: {problem}" + "".join(f"\n{d if isinstance(d, str) else repr(d)}" for d in details))


JOURNAL = mmap.mmap(-1, 1 << 21)  # for what has to be known of a process that has died
WHAT, DRAWN, PIECE = 0, 1, 1 << 20


def note(piece, text):
    written = text.encode()[:PIECE - 1] + b"\0"
    JOURNAL[piece * PIECE:piece * PIECE + len(written)] = written


def noted(piece):
    return JOURNAL[piece * PIECE:JOURNAL.find(b"\0", piece * PIECE)].decode()


def log_case(what):
    """The case that comes now, should it end the process."""
    note(WHAT, str(what))


class Worker:
    """A process that has the devices, begun anew where it has died."""

    def __init__(self, random_case, start):
        self.random_case, self.start, self.process = random_case, start, None

    # ---- in the process ----

    def serve(self, pipe):
        devices = {}
        while True:
            names, request = pipe.recv()
            random = None
            try:
                for name in names:
                    devices[name] = devices.get(name) or Device(name)
                given = [devices[name] for name in names]
                if request == START:
                    self.start(given)
                else:
                    random = self.drawing(request)
                    self.random_case(random, given)
                pipe.send(None)
            except Exception as error:
                problem = getattr(error, "problem", type(error).__name__)
                text = str(error) if isinstance(error, Failed) else traceback.format_exc()
                pipe.send((problem, text, random.drawn if random else []))

    def drawing(self, request):
        if isinstance(request, list):
            return draws.Draws(again=request)
        seed, case, is_noted = request
        random = draws.seeded(seed, case, (lambda: note(DRAWN, json.dumps(random.drawn))) if is_noted else None)
        return random

    # ---- outside ----

    def ask(self, devices, request):
        """None, or (problem, text, what was drawn, or None where the process has died)."""
        if not self.process:
            self.pipe, inside = forked.Pipe()
            self.process = forked.Process(target=self.serve, args=(inside,), daemon=True)
            self.process.start()
            inside.close()
        log_case(request)
        self.pipe.send((devices, request))
        try:
            if self.pipe.poll(SECONDS_OF_A_CASE):
                return self.pipe.recv()
            problem = f"takes more than {SECONDS_OF_A_CASE} seconds"
        except EOFError:
            self.process.join()
            problem = f"ends the process with status {self.process.exitcode}"
        self.end()
        return problem, f"{noted(WHAT)} {problem}", request if isinstance(request, list) else None

    def end(self):
        self.process.kill()
        self.process.join()
        self.process = None

    def drawn_of(self, devices, seed, case):
        """Returns the numbers drawn for a case that ends the process."""
        self.ask(devices, (seed, case, True))
        return json.loads(noted(DRAWN))


def command(devices, *rest):
    """Which does the same from anywhere."""
    settings = [f"{name}={value}" for name, value in sorted(os.environ.items())
                if name.startswith("GPUCC_") or name == "LD_PRELOAD"]
    begin = sys.orig_argv[:len(sys.orig_argv) - 3]
    return f"cd {shlex.quote(os.getcwd())} && " + shlex.join(["env", *settings, *begin, ",".join(devices), *rest])


def report_smaller(worker, devices, problem, drawn):
    """Reports the smallest case that fails by itself."""
    for name in devices if len(devices) > 1 else []:
        found = worker.ask([name], drawn)
        if found and found[0] == problem:
            devices = [name]
            break

    def fails(tree):
        found = worker.ask(devices, tree)
        return found[2] if found and found[0] == problem else None

    drawn = draws.shrink(drawn, fails, SECONDS_OF_SHRINKING)
    found = worker.ask(devices, drawn)
    print(f"smaller: {found[1] if found else 'not found again'}")
    print(f"again: {command(devices, 'again', draws.text(drawn))}", flush=True)


def report(worker, devices, seed, case, count, found):
    """`count` selects the cases up to this one."""
    problem, text, drawn = found
    print(f"seed {seed}, case {case}: {text}", flush=True)
    drawn = worker.drawn_of(devices, seed, case) if drawn is None else drawn
    if worker.process:
        worker.end()
    alone = worker.ask(devices, drawn)
    if alone and alone[0] == problem:
        report_smaller(worker, devices, problem, drawn)
    else:
        print("By itself it does not fail, but after those before it.")
        print(f"again: {command(devices, seed, count)}", flush=True)


def run(random_case, start=None):
    """random_case(Draws, devices), COUNT times; start(devices) comes first where the seed is 1."""
    devices, seed, (count, colon, share) = sys.argv[3].split(","), sys.argv[4], sys.argv[5].partition(":")
    worker = Worker(random_case, start)
    if seed == "again":
        found = worker.ask(devices, json.loads(sys.argv[5]))
        sys.exit(f"again: {found[1]}" if found else 0)
    if start and seed == "1":
        found = worker.ask(devices, START)
        if found:
            sys.exit(found[1])
    first, step = map(int, share.split("/")) if share else (0, 1)
    cases = range(first, int(count), step)
    for case in cases:
        found = worker.ask(devices, (seed, case, False))
        if found:
            report(worker, devices, seed, case, f"{case + 1}{colon}{share}", found)
            sys.exit(1)
    print(f"seed {seed}: {len(cases)} cases")
