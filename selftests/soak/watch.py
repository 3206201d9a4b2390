# SPDX-License-Identifier: GPL-2.0
"""Conditions that must hold at every moment: a thread looks at them all the time."""
import json
import threading

from box import Wrong, module_references, poll

# Not counters: they rise and fall.
LEVELS = {"data-max", "header-max", "refusals"}


def summed(job, sources):
    """The number of contributions of a job's sources."""
    return sum(s["stats"]["contributions"] for s in sources if s["job"] == job["id"])


class Watch:
    """Looks at the box twice a second until it is stopped."""

    def __init__(self, box):
        self.box = box
        self.before = {}
        self.looks = 0
        self.failure = None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        try:
            while not self.stopping.wait(0.5):
                with self.box.lock:
                    self.look()
        except (Wrong, OSError, ValueError, KeyError) as e:
            self.failure = e

    def forget(self):
        """Drops the counters seen so far: the objects are other ones."""
        self.before = {}

    def look(self):
        jobs, sources = self.box.ask("job", "show"), self.box.ask("source", "show")
        totals = self.box.totals()
        if totals["memory-used"] > totals["memory-limit"]:
            raise Wrong("more memory than there may be: %s" % totals)
        for job in jobs:
            self.job(job, summed(job, sources))
        for policy in self.box.ask("trim", "show"):
            self.rises("trim " + policy["dev"], policy["stats"])
        self.rises("all", totals["stats"])
        self.looks += 1

    def job(self, job, of_sources):
        stats = job["stats"]
        self.rises("job %d" % job["id"], stats)
        if job["open"] > job["blocks"] or stats["degraded"] > stats["blocks"]:
            raise Wrong("job %s" % json.dumps(job))
        if stats["gradients"] > stats["contributions"] * job["grads"]:
            raise Wrong("job %d has %d gradients of %d contributions" % (
                job["id"], stats["gradients"], stats["contributions"]))
        # The job was asked first, and its sources go on.
        if stats["contributions"] > of_sources:
            raise Wrong("job %d has %d contributions, its sources %d" % (
                job["id"], stats["contributions"], of_sources))

    def rises(self, name, stats):
        """No counter of an object falls."""
        before = self.before.get(name, {})
        for counter, value in stats.items():
            if counter not in LEVELS and value < before.get(counter, 0):
                raise Wrong("%s: %s falls from %d to %d" % (name, counter, before[counter], value))
        self.before[name] = stats

    def stop(self):
        self.stopping.set()
        self.thread.join()
        if self.failure:
            raise self.failure


def still(box):
    """Of a box whose workers have ended: counters that do not move add up."""
    sources = box.ask("source", "show")
    for job in box.ask("job", "show"):
        of_sources = summed(job, sources)
        if job["stats"]["contributions"] != of_sources:
            raise Wrong("job %d: %d contributions, of its sources %d" % (
                job["id"], job["stats"]["contributions"], of_sources))
        if job["timeout"]:
            poll(30, lambda: box.ask("job", "show", "id", job["id"])[0]["open"] == 0,
                 "all blocks of job %d have aged" % job["id"])


def nothing_is_left(box, references, programs):
    """Of a box without jobs, ports and policies."""
    totals = box.totals()
    if totals["memory-used"] or totals["jobs"] or totals["ports"]:
        raise Wrong("something is left: %s" % totals)
    # The kernel gives back after a grace period the references that it still holds.
    poll(60, lambda: module_references() == references, "the module is held as often as at first")
    poll(60, lambda: box.programs() == programs, "there are as many BPF programs and maps as at first")
