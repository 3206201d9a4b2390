# SPDX-License-Identifier: GPL-2.0
"""A reference box and workers as processes, in a network of their own."""

import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
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


class Workers:
    """RANKS processes of a Python program, as torchrun starts them."""

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
