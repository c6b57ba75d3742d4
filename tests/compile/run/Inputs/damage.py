"""damage.py GPUCC OBJECT: `gpucc inspect` on the object cut off and with bytes changed ends with status 0 or 1."""
import os
import random
import subprocess
import sys

gpucc, path = sys.argv[1:]
whole = open(path, "rb").read()
random.seed(1)


def inspect(data):
    with open("damaged.o", "wb") as file:
        file.write(data)
    environment = dict(os.environ, PATH="/nowhere", CUDA_HOME="/nowhere")
    status = subprocess.run([gpucc, "inspect", "damaged.o"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=environment, check=False)
    if status.returncode not in (0, 1) or (status.returncode and b"cannot inspect 'damaged.o'" not in status.stderr):
        sys.exit("status %d: %s" % (status.returncode, status.stderr.decode()))
    return status.returncode


sections = int.from_bytes(whole[40:48], "little")
assert inspect(whole) == 0
refused = sum(inspect(whole[:size]) for size in (5, 63, 64, 200, sections, sections + 100, len(whole) - 1))
assert refused == 7
for _ in range(60):
    data = bytearray(whole)
    low, high = random.choice([(16, 64), (sections, len(data))])
    for _ in range(random.randrange(1, 4)):
        data[random.randrange(low, high)] = random.randrange(256)
    inspect(bytes(data))
