"""overwrites.py MANIFEST: of each gufunc, which outputs its loops write as a whole; all loops are to agree."""
import json
import sys

for function in json.load(open(sys.argv[1], encoding="utf-8"))["functions"]:
    said = {str(loop["overwrites"]) for loop in function["loops"]}
    assert len(said) == 1, said
    print(f"{function['name']}: {' '.join(str(x) for x in function['loops'][0]['overwrites'])}")
