"""cache.py GPUCC FOLDER SECONDS: what is compiled with a cache, and again, in a new FOLDER: which compilations are taken from
the cache, that their bytes are those of compilations without one, and that nothing that befalls the cache fails one; what it
has comes in so many seconds."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

GPUCC, ROOT, LONGEST = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
TAKEN = "gpucc: taken from the cache"
SOURCE = """#include <gpucc.h>
#include "scale.h"
#if __has_include("more.h")
#include "more.h"
#else
#define MORE 0
#endif
vectorize(float32(float32))
float scaled(float x) { return SCALE * x + MORE; }
"""
WANTED = ["out.ptx", "out.json", "out.h", "out.o", "out.d"]


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    time.sleep(0.02) # what changes while it is compiled is not kept, and clocks have ticks


def gpucc(*words, cache="--cache=cache", **settings):
    words = [GPUCC, "-v", *([cache] if cache else []), *words]
    done = subprocess.run(words, capture_output=True, text=True, **settings)
    return done, TAKEN in done.stderr


def diagnostics_of(done):
    return [line for line in done.stderr.splitlines() if not line.startswith("gpucc: ") or "warning" in line]


def compile_all(where, *words, cache="--cache=cache"):
    """The bytes of everything that is made of scaled.c, and whether they came from the cache."""
    for name in WANTED:
        pathlib.Path(name).unlink(missing_ok=True)
    outputs = [word for name in WANTED[:-1] for word in ("-o", name)]
    done, taken = gpucc("scaled.c", "-Iinclude", "-MD", *outputs, *words, cache=cache)
    assert not done.returncode, (where, done.stderr)
    return [pathlib.Path(name).read_bytes() for name in WANTED] + [diagnostics_of(done)], taken


def check(what, is_taken, *words):
    """Checks for a cache hit or miss, and for the same bytes as without a cache."""
    made, taken = compile_all(what, *words)
    assert taken == is_taken, (what, taken)
    assert made == compile_all(what, *words, cache=None)[0], what
    print(what)


def test_lookups():
    write("include/scale.h", "#define SCALE 2\n")
    write("scaled.c", SOURCE)
    check("new: compiled", False)
    check("the same again: taken", True)
    check("another option: compiled", False, "-O1")
    check("each of both: taken", True, "-O1")
    check("a macro: compiled", False, "-DX=1")
    write("include/scale.h", "#define SCALE 3\n")
    check("another header: compiled", False)
    write("include/scale.h", "#define SCALE 2\n")
    check("the old header again: taken", True)
    write("scale.h", "#define SCALE 5\n")
    check("a header in front of it: compiled", False)
    os.remove("scale.h")
    check("and without: taken", True)
    write("include/more.h", "#define MORE 1\n")
    check("a header that was looked for: compiled", False)
    os.remove("include/more.h")
    check("and without again: taken", True)
    os.environ["LD_LIBRARY_PATH"] = "elsewhere"
    check("perhaps other libraries: compiled", False)
    del os.environ["LD_LIBRARY_PATH"]
    check("debug information: compiled", False, "-g")
    check("in the same folder: taken", True, "-g")


def test_outputs():
    """Under other names, for which there is another dependency file."""
    done, taken = gpucc("scaled.c", "-Iinclude", "-o", "out.ptx")
    assert not done.returncode and not taken
    done, taken = gpucc("scaled.c", "-Iinclude", "-MMD", "-MP", "-MF", "x.d", "-o", "other.ptx")
    assert taken and pathlib.Path("other.ptx").read_bytes() == pathlib.Path("out.ptx").read_bytes()
    rule = pathlib.Path("x.d").read_text()
    gpucc("scaled.c", "-Iinclude", "-MMD", "-MP", "-MF", "x.d", "-o", "other.ptx", cache=None)
    assert rule == pathlib.Path("x.d").read_text() and rule.startswith("other.ptx: scaled.c "), rule
    done, taken = gpucc("scaled.c", "-Iinclude", "--emit=ptx", "-o", "-")
    assert taken and done.stdout == pathlib.Path("out.ptx").read_text()
    done, taken = gpucc("scaled.c", "-Iinclude", "-o", "include/scale.h")
    assert done.returncode == 2 and "would overwrite" in done.stderr, done.stderr
    done, taken = gpucc("scaled.c", "-Iinclude", "--emit=h", "-o", "header")
    done, taken = gpucc("scaled.c", "-Iinclude", "--emit=h", "-o", "include/scale.h")
    assert done.returncode == 2 and "would overwrite 'include/scale.h', which is included" in done.stderr, done.stderr
    for archs in ("sm_75,sm_90", "sm_75,sm_90"):
        done, taken = gpucc("scaled.c", "-Iinclude", f"--arch={archs}", "-o", "two.ptx")
    assert taken and {p.name for p in pathlib.Path().glob("two*")} == {"two.sm_75.ptx", "two.sm_90.ptx"}
    print("outputs have their own names, and take no file's place")


def test_diagnostics():
    write("warns.c", '#include <gpucc.h>\nvectorize(float32(float32))\nfloat f(float x) { return x * 0.1; }\n')
    first, taken = gpucc("warns.c", "-o", "w.ptx")
    again, taken_again = gpucc("warns.c", "-o", "w.ptx")
    assert not taken and taken_again and diagnostics_of(first) == diagnostics_of(again) and "warning" in first.stderr
    first, taken = gpucc("warns.c", "-o", "w.ptx", "--diagnostics-format=json")
    again, taken_again = gpucc("warns.c", "-o", "w.ptx", "--diagnostics-format=json")
    assert not taken and taken_again and diagnostics_of(first) == diagnostics_of(again) and '"warning"' in first.stderr
    write("wrong.c", '#include <gpucc.h>\nvectorize(float32(float32))\nfloat f(float x) { return y; }\n')
    first, again = gpucc("wrong.c", "-o", "w.ptx"), gpucc("wrong.c", "-o", "w.ptx")
    assert first[0].returncode == again[0].returncode == 1 and not again[1]
    assert diagnostics_of(first[0]) == diagnostics_of(again[0])
    print("warnings are told again, errors are not kept")


def test_not_cached():
    write("dated.c", '#include <gpucc.h>\nvectorize(float32(float32))\nfloat f(float x) { return x + __TIME__[7]; }\n')
    for _ in range(2):
        assert not gpucc("dated.c", "-o", "d.ptx")[1]
    text = pathlib.Path("scaled.c").read_text()
    for _ in range(2):
        done, taken = gpucc("-", "-Iinclude", "-I.", "-o", "-", "--emit=ptx", input=text)
        assert not done.returncode and not taken, done.stderr
    for words in (["-fsyntax-only"], ["-M"], ["--dump=instances", "-o", "d.ptx"]):
        for _ in range(2):
            assert not gpucc("scaled.c", "-Iinclude", *words)[1]
    print("what depends on the clock or a pipe, or makes nothing, is compiled")


HOSTS = """#include <gpucc.h>
#ifndef __NVPTX__
#if __has_include("hosts.h")
#include "hosts.h"
#endif
#endif
kernel void add(size_t n, float a[n]) { size_t i = grid(1); if (i < n) a[i] += 1; }
"""


def test_hosts():
    """Lookups and uses of the clock that the pass for the host's interface alone has."""
    write("hosts.c", HOSTS)
    for taken_before in (False, True):
        done, taken = gpucc("hosts.c", "-Iinclude", "-o", "h.ptx")
        assert not done.returncode and taken == taken_before, done.stderr
    write("include/hosts.h", "#error for hosts\n")
    done, taken = gpucc("hosts.c", "-Iinclude", "-o", "h.ptx")
    assert done.returncode == 1 and not taken and "for hosts" in done.stderr, done.stderr
    write("include/hosts.h", '_Static_assert(__TIME__[2] == 58, "a clock");\n')
    for _ in range(2):
        assert not gpucc("hosts.c", "-Iinclude", "-o", "h.ptx")[1]
    print("what hosts' reading looks for counts")


def compile_meanwhile(name, change):
    """Compiles what takes a second and changes something on the way; then it is to be as without a cache."""
    words = [name, "-Iinclude", "-O3", "-o", "slow.ptx"]
    begun = time.perf_counter()
    first = gpucc(*words, cache=None)[0]
    assert not first.returncode, first.stderr
    child = subprocess.Popen([GPUCC, "--cache=cache", *words])
    time.sleep(0.6 * (time.perf_counter() - begun))
    change()
    assert not child.wait()
    made = []
    for cache in ("--cache=cache", None):
        assert not gpucc(*words, cache=cache)[0].returncode
        made.append(pathlib.Path("slow.ptx").read_bytes())
    assert made[0] == made[1], name


def test_meanwhile():
    """A header that appears, and a link that leads elsewhere, once they were read."""
    slow = "".join(f"vectorize(float64(float64, float64)) double f{i}(double x, double y) {{ return K + x / y; }}\n"
                   for i in range(30))
    begin = "#include <gpucc.h>\n"
    write("late.c", begin + '#if __has_include("late.h")\n#include "late.h"\n#else\n#define K 1\n#endif\n' + slow)
    compile_meanwhile("late.c", lambda: pathlib.Path("include/late.h").write_text("#define K 2\n"))
    write("include/one/k.h", "#define K 1\n")
    write("include/two/k.h", "#define K 2\n")
    os.symlink("one", "include/link")
    write("linked.c", begin + '#include "link/k.h"\n' + slow)

    def change():
        os.symlink("two", "include/new")
        os.replace("include/new", "include/link")
    compile_meanwhile("linked.c", change)
    print("what changes meanwhile is not kept")


def test_programs():
    """Files that are searched for: another one may be found first."""
    os.environ["PATH"], before = f"{os.getcwd()}/first:{os.getcwd()}/second:{os.environ['PATH']}", os.environ["PATH"]
    for folder in ("second", "first"):
        write(f"{folder}/ptxas", "#!/bin/sh\n")
        os.chmod(f"{folder}/ptxas", 0o755)
        time.sleep(0.02)
        for taken_before in (False, True):
            done, taken = gpucc("scaled.c", "-Iinclude", "--resources", "-o", "x.json")
            assert not done.returncode and taken == taken_before, (folder, done.stderr)
    os.environ["PATH"] = before
    write("unit.c", "#include <gpucc.h>\nkernel void nothing(void) {}\n")
    for path in ("cuda/nvvm/libdevice/libdevice.10.bc", "cuda/libdevice.10.bc"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        assert not gpucc("unit.c", "-o", path)[0].returncode
        time.sleep(0.02)
        for taken_before in (False, True):
            done, taken = gpucc("scaled.c", "-Iinclude", "--math=libdevice:cuda", "-o", "x.ptx")
            assert not done.returncode and taken == taken_before, (path, done.stderr)
    print("programs and libraries that are found first count")


def test_compilers():
    """Another compiler, which differs by its build ID, at the same place."""
    real = pathlib.Path(GPUCC).resolve()
    for source in (real, real.parent.parent / "libexec/gpucc/gpucc-compile"):
        copy = pathlib.Path("tree", source.relative_to(real.parent.parent))
        copy.parent.mkdir(parents=True)
        shutil.copy2(source, copy)
    words = ["tree/bin/gpucc", "-v", "--cache=cache", "scaled.c", "-Iinclude", "-o", "x.ptx"]
    data = bytearray(copy.read_bytes())
    data[data.index(b"GNU\0", data.index(b"\x14\0\0\0\x03\0\0\0")) + 4] ^= 1
    for is_other in (False, True):
        if is_other:
            copy.write_bytes(data)
        for taken_before in (False, True):
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            assert (TAKEN in done.stderr) == taken_before, (is_other, done.stderr)
    print("another compiler makes its own")


def test_embedded():
    """Clang looks for what is embedded from the working directory on."""
    text = SOURCE.replace("vectorize", "static const unsigned char a[] = {\n#embed \"a.bin\"\n};\n#undef SCALE\n"
                          "#define SCALE a[0]\nvectorize")
    for number, folder in enumerate(("here", "there")):
        write(f"{folder}/a.bin", str(number))
        write(f"{folder}/include/scale.h", "")
        write(f"{folder}/e.c", text)
        for taken_before in (False, True):
            done, taken = gpucc("e.c", "-std=c23", "-Iinclude", "-MMD", "-o", "e.ptx", cache="--cache=../cache", cwd=folder)
            assert not done.returncode and taken == taken_before, (folder, done.stderr)
            assert "a.bin" in pathlib.Path(folder, "e.d").read_text()
    assert pathlib.Path("here/e.ptx").read_bytes() != pathlib.Path("there/e.ptx").read_bytes()
    write("there/a.bin", "?")
    assert not gpucc("e.c", "-std=c23", "-Iinclude", "-o", "e.ptx", cache="--cache=../cache", cwd="there")[1]
    print("what is embedded counts, and its folder")


def newest(suffix):
    return max(pathlib.Path("cache/compilations").glob("*" + suffix), key=lambda p: p.stat().st_mtime_ns)


def test_damage():
    expected, _ = compile_all("without", cache=None)
    for suffix in (".made", ".files"):
        for damage in (lambda data: data[:-1], lambda data: b"", lambda data: bytes(len(data)),
                       lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:]):
            compile_all("whole")
            assert compile_all("whole")[1]
            path = newest(suffix)
            path.write_bytes(damage(path.read_bytes()))
            assert compile_all("damaged") == (expected, False), suffix
            assert compile_all("mended") == (expected, True), suffix
        print(f"damaged {suffix}: compiled")


def test_folders():
    expected, _ = compile_all("without", cache=None)
    write("file", "")
    for folder in ("file", "/proc/none", "file/inner"):
        made, taken = compile_all(folder, cache=f"--cache={folder}")
        assert made[:-1] == expected[:-1] and not taken and len(made[-1]) == 1, made[-1]
        assert made[-1][0].startswith(f"gpucc: warning: cannot write this compilation to the cache '{folder}/compilations': ")
    done, _ = gpucc("scaled.c", "-Iinclude", "-o", "-", "--emit=ptx", cache="--cache=full",
                    preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))))
    assert not done.returncode and done.stdout.encode() == expected[0] and "cannot write" in done.stderr, done.stderr
    assert not list(pathlib.Path("full").rglob("*-*"))
    if os.geteuid():
        os.chmod("cache/compilations", 0o555)
        made, taken = compile_all("read-only", "-O2")
        os.chmod("cache/compilations", 0o755)
        assert not taken and "Permission denied" in made[-1][0], made[-1]
    print("where nothing can be kept there is a warning")


def test_where():
    shutil.rmtree("home", ignore_errors=True)
    for variables, words, folder in (
            ({"GPUCC_CACHE_DIR": "home/a"}, [], "home/a"), ({"XDG_CACHE_HOME": "home/b"}, ["--cache"], "home/b/gpucc"),
            ({"HOME": "home/c"}, ["--cache"], "home/c/.cache/gpucc"),
            ({"GPUCC_CACHE_DIR": "home/d"}, ["--cache=home/e"], "home/e"), ({"XDG_CACHE_HOME": "home/f"}, [], None),
            ({"GPUCC_CACHE_DIR": ""}, ["--cache"], None)):
        base = {k: v for k, v in os.environ.items() if k not in ("GPUCC_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
        for taken_before in (False, folder is not None):
            done, taken = gpucc("scaled.c", "-Iinclude", "-o", "x.ptx", *words, cache=None, env=base | variables)
            assert not done.returncode and taken == taken_before, (variables, done.stderr)
        assert folder is None or list(pathlib.Path(folder, "compilations").glob("*.made")), folder
    assert not pathlib.Path("home/f").exists() and not pathlib.Path("home/d").exists()
    for words in (["--cache-size=0"], ["--cache-size=5X"], ["--cache-size=-1"], ["--cache-size=99999999999T"]):
        done, _ = gpucc("scaled.c", "-o", "x.ptx", *words)
        assert done.returncode == 2 and "a number of bytes" in done.stderr, done.stderr
    print("the folder is the one that was named last")


def test_size():
    """40 programs of some 30 KB under a limit of 400 KB; the one that is used all the time stays."""
    sizes = []
    for i in range(40):
        gpucc("scaled.c", "-Iinclude", f"-DI={i}", "-o", "x.ptx", "--cache-size=400K", cache="--cache=small")
        sizes.append(sum(p.stat().st_size for p in pathlib.Path("small/compilations").iterdir()))
        if i:
            assert gpucc("scaled.c", "-Iinclude", "-DI=0", "-o", "x.ptx", cache="--cache=small")[1], i
    assert max(sizes) <= 400 << 10 and max(sizes) > 200 << 10, sizes
    assert not gpucc("scaled.c", "-Iinclude", "-DI=1", "-o", "x.ptx", cache="--cache=small")[1]
    print("a cache stays within its size; what is used is kept")


def test_unfinished():
    """Files that a killed process has left are removed by the next that keeps something, those at work stay."""
    folder = pathlib.Path("left/compilations")
    folder.mkdir(parents=True)
    hour = 3600
    for name, age in {"new-old": 2 * hour, "new-future": -2 * hour, "new-now": 0}.items():
        write(folder / name, "x")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    gpucc("scaled.c", "-Iinclude", "-o", "x.ptx", cache="--cache=left")
    assert [p.name for p in folder.glob("new-*")] == ["new-now"], list(folder.iterdir())
    print("what is left unfinished is removed")


def test_parallel():
    """24 files, each compiled by two processes at once, four such at a time; and some killed in between."""
    count = 24
    for i in range(count):
        write_plain(i)
    time.sleep(0.02)
    names = [f"many/{i}.c" for i in range(count)]
    for name in names[:8]:
        for delay in (0.03, 0.06, 0.09):
            child = subprocess.Popen([GPUCC, "--cache=shared", name, "-o", "killed.ptx"], stderr=subprocess.DEVNULL)
            time.sleep(delay)
            child.kill()
            child.wait()
    run_all([[GPUCC, "--cache=shared", name, "-o", f"{name}.{k}.ptx"] for name in names for k in "ab"], 4)
    for name in names:
        run_all([[GPUCC, name, "-o", f"{name}.ptx"]], 1)
        done, taken = gpucc(name, "-o", f"{name}.c.ptx", cache="--cache=shared")
        assert taken, done.stderr
        for k in "abc":
            assert pathlib.Path(f"{name}.{k}.ptx").read_bytes() == pathlib.Path(name + ".ptx").read_bytes(), (name, k)
    print(f"{count} files at once are the same bytes")


def write_plain(i):
    path = pathlib.Path(f"many/{i}.c")
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#include <gpucc.h>\nkernel void add{i}(size_t n, float a[n])\n'
                    f'{{ size_t i = grid(1); if (i < n) a[i] += {i}; }}\n')


def run_all(commands, at_once):
    running = []
    for command in commands:
        if len(running) == at_once:
            assert not running.pop(0).wait()
        running.append(subprocess.Popen(command))
    assert not any([child.wait() for child in running])


def test_time():
    """Times the best of many runs, as other work on the machine only adds to it."""
    gpucc("scaled.c", "-Iinclude", "-o", "x.ptx")
    times = []
    for _ in range(50):
        begun = time.perf_counter()
        subprocess.run([GPUCC, "--cache=cache", "scaled.c", "-Iinclude", "-o", "x.ptx"], check=True)
        times.append(time.perf_counter() - begun)
    assert min(times) < LONGEST, min(times)
    print(f"a hit takes {1e3 * min(times):.1f} ms")


shutil.rmtree(ROOT, ignore_errors=True)
ROOT.mkdir(parents=True)
os.chdir(ROOT)
for variable in ("GPUCC_CACHE_DIR", "GPUCC_CACHE_SIZE"):
    os.environ.pop(variable, None)
for test in (test_lookups, test_outputs, test_diagnostics, test_not_cached, test_hosts,
             test_meanwhile, test_programs, test_compilers, test_embedded,
             test_damage, test_folders, test_where, test_size, test_unfinished, test_parallel, test_time):
    test()
print("done")
