"""Every line of the file is one diagnostic with all its fields, and so are its notes."""
import json
import sys

FIELDS = {"severity": str, "file": (str, type(None)), "line": (int, type(None)), "column": (int, type(None)),
          "length": (int, type(None)), "message": str, "option": (str, type(None))}


def check(diagnostic, extra):
    assert set(diagnostic) == set(FIELDS) | extra, diagnostic
    for name, kind in FIELDS.items():
        assert isinstance(diagnostic[name], kind), (name, diagnostic)


lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
assert lines
for line in lines:
    diagnostic = json.loads(line)
    check(diagnostic, {"notes"})
    assert diagnostic["severity"] in ("warning", "error", "fatal error")
    for note in diagnostic["notes"]:
        check(note, set())
        assert note["severity"] == "note"
