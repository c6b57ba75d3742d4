"""bare_systems.py WHEEL SOURCE.c PTX RELEASE…[:K/N]: installs a wheel, offline, on bare releases of Debian and Ubuntu.

Each has Python, NumPy, pip and the C++ library, as root and mmdebstrap make it.  There the command and the package compile
to the bytes of PTX, run the result, and leave nothing when they are removed.  A release that cannot be had is skipped.
Share K of N is one release, in turn.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

UBUNTU = {"noble"}
PLACES = "$(CODENAME) $(REPO_URI)"
SESSION = """set -e
cd /tmp
pip install --quiet --no-index --no-deps --root-user-action=ignore /tmp/$WHEEL 2> pip.log ||
    pip install --quiet --no-index --no-deps --root-user-action=ignore --break-system-packages /tmp/$WHEEL
gpucc $NAME.c -o made.ptx -o made.so -o made.h
cmp made.ptx expected.ptx
gpucc run $NAME.c $NAME linspace:-100:100:1001 | grep -q 'shape (1001,), dtype float32'
python3 compiled.py
test -e "$(gpucc --cmake-dir)/gpuccConfig.cmake"
pip uninstall --quiet --yes --break-system-packages gpucc 2> pip.log || pip uninstall --quiet --yes gpucc
! find /usr /etc -iname '*gpucc*' | grep .
"""


def printed(*words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def mirror():
    """The archive of this system's own packages."""
    lines = printed("apt-get", "indextargets", "--format", PLACES).stdout.splitlines()
    places = [line.split()[1] for line in lines if "-" not in line.split()[0]]
    return places[0] if places else "http://deb.debian.org/debian"


def archive(release):
    """The line of apt's sources.  Debian has no key of Ubuntu's archive, whose packages only fill a throw-away system."""
    if release not in UBUNTU:
        return f"deb {mirror()} {release} main"
    key = pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
    trust = f"signed-by={key}" if key.exists() else "trusted=yes"
    return f"deb [{trust}] http://archive.ubuntu.com/ubuntu {release} main universe"


def make_system(folder, release):
    """The last line of mmdebstrap where it failed."""
    made = printed("mmdebstrap", "--quiet", "--variant=minbase", "--include=python3-numpy,python3-pip,libstdc++6",
                   release, folder, archive(release))
    return made.stdout.strip().splitlines()[-1:] if made.returncode else []


def check(release):
    wheel, source, ptx = map(pathlib.Path, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as base:
        folder = pathlib.Path(base, release)
        said = make_system(folder, release)
        if said:
            return f"skipped {release}: {said[0]}"
        for file, name in ((wheel, wheel.name), (source, source.name), (ptx, "expected.ptx"),
                           (pathlib.Path(__file__).with_name("compiled.py"), "compiled.py")):
            shutil.copy(file, folder / "tmp" / name)
        environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                       "WHEEL": wheel.name, "NAME": source.stem}
        enter = f"mount -t proc proc {folder}/proc && exec chroot {folder} sh -c \"$1\""
        done = printed("/usr/bin/unshare", "--mount", "/bin/sh", "-c", enter, "sh", SESSION, env=environment)
        return f"passed {release}" if done.returncode == 0 else f"FAILED {release}: {done.stdout}"


def can_make_systems():
    """Containers may forbid what it takes."""
    mount = "unshare", "--mount", "sh", "-c", "mount -t proc proc /mnt"
    return os.geteuid() == 0 and shutil.which("mmdebstrap") and printed(*mount).returncode == 0


def main():
    if not can_make_systems():
        return "skipped: this needs mmdebstrap and root, who may mount", 0
    *first, last = sys.argv[4:]
    last, _, share = last.partition(":")
    releases = [*first, last]
    if share:
        releases = [releases[int(share.partition("/")[0]) % len(releases)]]
    outcomes = [check(release) for release in releases]
    return "\n".join(outcomes), any(outcome.startswith("FAILED") for outcome in outcomes)


if __name__ == "__main__":
    said, status = main()
    print(said)
    sys.exit(status)
