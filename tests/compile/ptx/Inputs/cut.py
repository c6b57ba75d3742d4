"""cut.py FILE.ptx FOLDER [COMMAND…]: PTX in the parts that the runtime loads, a file for each: program.ptx, and for each
loop that can be loaded by itself ENTRY.ptx.  Prints their entries, "ENTRY: its entries", or has the command take each
file."""
import pathlib
import re
import subprocess
import sys

text = pathlib.Path(sys.argv[1]).read_text()
folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
stamp = re.match(r"// gpucc-abi: ([0-9a-f]{16})\n", text).group(1)
header, *pieces = re.split(f"\n(?=// gpucc-for {stamp}:)", text)
names = [piece.split("\n", 1)[0].split(":")[1].split() for piece in pieces]
for name in dict.fromkeys(["*"] + sum(names, [])):
    part = "\n".join([header] + [piece for piece, its in zip(pieces, names) if name in its]) + "\n"
    path = folder / ("program" if name == "*" else name)
    path.with_suffix(".ptx").write_text(part)
    if sys.argv[3:]:
        subprocess.run([*sys.argv[3:], path.with_suffix(".ptx")], check=True)
    else:
        print(f"{path.name}:", *re.findall(r"^\.visible \.entry (\w+)", part, re.M))
