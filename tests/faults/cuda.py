"""cuda.py GPUCC FOLDER: runs what the RUN lines of FOLDER's sources run, checked.  Nothing is told, and what is
printed is what the unchecked run prints."""
import pathlib
import re
import shlex
import subprocess
import sys

# By the memory model a plain read beside atomic operations is a race, as CUDA's manual begins its loops of atomicCAS().
RACES = {("reduction.c", "max_abs")}


def commands(path):
    text = path.read_text().replace("\\\n// RUN:", "")
    for line in re.findall(r"^// RUN: %gpucc run (.*)$", text, re.MULTILINE):
        line = re.sub(r"-o \S+|--device=cpu|--check\S*", "", re.split(r"[|&]|\d?>", line)[0])
        words = shlex.split(line.replace("%s", str(path)))
        if str(path) in words and not any("%" in word for word in words): # else files that other lines make
            yield words


def run(gpucc, words):
    return subprocess.run([gpucc, "run", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def main():
    gpucc, folder = sys.argv[1:]
    count = 0
    for path in sorted(pathlib.Path(folder).glob("*.c")):
        for words in commands(path):
            plain, checked = run(gpucc, [*words, "--device=cpu"]), run(gpucc, [*words, "--check"])
            races = (path.name, words[words.index(str(path)) + 1]) in RACES
            if checked.returncode != (1 if races else 0) or (not races and checked.stdout != plain.stdout):
                sys.exit(f"{shlex.join(words)}: {checked.returncode}\n{checked.stdout}{checked.stderr}not\n{plain.stdout}")
            count += 1
    print(f"{count} runs")


if __name__ == "__main__":
    main()
