"""dask_cluster.py PROGRAM: functions.c in the processes of a cluster, one of which is killed in the middle."""
import os
import signal
import sys
import threading
import time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import gpucc
from check import same

COUNT, CHUNK = 400_000, 10_007


def numbers(block_info=None):
    """The same for every cut: elements of all magnitudes."""
    begin, end = block_info[None]["array-location"][0]
    place = np.arange(begin, end, dtype="u8") * 0x9E3779B97F4A7C15
    return (((place >> 40) % 1999).astype("f4") - 700) * np.float32(10) ** ((place >> 20) % 7).astype("f4")


def slow(block):
    time.sleep(0.05)
    return block


def pids(client):
    return dict(client.run(os.getpid))


def test_right(client, program, lazy, whole):
    """Graphs carry the program; workers that knew nothing of it have it once."""
    same(np.asarray(program.add.reduce(lazy).compute()), program.add.reduce(gpucc.asarray(whole, device="cpu")))
    same(program.add(lazy, 1).compute(), program.add(whole, 1))
    fraction = program.split(lazy / np.float32(3))[1]
    same(fraction[:1000].compute(), program.split(whole[:1000] / np.float32(3))[1])
    loaded = client.run(lambda: [name for name in map(str.strip, open("/proc/self/maps")) if ".so" in name])
    assert len(loaded) == 2


def test_killed(client, program, lazy, whole):
    """A worker that dies takes its partial results along; they are computed again elsewhere, to the same bits."""
    want = program.add.reduce(gpucc.asarray(whole, device="cpu"))
    before = pids(client)
    result = client.compute(program.add.reduce(lazy.map_blocks(slow, dtype="f4")))
    threading.Timer(0.6, os.kill, (next(iter(before.values())), signal.SIGKILL)).start()
    time.sleep(0.3)
    assert not result.done()
    same(np.asarray(result.result(timeout=60)), want)
    for _ in range(100):  # the nanny puts another one in its place
        after = pids(client)
        if len(after) == 2 and set(after.values()) != set(before.values()):
            return
        time.sleep(0.1)
    raise AssertionError(f"no worker died: {before}, {after}")


def main():
    program = gpucc.load(sys.argv[1], name="functions")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, worker_dashboard_address=None) as cluster, \
            Client(cluster) as client:
        lazy = da.map_blocks(numbers, chunks=(da.core.normalize_chunks(CHUNK, (COUNT,))[0],), dtype="f4",
                             meta=np.empty(0, "f4"))
        whole = lazy.compute()
        test_right(client, program, lazy, whole)
        test_killed(client, program, lazy, whole)
    print("all right")


if __name__ == "__main__":
    main()
