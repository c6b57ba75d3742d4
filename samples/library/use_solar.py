"""Ufuncs of a C library in Python: loads the shared object that gpucc made of it, as a wheel that carries it would.

    python3 use_solar.py solar.so [cpu | cuda | cuda:N | auto]
"""
import sys
from pathlib import Path

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit()

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "runtime" / "python"))  # where it is not installed
import gpucc  # noqa: E402

solar = gpucc.load(sys.argv[1])
device = sys.argv[2] if len(sys.argv) > 2 else "auto"

days = numpy.linspace(8400, 8765, 100_000)
latitudes = numpy.array([[-33.87], [0.0], [52.52]])
heights = solar.solar_elevation(days, latitudes, 13.405)
on_device = solar.solar_elevation(gpucc.asarray(days, device=device), gpucc.asarray(latitudes, device=device), 13.405)
assert on_device.to_numpy().tobytes() == heights.tobytes()
right_ascension, declination = solar.solar_position(days)
assert abs(declination).max() < 23.45 and 0 <= right_ascension.min() and right_ascension.max() < 360
print(solar.solar_elevation.__doc__.strip().splitlines()[0])
print(f"highest at each place: {numpy.round(heights.max(axis=1), 1)}; the same bits on {device}")
