"""dask_mixed.py PROGRAM FAKE: functions.c on two workers of a cluster, of which one has a GPU, the stand-in FAKE, and one
has none.  What runs on the device that a worker has gives the bits that it gives anywhere."""
import os
import subprocess
import sys

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import gpucc
from check import same

COUNT, CHUNK = 20_000, 1_013


def start_worker(address, name, environment):
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--name", name, "--nthreads", "1",
               "--no-dashboard", "--no-nanny"]
    return subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def on_device(block, program=None):
    """On the worker's GPU where it has one, else on its CPU."""
    x = gpucc.asarray(block)
    return program.mul(program.add(x, 1), x).to_numpy()


def devices(client):
    return sorted(client.run(lambda: gpucc.device_info()["device"]).values())


def check(client, program):
    assert devices(client) == ["cpu", "cuda:0"]
    values = np.random.default_rng(3).random(COUNT, "f4")
    lazy = da.from_array(values, CHUNK)
    want = program.mul.numpy(program.add.numpy(values, np.float32(1)), values)
    for _ in range(2):
        same(lazy.map_blocks(on_device, program=program, dtype="f4").compute(), want)
    for worker in client.scheduler_info()["workers"]:  # each, whatever the scheduler likes best
        same(client.submit(on_device, values, program, workers=[worker], pure=False).result(timeout=60), want)
    same(program.mul(program.add(lazy, np.float32(1)), lazy).compute(), want)
    made = lazy.map_blocks(program.add, np.float32(1), device="auto", dtype="f4")
    same(made.compute(), program.add.numpy(values, np.float32(1)))
    whole = program.add.reduce(gpucc.asarray(values, device="cpu"))
    same(np.asarray(program.add.reduce(lazy).compute()), whole)


def main():
    program, fake = gpucc.load(sys.argv[1], name="functions"), sys.argv[2]
    preload = " ".join([fake, *[os.path.abspath(name) for name in ("functions.so", "cast.so", "sort.so")]])
    with_gpu = {"GPUCC_LIBCUDA": fake, "LD_PRELOAD": preload, "GPUCC_LOW_OCCUPANCY_WARNINGS": "0"}
    with LocalCluster(n_workers=0, dashboard_address=None) as cluster, Client(cluster) as client:
        workers = [start_worker(cluster.scheduler_address, name, environment)
                   for name, environment in (("gpu", with_gpu), ("plain", {"GPUCC_LIBCUDA": "/nowhere/libcuda.so.1"}))]
        try:
            client.wait_for_workers(2, timeout=120)
            check(client, program)
        finally:
            for each in workers:
                each.terminate()
            for each in workers:
                each.wait()
    print("all right")


if __name__ == "__main__":
    main()
