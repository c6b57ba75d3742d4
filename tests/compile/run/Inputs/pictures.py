"""pictures.py SVG…: no text of a picture leaves it or overlaps another one, by an estimate of widths; and no percentage is
above 100."""
import itertools
import re
import sys
import xml.etree.ElementTree as tree

EACH = 0.5  # of the font's size: a character's average width


def box(element, width):
    size = float(element.get("font-size", 12))
    wide = float(element.get("textLength", EACH * size * len(element.text)))
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - wide * {"middle": 0.5, "end": 1}.get(element.get("text-anchor"), 0)
    assert left >= 0 and left + wide <= width, f"{element.text!r} is clipped: {left} to {left + wide} of {width}"
    return left, y - size, left + wide, y


for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    width = float(root.get("viewBox").split()[2])
    texts = [e for e in root.iter("{http://www.w3.org/2000/svg}text")]
    boxes = [(e.text, box(e, width)) for e in texts]
    for (one, a), (two, b) in itertools.combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, f"{one!r} and {two!r} overlap"
    for e in texts:
        shares = re.findall(r"([\d.e+]+) % of the roof", e.text)
        assert all(float(share) <= 100 for share in shares), e.text
print("drawn")
