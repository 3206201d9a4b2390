#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""An allreduce in a loop, of which one rank is stopped and goes on.

usage: stopped.py [--bytes N] [--iterations N] [--pause S] [--stop S] [--timeout S] BOX JOB NAMESPACE...

A rank in each namespace; the last one is stopped. When it is left behind, it resumes at the position of
rank 0. The result is one line of JSON: how often it has resumed, and how much longer than the
middle one the longest call of the other ranks has taken, in timeouts of the job. The exit status is 1 if
any sum is wrong or differs between ranks.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

PATIENCE = 600


def write(path, text):
    """The whole text, or nothing."""
    with open(path + ".new", "w", encoding="ascii") as f:
        f.write(text)
    os.rename(path + ".new", path)


def read(path):
    try:
        with open(path, encoding="ascii") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it did not come true")
        time.sleep(0.01)


class Rank:
    """One rank, a process of its own."""

    def __init__(self, options, rank):
        import weir
        self.weir, self.options, self.rank = weir, options, rank
        self.ranks = len(options.namespaces)
        self.comm = weir.Communicator(options.box, job=options.job, rank=rank, ranks=self.ranks,
                                      flags=weir.ACCEPT_DEGRADED, timeout=PATIENCE)
        self.path = os.path.join(options.directory, "position")
        self.iteration, self.resumed = 0, 0
        self.took, self.digests = {}, {}

    def resume(self):
        """At the position of rank 0, before its next iteration."""
        while True:
            iteration, position = read(self.path).split()
            try:
                self.comm.resume(bytes.fromhex(position))
            except self.weir.Behind:
                continue
            self.iteration = int(iteration)
            self.resumed += 1
            return

    def check(self, out):
        """Each sum is of some ranks, by their weights, and of more than none."""
        if out.min() < 1 or out.max() >= 1 << self.ranks:
            raise ValueError(f"a sum is none of any ranks: {out.min()} to {out.max()}")
        self.digests[self.iteration] = zlib.crc32(out)

    def run(self):
        import numpy
        vector = numpy.full(self.options.bytes // 4, 1 << self.rank, dtype=numpy.int32)
        out = numpy.empty_like(vector)
        while self.iteration < self.options.iterations:
            time.sleep(self.options.pause)
            start = time.monotonic()
            try:
                self.comm.allreduce(vector, out)
            except self.weir.Behind:
                self.resume()
                continue
            self.took[self.iteration] = time.monotonic() - start
            self.check(out)
            self.iteration += 1
            if not self.rank:
                write(self.path, f"{self.iteration} {self.comm.position().hex()}")
        return {"took": self.took, "digests": self.digests, "resumed": self.resumed}


def start(options, rank):
    command = ["ip", "netns", "exec", options.namespaces[rank], sys.executable, __file__, "--rank", str(rank),
               "--directory", options.directory, *sys.argv[1:]]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def iteration_of(options):
    text = read(os.path.join(options.directory, "position"))
    return int(text.split()[0]) if text else 0


def stop(options, process):
    """For a while, from an iteration on that all have begun."""
    until(lambda: iteration_of(options) >= 3)
    process.send_signal(signal.SIGSTOP)
    time.sleep(options.stop)
    process.send_signal(signal.SIGCONT)


def same_results(results):
    """Ranks that have the result of an iteration have the same one."""
    for iteration in {i for r in results for i in r["digests"]}:
        if len({r["digests"][iteration] for r in results if iteration in r["digests"]}) > 1:
            print(f"iteration {iteration}: results differ", file=sys.stderr)
            return False
    return True


def run(options):
    processes = [start(options, rank) for rank in range(len(options.namespaces))]
    stop(options, processes[-1])
    outputs = [p.communicate()[0] for p in processes]
    if any(p.returncode for p in processes):
        print(f"exit statuses {[p.returncode for p in processes]}", file=sys.stderr)
        return 1
    results = [json.loads(text) for text in outputs]
    times = [sorted(r["took"].values()) for r in results[:-1]]
    stall = max(t[-1] - statistics.median(t) for t in times)
    print(json.dumps({"resumed": results[-1]["resumed"],
                      "median_ms": round(1000 * statistics.median(times[0]), 3),
                      "longest_ms": round(1000 * max(t[-1] for t in times), 3),
                      "stall_over_timeout": round(stall / options.timeout, 3)}))
    return 0 if same_results(results) else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--stop", type=float, default=2)
    parser.add_argument("--timeout", type=float, default=0.01)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--directory")
    parser.add_argument("box")
    parser.add_argument("job", type=int)
    parser.add_argument("namespaces", nargs="+")
    options = parser.parse_args()
    if options.rank is not None:
        print(json.dumps(Rank(options, options.rank).run()))
        return 0
    with tempfile.TemporaryDirectory() as options.directory:
        return run(options)


if __name__ == "__main__":
    sys.exit(main())
