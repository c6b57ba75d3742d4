"""programs.py SOURCE…: each as a shared object in the working directory, its GPU entries as native code too.  What another
test has compiled comes from the cache."""
import os
import sys
from pathlib import Path

from gpucc import _compile

here = Path.cwd()
os.chdir("/")  # of which the cache keeps results apart
for source in map(Path, sys.argv[1:]):
    (here / (source.stem + ".so")).write_bytes(_compile.artefact(source, options=["--emulate"]).read_bytes())
