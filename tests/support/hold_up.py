#!/usr/bin/env python3
"""hold_up.py OUTPUT.c INPUT...: embeds the kernels, with look-back held up where it is traced.

held_up.cl says how; its functions come after those of scan_trace.cl. What their calls are put next
to must stand in its file once, so that none can vanish when a kernel changes.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "embed"))
import embed  # pylint: disable=wrong-import-position

OWN = "channel->first + t"
MAY_PUBLISH = f"!clfold_is_blocked({OWN}, trace)"
# Of each file: what stands there, and what takes its place.
CHANGES = {
    "look_back.cl": [
        ("        CLFOLD_TRACED(trace[channel->first + t].aggregate",
         f"        CLFOLD_TRACED(clfold_delay(channel->words, {OWN}, 0, trace));\n{{}}"),
        ("    CLFOLD_TRACED(trace[channel->first + t].prefix",
         f"    CLFOLD_TRACED(clfold_delay(channel->words, {OWN}, 1, trace));\n{{}}"),
        ("    clfold_publish(slots, t, CLFOLD_RUNNING,",
         f"    CLFOLD_TRACED(if ({MAY_PUBLISH}))\n{{}}"),
        ("if (!CLFOLD_CHAINED", f"{{}} CLFOLD_TRACED(&& {MAY_PUBLISH})"),
        ("if (CLFOLD_CHAINED", f"{{}} CLFOLD_TRACED(&& {MAY_PUBLISH})"),
        ("        CLFOLD_TRACED(++channel->fallbacks);\n",
         "{}        CLFOLD_TRACED(clfold_log_fold(channel->first + x, trace));\n"),
        ("    global clfold_tile_trace *const row = trace + channel->first + t;\n",
         f"    if (channel->in_place && clfold_is_blocked({OWN}, trace))\n"
         f"        clfold_await_helper(channel->words, channel->epoch, {OWN}, channel->own);\n"
         f"    clfold_delay(channel->words, {OWN}, 2, trace);\n{{}}"),
    ],
    "scan_lookback.cl": [
        ("    const ulong rounds = ", "    CLFOLD_TRACED(++trace;) /* the first is a head */\n{}"),
    ],
}  # fmt: skip


def held_up(texts):
    """The table of the kernels, as tests/device/lookback.c has them."""
    texts = {name: data.decode("ascii") for name, data in texts.items()}
    with open(os.path.join(os.path.dirname(__file__), "held_up.cl"), encoding="ascii") as file:
        texts["scan_trace.cl"] += file.read()
    for name, changes in CHANGES.items():
        for old, new in changes:
            if texts[name].count(old) != 1:
                sys.exit(f"hold_up.py: not once in {name}: {old}")
            texts[name] = texts[name].replace(old, new.format(old))
    return {name: text.encode("ascii") for name, text in texts.items()}


if __name__ == "__main__":
    source = embed.c_source(held_up(embed.table_of(sys.argv[2:])))
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(source)
