# SPDX-License-Identifier: GPL-2.0
"""Workers as processes, as torchrun starts them."""

import glob
import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "lib"))

from child import Child         # noqa: E402
from refbox import BOX, RANKS   # noqa: E402


def import_torch():
    """For all workers."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch.distributed    # noqa: F401


class Workers:
    """RANKS processes of a Python program."""

    _port = 29500

    def __init__(self, program, *arguments, **variables):
        import_torch()
        Workers._port += 1
        environment = os.environ | {
            "WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self._port),
            "GLOO_SOCKET_IFNAME": "lo", "USE_LIBUV": "0", "WEIR_BOX": BOX,
            "WEIR_JOB": "7"} | variables
        self._processes = [Child(
            os.path.join(HERE, program), arguments,
            environment | {"RANK": str(rank), "LOCAL_RANK": str(rank),
                           "WEIR_BIND": f"127.77.1.{rank + 1}"})
            for rank in range(RANKS)]

    def hear(self, line, ranks=range(RANKS)):
        """Waits until each has said the line."""
        for rank in ranks:
            each = self._processes[rank]
            assert each.stdout.readline() == line + "\n", each.communicate()[1]

    def hear_error(self, rank):
        """A rank's next line on the error output."""
        return self._processes[rank].stderr.readline()

    def say(self, ranks=range(RANKS)):
        for rank in ranks:
            self._processes[rank].stdin.write("\n")
            self._processes[rank].stdin.flush()

    def go_on(self, rank):
        """One that has stopped itself."""
        self._processes[rank].go_on()

    def end(self):
        """Waits for them; what they said on the output, and what on the error output."""
        codes, outputs, errors = self.end_anyhow()
        assert not any(codes), f"exit statuses {codes}: " + "\n".join(errors)
        return outputs, errors

    def end_anyhow(self, last=()):
        """Waits for them, however they end: their exit statuses, and what they said on the output and on
        the error output. The last ones are told when the others have ended."""
        said = {}
        try:
            for rank in [rank for rank in range(RANKS) if rank not in last]:
                said[rank] = self._processes[rank].communicate(timeout=120)
            for rank in last:
                said[rank] = self._processes[rank].communicate("\n", timeout=120)
        finally:
            for each in self._processes:
                each.kill()
        return ([each.returncode for each in self._processes],
                *([said[rank][i] for rank in range(RANKS)] for i in (0, 1)))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rendezvous(work):
    """Return the options with which torchrun's agent meets its workers. Its own store takes libuv since
    torch 2, which Debian builds it without; torch 1.13 has no option for an address other than the host's."""
    if int(importlib.metadata.version("torch").split(".")[0]) < 2:
        return ["--master_addr", "127.0.0.1", "--master_port", str(free_port())]
    return ["--rdzv_backend", "c10d", "--rdzv_endpoint", os.path.join(work, "store"),
            "--rdzv_conf", "store_type=file", "--local_addr", "127.0.0.1"]


def torchrun(ranks, *arguments, **variables):
    """Trains as torchrun starts and restarts workers; their results, and what they said on the error
    output. Without words about their outputs torch 1.13 fails in Python 3.11."""
    with tempfile.TemporaryDirectory() as logs:
        done = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--nnodes", "1", "--nproc_per_node",
             str(ranks), "--max_restarts", "1", "--monitor_interval", "0.2", *rendezvous(logs),
             "--tee", "1", "--redirects", "2", "--log_dir", logs, os.path.join(HERE, "train.py"), *arguments],
            env=os.environ | {"GLOO_SOCKET_IFNAME": "lo", "USE_LIBUV": "0", "OMP_NUM_THREADS": "1",
                              "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} | variables,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)
        said = "".join(open(path, encoding="utf-8").read()
                       for path in glob.glob(f"{logs}/**/stderr.log", recursive=True))
    assert done.returncode == 0, said + done.stderr
    # Behind the rank's name.
    return [json.loads(line[line.index("{"):]) for line in done.stdout.splitlines()], said


def train(*arguments, meanwhile=None, **variables):
    """Trains; the results of the ranks, and what they said on the error output."""
    workers = Workers("train.py", *arguments, **variables)
    if meanwhile:
        meanwhile(workers)
    outputs, errors = workers.end()
    return [json.loads(each) for each in outputs], errors
