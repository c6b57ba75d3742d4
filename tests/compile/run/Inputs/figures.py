"""Checks that the figures of `gpucc bench --json` agree with one another.  figures.py FILE OPERATIONS BYTES"""
import json
import sys
import xml.etree.ElementTree as tree

with open(sys.argv[1], encoding="utf-8") as file:
    figures = json.load(file)
seconds = figures["seconds"]
assert 0 < seconds["fastest"] <= seconds["quarter"] <= seconds["median"] <= seconds["three_quarters"] <= seconds["slowest"]
assert figures["bytes"] == int(sys.argv[3]), figures
assert abs(figures["bytes_per_second"] * seconds["median"] - figures["bytes"]) <= 1e-6 * figures["bytes"]
assert figures["device"]["copy_bytes_per_second"] > 0
if int(sys.argv[2]):
    assert figures["operations"] == int(sys.argv[2]), figures
    assert abs(figures["operations_per_second"] * seconds["median"] - figures["operations"]) <= 1e-6 * figures["operations"]
    assert figures["device"]["multiply_add_operations_per_second"] > 0
else:
    assert "operations" not in figures
for path in sys.argv[4:]:
    texts = [element.text for element in tree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert any("the roof" in text for text in texts) and any("GB/s" in text for text in texts), texts
print(figures["function"], "repeats", figures["repeats"], figures.get("operations_are"))
