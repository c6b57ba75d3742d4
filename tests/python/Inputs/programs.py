"""programs.py [OPTION…] SOURCE…: each as a shared object in the working directory, its GPU entries as native code too.  What
another test has compiled comes from the cache.  Tests that run at once wait for the first one's compilation."""
import fcntl
import os
import sys
from pathlib import Path

from gpucc import _compile

here = Path.cwd()
os.chdir("/")  # of which the cache keeps results apart
options = ["--emulate", *[word for word in sys.argv[1:] if word.startswith("-")]]
lock = open(Path(os.environ["GPUCC_CACHE"]).with_suffix(".lock"), "w", encoding="utf-8")
fcntl.flock(lock, fcntl.LOCK_EX)
for source in [Path(word) for word in sys.argv[1:] if not word.startswith("-")]:
    (here / (source.stem + ".so")).write_bytes(_compile.artefact(source, options=options).read_bytes())
