"""Cases of kept programs: by plain use, damaged, and where they cannot be kept. The unit test
`entries` kills processes that write them."""

import json
import os
import stat

import numpy as np

from driver import check


def folder():
    return os.path.join(os.environ["XDG_CACHE_HOME"], "clfold", "programs")


def unshare():
    if os.path.islink(folder()):
        os.unlink(folder())


def setting(device):
    """PoCL keeps programs itself otherwise."""
    on_pocl = device["platform"] == "Portable Computing Language"
    return {**os.environ, **({"POCL_KERNEL_CACHE": "0"} if on_pocl else {})}


def listed(d):
    return [json.loads(line) for line in d.good("cache", "list", "--json").splitlines()]


def keeps(device):
    """PoCL 6.0 may abort where a binary is fetched: it compiles for groups of any size."""
    return device["platform"] != "rusticl" and not device["driver_version"].startswith("6.0")


def kept(d, device):
    """Programs are kept, listed, checked, built anew where damaged, and removed."""
    unshare()
    path = d.save(np.arange(100, dtype="f4"))
    words = ["reduce", "--device", device["index"]]
    env = setting(device)
    check(d.good("cache", "list") == f"{folder()}: 0 programs, 0 bytes\n", "an empty list")
    check(d.good(*words, "--no-cache", path, env=env) == "4950\n", "without")
    check(not listed(d) and not os.path.exists(folder()), "kept despite --no-cache")
    check(d.good(*words, path, env=env) == "4950\n", "cold")
    if not keeps(device):
        check(not listed(d), f"kept: {listed(d)}")
        return
    (row,) = listed(d)
    check(row["kernels"] == "reduce_tiles" and not row["fault"], row)
    check(row["device"] == device["name"] and row["platform"] == device["platform"], row)
    check(row["driver"] == device["driver_version"], row)
    name = os.path.join(folder(), row["file"])
    check(stat.S_IMODE(os.stat(name).st_mode) == 0o600, "others may read it")
    check(stat.S_IMODE(os.stat(folder()).st_mode) == 0o700, "others may read the folder")
    check(row["bytes"] == os.path.getsize(name), row)
    inode = os.stat(name).st_ino
    check(d.good(*words, path, env=env) == "4950\n", "warm")
    check(os.stat(name).st_ino == inode, "a warm run has written")
    check("1 of 1 programs are whole" in d.good("cache", "verify"), "verify")
    with open(name, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    check(listed(d)[0]["fault"] == "its checksum is wrong", listed(d))
    done = d.run("cache", "verify")
    check(done.returncode == 1 and b"1 damaged program;" in done.stderr, f"{done}")
    check(f"{row['file']}: its checksum is wrong\n" in done.stdout.decode(), f"{done}")
    check(d.good(*words, path, env=env) == "4950\n", "damaged")
    check("1 of 1 programs are whole" in d.good("cache", "verify"), "not mended")
    os.chmod(folder(), 0o777)
    done = d.run(*words, path, env=env)
    check(done.stdout == b"4950\n" and b"other users can write" in done.stderr, f"{done}")
    os.chmod(folder(), 0o700)
    check(d.good("cache", "clear") == f"{folder()}: 1 file removed\n", "clear")
    check(not os.listdir(folder()), "clear left a file")


def nowhere(d, device):
    """Where nothing can be kept, nothing is said."""
    path = d.save(np.arange(100, dtype="f4"))
    d.write(b"", "file")
    for variables in [{"XDG_CACHE_HOME": d.path("file")}, {"XDG_CACHE_HOME": "", "HOME": ""}]:
        done = d.run("reduce", "--device", device["index"], path, env={**os.environ, **variables})
        check(done.stdout == b"4950\n" and b"cache_folder" not in done.stderr, f"{done}")
    text = "neither $XDG_CACHE_HOME nor $HOME is set"
    d.bad(1, text, "cache", "list", env={**os.environ, "XDG_CACHE_HOME": "", "HOME": ""})


CASES = [nowhere]
DRIVERS = [kept]
