"""Does what a page tells, in its order: writes the files that it shows (a first comment is the name) and runs its commands,
but for those that build gpucc, in this folder, which has links to the repository's `build` and `include`."""
import re
import subprocess
import sys

blocks = re.findall(r"^```(\w+)\n(.*?)^```$", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
commands = []
for language, text in blocks:
    name = re.match(r"/\* (\w+\.c) \*/\n|# (CMakeLists\.txt)\n", text)
    if name:
        commands.append(f"cat > {name[1] or name[2]} << 'END OF FILE'\n{text}END OF FILE\n")
    elif language == "sh" and "samples/run" not in text:
        commands.append(text)
sys.exit(subprocess.run(["sh", "-ex"], input="\n".join(commands), text=True).returncode)
