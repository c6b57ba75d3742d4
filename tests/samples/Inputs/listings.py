"""listings.py PAGE FILE…: writes these files, which a page shows with their names in the first comment."""
import re
import sys
from pathlib import Path

page = Path(sys.argv[1]).read_text(encoding="utf-8")
for name in sys.argv[2:]:
    [text] = re.findall(rf"^```\w+\n(/\* {re.escape(name)}[ :].*?)^```$", page, re.M | re.S)
    Path(name).write_text(text, encoding="utf-8")
