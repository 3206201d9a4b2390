# SPDX-License-Identifier: GPL-2.0
"""Hosts that are addresses of the loopback device: what mpirun starts on another host starts here."""
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build/bin/weir-mapreduce")
MPIRUNS = ("mpirun.openmpi", "mpirun.mpich")
NAMES = ("alder", "birch", "cedar", "dogwood")

# Open MPI gives a host's name first, MPICH behind an option of ssh's.
AGENT = """#!/bin/sh
[ "$1" != -x ] || shift
name=$1
shift
exec unshare --uts -- sh -c "hostname $name; $*"
"""
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_plm": "rsh", "HYDRA_IFACE": "lo"}


def address(name):
    return f"127.77.2.{NAMES.index(name) + 1}"


def host_lines(slots=2):
    return "".join(f"host {name} address {address(name)} slots {slots}\n" for name in NAMES)


def set_up():
    """mpirun takes no loopback device for a way to other hosts: another one has an address, too."""
    for words in ("link add one type veth peer name other", "address add 10.66.0.1/24 dev one", "link set one up",
                  "link set other up"):
        subprocess.run(["ip", *words.split()], check=True)


class Workshop(tempfile.TemporaryDirectory):
    """A directory for a program and its files."""

    def __enter__(self):
        super().__enter__()
        self.write("agent", AGENT)
        os.chmod(self.path("agent"), 0o700)
        return self

    def path(self, name):
        return os.path.join(self.name, name)

    def write(self, name, text):
        with open(self.path(name), "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def environment(self):
        agent = self.path("agent")
        return {**os.environ, **ENVIRONMENT, "OMPI_MCA_plm_rsh_agent": agent, "HYDRA_LAUNCHER_EXEC": agent,
                "TMPDIR": self.name}

    def command(self, text, *options):
        return [PROGRAM, *options, self.write("program", text)]

    def start(self, text, *options, **more):
        return subprocess.Popen(self.command(text, *options), cwd=self.name, env=self.environment(), **more)

    def run(self, text, *options):
        return subprocess.run(self.command(text, *options), cwd=self.name, env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)

    def succeed(self, text, *options):
        """The output, and the summary."""
        run = self.run(text, "--no-box", "--json", *options)
        assert run.returncode == 0, run.stderr.decode()[-2000:]
        return run.stdout, json.loads(run.stderr.splitlines()[-1])

    def fail(self, text, *options, status=1):
        """The sentence, which is the last line."""
        run = self.run(text, *options)
        said = run.stderr.decode()
        assert run.returncode == status, (run.returncode, said[-2000:])
        last = said.splitlines()[-1]
        assert last.startswith("weir-mapreduce: "), said[-2000:]
        assert status == 1 or len(said.splitlines()) == 1, said
        return last
