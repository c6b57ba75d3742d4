"""npz.py OUT.npz MEMBER=FILE… [--deflate] [--zip64] [--method=N] [--patch=AT:HEX] [--cut=BYTES] [--behind=TEXT]

Writes an archive of these files by Python's zipfile.  --method puts another number of a method everywhere, --patch puts
bytes at AT, a place counted from the end where it is negative, or behind a signature: local+14, entry+24, end+16.
npz.py --show FILE.npz lists members with their bytes in hexadecimal, after all check sums have been compared."""
import sys
import zipfile

SIGNATURES = {"local": b"PK\3\4", "entry": b"PK\1\2", "end": b"PK\5\6"}


def write(path, members, options):
    method = zipfile.ZIP_DEFLATED if "deflate" in options else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", method) as archive:
        for member in members:
            name, _, file = member.partition("=")
            with archive.open(name, "w", force_zip64="zip64" in options) as out:
                out.write(open(file, "rb").read())


def place(data, text):
    signature, _, offset = text.partition("+")
    if signature in SIGNATURES:
        return data.index(SIGNATURES[signature]) + int(offset)
    return int(text) % len(data)


def patch(path, options):
    data = bytearray(open(path, "rb").read())
    patches = options.get("patch", "").split(",")
    if "method" in options:
        number = "%02x00" % int(options["method"])
        patches += ["local+8:" + number, "entry+10:" + number]
    for at, _, digits in (text.partition(":") for text in patches if text):
        new = bytes.fromhex(digits)
        data[place(data, at) : place(data, at) + len(new)] = new
    data = data[: int(options.get("cut", len(data)))] + options.get("behind", "").encode()
    with open(path, "wb") as file:
        file.write(data)


def show(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            data = archive.read(info)
            start = 10 + int.from_bytes(data[8:10], "little")
            print(info.filename, info.date_time, data[10:start].decode().rstrip())
            print(data[start:].hex())


if sys.argv[1] == "--show":
    show(sys.argv[2])
else:
    flags = dict(word[2:].partition("=")[::2] for word in sys.argv[1:] if word.startswith("--"))
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    write(words[0], words[1:], flags)
    patch(words[0], flags)
