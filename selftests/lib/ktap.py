# SPDX-License-Identifier: GPL-2.0
"""Tests that are functions, run one after the other; speaks KTAP."""
import os
import re
import sys
import time
import traceback


# Seconds from which on a test says how long it took, as with ktap.sh.
LONG = 10


def plain(test):
    return test.__name__.replace("_", " ")


def only(tests, name=plain):
    """Those whose names match WEIR_ONLY, where that is set."""
    return [test for test in tests if re.search(os.environ.get("WEIR_ONLY", ""), name(test))]


def skip_all(why):
    """End the program: none of its tests can run."""
    print("KTAP version 1\n1..0 # SKIP " + why)
    sys.exit(4)


def run(tests, name=plain, mend=lambda: None, after=lambda: None):
    """Exit status. An exception in a test fails it: @mend is called then; @after always."""
    failed, tests = 0, only(tests, name)
    print("KTAP version 1\n1..%d" % len(tests), flush=True)
    for number, test in enumerate(tests, 1):
        verdict, began = "ok", time.monotonic()
        try:
            test()
        except Exception:
            verdict, failed = "not ok", 1
            mend()
            for line in traceback.format_exc().splitlines():
                print("#", line)
        after()
        if time.monotonic() - began >= LONG:
            print("# %d s: %s" % (time.monotonic() - began, name(test)))
        print(verdict, number, name(test), flush=True)
    return failed
