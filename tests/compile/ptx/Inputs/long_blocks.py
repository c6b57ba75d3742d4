"""long_blocks.py source|check: a ufunc of 400 choices; or from PTX on standard input, the longest run of instructions
in the function that is called for it."""
import re
import sys

if sys.argv[1] == "source":
    print("#include <gpucc.h>\nvectorize() float32 choose(float32 x, float32 y)\n{\n    float32 r = x;")
    for i in range(400):
        print(f"    if (r * 0.{i + 101}f > y + {i}.0f)\n        r = r * 0.{i + 301}f - y;")
    print("    return r;\n}")
else:
    body = re.search(r"^\.func [^\n]* choose\(.*?^}", sys.stdin.read(), re.M | re.S).group(0)
    blocks = re.split(r"^\$\w+:.*\n|\bbra(?:\.uni)? [^\n]*\n", body, flags=re.M)
    print("longest:", max(len(re.findall(r";$", block, re.M)) for block in blocks) // 100, "hundred")
