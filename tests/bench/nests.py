#!/usr/bin/env python3
"""Products of small matrices and convolutions of rows on a GPU, beside PyTorch in one run.

    gpucc tests/bench/nests.c --arch=sm_90 -o nests.ptx -o nests.json
    python3 tests/bench/nests.py nests.ptx [another.ptx …] [--team 32 512x8 …]

Results are compared with float64 first.  Then CUDA events time 20 times five calls in a row: the median, in µs a call.
"""
import argparse
import os

import gpucc
import torch

ELEMENTS = 16_000_000  # of all matrices of a case


def median(call, times=20, calls=5):
    for _ in range(3):
        call()
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(times)]
    for begin, end in events:
        begin.record()
        for _ in range(calls):
            call()
        end.record()
    torch.cuda.synchronize()
    return sorted(begin.elapsed_time(end) * 1000 / calls for begin, end in events)[times // 2]


def report(options, case, peer, call, shape, want):
    """`call(program, out)`; `want`: the first results."""
    line = f"{case:28} torch {median(peer):6.0f}"
    for path, program in options.programs.items():
        for team in (None, *options.team):
            os.environ.pop("GPUCC_GUFUNC_TEAM", None)
            if team:
                os.environ["GPUCC_GUFUNC_TEAM"] = team
            out = torch.full(shape, float("nan"), device="cuda")
            call(program, out)
            error = (out[:len(want)].double() - want).abs().max().item()
            if not error < 1e-3 or not torch.isfinite(out).all():
                raise SystemExit(f"{case}, {path}: a result is wrong by {error}")
            line += f"  {path.split('.')[0]}{':' + team if team else ''} {median(lambda: call(program, out)):.0f}"
    print(line, flush=True)


def products(options, m):
    count = ELEMENTS // (m * m)
    a, b = (torch.rand(count, m, m, device="cuda") for _ in range(2))
    report(options, f"product, {count} x {m}²", lambda: torch.bmm(a, b), lambda p, out: p.product(a, b, out=out),
           (count, m, m), torch.bmm(a[:50].double(), b[:50].double()))


def convolutions(options, rows, n, taps, has_edges):
    x, h = torch.rand(rows, n, device="cuda"), torch.rand(taps, device="cuda")
    size, filters = (n + taps - 1, h.flip(0)) if has_edges else (n - taps + 1, h)
    like, padding = torch.zeros(size, device="cuda"), taps - 1 if has_edges else 0

    def peer(signal, kind):
        return torch.nn.functional.conv1d(signal[:, None].to(kind), filters.to(kind)[None, None], padding=padding)[:, 0]

    def call(program, out):
        return program.convolve(x, h, out=out) if has_edges else program.valid(x, h, like, out=out)

    report(options, f"{'convolve' if has_edges else 'valid'}, {rows} x {n}, {taps} taps", lambda: peer(x, x.dtype), call,
           (rows, size), peer(x[:2], torch.float64))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ptx", nargs="+")
    parser.add_argument("--team", nargs="*", default=[], help="mappings besides the one that is chosen")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    options.programs = {path: gpucc.load(path) for path in options.ptx}
    for m in (16, 30, 32, 48, 64, 128):
        products(options, m)
    for has_edges in (True, False):
        for rows, n in ((100, 10**6), (1000, 10**5), (10**5, 1000), (10**6, 100)):
            for taps in (31, 5):
                convolutions(options, rows, n, taps, has_edges)


if __name__ == "__main__":
    main()
