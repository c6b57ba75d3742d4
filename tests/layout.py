"""layout.py: every text file keeps what .editorconfig says of it: its characters, the ends of lines and of the file,
indentation, the length of lines.  Exit status 1 where one does not, each with its place; 77 without python3-editorconfig."""
import pathlib
import shutil
import subprocess
import sys

try:
    import editorconfig
except ImportError:
    print("skipped: python3-editorconfig is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
broken = []


def files():
    """Returns the files that git has or would add; without git, all but those built or installed."""
    listing = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = (ROOT / ".git").exists() and shutil.which("git") and subprocess.run(listing, capture_output=True, text=True)
    if listed and listed.returncode == 0:
        paths = sorted({ROOT / name for name in listed.stdout.split("\0") if name})
    else:
        paths = [path for path in sorted(ROOT.rglob("*")) if not is_made(path.relative_to(ROOT).parts)]
    return [path for path in paths if path.is_file()]


def is_made(parts):
    top = parts[0] in (".git", "swing") or parts[0].startswith("build")
    return top or any(part in ("build", "__pycache__") or part.endswith(".egg-info") for part in parts)


def check(path):
    rules = editorconfig.get_properties(str(path))
    data = path.read_bytes()
    if rules.get("charset") != "utf-8" or not data:
        return
    where = path.relative_to(ROOT)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        broken.append(f"{where}: no UTF-8")
        return
    if rules.get("insert_final_newline") == "true" and (not text.endswith("\n") or text.endswith("\n\n")):
        broken.append(f"{where}: does not end with one newline")
    longest = rules.get("max_line_length", "off")
    for number, line in enumerate(text.split("\n"), 1):
        if "\r" in line and rules.get("end_of_line") == "lf":
            broken.append(f"{where}:{number}: a carriage return")
        if rules.get("trim_trailing_whitespace") == "true" and line != line.rstrip():
            broken.append(f"{where}:{number}: blanks at its end")
        if rules.get("indent_style") == "space" and line.startswith("\t"):
            broken.append(f"{where}:{number}: a tab")
        if longest.isdigit() and len(line) > int(longest):
            broken.append(f"{where}:{number}: {len(line)} characters, of {longest}")


def main():
    count = 0
    for path in files():
        check(path)
        count += 1
    print("\n".join(broken) or f"{count} files keep to .editorconfig")
    return 1 if broken else 0


sys.exit(main())
