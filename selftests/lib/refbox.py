# SPDX-License-Identifier: GPL-2.0
"""A reference box as a process, in a network of its own; and results in KTAP."""

import json
import os
import signal
import subprocess
import sys
import traceback

import ktap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INSIDE = "WEIR_TEST_INSIDE"
BOX = "127.77.0.254"
RANKS = 4


def enter():
    """Starts the program anew in a network namespace, unless it is in one."""
    if INSIDE not in os.environ:
        # Root's namespaces need no mapping of users, and others have no other way.
        os.environ[INSIDE] = "1"
        os.environ["LD_LIBRARY_PATH"] = os.path.join(ROOT, "build/lib")
        os.environ["PYTHONPATH"] = os.path.join(ROOT, "userspace/python")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        options = ["--net"] if os.geteuid() == 0 else ["--net", "--user", "--map-root-user"]
        os.execvp("unshare", ["unshare", *options, sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


class Box:
    """A reference box for RANKS workers."""

    def __init__(self, *options):
        self._process = subprocess.Popen(
            [os.path.join(ROOT, "build/lib-tests/refbox"), "--address", BOX, "--sources",
             str(RANKS), *options], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "ready\n"
        self.counters = None

    def kill(self):
        self._process.kill()
        self._process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            self.counters = json.loads(self._process.communicate()[0])


def run(tests):
    """Runs functions; returns the exit status."""
    failed, tests = 0, ktap.only(tests, lambda test: test.__name__)
    print("KTAP version 1")
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        try:
            test()
            verdict = "ok"
        except Exception:
            for line in traceback.format_exc().splitlines():
                print("#", line)
            verdict = "not ok"
            failed += 1
        print(verdict, number, test.__name__, flush=True)
    print(f"# Totals: pass:{len(tests) - failed} fail:{failed} xfail:0 xpass:0 skip:0 error:0")
    return 1 if failed else 0
