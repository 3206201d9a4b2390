# SPDX-License-Identifier: GPL-2.0
"""The box that is soaked, and how its namespaces are entered."""
import json
import os
import subprocess
import threading
import time

WORKERS = 4
RECEIVER = 5
DEVICES = ["w%d" % i for i in range(1, WORKERS + 1)]
PORTS = 12000, 12001
TRIMMED = "w%d" % RECEIVER


class Wrong(Exception):
    """An invariant does not hold."""


def poll(seconds, condition, what):
    """Waits until condition() is true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong("%s: not within %d s" % (what, seconds))
        time.sleep(0.1)


class Box:
    """The router. Code that makes, deletes or compares objects holds @lock."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.lock = threading.RLock()
        # Number of times that a port, or all, was taken away for a moment.
        self.closed = 0

    def inside(self, label, *command):
        """The words of a command that is to run in a namespace."""
        return ["nsenter", "--net=/run/netns/%s-%s" % (self.prefix, label), "--", *command]

    def run(self, label, *command, may_fail=False):
        """Runs a command to its end; returns what it has printed."""
        done = subprocess.run(self.inside(label, *command), capture_output=True, text=True,
                              check=False)
        if done.returncode and not may_fail:
            raise Wrong("%s: status %d: %s%s" % (" ".join(command), done.returncode,
                                                 done.stdout[-500:], done.stderr[-500:]))
        return done.stdout

    def weir(self, *words, may_fail=False):
        return self.run("router", "weir", *map(str, words), may_fail=may_fail)

    def ask(self, *words):
        """The output of weir, as JSON."""
        return json.loads(self.weir("-j", *words))

    def ip(self, *words):
        return self.run("router", "ip", *words)

    def tc(self, label, *words):
        return self.run(label, "tc", *words)

    def attach(self, dev, mode):
        self.weir("port", "attach", "dev", dev, "mode", mode,
                  *(word for port in PORTS for word in ("udp", port)))

    def totals(self):
        return self.ask("stats")

    def programs(self):
        """Return the number of BPF programs and maps in the kernel."""
        return sum(len(json.loads(self.run("router", "bpftool", "-j", kind, "show")))
                   for kind in ("prog", "map"))


def module_references():
    with open("/proc/modules", encoding="ascii") as modules:
        for line in modules:
            if line.startswith("weir "):
                return int(line.split()[2])
    return 0


def kernel_memory():
    """Kilobytes that only the kernel can give back."""
    wanted = {"SUnreclaim", "KernelStack", "PageTables", "Percpu", "VmallocUsed"}
    with open("/proc/meminfo", encoding="ascii") as lines:
        return sum(int(line.split()[1]) for line in lines if line.split(":")[0] in wanted)


def module_path(name):
    return os.path.join(os.path.dirname(os.environ["WEIR_MODULE"]), name + ".ko")
