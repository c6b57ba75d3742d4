"""Compares the shares of slow.txt with the whole."""
import os

import shares

COUNT = 5
slow = shares.slow()
missing = [path for path in slow if not path.exists()]
assert not missing, missing
assert len(set(slow)) == len(slow), "a test is listed twice"
recent = shares.changed()
taken = []
for index in range(COUNT):
    os.environ["GPUCC_SLOW"] = f"{index}/{COUNT}"
    taken.append(shares.selected(slow, "GPUCC_SLOW"))
assert set().union(*taken) == set(slow)
os.environ["GPUCC_SLOW"] = f"{COUNT}/{COUNT}" # of a run whose turn is another
assert recent is None or set(shares.selected(slow, "GPUCC_SLOW")) == recent & set(slow)
if recent is not None:
    lengths = [len([path for path in share if path not in recent]) for share in taken]
    assert max(lengths) <= len(slow) // COUNT + 1, lengths
print(f"{len(slow)} slow tests in {COUNT} shares")
