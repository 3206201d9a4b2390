# SPDX-License-Identifier: GPL-2.0
"""Ranks that call allreduce in a loop, each a process in a network namespace of its own.

A rank that is left behind resumes at the position of the rank that has got furthest, at the beginning of
that one's next iteration. Ranks tell each other how far they are by files in a directory. In a job that
spans boxes a namespace is followed by the rank's box and its source id there: NAMESPACE,BOX,SOURCE.
"""
import glob
import json
import os
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


def furthest(directory):
    """(iteration, position) of the rank that has got furthest; (0, "") before the first iteration."""
    found = [(0, "")]
    for path in glob.glob(os.path.join(glob.escape(directory), "position-*[0-9]")):
        with open(path, encoding="ascii") as f:
            iteration, position = f.read().split()
        found.append((int(iteration), position))
    return max(found)


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it did not come true")
        time.sleep(0.01)


def place(options, rank):
    """A rank's namespace, its box, and its source id there, None for its rank."""
    name, *own = options.namespaces[rank].split(",")
    return (name, own[0], int(own[1])) if own else (name, options.box, None)


class Rank:
    """One rank. @options: box, job, namespaces, bytes, iterations, early_bytes and directory."""

    def __init__(self, options, rank):
        import weir
        self.weir, self.options, self.rank = weir, options, rank
        self.ranks = len(options.namespaces)
        _, box, source = place(options, rank)
        self.comm = weir.Communicator(box, job=options.job, rank=rank, ranks=self.ranks, source=source,
                                      flags=weir.ACCEPT_DEGRADED, timeout=PATIENCE,
                                      early_bytes=options.early_bytes)
        self.path = os.path.join(options.directory, f"position-{rank}")
        self.iteration, self.resumed = 0, 0
        self.took, self.digests = {}, {}

    def compute(self):
        """Run before the call of each iteration; subclasses compute here."""

    def resume(self):
        until(lambda: furthest(self.options.directory)[1])
        while True:
            iteration, position = furthest(self.options.directory)
            try:
                self.comm.resume(bytes.fromhex(position))
            except self.weir.Behind:
                continue
            self.iteration = iteration
            self.resumed += 1
            return

    def check(self, out):
        """Each sum is of some ranks, by their weights, and of more than none."""
        if out.min() < 1 or out.max() >= 1 << self.ranks:
            raise ValueError(f"a sum is none of any ranks: {out.min()} to {out.max()}")
        self.digests[self.iteration] = zlib.crc32(out)

    def run(self):
        """Return seconds of each call, digests of each result, and what compare() wants to know."""
        import numpy
        vector = numpy.full(self.options.bytes // 4, 1 << self.rank, dtype=self.options.dtype)
        out = numpy.empty_like(vector)
        begin = time.monotonic()
        while self.iteration < self.options.iterations:
            self.compute()
            start = time.monotonic()
            try:
                self.comm.allreduce(vector, out)
            except self.weir.Behind:
                self.resume()
                continue
            self.took[self.iteration] = time.monotonic() - start
            self.check(out)
            self.iteration += 1
            write(self.path, f"{self.iteration} {self.comm.position().hex()}")
        return {"took": self.took, "digests": self.digests, "resumed": self.resumed,
                "seconds": time.monotonic() - begin, "stats": self.comm.stats()}


def start(options, rank):
    """The program again, as this rank: it is to print the result of Rank.run() as JSON."""
    command = ["ip", "netns", "exec", place(options, rank)[0], sys.executable, sys.argv[0],
               "--rank", str(rank), "--directory", options.directory, *sys.argv[1:]]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def compare(processes):
    """The results of all ranks, or None: one has failed, or two have other results of an iteration."""
    outputs = [p.communicate()[0] for p in processes]
    if any(p.returncode for p in processes):
        print(f"exit statuses {[p.returncode for p in processes]}", file=sys.stderr)
        return None
    results = [json.loads(text) for text in outputs]
    for iteration in {i for r in results for i in r["digests"]}:
        if len({r["digests"][iteration] for r in results if iteration in r["digests"]}) > 1:
            print(f"iteration {iteration}: results differ", file=sys.stderr)
            return None
    return results


def main(parser, rank, run):
    """Run one rank if the options name one, or a program of several. @parser has the options of the program,
    @rank is its Rank, and @run(options) returns its exit status."""
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--early-bytes", type=int, default=0)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--directory")
    parser.add_argument("box")
    parser.add_argument("job", type=int)
    parser.add_argument("namespaces", nargs="+")
    options = parser.parse_args()
    if options.rank is not None:
        print(json.dumps(rank(options, options.rank).run()))
        return 0
    with tempfile.TemporaryDirectory() as options.directory:
        return run(options)
