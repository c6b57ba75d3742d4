"""npy.py OUT.npy DESCR SHAPE VALUE… [--version=N] [--fortran] [--header=TEXT] [--truncate=BYTES] [--misalign]

Writes a .npy file byte by byte, without NumPy; values lie in the file in the order given.
npy.py --show FILE.npy prints its header and its data in hexadecimal."""
import struct
import sys

FORMATS = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
           "f2": "e", "f4": "f", "f8": "d", "c8": "ff", "c16": "dd"}


def pack(descr, value):
    order = ">" if descr[0] == ">" else "<"
    code = descr.lstrip("<>|=")
    if code == "V2":
        return bytes.fromhex(value)
    if code[0] == "c":
        number = complex(value)
        return struct.pack(order + FORMATS[code], number.real, number.imag)
    return struct.pack(order + FORMATS[code], float(value) if code[0] == "f" else int(value))


def write(path, descr, shape, values, options):
    version = int(options.get("version", 1))
    text = options.get("header") or "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (
        descr, "fortran" in options, shape)
    header = text.encode("utf-8")
    start = 10 if version == 1 else 12
    header += b" " * (-(start + len(header) + 1) % 64 + ("misalign" in options)) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    data = b"\x93NUMPY" + bytes([version, 0]) + length + header + b"".join(pack(descr, value) for value in values)
    if "truncate" in options:
        data = data[:int(options["truncate"])]
    with open(path, "wb") as file:
        file.write(data)


def show(path):
    data = open(path, "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert data[:8] == b"\x93NUMPY\x01\x00" and end % 64 == 0 and data[end - 1:end] == b"\n"
    print(data[10:end].decode().rstrip())
    print(data[end:].hex())


if sys.argv[1] == "--show":
    show(sys.argv[2])
else:
    flags = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    write(words[0], words[1], words[2], words[3:], flags)
