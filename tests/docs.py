"""docs.py: holds the project's pages to their rules.  Every relative link leads to a file and, behind a #, to a heading of
it; every path in `backticks` from the repository's root exists; and every page keeps to these
measures:

  - at most 2500 words a page, and 120 a paragraph or item of a list;
  - at most 120 columns a line, and so in a table, but for what a program printed;
  - at most 200 characters a cell, which the browser shows without the source's marks;
  - no line of fewer than 60 columns inside a paragraph whose next word would have fitted.

Exit status 1 where one does not, each with its place."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
WORDS = re.compile(r"`[^`]*`")
CODE = re.compile(r"^```.*?^```", re.M | re.S)
PATH = re.compile(r"`((?:cmake|compiler|docs|include|runtime|samples|stdlib|tests)/[\w./*-]*)`")
FENCE = re.compile(r"\s*```(\w*)")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")

PAGE_WORDS, PARAGRAPH_WORDS, COLUMNS, CELL, RAGGED = 2500, 120, 120, 200, 60
PRINTED = ("", "console") # blocks that show what a program printed, which nobody may wrap
LISTS_OF_CHANGES = ("CHANGELOG.md",) # grow with each version

broken = []


def pages():
    """Every page of the repository, but not those of build trees and of folders whose names begin with a dot."""
    roots = [ROOT / ".github", *(d for d in ROOT.iterdir() if d.is_dir() and not d.name.startswith((".", "build")))]
    return sorted(set(ROOT.glob("*.md")) | {page for folder in roots for page in folder.rglob("*.md")})


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


def blocks(lines):
    """The page in pieces: (kind, number of the first line, lines).  The kind is "text" for a paragraph or an item, "row",
    "heading", "example" as Python prints them, or the language of a block of code."""
    kind, start, piece = None, 0, []
    for number, line in enumerate([*lines, ""], 1):
        fence = FENCE.match(line)
        in_code = kind not in (None, "text", "example")
        if in_code and not fence:
            piece.append(line)
            continue
        ends = fence or not line.strip() or (kind == "text" and (ITEM.match(line) or line[0] in "|#"))
        if ends and kind is not None:
            yield kind, start, piece
            kind, piece = None, []
            if in_code:
                continue
        if fence:
            kind, start = "code " + fence[1], number + 1
        elif kind:
            piece.append(line)
        elif line.strip() and line[0] in "|#":
            yield "row" if line[0] == "|" else "heading", number, [line]
        elif line.strip():
            kind, start, piece = "example" if line.startswith(">>> ") else "text", number, [line]


def breaks_early(line, following):
    """Whether a script or an edit left a short line inside a paragraph.  Two blanks or a backslash end a line on purpose."""
    first_word = following.split()[0]
    return (len(line) < RAGGED and len(line) + 1 + len(first_word) <= COLUMNS
            and not line.endswith(("  ", "\\")) and line.lstrip()[0] not in "<>!" and first_word[0] not in "`<>!")


def measure_page(page):
    name = str(page.relative_to(ROOT))
    text = page.read_text()
    if len(text.split()) > PAGE_WORDS and name not in LISTS_OF_CHANGES:
        broken.append(f"{name}: {len(text.split())} words, of {PAGE_WORDS}")
    for kind, start, lines in blocks(text.splitlines()):
        words = sum(len(line.split()) for line in lines)
        if kind == "text" and words > PARAGRAPH_WORDS:
            broken.append(f"{name}:{start}: a paragraph of {words} words, of {PARAGRAPH_WORDS}")
        if kind == "text":
            broken.extend(f"{name}:{number}: the line breaks at {len(line)} columns, and the next word fits"
                          for number, (line, following) in enumerate(zip(lines, lines[1:]), start)
                          if breaks_early(line, following))
        for number, line in enumerate(lines, start):
            if len(line) > COLUMNS and kind not in ("code " + language for language in PRINTED):
                broken.append(f"{name}:{number}: {len(line)} columns, of {COLUMNS}")
            for cell in re.split(r"(?<!\\)\|", line)[1:-1] if kind == "row" else ():
                if len(cell.strip()) > CELL:
                    broken.append(f"{name}:{number}: a cell of {len(cell.strip())} characters, of {CELL}")


def main():
    for page in pages():
        check_page(page)
        measure_page(page)
    print("\n".join(broken) or f"{len(pages())} pages, every link and path leads somewhere, none is too long")
    return 1 if broken else 0


sys.exit(main())
