# SPDX-License-Identifier: GPL-2.0
"""The best placements of small programs, found among all there are; and programs at random."""
import collections
import itertools
import math
import random

from network import Network
from program import Dataset, Program


def networks(seed):
    """Hosts with one link each, on switches and boxes that are a tree with some more links."""
    rng = random.Random(seed)
    network, inner = Network(), []
    for i in range(rng.randint(1, 5)):
        kind = rng.choice(("box", "switch"))
        network.nodes[f"n{i}"] = {"kind": kind, "address": f"10.1.0.{i}", "links": []}
        inner.append(f"n{i}")
    for i, name in enumerate(inner[1:], 1):
        link(network, name, rng.choice(inner[:i]))
    for _ in range(rng.randint(0, 2) if len(inner) > 2 else 0):
        link(network, *rng.sample(inner, 2))
    for i in range(rng.randint(2, 5)):
        network.nodes[f"h{i}"] = {"kind": "worker", "address": f"10.2.0.{i}", "links": []}
        link(network, f"h{i}", rng.choice(inner))
    return rng, network


def link(network, a, b):
    network.nodes[a]["links"].append(b)
    network.nodes[b]["links"].append(a)


def program(seed):
    """A program, and its boxes."""
    rng, network = networks(seed)
    hosts = network.of_kind("worker")
    datasets = [Dataset(f"d{i}", "/d", rng.randint(1, 2), rng.random() < 0.2,
                        rng.sample(hosts, rng.randint(1, len(hosts)))) for i in range(rng.randint(1, 3))]
    made = Program(network=network, slots={host: rng.randint(0, 2) for host in hosts}, datasets=datasets,
                   reducers=rng.randint(1, 3), reducer_hosts=rng.sample(hosts, rng.randint(1, len(hosts))))
    return made, network.of_kind("box")


def all_mappers(program):
    """Each way to have the mappers in slots: by dataset, a host a split."""
    hosts = [program.slots if dataset.shared else dataset.hosts for dataset in program.datasets]
    ways = [itertools.combinations_with_replacement(sorted(each), dataset.mappers)
            for each, dataset in zip(hosts, program.datasets)]
    for mappers in itertools.product(*ways):
        counts = collections.Counter(itertools.chain(*mappers))
        if all(counts[host] <= program.slots[host] for host in counts):
            yield mappers


def all_reducers(program, boxes):
    """Each way to have the reducers, which are one kind: no host has more than its share."""
    each = math.ceil(program.reducers / len(program.reducer_hosts))
    places = itertools.product(program.reducer_hosts, boxes or [None])
    for reducers in itertools.combinations_with_replacement(list(places), program.reducers):
        if max(collections.Counter(host for host, _ in reducers).values()) <= each:
            yield reducers


def cost(program, mappers, reducers):
    """Links that pairs cross."""
    distance, hosts, links = program.network.distance, list(itertools.chain(*mappers)), 0
    for host, box in reducers:
        links += sum(distance(mapper, box or host) for mapper in hosts) + (distance(box, host) if box else 0)
    return links


def best(program, boxes):
    """The least cost; None where the mappers have no slots."""
    reducers = list(all_reducers(program, boxes))
    return min((cost(program, mappers, each) for mappers in all_mappers(program) for each in reducers), default=None)
