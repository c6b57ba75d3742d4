#!/usr/bin/python3
"""site.py [FOLDER]: makes a site of README.md, the pages of docs/ and what they link to, in FOLDER (build/site), by
mkdocs-material, which docs/mkdocs.yml configures.  It needs no network.  Exit status 1 where a link leads nowhere or a
page is in no menu, 3 without mkdocs-material."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHONS = [ROOT / "build" / "mkdocs" / "bin" / "python3", sys.executable, "python3"]
FILES = ["*.md", "LICENSE", "CITATION.cff", "samples/**/*", "docs/**/*", "include/**/*.h", "tests/bench/README.md"]
ITEM = re.compile(r"(?:[-*]|\d+\.) |\|")
FENCE = re.compile(r"\s*```")


def loosen(text):
    """Bridges what GitHub's Markdown and Python's read differently: a list or a table directly below a paragraph gets an
    empty line before it, and examples of Python become code."""
    lines, in_code, in_example = [], False, False
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and not in_example and line.startswith(">>> "):
            in_example = True
            lines.append("```pycon")
        elif in_example and not line:
            in_example = False
            lines.append("```")
        elif not in_code and ITEM.match(line) and before and before[0] not in " #" and not ITEM.match(before):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def stage(folder):
    """Copies the pages to where they lie in the repository, so that links between them and to samples hold."""
    for path in sorted({path for pattern in FILES for path in ROOT.glob(pattern) if path.is_file()}):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(loosen(path.read_text()))
        else:
            shutil.copyfile(path, target)


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
    pages = {path: Page(path) for path in sorted(out.rglob("*.html")) if path.name != "404.html"}
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


def unlisted(out):
    """Pages to which no menu leads; the front page has the whole menu."""
    menu = {urllib.parse.unquote(link) for link in Page(out / "index.html").links}
    for path in sorted(out.rglob("*.html")):
        name = str(path.relative_to(out))
        if name.startswith("docs/") and name not in menu:
            yield f"{name} is in no menu"


def find_python():
    """A Python that has mkdocs-material, or None."""
    for python in filter(shutil.which, map(str, PYTHONS)):
        if subprocess.run([python, "-c", "import mkdocs, material"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()
    work = out.with_name(out.name + "-pages")
    python = find_python()
    if not python:
        print("docs/site.py: mkdocs-material is not installed; in the source folder type\n"
              "    python3 -m venv build/mkdocs && build/mkdocs/bin/pip install mkdocs-material", file=sys.stderr)
        return 3
    shutil.rmtree(work, ignore_errors=True)
    stage(work / "pages")
    settings = {"INHERIT": str(ROOT / "docs" / "mkdocs.yml"), "docs_dir": str(work / "pages"), "site_dir": str(out)}
    (work / "mkdocs.yml").write_text(json.dumps(settings)) # which is YAML too
    command = [python, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", work / "mkdocs.yml"]
    made = subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False)
    shutil.rmtree(work, ignore_errors=True)
    broken = [*broken_links(out), *unlisted(out)] if made.returncode == 0 else ["mkdocs failed"]
    print("\n".join(broken) or f"{out}: {len(list(out.rglob('*.html')))} pages, every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
