"""readme.py PAGE…: does what pages tell, in their order: writes the files that they show (a first comment is the name) and
runs their commands, but for those that build gpucc or a container, in this folder, which has links to the repository's
`build` and `include`."""
import re
import subprocess
import sys

NAME = re.compile(r"/\* (\w+\.(?:cu|c)) \*/\n|# (CMakeLists\.txt|\w+\.py)\n")

commands = []
for page in sys.argv[1:]:
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", open(page, encoding="utf-8").read(), re.M | re.S):
        name = NAME.match(text)
        if name:
            commands.append(f"cat > {name[1] or name[2]} << 'END OF FILE'\n{text}END OF FILE\n")
        elif language == "sh" and not re.search(r"samples/run|^docker |build-package", text, re.M):
            commands.append(text)
sys.exit(subprocess.run(["sh", "-ex"], input="\n".join(commands), text=True).returncode)
