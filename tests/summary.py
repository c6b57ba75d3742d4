"""Adds up the results of tests/run: every stage's JUnit file in the folder given, where a unit-test program counts as
the tests that it says it ran, or else its log, if that ends in a sum.  The last line is `N passed, N failed, N
skipped`; the exit status says whether any failed."""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# Criterion's sum, and that of tests/unit/plain
SUMS = re.compile(r"Synthesis: Tested: (?P<tested>\d+) \| Passing: (?P<passed>\d+)"
                  r"|^tested (?P<plain>\d+), failed (?P<failed>\d+)$", re.MULTILINE)
TOTAL = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped\s*\Z", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def outcome(case):
    """(passed, failed, skipped) of one <testcase>."""
    output = COLOUR.sub("", case.findtext("system-out") or "")
    skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
    failed = case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail"
    sums = SUMS.search(output)
    if sums:
        tested = int(sums["tested"] or sums["plain"])
        passed = int(sums["passed"]) if sums["passed"] else tested - int(sums["failed"])
        return passed, max(tested - passed, int(failed)), 0
    return int(not failed and not skipped), int(failed), int(skipped and not failed)


def junit(path):
    """The sums of a JUnit file; tells what did not pass."""
    sums = [0, 0, 0]
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        counts = outcome(case)
        sums = [a + b for a, b in zip(sums, counts)]
        for word, count in (("FAILED ", counts[1]), ("skipped", counts[2])):
            if count:
                print(f"{word} {path.stem}: {case.get('name')}")
    return sums


def stage(log):
    """The sums of one stage; one that failed without a failed test counts as one."""
    results = log.with_suffix(".xml")
    total = TOTAL.search(COLOUR.sub("", log.read_text(errors="replace")))
    sums = [0, 0, 0]
    if results.exists():
        sums = junit(results)
    elif total:
        sums = [int(count) for count in total.groups()]
    if log.with_suffix(".failed").exists() and not sums[1]:
        print(f"FAILED  {log.stem}: the stage itself")
        sums[1] = 1
    print(f"{log.stem}: {sums[0]} passed, {sums[1]} failed, {sums[2]} skipped")
    return sums


def main():
    total = [0, 0, 0]
    for log in sorted(pathlib.Path(sys.argv[1]).glob("*.log")):
        total = [a + b for a, b in zip(total, stage(log))]
    if sum(total) == 0:
        print("FAILED  no test ran")
        total[1] = 1
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] else 0)


main()
