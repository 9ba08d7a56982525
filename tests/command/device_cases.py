"""Cases on each device: its choice, and what is known of it."""

import json
import os
import re
import shutil

import numpy as np

from cases import read, write
from driver import check


def devices(d, device):
    text = d.good("devices")
    index = device["index"]
    check(f"\n  {index}  {device['name']}\n" in text, text)
    check(f"platform {device['platform']} (" in text, text)
    check(d.devices[index] is device, "the index is not the place in the array")
    for key in ["name", "vendor", "device_version", "driver_version", "opencl_c_version"]:
        check(isinstance(device[key], str) and device[key], f"{key}: {device[key]!r}")
    for key in ["compute_units", "global_memory", "max_allocation"]:
        check(isinstance(device[key], int) and device[key] > 0, f"{key}: {device[key]!r}")
    for key in ["fp64", "fp16", "int64_atomics", "sub_groups", "little_endian"]:
        check(isinstance(device[key], bool), f"{key}: {device[key]!r}")
    since_3 = re.match(r"OpenCL [3-9]", device["device_version"])
    for key in ["device_scope_atomics", "acquire_release_atomics"]:
        check(isinstance(device[key], bool) == bool(since_3), f"{key}: {device[key]!r}")
    check(device["type"] in ["cpu", "gpu", "accelerator", "custom"], device["type"])


def verdicts(d, device):
    """What is known of a device's memory is shown, found out by --probe, kept in a file, and
    handed to scans. The unit test `verdict` has damaged and foreign lines."""
    place = os.path.join(os.environ["XDG_CACHE_HOME"], "clfold", "verdicts")
    tiers = ["scoped_64", "ptx_64", "legacy_64", "scoped_32", "legacy_32"]
    whole = re.compile(
        r"tier (none|%s), fair (yes|no), fences (yes|no)((?:; (?:%s) dropped: [a-z ]+)*)"
        % ("|".join(tiers), "|".join(tiers))
    )

    def shown(*words):
        found = json.loads(d.good("devices", "--json", *words))[device["index"]]
        text = found["look_back_memory"]
        check(f"look back memory  {text}" in re.sub(r" {2,}", "  ", d.good("devices")), text)
        return text

    shutil.rmtree(place, ignore_errors=True)
    first = shown()
    if first == "none: the device stops work-items that run long loops":
        check(shown("--probe") == first, "the device was probed")
        check(not os.path.exists(place), "a verdict was kept")
        return
    is_known = whole.fullmatch(first)
    check(is_known or first == "not probed", first)
    check(not os.path.exists(place), "devices wrote a verdict")
    os.makedirs(os.path.dirname(place), exist_ok=True)
    write(place, b"")  # an earlier version's, which a folder takes the place of
    probed = json.loads(d.good("devices", "--probe", "--json"))[device["index"]]
    probed = probed["look_back_memory"]
    match = whole.fullmatch(probed)
    check(match, probed)
    dropped = re.findall(r"(\w+) dropped: ", match[4])
    taken = match[1]
    check(dropped == tiers[: tiers.index(taken)] if taken != "none" else dropped == tiers, probed)
    kept = [read(os.path.join(place, name)).decode(errors="replace") for name in os.listdir(place)]
    mine = [text for text in kept if f"; {device['name']}; " in text]
    check(len(mine) == 1 and mine[0].endswith("clfold verdict 1: " + probed), kept)
    check(device["driver_version"] in mine[0] and device["platform"] in mine[0], mine)
    left = set(os.listdir(os.path.dirname(place))) - {"programs"}
    check(left == {"verdicts"}, f"something else is left there: {left}")
    check(shown() == (first if is_known else probed), "what was found out is not shown")
    words = ["explain", "scan", "--device", device["index"], "--count", "2^26"]
    why = json.loads(d.good(*words, "--json"))
    is_unproven = "if a probe finds memory for it" in why["why"]
    check(why["algorithm"] != "scan_lookback" or is_unproven != bool(is_known), why)
    shutil.rmtree(place)
    # a probe that fails is told, behind the list
    done = d.run("devices", "--probe", "--json", env={**os.environ, "CLFOLD_SCAN": "magic"})
    text = done.stderr.decode().splitlines()[-1]
    part = "clfold: probe of device 0: the environment variable CLFOLD_SCAN "
    check(done.returncode == 1 and text.startswith(part) and "magic" in text, f"{done}")
    check(json.loads(done.stdout)[device["index"]]["look_back_memory"] is None, f"{done}")
    # nowhere to keep it: nothing is lost but time
    d.write(b"", "no-folder")
    cache = os.environ["XDG_CACHE_HOME"]
    try:
        os.environ["XDG_CACHE_HOME"] = d.path("no-folder")
        # Mesa says something of its own then
        check(d.run("devices", "--probe").returncode == 0, "devices --probe without a cache")
    finally:
        os.environ["XDG_CACHE_HOME"] = cache


def selectors(d, device):
    """The first GPU and CPU; the unit test `names` has other ways to choose."""
    path = d.save(np.arange(10, dtype="i4"))

    def chosen(*words):
        return json.loads(d.good("reduce", "--json", *words, path))["device"]

    names = [other["name"] for other in d.devices]
    of_kind = {other["type"]: other["name"] for other in reversed(d.devices)}
    for kind in {"gpu", "cpu"} & {*of_kind}:
        check(chosen("--device", kind) == of_kind[kind], kind)
    check(chosen() == of_kind.get("gpu", names[0]), "by default")


DRIVERS = [devices, verdicts, selectors]
