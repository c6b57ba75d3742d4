"""programs.py [OPTION…] SOURCE…: each as a shared object in the working directory, its GPU entries as native code too.  What
another test has compiled comes from the cache."""
import os
import sys
from pathlib import Path

from gpucc import _compile

here = Path.cwd()
os.chdir("/")  # of which the cache keeps results apart
options = ["--emulate", *[word for word in sys.argv[1:] if word.startswith("-")]]
for source in [Path(word) for word in sys.argv[1:] if not word.startswith("-")]:
    (here / (source.stem + ".so")).write_bytes(_compile.artefact(source, options=options).read_bytes())
