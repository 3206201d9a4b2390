#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A box under all weathers.

usage: soak.py PREFIX MINUTES [--seed N]

PREFIX is that of the star's namespaces. To be run by soak.sh. Round by round, until the time
is up: jobs, ports and a trimming policy come, in every other round links lose packets,
events happen, all goes again, and nothing is left. The same seed has the same rounds.
Ends with a report of a page, and speaks KTAP.
"""
import argparse
import collections
import os
import random
import statistics
import sys
import tempfile
import time

import watch
from box import PORTS, Box, Wrong, kernel_memory, module_references
from events import Weather
from load import Incast, Job

LOSSES = (["loss", "0.5%"], ["loss", "3%"], ["duplicate", "5%"], ["delay", "2ms", "1ms", "reorder", "25%"],
          ["loss", "1%", "duplicate", "2%", "corrupt", "1%"])
# Counters that the report sums up.
SUMMED = ("contributions", "blocks", "degraded", "results", "repeats", "queries", "late")
TRIMMED = ("whole", "trim", "tx-trim", "dropped-trim")
# The first rounds fill what the kernel keeps for later.
WARM_UP = 2
# Kilobytes, or the share of all, that the kernel's memory may have grown between the
# medians of the first and the last third of the rounds.
GROWTH, GROWTH_SHARE = 4096, 0.03


class Soak:
    def __init__(self, prefix, seed):
        self.box = Box(prefix)
        self.rng = random.Random(seed)
        self.seed = seed
        self.memory = []
        self.started = time.monotonic()
        self.events = collections.Counter()
        self.packets = collections.Counter()
        self.jobs = self.sums = self.looks = 0
        self.references, self.programs = module_references(), self.box.programs()

    def happen(self, weather, rough):
        """An event, which may have nothing to happen to."""
        event = self.rng.choice(weather.ROUGH + weather.MILD if rough else weather.MILD)
        name = event.__name__.replace("_", " ")
        print("# %.1f s: %s" % (time.monotonic() - self.started, name), flush=True)
        if event(weather) is not False:
            self.events[name] += 1

    def round(self, directory):
        rng, box = self.rng, self.box
        rough = rng.random() < 0.5
        incast = Incast(box, rng, directory)
        jobs = [Job(box, rng, number, directory) for number in range(rng.randint(1, len(PORTS)))]
        weather = Weather(box, rng, jobs, incast)
        weather.attach_all()
        if rough:
            weather.lose(rng.choice(LOSSES))
        incast.start()
        for job in jobs:
            job.start()
        watcher = watch.Watch(box)
        for _ in range(rng.randint(2, 6)):
            self.pause(rng.uniform(0.5, 3))
            with box.lock:
                # Counters of what an event makes anew begin anew.
                self.happen(weather, rough)
                watcher.forget()
        for job in jobs:
            job.stop()
        trims = incast.stop(weather.accountable)
        watcher.stop()
        watch.still(box)
        self.count(jobs, trims, watcher)
        if rough:
            weather.lose_nothing()
        weather.detach_all()
        box.weir("job", "flush")
        watch.nothing_is_left(box, self.references, self.programs)

    @staticmethod
    def pause(seconds):
        """Between two events, so that they meet the work at any point of it."""
        time.sleep(seconds)

    def count(self, jobs, trims, watcher):
        """Adds up a round's counters; a reload of the module has lost those before it."""
        self.jobs += len(jobs)
        self.sums += sum(job.sums for job in jobs)
        self.looks += watcher.looks
        for job in self.box.ask("job", "show"):
            for name in SUMMED:
                self.packets[name] += job["stats"].get(name, 0)
        for name in TRIMMED:
            self.packets[name] += trims[name]

    def run(self, minutes):
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            started = time.monotonic()
            with tempfile.TemporaryDirectory() as directory:
                self.round(directory)
            self.memory.append(kernel_memory())
            print("# round %d: %d s, %d kB" % (len(self.memory), time.monotonic() - started,
                                               self.memory[-1]), flush=True)

    def tells(self):
        """Return whether there were rounds enough to tell if memory grows."""
        return len(self.memory) > WARM_UP + 2

    def growth(self):
        """Kilobytes between the medians of the first and the last third, and of the first."""
        rounds = self.memory[WARM_UP:]
        third = max(1, len(rounds) // 3)
        first = statistics.median(rounds[:third])
        return statistics.median(rounds[-third:]) - first, first

    def report(self, minutes):
        yield "weir under all weathers: Linux %s, seed %d" % (os.uname().release, self.seed)
        yield "minutes       %d" % minutes
        yield "rounds        %d, with %d jobs and %d allreduces" % (
            len(self.memory), self.jobs, self.sums)
        yield "looked        %d times at all counters" % self.looks
        for title, names in ("jobs", SUMMED), ("trimming", TRIMMED):
            yield "%-13s " % title + ", ".join("%d %s" % (self.packets[name], name) for name in names)
        for name, times in sorted(self.events.items()):
            yield "%-13s %d times" % (name, times)
        if self.tells():
            yield "kernel memory %+d kB of %d kB" % self.growth()
        else:
            yield "kernel memory nothing can be said after so few rounds: soak for longer"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("minutes", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    soak = Soak(options.prefix, options.seed)
    failure = None
    print("KTAP version 1\n1..2\n# seed %d" % options.seed, flush=True)
    try:
        soak.run(options.minutes)
    except Wrong as e:
        failure = e
    minutes = (time.monotonic() - soak.started) // 60
    for line in soak.report(minutes):
        print("# " + line)
    if failure:
        for what in "job", "source", "port", "trim":
            print("# " + soak.box.weir(what, "show", may_fail=True).replace("\n", "\n# "))
        print("# round %d: %s" % (len(soak.memory) + 1, str(failure).replace("\n", "\n# ")))
    rounds = verdict(1, not failure, "every round is right, and leaves nothing")
    growth, first = soak.growth() if soak.tells() else (0, 1)
    flat = verdict(2, soak.tells() and growth < max(GROWTH, GROWTH_SHARE * first),
                   "the kernel's memory does not grow")
    if rounds and flat:
        print("# figure soak_minutes_clean %d" % minutes)
    sys.stdout.flush()
    # Threads of a round that has failed may wait for what never comes.
    os._exit(not (rounds and flat))


def verdict(number, right, name):
    print("%s %d %s" % ("ok" if right else "not ok", number, name))
    return right


main()
