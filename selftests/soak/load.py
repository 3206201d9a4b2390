# SPDX-License-Identifier: GPL-2.0
"""The box's load: jobs that are summed over and over, and traffic that is trimmed."""
import json
import os
import signal
import subprocess
import threading
import time

from box import PORTS, RECEIVER, TRIMMED, Wrong, poll

TRAFFIC = "trim-traffic"
ADDRESS = "10.77.1.254"
# Longer than any event, and than what a rank waits for one that was killed.
PATIENCE = 180
# A rank whose port was closed says one of these: no box was there to answer when it began, or
# the others went on without it.
SHUT_OUT = "port unreachable", "has excluded rank"


class Job:
    """A job of the first @sources workers. They sum again and again until it is stopped."""

    def __init__(self, box, rng, number, directory):
        self.box, self.rng = box, rng
        self.id = rng.randrange(number * 100, number * 100 + 100)
        self.port = PORTS[number]
        self.sources = rng.randint(2, 4)
        self.grads = rng.choice((64, 256, 1024))
        self.words = ["blocks", rng.choice((32, 64, 256)), "grads", self.grads]
        self.policy = rng.choice(("wait", "partial", "exclude"))
        if self.policy != "wait":
            self.words += ["policy", self.policy, "timeout", "%dms" % rng.choice((50, 200, 1000)),
                           "timers", rng.choice((1, 4))]
        if self.policy == "exclude":
            self.words += ["dead-after", "10s"]
        self.size = 4 * self.grads * rng.choice((50, 200, 500))
        self.paths = [os.path.join(directory, "%d.%d" % (number, rank)) for rank in range(self.sources)]
        self.reloads = self.crashes = self.sums = 0
        self.processes = []
        self.failure = None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def add(self):
        self.box.weir("job", "add", "id", self.id, "sources", self.sources, "address", ADDRESS,
                      "port", self.port, *self.words)
        for rank in range(self.sources):
            self.box.weir("source", "add", "job", self.id, "id", rank,
                          "address", "10.77.%d.1" % (rank + 1))

    def start(self):
        with self.box.lock:
            self.add()
        self.thread.start()

    def rank(self, rank, file):
        words = ["weir-perf", "--job", self.id, "--address", ADDRESS, "--port", self.port,
                 "--rank", rank, "--ranks", self.sources, "--grads", self.grads,
                 "--min-bytes", self.size, "--max-bytes", self.size, "--iterations", 2,
                 "--warmup", 0, "--verify", "--json", "--timeout", f"{PATIENCE}s"]
        if self.policy != "wait":
            words.append("--accept-degraded")
        return subprocess.Popen(self.box.inside("w%d" % (rank + 1), *map(str, words)),
                                stdout=file, stderr=subprocess.STDOUT)

    def finish(self):
        """Until all ranks have ended; where one gives up, the others wait in vain."""
        while any(process.poll() is None for process in self.processes):
            if any(process.poll() not in (None, 0, -signal.SIGKILL) for process in self.processes):
                for process in self.processes:
                    process.kill()
            time.sleep(0.1)

    def once(self):
        """All ranks from start to end; what they found is right, and alike."""
        with self.box.lock:
            reloads, crashes, closed = self.reloads, self.crashes, self.box.closed
        files = [open(path, "w", encoding="utf-8") for path in self.paths]
        self.processes = [self.rank(rank, file) for rank, file in enumerate(files)]
        self.finish()
        reports = []
        for rank, (path, file) in enumerate(zip(self.paths, files)):
            file.close()
            with open(path, encoding="utf-8") as file:
                said = file.read()
            status = self.processes[rank].returncode
            if status == 0:
                reports.append(json.loads(said))
            elif closed != self.box.closed and any(word in said for word in SHUT_OUT):
                return
            elif status != -signal.SIGKILL:
                raise Wrong("job %d %s, rank %d of %d: status %d: %s" % (
                    self.id, " ".join(map(str, self.words)), rank, self.sources, status, said[-500:]))
        # A block that was answered degraded before and after a reload may differ.
        if self.policy == "wait" or (reloads == self.reloads and crashes == self.crashes):
            if len({report["digest"] for report in reports}) > 1:
                raise Wrong("job %d: ranks have different sums" % self.id)
        self.sums += 1

    def work(self):
        try:
            while not self.stopping.is_set():
                self.once()
        except (Wrong, OSError, ValueError) as e:
            self.failure = e

    def blocks(self):
        return self.box.ask("job", "show", "id", self.id)[0]["stats"]["blocks"]

    def crash(self):
        """Kill a rank if the others can do without it. Return whether that was done."""
        processes = self.processes
        if self.policy == "wait" or not processes:
            return False
        # Before all ranks are there, none can do without another.
        before = self.blocks()
        try:
            poll(20, lambda: self.blocks() > before, "sums")
        except Wrong:
            return False
        if processes is not self.processes:
            return False
        self.crashes += 1
        self.rng.choice(processes).kill()
        return True

    def stop(self):
        """Lets them end what they are at, and sees that they do."""
        self.stopping.set()
        self.thread.join(2 * PATIENCE)
        if self.thread.is_alive():
            for process in self.processes:
                process.kill()
            raise Wrong("job %d does not end" % self.id)
        if self.failure:
            raise self.failure


class Incast:
    """Three workers send to the fifth, whose port trims."""

    def __init__(self, box, rng, directory):
        self.box, self.rng = box, rng
        self.arrived = os.path.join(directory, "arrived")
        self.exact = True
        self.doubled = self.corrupted = False
        self.sent = 0
        self.failure = None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.receiver = None

    def policy(self):
        rng = self.rng
        words = ["size", rng.choice((64, 128, 256)), "limit", rng.choice((4, 12, 40)),
                 "victim", rng.choice(("arriving", "tail", "coin"))]
        share = rng.choice(("strict", "10:1", "25%"))
        return words + ["share", share]

    def queue(self):
        """A link that is slow, with a queue of weir's."""
        self.box.tc("router", "qdisc", "add", "dev", TRIMMED, "root", "handle", "1:", "tbf",
                    "rate", "1mbit", "burst", "4000", "limit", "10000000")
        self.box.tc("router", "qdisc", "add", "dev", TRIMMED, "parent", "1:1", "handle", "10:",
                    "weir")

    def set(self):
        self.box.weir("trim", "set", "dev", TRIMMED, "hook", "qdisc", "rule", "dscp=10",
                      "dscp", 11, *self.policy())

    def start(self):
        with self.box.lock:
            self.queue()
            self.set()
        self.receiver = subprocess.Popen(
            self.box.inside("w%d" % RECEIVER, TRAFFIC, "count", self.arrived))
        poll(30, lambda: os.path.exists(self.arrived), "the receiver of the incast is there")
        self.thread.start()

    def work(self):
        try:
            while not self.stopping.is_set():
                senders = [subprocess.Popen(self.box.inside(
                    "w%d" % i, TRAFFIC, "send", "10.77.%d.1" % RECEIVER, "--count", "40",
                    "--merge", str(self.rng.choice((1, 10)))),
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for i in (1, 2, 3)]
                said = [sender.communicate()[0] for sender in senders]
                # Without a route, or a link, a sender fails, and does not say how far it came.
                if any(sender.returncode for sender in senders):
                    self.exact = False
                else:
                    self.sent += sum(map(int, said))
        except (OSError, ValueError) as e:
            self.failure = e

    def counts(self):
        """The box's counters, and the packets that arrived."""
        box = self.box.ask("trim", "show", "dev", TRIMMED)[0]
        with open(self.arrived, encoding="ascii") as file:
            arrived = json.load(file)
        for dscp in "10", "11":
            arrived[dscp] = arrived.get(dscp, {"packets": 0})["packets"]
        return box, arrived

    def arrives(self, count, sent, direct=0):
        """Return whether that is what the box has sent. Corrupt packets do not arrive."""
        return count <= sent + direct and (self.corrupted or count >= sent)

    def adds_up(self):
        box, arrived = self.counts()
        stats = box["stats"]
        return (box["data-depth"] == 0 and box["header-depth"] == 0 and stats["failed"] == 0 and
                stats["trim"] == stats["tx-trim"] + stats["dropped-trim"] + stats["returned"] and
                self.arrives(arrived["10"], stats["whole"], box["direct"]) and
                self.arrives(arrived["11"], stats["tx-trim"]) and
                (self.doubled or arrived["twice"] == 0) and
                (not self.exact or arrived["10"] + stats["trim"] == self.sent))

    def disturbed(self, words=()):
        """From here on packets may be lost beside the box; on links with these words of netem
        they may come twice, or corrupt."""
        self.exact = False
        self.doubled |= "duplicate" in words
        self.corrupted |= "corrupt" in words

    def stop(self, accountable):
        """Ends it; unless its policy was changed on the way, every packet is accounted for."""
        self.stopping.set()
        self.thread.join(PATIENCE)
        try:
            if self.failure or self.thread.is_alive():
                raise Wrong("the incast's senders do not end: %s" % self.failure)
            if accountable:
                try:
                    poll(60, self.adds_up, "incast")
                except Wrong as e:
                    raise Wrong("%s: sent %d%s, box %s, arrived %s" % (
                        e, self.sent, "" if self.exact else " or more", *self.counts())) from e
        finally:
            self.receiver.kill()
            self.receiver.wait()
            os.unlink(self.arrived)
        with self.box.lock:
            counts = self.box.ask("trim", "show", "dev", TRIMMED)[0]["stats"]
            self.box.weir("trim", "del", "dev", TRIMMED)
            self.box.tc("router", "qdisc", "del", "dev", TRIMMED, "root")
        return counts
