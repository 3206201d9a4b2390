# SPDX-License-Identifier: GPL-2.0
"""The program file: a line a thing, words between blanks, as in the file of `weir plan`."""
import dataclasses
import ipaddress
import os
import re
import shlex

import maps
from network import Network
from wrong import Wrong, meant

PORT = 12064
JOBS = 256
OPERATIONS = ("sum", "min", "max")
TYPES = ("int32", "int64", "float32")
LEAST_AND_MOST = {"slots": (1, 4096), "mappers": (1, 4096), "keys": (1, 1 << 20), "port": (1, 65535),
                  "local-keys": (0, 1 << 20), "reducers": (1, JOBS), "job": (0, JOBS - 1)}


@dataclasses.dataclass
class Dataset:
    """A file, in whole on each of some hosts, and how many mappers share it."""
    name: str
    path: str
    mappers: int
    shared: bool
    hosts: list


@dataclasses.dataclass
class Program:
    """Contents of the file. Addresses go by names of hosts and boxes, and slots by those of hosts."""
    network: Network = dataclasses.field(default_factory=Network)
    topology: str = None
    slots: dict = dataclasses.field(default_factory=dict)
    boxes: list = dataclasses.field(default_factory=list)
    datasets: list = dataclasses.field(default_factory=list)
    map: list = None
    operation: str = None
    type: str = "int32"
    local_keys: int = 0
    reducers: int = None
    reducer_hosts: list = None
    output: str = None
    job: int = 1
    keys: int = 100000
    port: int = PORT

    @property
    def step(self):
        return maps.STEPS[self.map[0]]


class Reader:
    """Reads one file into a program."""

    def __init__(self, name, weir):
        self.name, self.weir, self.line = name, weir, 0
        self.program, self.seen, self.slots = Program(), {}, 1
        self.lines = {"topology": self.topology, "slots": self.default_slots, "host": self.host, "box": self.box,
                      "dataset": self.dataset, "map": self.map, "reduce": self.reduce,
                      "reducers": self.reducers, "job": self.job}

    def wrong(self, sentence):
        return Wrong(f"{self.name}, line {self.line}: {sentence}")

    # Words of a line.

    def number(self, key, word):
        least, most = LEAST_AND_MOST[key]
        if not (re.fullmatch("[0-9]{1,9}", word) and least <= int(word) <= most):
            raise self.wrong(f"{key} is {least} to {most}, not '{word}'")
        return int(word)

    def choice(self, key, word, known):
        if word not in known:
            raise self.wrong(f"{key} does not know '{word}'{meant(word, known)}")
        return word

    def address(self, word):
        try:
            address = ipaddress.ip_address(word)
        except ValueError:
            raise self.wrong(f"'{word}' is no address: none of IPv4 or IPv6") from None
        if getattr(address, "scope_id", None):
            raise self.wrong(f"{word} has a scope, which is known on one host alone: give an address that "
                             "all reach")
        return str(address)

    def first(self, words, what):
        if len(words) < 2:
            raise self.wrong(f"{words[0]} lacks its {what}")
        return words[1]

    def values(self, head, words, known, last=None):
        """Keys with their values, and behind @last all that is left, as a list."""
        found = {}
        while words:
            key = words.pop(0)
            if key not in known and key != last:
                takes = [*known, last] if last else list(known)
                raise self.wrong(f"{head} does not know the word '{key}'{meant(key, takes)}")
            if key in found:
                raise self.wrong(f"{head} has {key} twice")
            if not words:
                raise self.wrong(f"{head}: {key} lacks its value")
            if key == last:
                found[key], words = words, []
            else:
                found[key] = words.pop(0)
        return found

    def named(self, kind, name, known):
        if name not in known:
            raise self.wrong(f"there is no {kind} '{name}' above{meant(name, list(known))}")
        return name

    def name_for_mpirun(self, name):
        """It would read other characters as words of its own."""
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", name):
            raise self.wrong(f"'{name}' is no name of a host: those have letters, digits, dots and hyphens")
        return name

    def hosts(self, names):
        for i, name in enumerate(names):
            self.named("host", name, self.program.slots)
            if name in names[:i]:
                raise self.wrong(f"{name} is there twice")
        return names

    def once(self, word):
        if word in self.seen:
            raise self.wrong(f"there is a line of {word} already, line {self.seen[word]}")
        self.seen[word] = self.line

    # Lines.

    def topology(self, words):
        self.once("topology")
        if self.program.slots or self.program.boxes:
            raise self.wrong("topology goes above the lines of host and box")
        path = os.path.join(os.path.dirname(self.name), self.first(words, "file"))
        self.values("topology", words[2:], [])
        self.program.topology = path
        self.program.network = Network.read(path, self.weir)
        self.program.slots = {self.name_for_mpirun(name): self.slots
                              for name in self.program.network.of_kind("worker")}

    def default_slots(self, words):
        self.slots = self.number("slots", self.first(words, "number"))
        self.values("slots", words[2:], [])
        if self.program.topology:
            self.program.slots = dict.fromkeys(self.program.slots, self.slots)

    def add(self, kind, name, values):
        """A host or a box, which the topology has, or this line."""
        network = self.program.network
        if self.program.topology:
            if "address" in values:
                raise self.wrong(f"{name} has the address that the topology says: leave it out")
            return self.named(kind, name, network.of_kind("worker" if kind == "host" else "box"))
        if name in network.nodes:
            raise self.wrong(f"{name} is there already")
        if "address" not in values:
            raise self.wrong(f"{name} lacks its address: add `address ADDRESS`")
        address = self.address(values["address"])
        other = network.with_address(address)
        if other:
            raise self.wrong(f"{name} has the address of {other}, {address}")
        network.add_to_star(name, kind, address)
        return name

    def host(self, words):
        name = self.name_for_mpirun(self.first(words, "name"))
        values = self.values(f"host {name}", words[2:], ("address", "slots"))
        self.add("host", name, values)
        self.program.slots[name] = self.number("slots", values["slots"]) if "slots" in values else self.slots

    def box(self, words):
        name = self.first(words, "name")
        if name in self.program.boxes:
            raise self.wrong(f"{name} is there already")
        self.program.boxes.append(self.add("box", name, self.values(f"box {name}", words[2:], ("address",))))

    def dataset(self, words):
        name = self.first(words, "name")
        if any(name == other.name for other in self.program.datasets):
            raise self.wrong(f"dataset {name} is there already")
        values = self.values(f"dataset {name}", words[2:], ("path", "mappers", "shared"), "hosts")
        for key in "path", "hosts":
            if key not in values:
                raise self.wrong(f"dataset {name} lacks `{key} {'PATH' if key == 'path' else 'NAME ...'}`")
        self.program.datasets.append(Dataset(
            name, os.path.abspath(values["path"]), self.number("mappers", values.get("mappers", "1")),
            self.choice("shared", values.get("shared", "no"), ("yes", "no")) == "yes",
            self.hosts(values["hosts"])))

    def map(self, words):
        self.once("map")
        step = self.choice("map", self.first(words, "step"), list(maps.STEPS))
        if step == "run" and len(words) < 3:
            raise self.wrong("map run lacks its command")
        if step != "run":
            self.values(f"map {step}", words[2:], [])
        # Hosts may have other working directories than this one's.
        self.program.map = [step, *(os.path.abspath(word) if not i and "/" in word else word
                                    for i, word in enumerate(words[2:]))]

    def reduce(self, words):
        self.once("reduce")
        self.program.operation = self.choice("reduce", self.first(words, "operation"), OPERATIONS)
        values = self.values("reduce", words[2:], ("type", "local-keys"))
        self.program.type = self.choice("type", values.get("type", "int32"), TYPES)
        self.program.local_keys = self.number("local-keys", values.get("local-keys", "0"))

    def reducers(self, words):
        self.once("reducers")
        self.program.reducers = self.number("reducers", self.first(words, "number"))
        values = self.values("reducers", words[2:], ("output",), "hosts")
        self.program.output = os.path.abspath(values["output"]) if "output" in values else None
        self.program.reducer_hosts = self.hosts(values.get("hosts", []))
        if self.program.reducers > 1 and not self.program.output:
            raise self.wrong(f"{self.program.reducers} reducers need a file each: add `output FILE`, "
                             "and they write FILE.0 and so on")

    def job(self, words):
        self.once("job")
        self.program.job = self.number("job", self.first(words, "number"))
        values = self.values("job", words[2:], ("keys", "port"))
        for key in values:
            setattr(self.program, key, self.number(key, values[key]))

    # The whole.

    def check(self):
        program = self.program
        for key, example in (("dataset", "dataset NAME path PATH hosts NAME"), ("map", "map wordcount")):
            if not (program.datasets if key == "dataset" else program.map):
                raise Wrong(f"{self.name} has no {key}: add a line such as `{example}`")
        if not program.operation:
            program.operation = program.step.operation
        if not program.operation:
            raise Wrong(f"{self.name} has no reduction: add a line such as `reduce sum`")
        program.reducers = program.reducers or 1
        program.reducer_hosts = program.reducer_hosts or list(program.slots)
        if program.topology and not program.boxes:
            program.boxes = program.network.of_kind("box")
        if program.job + program.reducers > JOBS:
            raise Wrong(f"{self.name}: reducers have the job's number and those behind it: {program.job} and "
                        f"{program.reducers} reducers are more than {JOBS - 1}")

    def read(self, text):
        going_on, began = "", 0
        for number, line in enumerate(text.split("\n"), 1):
            self.line, began = began or number, began or number
            if line.endswith("\\"):
                going_on += line[:-1] + " "
                continue
            self.read_line(going_on + line)
            going_on, began = "", 0
        self.read_line(going_on)
        self.check()
        return self.program

    def read_line(self, line):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            raise self.wrong("a quotation is not closed") from None
        if words and words[0] not in self.lines:
            raise self.wrong(f"a line does not begin with '{words[0]}'{meant(words[0], list(self.lines))}")
        if words:
            self.lines[words[0]](words)


def read(name, weir):
    """The program of a file; Wrong where it makes no sense."""
    try:
        with open(name, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as error:
        raise Wrong(f"{name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Wrong(f"{name} cannot be read: it is no text of UTF-8") from None
    return Reader(name, weir).read(text)
