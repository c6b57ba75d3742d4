"""Reads a trace as JSON, and says what is in it: slices by category and name, with what must hold of all of them."""
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)
slices = [event for event in events if event["ph"] == "X"]
tracks = collections.defaultdict(list)
for event in slices:
    assert event["ts"] >= 0 and event["dur"] >= 0, event
    tracks[event["pid"], event["tid"]].append(event)
    args = event["args"]
    if "GB/s" in args:
        assert abs(args["GB/s"] - args["bytes"] / (event["dur"] * 1000)) <= 0.002 + 0.001 * args["GB/s"], event
slack = 0.0015 # the thousandth of a microsecond to which a begin and a duration are rounded
for track in tracks.values():
    open_slices = []
    for event in sorted(track, key=lambda event: (event["ts"], -event["dur"])):
        while open_slices and open_slices[-1]["ts"] + open_slices[-1]["dur"] <= event["ts"] + slack:
            open_slices.pop()
        if open_slices: # within what is open, not across its end
            assert event["ts"] + event["dur"] <= open_slices[-1]["ts"] + open_slices[-1]["dur"] + slack, event
        open_slices.append(event)
named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
assert set(tracks) <= named, "tracks without a name"
begun = {event["id"]: event for event in events if event["ph"] == "s"}
for event in events:
    if event["ph"] == "f":
        assert event["id"] in begun and event["pid"] != begun[event["id"]]["pid"], event
gpus = {event["pid"] for event in events
        if event["name"] == "process_name" and event["args"]["name"].startswith("GPU ")}
done = sum(event["ph"] == "f" for event in events)
print("enqueued", len(begun), "done", done, "tracks", len(tracks), "gpus", len(gpus))
for (category, name), count in sorted(collections.Counter((e["cat"], e["name"]) for e in slices).items()):
    mine = [event["args"] for event in slices if (event["cat"], event["name"]) == (category, name)]
    print(category, name, "x", count, "bytes", sorted({args["bytes"] for args in mine}),
          "block" if all("block" in args for args in mine) else "")
