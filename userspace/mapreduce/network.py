# SPDX-License-Identifier: GPL-2.0
"""Hosts, boxes, switches and links, and how many links are between two of them."""
import collections
import json
import math
import subprocess

from wrong import Wrong

# In the middle of hosts and boxes of which no topology is known.
MIDDLE = ""


class Network:
    """Nodes by name: kind, address and neighbours."""

    def __init__(self):
        self.nodes, self.known = {}, {}

    @classmethod
    def read(cls, path, weir):
        """A file of `weir plan`, as that tool reads it."""
        try:
            run = subprocess.run([weir, "-j", "plan", path, "network"], stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, check=False)
        except OSError as error:
            raise Wrong(f"cannot run {weir}: {error.strerror}") from None
        if run.returncode:
            raise Wrong(json.loads(run.stderr.splitlines()[0])["error"])
        network = cls()
        for node in json.loads(run.stdout)["nodes"]:
            network.nodes[node["name"]] = node
        return network

    def add_to_star(self, name, kind, address):
        middle = self.nodes.setdefault(MIDDLE, {"kind": "switch", "links": []})
        middle["links"].append(name)
        self.nodes[name] = {"kind": kind, "address": address, "links": [MIDDLE]}

    def of_kind(self, kind):
        return [name for name, node in self.nodes.items() if node["kind"] == kind]

    def address(self, name):
        return self.nodes[name]["address"]

    def with_address(self, address):
        return next((name for name, node in self.nodes.items() if node.get("address") == address), None)

    def distance(self, a, b):
        """Links between two nodes. Hosts pass nothing on."""
        if a not in self.known:
            self.known[a] = self.distances(a)
        return self.known[a].get(b, math.inf)

    def distances(self, begin):
        found, queue = {begin: 0}, collections.deque([begin])
        while queue:
            name = queue.popleft()
            if name != begin and self.nodes[name]["kind"] in ("worker", "host"):
                continue
            for far in self.nodes[name]["links"]:
                if far not in found:
                    found[far] = found[name] + 1
                    queue.append(far)
        return found
