"""png.py FILE WIDTH HEIGHT CHANNELS: fails unless FILE is a whole PNG of that size; prints its distinct colours."""
import struct
import sys
import zlib

path, width, height, channels = sys.argv[1], *map(int, sys.argv[2:])
with open(path, "rb") as file:
    data = file.read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
chunks, at = [], 8
while at < len(data):
    size, = struct.unpack_from(">I", data, at)
    body = data[at + 4:at + 8 + size]
    assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(body), "wrong check sum"
    chunks.append((body[:4], body[4:]))
    at += 12 + size
assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
assert chunks[0][1] == struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
rows = zlib.decompress(chunks[1][1])
assert len(rows) == height * (1 + width * channels)
assert all(rows[row * (1 + width * channels)] == 0 for row in range(height)), "a row with a filter"
pixels = b"".join(rows[row * (1 + width * channels) + 1:(row + 1) * (1 + width * channels)] for row in range(height))
print(len(set(zip(*[iter(pixels)] * channels))), "colours")
