"""interrupted.py: Ctrl-C ends a kernel on the CPU between two blocks; handlers that raise nothing let it go on."""
import os
import signal
import threading
import time

import numpy as np

import gpucc
from check import raises

program = gpucc.compile("""
#include <gpucc.h>
kernel void slow(size_t steps, uint64 *done)
{
    uint64 x = grid(1);
    for (size_t i = 0; i < steps; i++)
        x = x * x + 1;
    done[blockIdx.x] = x | 1;
}
""", name="interrupted")
BLOCKS, STEPS = 20000, 1000000  # some ten seconds and more
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have made a process ignore


def after(seconds):
    """Sends SIGINT to this process."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ended():
    done, start = np.zeros(BLOCKS, "u8"), time.monotonic()
    timer = after(0.3)
    with raises(KeyboardInterrupt):
        program.slow[BLOCKS, 1](STEPS, done)
    timer.join()
    assert time.monotonic() - start < 30
    assert done.any() and not done.all()
    program.slow[BLOCKS, 1](1, done)  # the next one is whole
    assert done.all()


def test_goes_on():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        done = np.zeros(1000, "u8")
        timer = after(0.1)
        start = time.monotonic()
        while not seen and time.monotonic() - start < 30:
            program.slow[1000, 1](10000, done)
        timer.join()
        assert seen and done.all()
    finally:
        signal.signal(signal.SIGINT, before)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("all right")
