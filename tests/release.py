"""release.py: the project's version is the same wherever it stands, its citation file has what the format asks for,
and the forge's files are well-formed and run `.ci/run`.  Exit status 1 where that is not so, with each place; without
PyYAML the YAML files are not read, which it says."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = {
    "CMakeLists.txt": r"^project\(gpucc VERSION ([\d.]+)",
    "CITATION.cff": r"^version: ([\d.]+)$",
    "CHANGELOG.md": r"^## ([\d.]+)$",
    "cmake/conda/recipe.yaml": r'^  version: "([\d.]+)"$',
    "cmake/compiler-explorer/c.local.properties": r"^compiler\.gpucc\d+\.semver=([\d.]+)$",
    "runtime/python/gpucc/_version.py": r'^VERSION = "([\d.]+)"$',
}

broken = []


def expect(condition, what):
    if not condition:
        broken.append(what)


def check_versions():
    found = {path: re.search(pattern, (ROOT / path).read_text(), re.M) for path, pattern in PLACES.items()}
    versions = {path: match and match[1] for path, match in found.items()}
    for path, version in versions.items():
        expect(version == versions["CMakeLists.txt"], f"{path}: version {version}, not {versions['CMakeLists.txt']}")
    return versions["CMakeLists.txt"]


def check_yaml(yaml):
    files = [ROOT / "CITATION.cff", *sorted((ROOT / ".github").rglob("*.yml"))]
    read = {path.relative_to(ROOT).as_posix(): yaml.safe_load(path.read_text()) for path in files}
    citation = read["CITATION.cff"]
    for field in ("cff-version", "message", "title", "authors", "license"):
        expect(citation.get(field), f"CITATION.cff: no {field}")
    steps = read[".github/workflows/ci.yml"]["jobs"]["debian"]["steps"]
    expect(any(step.get("run") == ".ci/run" for step in steps), "ci.yml: no step runs .ci/run")
    for path, form in read.items():
        if "ISSUE_TEMPLATE" not in path or path.endswith("config.yml"):
            continue
        ids = [field["id"] for field in form["body"]]
        expect(form.get("name") and form.get("description"), f"{path}: no name or description")
        expect(len(set(ids)) == len(ids) and all(field["attributes"].get("label") for field in form["body"]),
               f"{path}: a field without a label, or two of one id")
    return len(read)


version = check_versions()
try:
    import yaml
except ImportError:
    count = "no (PyYAML is not installed)"
else:
    count = check_yaml(yaml)
print("\n".join(broken) or f"version {version} in {len(PLACES)} places, {count} YAML files as they should be")
sys.exit(1 if broken else 0)
