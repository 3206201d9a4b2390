#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""An allreduce in a loop, of which one rank is stopped and goes on.

usage: stopped.py [--bytes N] [--iterations N] [--pause S] [--stop S] [--timeout S] [--verbose]
                  BOX JOB NAMESPACE[,BOX,SOURCE]...

A rank in each namespace, some with a box of their own; the last one is stopped. The result is one line of JSON: how often it has
resumed, which part of their packets the others have merged, and how much longer than the middle one
their longest call has taken, in timeouts of the job. The exit status is 1 if any sum is wrong or differs
between ranks.
"""
import argparse
import json
import os
import signal
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import rank_loop


class Rank(rank_loop.Rank):
    """One rank, which pauses between its calls."""

    def compute(self):
        time.sleep(self.options.pause)


def stop(options, process):
    """For a while, from an iteration on that all have begun."""
    rank_loop.until(lambda: rank_loop.furthest(options.directory)[0] >= 3)
    process.send_signal(signal.SIGSTOP)
    time.sleep(options.stop)
    process.send_signal(signal.SIGCONT)


def run(options):
    processes = [rank_loop.start(options, rank) for rank in range(len(options.namespaces))]
    stop(options, processes[-1])
    results = rank_loop.compare(processes)
    if results is None:
        return 1
    if options.verbose:
        for rank, result in enumerate(results):
            took = {i: round(1000 * s) for i, s in result["took"].items()}
            print(rank, took, result["stats"], file=sys.stderr)
    times = [sorted(r["took"].values()) for r in results[:-1]]
    stall = max(t[-1] - statistics.median(t) for t in times)
    merged = min(r["stats"]["merged_sent"] / r["stats"]["packets_sent"] for r in results[:-1])
    print(json.dumps({"resumed": results[-1]["resumed"], "merged": round(merged, 2),
                      "median_ms": round(1000 * statistics.median(times[0]), 3),
                      "longest_ms": round(1000 * max(t[-1] for t in times), 3),
                      "stall_over_timeout": round(stall / options.timeout, 3)}))
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--stop", type=float, default=2)
    parser.add_argument("--timeout", type=float, default=0.01)
    parser.add_argument("--verbose", action="store_true",
                        help="print what each call took, ms, and the ranks' statistics")
    parser.set_defaults(dtype="int32")
    return rank_loop.main(parser, Rank, run)


if __name__ == "__main__":
    sys.exit(main())
