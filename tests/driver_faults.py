"""What drivers are known to do wrong and tests allow for: docs/devices.md, "Quirks of drivers", has
each of them, and nothing else may be in the table."""

import re
import signal

# In the columns: an expression for "platform: device (OpenCL version, driver version)", what is
# done, and with what.
AGAIN = "a program that a signal ends, after this stood in its stderr, runs again"
AT_END = "a program that this signal ends, after its last test passed, runs again"
UNHEARD = "this is left out of stderr"
UNSET = "this variable of the environment is unset"
SET = "this is set in the environment, where that has nothing else"
KNOWN = (
    # while its workers run launches of several queues at once
    ("Portable Computing Language", AGAIN, "pocl_release_dlhandle_cache: Assertion"),
    # once in some thousand programs, where a process ends soon after it has made a context
    ("Portable Computing Language", AT_END, "SIGSEGV"),
    # where a process ends soon after it has made a context
    (r"Intel\(R\) OpenCL", AGAIN, "Pure virtual function called"),
    # once in 150 runs of a test
    ("rusticl", AT_END, "SIGSEGV"),
    # on some builds of reproducible sums; arguments of kernels are uniform
    ("rusticl", UNHEARD, "MESA: warning: Treating load_kernel_arg in control flow as uniform, "
     "results may be incorrect.\n"),
    # Meson has freed memory overwritten, which the compiler reads: of some bytes it dies
    # (llvm::GlobalValue::eraseFromParent)
    ("rusticl", UNSET, "MALLOC_PERTURB_"),
    # compilers and queues that die of groups, or make wrong code of them, in any of which a test's
    # other calls would be lost: plans that force groups take the policy's tile
    (r"Portable Computing Language.*driver [67]\.", SET, "CLFOLD_TEST_GROUPS=0"),
    (r"rusticl.*driver 25\.", SET, "CLFOLD_TEST_GROUPS=0"),
)  # fmt: skip
RUNS = 3  # of a program that may run again


def known(action, device=None):
    """What to do the action with, on the device of this label, or on any."""
    return [what for part, row, what in KNOWN
            if row == action and (device is None or re.search(part, device))]  # fmt: skip


def seen(status, stderr, device=None, passed=False):
    """The fault that ended a program, all of whose tests have `passed`, or None."""
    found = [text for text in known(AGAIN, device) if status < 0 and text in stderr]
    if passed and status < 0:
        found += [name for name in known(AT_END, device) if signal.Signals(-status).name == name]
    return found[0] if found else None
