#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Ratios of what was measured in interleaved rounds; called by `bench`.

    ratios.py FILE NAME ABOVE BELOW [NAME ABOVE BELOW...]

FILE has lines "NAME VALUE" of all rounds in their order. Prints "NAME MEDIAN" for each ratio of ABOVE to
BELOW of the same round, and on standard error a line for readers, with the least and the most of all
rounds. A ratio whose rounds differ by more than 10 % is called unstable.
"""
import collections
import statistics
import sys


def read(path):
    values = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            name, value = line.split()
            values[name].append(float(value))
    return values


def ratios(values, above, below):
    if len(values[above]) != len(values[below]) or not values[above]:
        sys.exit(f"ratios.py: {above} has {len(values[above])} rounds, {below} {len(values[below])}")
    return [a / b for a, b in zip(values[above], values[below])]


def main():
    if len(sys.argv) < 5 or len(sys.argv) % 3 != 2:
        sys.exit(__doc__)
    values = read(sys.argv[1])
    for name, above, below in zip(*[iter(sys.argv[2:])] * 3):
        each = ratios(values, above, below)
        unstable = "  unstable" if max(each) > 1.1 * min(each) else ""
        print(f"{name:44} {statistics.median(each):7.3f}  ({min(each):.3f} to {max(each):.3f} of {len(each)})"
              f"{unstable}", file=sys.stderr)
        print(f"{name} {statistics.median(each):.3f}")


if __name__ == "__main__":
    main()
