"""Compares the shares of slow.txt with the whole."""
import os

import shares

COUNT = 3
slow = shares.slow()
missing = [path for path in slow if not path.exists()]
assert not missing, missing
assert len(set(slow)) == len(slow), "a test is listed twice"
recent = shares.changed(COUNT)
taken = []
for index in range(COUNT):
    os.environ["GPUCC_SHARE"] = f"{index}/{COUNT}"
    taken.append(shares.selected(slow))
assert set().union(*taken) == set(slow)
os.environ["GPUCC_SHARE"] = f"{COUNT}/{COUNT}" # of a run whose turn is another
assert recent is None or set(shares.selected(slow)) == recent & set(slow)
if recent is not None:
    lengths = [len([path for path in share if path not in recent]) for share in taken]
    assert max(lengths) <= len(slow) // COUNT + 1, lengths
print(f"{len(slow)} slow tests in {COUNT} shares")
