# SPDX-License-Identifier: GPL-2.0
"""Workers of a format whose packets a test writes itself: their sockets, and refusals by reason."""
import os
import select
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import trio
from genl import attributes, enumerators
from named import NAMES, number

REASONS = enumerators("WEIR_REASON_", "FRAGMENT")
# A packet that must come does so far sooner; a machine that is emulated may take its time.
PATIENCE, NEVER = trio.PATIENCE, trio.NEVER

enter = trio.enter
until = trio.until


def run(namespace, *words):
    """The output of a command in a namespace."""
    done = subprocess.run(["nsenter", f"--net=/run/netns/{namespace}", "--", *words],
                          capture_output=True, text=True)
    assert not done.returncode, f"{words}: {done.stderr}"
    return done.stdout


class Workers:
    """A socket each, with methods send() and take(), and the module's part of their namespace."""

    def __init__(self, box, sockets):
        self.box, self.socket = box, sockets
        self.forget_refusals()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for s in self.socket:
            s.socket.close()

    def send(self, worker, data, **how):
        self.socket[worker].send(data, **how)

    def receive(self, worker, patience=PATIENCE):
        """The next packet, as take() returns it; None where none comes in time."""
        if not select.select([self.socket[worker].socket], [], [], patience)[0]:
            return None
        return self.socket[worker].take()

    def refusals(self):
        """Return how often each reason was found, in the whole namespace."""
        stats = dict(attributes(self.box.do("stats-get")))[NAMES["total"].index("stats") + 1]
        found = {}
        for n, value in attributes(stats):
            if NAMES["stats"][n - 1] == "refusal":
                reason = dict(attributes(value))
                found[REASONS[number(reason[1]) - 1]] = number(reason[2])
        return found

    def refused(self, **want):
        """So many more refusals since the last look, each under its reason, and no others."""
        want = {name.replace("_", "-"): n for name, n in want.items()}

        def new():
            found = self.refusals()
            return {r: n - self.before.get(r, 0) for r, n in found.items()
                    if n != self.before.get(r, 0)}
        until(lambda: sum(new().values()) >= sum(want.values()))
        assert new() == want, f"{new()}, not {want}"
        self.forget_refusals()

    def forget_refusals(self):
        self.before = self.refusals()
