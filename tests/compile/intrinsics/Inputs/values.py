"""Prints all elements of a one-dimensional .npy file of numbers in one line: values.py FILE."""
import ast
import struct
import sys

data = open(sys.argv[1], "rb").read()
length = struct.unpack("<H", data[8:10])[0]
header = ast.literal_eval(data[10 : 10 + length].decode("latin-1"))
kind = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f2": "e", "f4": "f", "f8": "d"}
code = kind[header["descr"][1:]]
body = data[10 + length :]
values = struct.unpack("<%d%s" % (len(body) // struct.calcsize(code), code), body)
print(*(int(v) if v == v and abs(v) < 1e300 and v == int(v) else v for v in values))
