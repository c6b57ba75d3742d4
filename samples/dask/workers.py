"""Shared by the samples on Dask: a cluster of this machine's cores or GPUs, a progress bar, and pictures."""
import contextlib
import struct
import sys
import zlib
from pathlib import Path

try:
    import dask.array  # noqa: F401
    import distributed
    import numpy
except ImportError as error:
    print(f"skipped: {error.name} is not installed (pip install 'dask[array,distributed]', python3-dask python3-distributed)")
    sys.exit()

samples = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(samples.parent / "runtime" / "python"))  # where it is not installed
import gpucc  # noqa: E402

MEMORY = 224 << 20  # bytes that a worker may take
DEVICE = sys.argv[1] if len(sys.argv) > 1 else "auto"


@contextlib.contextmanager
def cluster(count=2):
    """So many workers, with MEMORY bytes each."""
    with distributed.LocalCluster(n_workers=count, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None) as made:
        with distributed.Client(made) as client:
            yield client


def device_of_worker(device):
    """Workers of one machine take its GPUs in turn."""
    if device not in ("auto", "cuda") or not gpucc.device_count():
        return device
    return f"cuda:{int(distributed.get_worker().name) % gpucc.device_count()}"


def with_bar(steps, what):
    """The steps, one after another, and how far they are."""
    for done, step in enumerate(steps):
        show_bar(done, len(steps), what)
        yield step
    show_bar(len(steps), len(steps), what)


def show_bar(done, count, what):
    filled = 40 * done // count
    end = "\n" if done == count else ""
    print(f"\r{what} [{'#' * filled:40}] {done}/{count}", end=end, file=sys.stderr, flush=True)


def write_png(path, pixels):
    """Rows of grey (height x width) or coloured (height x width x 3) bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width = pixels.shape[:2]
    rows = numpy.ascontiguousarray(pixels, "u1").reshape(height, -1)
    data = zlib.compress(numpy.pad(rows, ((0, 0), (1, 0))).tobytes())
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
