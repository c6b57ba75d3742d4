"""hosts.py PAGE SAMPLE.py SOURCE.c HOST.cpp: every block of Python on the page is in the sample as it stands there, the block
of C is the source, and the block of C++ becomes HOST.cpp, but for listings with names."""
import re
import sys

page, sample, source, host = sys.argv[1:]
blocks = re.findall(r"^```(python|c|cpp)\n(.*?)^```$", open(page, encoding="utf-8").read(), re.M | re.S)
python = open(sample, encoding="utf-8").read()
blocks = [block for block in blocks if not re.match(r"/\* \w+\.c", block[1])]  # those with names are of other tests
for language, text in blocks:
    if language == "python":
        assert text in python, text
    elif language == "c":
        assert text == open(source, encoding="utf-8").read()
    else:
        open(host, "w", encoding="utf-8").write(text)
print(len(blocks), "blocks")
