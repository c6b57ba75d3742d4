#!/usr/bin/python3
"""site.py [FOLDER]: makes a site of README.md, the pages of docs/ and what they link to, in FOLDER (build/site), by
mkdocs. It needs no network and no forge. Exit status 1 where a link leads nowhere, 3 where there is no mkdocs."""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAVIGATION = {
    "Start": {"What it is": "README.md", "Tutorial": "docs/tutorial.md"},
    "How to": {
        "use it in a build": "docs/build.md",
        "use it from Python": "docs/python.md",
        "use its PTX in other hosts": "docs/hosts.md",
        "use it on several machines": "docs/mpi.md",
        "use it with Dask": "docs/dask.md",
        "compile from a program": "docs/library.md",
        "run and measure a function": "docs/run.md",
        "test functions": "docs/testing.md",
        "check a kernel": "docs/checks.md",
        "debug a kernel": "docs/debugging.md",
        "see what makes a kernel slow": "docs/performance.md",
        "come from CUDA": "docs/cuda.md",
        "make ufuncs of a C library": "docs/c-libraries.md",
    },
    "Reference": {
        "The language": "docs/language.md",
        "The command": "docs/command.md",
        "The runtime": "docs/runtime.md",
        "Artefacts": "docs/artefacts.md",
        "Math functions": "docs/math.md",
        "Their errors": "docs/math-errors.md",
        "What is supported": "docs/support.md",
    },
    "Explanation": {
        "How it works inside": "docs/internals.md",
        "Measurements": "docs/measurements/README.md",
        "On GPUs, beside other libraries": "docs/measurements/gpu.md",
        "The runtime in rooms": "docs/measurements/runtime-rooms.md",
        "PTX that lost instructions": "docs/measurements/wrong-ptx.md",
        "The benchmark": "tests/bench/README.md",
    },
    "Project": {
        "Frequent questions": "docs/faq.md",
        "Changes": "CHANGELOG.md",
        "Working on it": "CONTRIBUTING.md",
        "Releases": "docs/release.md",
        "Security": "SECURITY.md",
    },
}
FILES = ["LICENSE", "CITATION.cff", "samples/**/*", "docs/**/*", "include/**/*.h"] # what pages link to besides
ITEM = re.compile(r"(?:[-*]|\d+\.) |\|")
FENCE = re.compile(r"\s*```")


def loosen(text):
    """What a forge's Markdown and mkdocs's read differently: lists and tables that follow a paragraph at once get an
    empty line before them, and examples that stand as Python prints them become code."""
    lines, in_code, in_example = [], False, False
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and not in_example and line.startswith(">>> "):
            in_example = True
            lines.append("```")
        elif in_example and not line:
            in_example = False
            lines.append("```")
        elif not in_code and ITEM.match(line) and before and before[0] not in " #" and not ITEM.match(before):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def stage(folder):
    """The pages where they lie in the repository, so that links between them and to samples hold."""
    pages = [path for group in NAVIGATION.values() for path in group.values()]
    found = [path for pattern in FILES for path in ROOT.glob(pattern)
             if path.is_file() and path.parent.name != "theme" and path.name != "site.py"]
    for path in sorted({ROOT / page for page in pages} | set(found)):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(loosen(path.read_text()))
        else:
            shutil.copyfile(path, target)


def configure(path, pages, out):
    navigation = [{group: [{title: page} for title, page in titles.items()]} for group, titles in NAVIGATION.items()]
    path.write_text(json.dumps({ # which is YAML too
        "site_name": "gpucc", "site_url": "", "docs_dir": str(pages), "site_dir": str(out), "nav": navigation,
        "theme": {"name": None, "custom_dir": str(ROOT / "docs" / "theme")}, "plugins": [], "use_directory_urls": False,
    }))


class Page(html.parser.HTMLParser):
    """The names and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names |= {values[key] for key in ("id", "name") if values.get(key)}
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def broken_links(out):
    pages = {path: Page(path) for path in sorted(out.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{path.relative_to(out)}: there is no {link}"
            elif target in pages and url.fragment and urllib.parse.unquote(url.fragment) not in pages[target].names:
                yield f"{path.relative_to(out)}: {link}: no such heading"


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()
    work = out.with_name(out.name + "-pages")
    if not shutil.which("mkdocs"):
        print("docs/site.py: there is no mkdocs: apt-get install mkdocs", file=sys.stderr)
        return 3
    shutil.rmtree(work, ignore_errors=True)
    stage(work / "pages")
    configure(work / "mkdocs.yml", work / "pages", out)
    made = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--config-file", work / "mkdocs.yml"], check=False)
    shutil.rmtree(work, ignore_errors=True)
    broken = list(broken_links(out)) if made.returncode == 0 else ["mkdocs failed"]
    print("\n".join(broken) or f"{out}: {len(list(out.rglob('*.html')))} pages, every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
