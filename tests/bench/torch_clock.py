"""The time of a call on the device by PyTorch's events, for peers and for comparisons with them."""
import torch

import measure


def device_us(call):
    """Median microseconds of a call between two events."""
    return measure.device_us(call, lambda: torch.cuda.Event(enable_timing=True), lambda a, b: a.elapsed_time(b))


def show(what, call):
    """Prints a line with the time."""
    print(f"{what:52s} {device_us(call):9.1f}", flush=True)
