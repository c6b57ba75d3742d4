"""docs.py: every relative link of the project's pages leads to a file and, behind a #, to a heading of it, and every path
that stands in `backticks` from the repository's root exists.  Exit status 1 where one does not, each with its place."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
WORDS = re.compile(r"`[^`]*`")
CODE = re.compile(r"^```.*?^```", re.M | re.S)
PATH = re.compile(r"`((?:cmake|compiler|docs|include|runtime|samples|stdlib|tests)/[\w./*-]*)`")

broken = []


def pages():
    folders = [ROOT, ROOT / ".github", ROOT / "docs", *(ROOT / "docs").glob("*/"), *(ROOT / "tests").glob("*/"),
               ROOT / "samples"]
    return sorted({page for folder in folders for page in folder.glob("*.md")})


def anchors(page):
    """The names under which GitHub's pages have their headings."""
    headings = re.findall(r"^#+ +(.+?) *$", CODE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_link(page, target):
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"there is no {target}"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{target}: no such heading"
    return None


def check_page(page):
    # Code keeps its lines, so that places are right.
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        links = [target for target in LINK.findall(WORDS.sub("", line)) if not re.match(r"[a-z]+:", target)]
        found = [check_link(page, target) for target in links]
        found += [f"there is no {path}" for path in PATH.findall(line) if not any(ROOT.glob(path.rstrip("/")))]
        broken.extend(f"{page.relative_to(ROOT)}:{number}: {what}" for what in found if what)


for page in pages():
    check_page(page)
print("\n".join(broken) or f"{len(pages())} pages, every link and path leads somewhere")
sys.exit(1 if broken else 0)
