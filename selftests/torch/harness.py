# SPDX-License-Identifier: GPL-2.0
"""Workers as processes, as torchrun starts them."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "lib"))

from refbox import BOX, RANKS   # noqa: E402


class Workers:
    """RANKS processes of a Python program."""

    _port = 29500

    def __init__(self, program, *arguments, **variables):
        Workers._port += 1
        environment = os.environ | {
            "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self._port),
            "GLOO_SOCKET_IFNAME": "lo", "USE_LIBUV": "0", "WEIR_BOX": BOX, "WEIR_JOB": "7",
            "OMP_NUM_THREADS": "1"} | variables
        self._processes = [subprocess.Popen(
            [sys.executable, os.path.join(HERE, program), *arguments],
            env=environment | {"RANK": str(rank), "LOCAL_RANK": str(rank),
                               "WEIR_BIND": f"127.77.1.{rank + 1}"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for rank in range(RANKS)]

    def hear(self, line):
        """Waits until each has said the line."""
        for each in self._processes:
            assert each.stdout.readline() == line + "\n", each.communicate()[1]

    def say(self):
        for each in self._processes:
            each.stdin.write("\n")
            each.stdin.flush()

    def end(self):
        """Waits for them; what they said on the output, and what on the error output."""
        said = []
        try:
            for each in self._processes:
                said.append(each.communicate(timeout=120))
        finally:
            for each in self._processes:
                each.kill()
        codes = [each.returncode for each in self._processes]
        assert not any(codes), f"exit statuses {codes}: " + "\n".join(err for _, err in said)
        return [out for out, _ in said], [err for _, err in said]


def train(*arguments, meanwhile=None, **variables):
    """Trains; the results of the ranks, and what they said on the error output."""
    workers = Workers("train.py", *arguments, **variables)
    if meanwhile:
        workers.hear("paused")
        meanwhile()
        workers.say()
    outputs, errors = workers.end()
    return [json.loads(each) for each in outputs], errors
