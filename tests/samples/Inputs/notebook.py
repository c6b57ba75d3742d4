"""notebook.py NOTEBOOK: executes a notebook's cells in a new kernel of this Python, apart from those that install, and
prints the outputs as text."""
import os
import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells), "saved with outputs"
notebook.cells = [cell for cell in notebook.cells if "install" not in cell.metadata.get("tags", [])]
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": os.getcwd()}}).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            print("\n".join(output.traceback))
        elif output.output_type == "stream":
            print(output.text, end="")
        else:
            print(*sorted(output.data), output.data.get("text/plain", ""))
