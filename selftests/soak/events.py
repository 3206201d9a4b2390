# SPDX-License-Identifier: GPL-2.0
"""Events that happen to the box while it works. Each leaves it able to go on."""
import json
import os
import subprocess

from box import DEVICES, TRIMMED, WORKERS, Wrong, module_path, poll

CPU = "/sys/devices/system/cpu/cpu1/online"


class Weather:
    """Events, by name, on a box with @jobs and @incast, either of which may be few."""

    def __init__(self, box, rng, jobs, incast):
        self.box, self.rng, self.jobs, self.incast = box, rng, jobs, incast
        self.modes = {}
        # True while all that the incast has counted is there to be compared.
        self.accountable = True

    def attach_all(self):
        for dev in DEVICES:
            self.modes[dev] = self.rng.choice(("xdp", "xdp", "tc"))
            self.box.attach(dev, self.modes[dev])

    def detach_all(self):
        self.box.weir("port", "flush")

    def links(self, what, *words):
        """Adds or deletes the queues at both ends of all links between box and workers."""
        for i in range(1, WORKERS + 1):
            for label, dev in ("w%d" % i, "eth0"), ("router", "w%d" % i):
                self.box.tc(label, "qdisc", what, "dev", dev, "root", *words)

    def lose(self, words):
        """Links between box and workers, both ways, from now on."""
        self.incast.disturbed(words)
        self.links("add", "netem", "limit", "20000", *words)

    def lose_nothing(self):
        self.links("del")

    def link_flaps(self):
        i = self.rng.randint(1, WORKERS)
        self.incast.disturbed()
        self.box.ip("link", "set", "w%d" % i, "down")
        self.box.ip("link", "set", "w%d" % i, "up")

    def mtu_changes(self):
        """Workers ask again for packets that are too long meanwhile."""
        dev = self.rng.choice(DEVICES)
        self.incast.disturbed()
        self.box.ip("link", "set", dev, "mtu", "1500")
        self.box.ip("link", "set", dev, "mtu", "9000")

    def neighbours_go(self):
        self.incast.disturbed()
        self.box.ip("neigh", "flush", "all")

    def port_moves(self):
        dev = self.rng.choice(DEVICES)
        with self.box.lock:
            self.box.closed += 1
            self.box.weir("port", "detach", "dev", dev)
            self.modes[dev] = "tc" if self.modes[dev] == "xdp" else "xdp"
            self.box.attach(dev, self.modes[dev])

    def program_is_taken(self):
        dev = self.rng.choice(DEVICES)
        if self.modes[dev] != "xdp":
            return False
        with self.box.lock:
            self.box.closed += 1
            self.box.ip("link", "set", dev, "xdp", "off")
            if "fail" not in [c["status"] for c in self.doctor()["checks"]]:
                raise Wrong("the doctor does not see that %s's program is gone" % dev)
            self.box.attach(dev, "xdp")
        return True

    def doctor(self):
        return json.loads(self.box.weir("-j", "doctor", may_fail=True))

    def worker_crashes(self):
        return any([job.crash() for job in self.jobs])

    def timeout_changes(self):
        for job in self.jobs:
            if job.policy != "wait":
                self.box.weir("job", "set", "id", job.id,
                              "timeout", "%dms" % self.rng.choice((20, 100, 500)))
                return True
        return False

    def processor_goes(self):
        if not os.access(CPU, os.W_OK):
            return False
        for online in "0", "1":
            with open(CPU, "w", encoding="ascii") as file:
                file.write(online)
        return True

    def bystander(self):
        """Another administrator's job comes, is watched, and goes."""
        monitor = subprocess.Popen(self.box.inside("router", "weir", "monitor"),
                                   stdout=subprocess.DEVNULL)
        with self.box.lock:
            self.box.weir("job", "add", "id", 250, "sources", 200, "blocks", 512, "grads", 1024,
                          "address", "10.77.2.254", "port", 13000)
            self.box.weir("source", "add", "job", 250, "id", 0, "address", "10.77.3.1")
            self.box.weir("job", "del", "id", 250)
        monitor.kill()
        monitor.wait()

    def policy_changes(self):
        self.box.weir("trim", "set", "dev", TRIMMED, *self.incast.policy())

    def policy_goes(self):
        self.accountable = False
        with self.box.lock:
            self.box.weir("trim", "del", "dev", TRIMMED)
            self.incast.set()

    def queue_goes(self):
        """With all that waits in it."""
        self.accountable = False
        with self.box.lock:
            self.box.tc("router", "qdisc", "del", "dev", TRIMMED, "root")
            self.incast.queue()
            self.box.weir("trim", "set", "dev", TRIMMED)

    def module_is_reloaded(self):
        """Everything of the box goes, and comes back knowing nothing."""
        self.accountable = False
        with self.box.lock:
            self.box.closed += 1
            for job in self.jobs:
                job.reloads += 1
            self.box.weir("port", "flush")
            self.box.weir("trim", "flush")
            self.box.tc("router", "qdisc", "del", "dev", TRIMMED, "root")
            for name in ("weir", "sch_weir"):
                poll(60, lambda name=name: not subprocess.run(["rmmod", name], stderr=subprocess.DEVNULL,
                                                              check=False).returncode, f"{name} goes")
                subprocess.run(["insmod", module_path(name)], check=True)
            self.incast.queue()
            self.incast.set()
            for job in self.jobs:
                job.add()
            for dev, mode in self.modes.items():
                self.box.attach(dev, mode)

    # Those that lose packets beside the box first.
    ROUGH = (link_flaps, mtu_changes, neighbours_go)
    MILD = (port_moves, program_is_taken, worker_crashes, timeout_changes, processor_goes,
            bystander, policy_changes, policy_goes, queue_goes, module_is_reloaded)
