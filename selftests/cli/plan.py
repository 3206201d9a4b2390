#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The trees that `weir plan` makes: checked against all that there are, on small networks.

    plan.py WEIR

Prints what is wrong, and exits with 1 then.
"""
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile

weir = sys.argv[1]
MEMORY = 1 << 30


class Net:
    """Nodes and links, as a file of `weir plan` and for the search."""

    def __init__(self, trees):
        self.trees, self.boxes, self.workers, self.links = trees, [], [], []

    def box(self, name, memory=MEMORY):
        self.boxes.append((name, memory))

    def worker(self, name, *to, rate=10):
        self.workers.append(name)
        for far in to:
            self.link(name, far, rate)

    def link(self, a, b, rate=10):
        self.links.append((a, b, rate))

    def text(self):
        lines = [f"box {name} address 10.1.0.{i + 1} memory {memory}b"
                 for i, (name, memory) in enumerate(self.boxes)]
        lines += [f"worker {name} address 10.2.0.{i + 1}" for i, name in enumerate(self.workers)]
        lines += [f"link {a} {b} rate {rate}gbit" for a, b, rate in self.links]
        lines.append(f"job id 16 trees {self.trees} blocks 64 grads 1024")
        return "\n".join(lines) + "\n"


def ask(net, *words, ok=True):
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as file:
        file.write(net if isinstance(net, str) else net.text())
        file.flush()
        run = subprocess.run([weir, "-j", "plan", file.name, *words], capture_output=True, text=True,
                             check=False)
    assert (run.returncode == 0) == ok, (run.returncode, run.stderr)
    return run.stdout if ok else json.loads(run.stderr.splitlines()[0])["error"]


def uses_of(net, root, up):
    """Return how often each link is used if each node goes up by its link; None if that is no tree."""
    boxes, below, uses, order = dict(net.boxes), {}, {}, []
    for worker in net.workers:
        node, seen = worker, set()
        while node != root:
            if node in seen or node not in up:
                return None
            seen.add(node)
            a, b, _ = net.links[up[node]]
            node = a if node == b else b
            if node in net.workers:
                return None
    # From the leaves up: a node whose children are all done.
    path = {}
    for worker in net.workers:
        node, hops = worker, []
        while node != root:
            hops.append(node)
            a, b, _ = net.links[up[node]]
            node = a if node == b else b
        for i, n in enumerate(reversed(hops)):
            path[n] = i + 1
    for node in sorted(path, key=path.get, reverse=True):
        count = below.get(node, 1 if node in net.workers else 0)
        sends = 1 if node in boxes and count > 1 else count
        a, b, _ = net.links[up[node]]
        uses[up[node]] = sends
        parent = a if node == b else b
        below[parent] = below.get(parent, 0) + sends
        order.append(node)
    return uses


def all_trees(net):
    """The uses of links of every tree, each once."""
    names = [name for name, _ in net.boxes]
    at = {name: [i for i, (a, b, _) in enumerate(net.links) if name in (a, b)]
          for name in names + net.workers}
    found = set()
    for root in names:
        others = [name for name in names if name != root] + net.workers
        for choice in itertools.product(*(at[name] for name in others)):
            uses = uses_of(net, root, dict(zip(others, choice)))
            if uses is not None:
                found.add(tuple(sorted(uses.items())))
    return [dict(uses) for uses in found]


def slowest(net, trees):
    total = {}
    for uses in trees:
        for link, count in uses.items():
            total[link] = total.get(link, 0) + count
    return max(count / net.links[link][2] for link, count in total.items())


def best(net):
    """The least use of the slowest link of any choice of trees."""
    trees = all_trees(net)
    return min(slowest(net, choice)
               for choice in itertools.combinations_with_replacement(trees, net.trees))


def check(net, what):
    plan = json.loads(ask(net))
    rate = plan["rate"] * 8 / 1e9
    want = net.trees / best(net)
    assert len(plan["trees"]) == net.trees, what
    assert abs(rate - want) < 1e-6 * want, f"{what}: {rate} Gbit/s, and {want} are to be had\n{net.text()}"
    return plan


def clos(leaves, spines, per_rack, trees, rate=10):
    net = Net(trees)
    for leaf in range(leaves):
        net.box(f"leaf{leaf}")
    for spine in range(spines):
        net.box(f"spine{spine}")
    for leaf in range(leaves):
        for worker in range(per_rack):
            net.worker(f"w{leaf}-{worker}", f"leaf{leaf}", rate=100)
        for spine in range(spines):
            net.link(f"leaf{leaf}", f"spine{spine}", rate)
    return net


def known():
    """Networks whose answer is known."""
    for spines in (1, 2, 3):
        for trees in (1, 2, 3):
            if spines * trees <= 6:
                check(clos(2, spines, 1, trees), f"{spines} spines, {trees} trees")
    # As many trees as spines have no link between boxes in common.
    plan = json.loads(ask(clos(4, 4, 3, 4)))
    assert plan["rate"] * 8 == 40e9, plan["rate"]
    used = [tuple(sorted(box["box"] for box in tree["boxes"] if box["box"].startswith("spine")))
            for tree in plan["trees"]]
    # A root may be a leaf: then the spine above it only passes on, or sums those of others.
    dot = ask(clos(4, 4, 3, 4), "dot")
    links = [line.split(" [")[0] for line in dot.splitlines()
             if "->" in line and "spine" in line and "dir=back" in line]
    pairs = [frozenset(link.replace('"', "").split()) for link in links]
    assert len(pairs) == len(set(pairs)) == 16, (used, pairs)
    # The slower of two ways is left out.
    net = clos(2, 2, 2, 1)
    net.links = [(a, b, 1 if "spine0" in (a, b) else rate) for a, b, rate in net.links]
    assert "spine0" not in json.dumps(ask(net, "for", "leaf0"))
    assert check(net, "a slow spine")["rate"] * 8 == 10e9


def random_nets():
    rng = random.Random(18)
    done = 0
    while done < 60:
        net = Net(rng.choice((1, 1, 2)))
        names = [f"b{i}" for i in range(rng.randint(1, 4))]
        for name in names:
            net.box(name)
        for a, b in itertools.combinations(names, 2):
            if rng.random() < 0.7:
                net.link(a, b, rng.choice((5, 10, 40)))
        for i in range(rng.randint(1, 4)):
            net.worker(f"w{i}", *rng.sample(names, min(len(names), rng.choice((1, 1, 2)))),
                       rate=rng.choice((10, 20)))
        trees = all_trees(net)
        if not trees or len(trees) ** net.trees > 200000:
            continue
        check(net, f"random network {done}")
        done += 1


def memory():
    """A box that has none left passes packets on; one that is short takes fewer trees."""
    one = 64 * (4096 + 256) + 64 * 4096
    net = clos(2, 1, 2, 1)
    net.boxes = [(name, 4096 if name == "leaf0" else MEMORY) for name, _ in net.boxes]
    plan = json.loads(ask(net))
    assert "leaf0" not in [box["box"] for box in plan["trees"][0]["boxes"]]
    assert plan["rate"] * 8 == 5e9
    net = Net(2)
    net.box("only", one)
    net.worker("a", "only")
    net.worker("b", "only")
    assert len(json.loads(ask(net))["trees"]) == 1


def levels():
    """The commands for boxes and workers fit together, over three levels."""
    net = Net(1)
    for name in ("top", "left", "right", "a", "b", "c", "d"):
        net.box(name)
    for upper, lower in (("top", "left"), ("top", "right"), ("left", "a"), ("left", "b"),
                         ("right", "c"), ("right", "d")):
        net.link(upper, lower)
    for leaf in "abcd":
        net.worker(f"{leaf}0", leaf)
        net.worker(f"{leaf}1", leaf)
    text = net.text().replace("grads 1024", "grads 1024 timeout 12ms policy partial")
    plan = json.loads(ask(text))
    tree = plan["trees"][0]
    boxes = {box["box"]: box for box in tree["boxes"]}
    for name, box in boxes.items():
        assert ("parent" in box) == (name != tree["root"])
        if "parent" in box:
            assert boxes[box["parent"]]["sources"][box["source"]] == name
    timeouts = {}
    for name, box in boxes.items():
        told = ask(text, "for", name).splitlines()
        words = told[0].split()
        assert words[:5] == ["weir", "job", "add", "id", "16"]
        pairs = dict(zip(words[3::2], words[4::2]))
        assert int(pairs["sources"]) == len(box["sources"]) == len(told) - 1
        assert pairs["ranks"] == "8"
        timeouts[name] = int(pairs["timeout"].removesuffix("ms"))
        if "parent" in box:
            assert pairs["parent"] == boxes[box["parent"]]["address"]
            assert pairs["source"] == str(box["source"])
    for name, box in boxes.items():
        if "parent" in box:
            assert timeouts[name] < timeouts[box["parent"]]
    for rank, worker in enumerate(net.workers):
        words = ask(text, "for", worker).replace(",", "").split()
        address, source = words[5], int(words[-1])
        assert words[words.index("rank") + 1] == str(rank)
        parent = [box for box in boxes.values() if box["address"] == address]
        assert parent[0]["sources"][source] == worker


def told_workers(text, net):
    """By worker: its line for each tree, as numbers and an address, and that for libweir."""
    told = {}
    for worker in net.workers:
        *lines, last = ask(text, "for", worker).splitlines()
        trees = [re.fullmatch(r"tree (\d+): job (\d+) at (\S+), rank (\d+) of (\d+), source (\d+), port (\d+)",
                              line).groups() for line in lines]
        told[worker] = (trees, last)
    return told


def sources_of(text, net):
    """Return the sources in all boxes' commands: (box's address, job, id, address), and the port or None."""
    found = {}
    for i, (name, _) in enumerate(net.boxes):
        for line in ask(text, "for", name).splitlines():
            match = re.fullmatch(r"weir source add job (\d+) id (\d+) address (\S+)(?: port (\d+))?", line)
            if match:
                found[(f"10.1.0.{i + 1}", *match.groups()[:3])] = match[4]
    return found


def options(line):
    """Those of libweir, by name."""
    assert line.startswith("libweir: "), line
    return dict(part.split(" ", 1) for part in line.removeprefix("libweir: ").split(", "))


def check_one(text, net):
    """A worker with all trees in one communicator finds, by going round its list, each tree's box."""
    found = sources_of(text, net)
    for rank, (worker, (trees, last)) in enumerate(told_workers(text, net).items()):
        told = options(last)
        boxes = told["address"].split(",")
        assert len(set(boxes)) == len(boxes)
        assert told["trees"] == str(len(trees)) and told["rank"] == str(rank)
        for t, (tree, job, address, own, ranks, source, port) in enumerate(trees):
            assert (int(tree), int(job), int(port)) == (t, int(told["job"]) + t, 12000 + t)
            assert address == boxes[t % len(boxes)]
            assert (own, ranks, source) == (told["rank"], told["ranks"], told["source"])
            # The box has this worker's socket of this tree.
            said = found[(address, job, source, f"10.2.0.{rank + 1}")]
            assert said == (port if t else None), (worker, said, port)


def is_one(trees):
    """Return whether the worker is the same source everywhere, and its boxes come round."""
    boxes = [tree[2] for tree in trees]
    rounds = [count for count in range(1, len(boxes) + 1)
              if all(box == boxes[i % count] for i, box in enumerate(boxes))]
    return len(set(boxes[:rounds[0]])) == rounds[0] and len({tree[5] for tree in trees}) == 1


def check_random():
    """Some workers need a communicator a tree, and are told so."""
    seen, rng = set(), random.Random(18)
    for _ in range(20):
        net = Net(3)
        for i in range(4):
            net.box(f"b{i}")
        for i, j in itertools.combinations(range(4), 2):
            net.link(f"b{i}", f"b{j}", rng.choice((1, 10)))
        for i in range(4):
            net.worker(f"w{i}", *rng.sample([f"b{j}" for j in range(4)], 2))
        for trees, last in told_workers(net.text(), net).values():
            seen.add(is_one(trees))
            assert last.startswith("libweir: trees ") == is_one(trees), (trees, last)
            assert (last == "libweir: a communicator a tree") != is_one(trees)
    assert seen == {True, False}


def several():
    """All trees of a worker are one communicator's, where they can be."""
    check_random()
    racks = clos(2, 4, 2, 4)
    check_one(racks, racks)
    # Racks that only pass packets on: a worker is at four boxes.
    spines = clos(2, 4, 2, 4)
    text = re.sub(r"box (leaf\d) .*", r"switch \1", spines.text())
    for trees, last in told_workers(text, spines).values():
        assert len({tree[2] for tree in trees}) == 4
        assert options(last)["address"].split(",") == [tree[2] for tree in trees]
    play = ask(text, "ansible")
    assert play.count("weir_trees: { trees: 4, job: 16, address: ") == len(spines.workers)
    # The job's own port is the first tree's.
    moved = ask(text.replace("grads 1024", "grads 1024 port 13000"), "for", "w0-0")
    assert "port 13003" in moved and "port 12" not in moved
    # With one tree there is nothing to choose.
    assert "libweir" not in ask(clos(2, 1, 1, 1), "for", "w0-0")


def mistakes():
    """Each is a sentence that names the thing."""
    good = clos(2, 1, 1, 1).text()
    for old, new, words in (
            ("link leaf0 spine0", "link leef0 spine0", ["line 7", "leef0", "is leaf0 meant"]),
            ("worker w1-0", "wroker w1-0", ["line 5", "wroker"]),
            ("link w1-0 leaf1 rate 100gbit\n", "", ["w1-0", "no links"]),
            ("address 10.2.0.1", "adress 10.2.0.1", ["line 4", "w0-0", "adress"]),
            ("10.2.0.2", "10.2.0.1", ["w1-0", "address of w0-0"]),
            ("10.2.0.2", "10.2.0", ["w1-0", "10.2.0"]),
            ("100gbit", "100gbits", ["rate", "100gbits"]),
            ("trees 1", "trees 17", ["trees", "17"]),
            ("id 16", "id 256", ["id", "256"]),
            ("id 16 trees 1", "id 250 trees 16", ["250", "16"]),
            ("blocks 64", "blokcs 64", ["blokcs"]),
            ("grads 1024", "grads 1024 parent 10.0.0.1", ["parent"]),
            ("grads 1024", "grads 1024 workers w0-0 w9-0", ["w9-0"]),
            ("grads 1024", "grads 1024 workers w0-0 leaf0", ["leaf0", "no worker"]),
            ("grads 1024", "grads 1024 workers w0-0 w0-0", ["w0-0", "twice"]),
            ("job id 16", "#", ["no job"]),
            ("worker w1-0 ", "worker w0-0 ", ["w0-0", "line 4"])):
        assert old in good, old
        said = ask(good.replace(old, new, 1), ok=False)
        for word in words:
            assert word in said, f"'{word}' is not in: {said}"
    assert "leef0" in ask(good.replace("link leaf0", "link leef0"), "network", ok=False)
    assert "nobody" in ask(good, "for", "nobody", ok=False)
    assert "dott" in ask(good, "dott", ok=False)


def hosts():
    """In a playbook a name is that of one host: no pattern, no text that Ansible expands."""
    good = clos(2, 1, 1, 1).text()
    assert 'hosts: "w0-0"' in ask(good, "ansible")
    for name in ("*", "all", "ungrouped", "!w", "~w.*", "a:b", "a,b", "w[0:9]", "{{7*7}}", "{%raw%}", "&a", "-v", "7", "x\xff"):
        said = ask(good.replace("w0-0", name), "ansible", ok=False)
        assert "not the name of one host" in said, (name, said)


def network():
    """The tool prints the network in a file, with a job or without."""
    text = "box b address 10.1.0.1\nswitch s\nworker w address 10.2.0.1\nrate 10gbit\nlink w s\nlink s b\n"
    told = json.loads(ask(text, "network"))
    assert told == {"nodes": [
        {"kind": "box", "name": "b", "address": "10.1.0.1", "links": ["s"]},
        {"kind": "switch", "name": "s", "links": ["w", "b"]},
        {"kind": "worker", "name": "w", "address": "10.2.0.1", "links": ["s"]}]}, told
    assert json.loads(ask(text + "job id 1\n", "network")) == told
    assert "no job" in ask(text, ok=False)


def large():
    """Sixteen trees for a thousand workers."""
    net = Net(16)
    for i in range(16):
        net.box(f"spine{i}")
    for i in range(32):
        net.box(f"leaf{i}")
        for j in range(16):
            net.link(f"leaf{i}", f"spine{j}", 10)
    lines = [f"box {name} address 10.1.0.{i + 1}" for i, (name, _) in enumerate(net.boxes)]
    lines += [f"worker w{i} address 10.2.{i // 250}.{i % 250 + 1}" for i in range(1024)]
    lines += [f"link {a} {b} rate 10gbit" for a, b, _ in net.links]
    lines += [f"link w{i} leaf{i // 32} rate 10gbit" for i in range(1024)]
    lines.append("job id 0 trees 16 blocks 64")
    plan = json.loads(ask("\n".join(lines) + "\n"))
    assert len(plan["trees"]) == 16 and plan["rate"] * 8 == 10e9, plan["rate"]


TWO_LEVELS = """rate 10gbit
box spine address 10.0.9.1 memory 0b
box leaf1 address 10.0.9.2
box leaf2 address 10.0.9.3
worker a address 10.0.1.1
worker b address 10.0.1.2
worker c address 10.0.2.1
worker d address 10.0.2.2
link a leaf1
link b leaf1
link c leaf2
link d leaf2
link leaf1 spine
link leaf2 spine
"""


def told(job, name):
    return ask(TWO_LEVELS + job + "\n", "for", name)


def refuses(job, sentence):
    said = ask(TWO_LEVELS + job + "\n", ok=False)
    assert sentence in said, said


def formats():
    """Each format's keys, ids and port, and nothing that its boxes refuse."""
    panama = "job id 48 trees 2 format panama grads 360 blocks 256"
    boxes = told(panama, "leaf1") + told(panama, "leaf2")
    assert "ranks" not in boxes and boxes.count(" parent ") == 2, boxes
    assert told(panama, "a").count(", port 12056\n") == 2 and "libweir" not in told(panama, "a")
    assert " port " not in boxes, boxes
    refuses("job id 50 trees 15 format panama", "from 50 on there are 14, not 15")
    kv = "job id 9 format kv keys 1000 parent 10.0.5.5"
    boxes = told(kv, "leaf1") + told(kv, "leaf2")
    assert "blocks" not in boxes and "grads" not in boxes and "ranks" not in boxes, boxes
    assert boxes.count(" parent ") == 2 and boxes.count(" parent 10.0.5.5 source 0\n") == 1, boxes
    assert ", port 12064\n" in told(kv, "d")
    assert ", port 13000\n" in told(kv + " port 13000", "d")
    refuses("job id 9 format kv keys 1000", "needs its reducer")
    refuses("job id 9 format kv parent 10.0.5.5", "needs the number of its keys")
    refuses("job id 9 format kv keys 9 blocks 5 parent 10.0.5.5", "omit blocks")
    refuses("job id 9 format kv keys 9 parent 10.0.5.5 trees 2", "has one tree")
    refuses("job id 7 parent 10.0.5.5", "the job's parent follows from the plan")
    refuses("job id 7 format switchml grads 256 blocks 128", "has one box")
    refuses("job id 7 format nonsense", "there is no format 'nonsense'")
    assert "ranks 4" in told("job id 7", "leaf1")


for test in (known, random_nets, memory, levels, several, mistakes, hosts, network, formats, large):
    test()
