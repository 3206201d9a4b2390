#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Pairs whose keys are distributed as Zipf has it, and what a list in order of last use makes of them.

    zipf.py DIRECTORY MAPPERS PAIRS KEYS ROOM

writes a file a mapper, zipf.0 and so on, each with so many lines, and prints which share of all
pairs finds its key among the ROOM that came last, where mappers take turns.
"""
import bisect
import collections
import itertools
import random
import sys

directory, (mappers, pairs, keys, room) = sys.argv[1], map(int, sys.argv[2:])
random.seed(7)
reached = list(itertools.accumulate(1 / (rank + 1) for rank in range(keys)))
streams = [[bisect.bisect(reached, random.random() * reached[-1]) for _ in range(pairs)] for _ in range(mappers)]
for number, stream in enumerate(streams):
    with open(f"{directory}/zipf.{number}", "w", encoding="ascii") as file:
        file.writelines(f"{key:016d}\t1\n" for key in stream)

held, hits = collections.OrderedDict(), 0
for turn in zip(*streams):
    for key in turn:
        if key in held:
            hits += 1
            held.move_to_end(key)
            continue
        if len(held) == room:
            held.popitem(last=False)
        held[key] = None
print(f"{hits / (mappers * pairs):.5f}")
