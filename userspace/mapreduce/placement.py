# SPDX-License-Identifier: GPL-2.0
"""Placement of mappers and reducers: such that pairs cross few links.

What is to be small is the sum of the distances that pairs go: from each mapper to each reducer, or,
where boxes reduce them, from each mapper to the box and once from there to the reducer.

The greedy way: round a middle, which is a box or a reducer's host, mappers take the nearest slots
that they may have, and then each reducer takes what is nearest to them. All middles are tried. For
one middle the mappers' slots are the best there are: which slots can be taken together is a matroid,
and a slot costs the same whoever has it.

It is at most three times the least. Let the best placement's reducer (or box) that is nearest to its
mappers be the middle: the mappers found round it are, for each of the R reducers, no farther from the
middle than the best ones, so R times their distance is no more than the least, L. Were each reducer
where the best placement has it, its pairs could go by the middle: R times from the mappers to it,
at most L, and on from there to each reducer, which, going by way of the best mappers, is at most L
and L. That takes hosts with one link, as they pass nothing on.
"""
import collections
import dataclasses
import math

from wrong import Wrong


@dataclasses.dataclass
class Placement:
    """@mappers: by dataset, a host a split. @reducers: pairs of a host and its box, or None."""
    mappers: list
    reducers: list
    cost: float


class Slots:
    """Mappers of datasets in slots of hosts, added one by one, others moving where they have to."""

    def __init__(self, datasets, allowed):
        self.left = [dataset.mappers for dataset in datasets]
        self.allowed = allowed
        self.taken = [collections.Counter() for _ in datasets]

    def take(self, host):
        """A slot of the host, for whichever dataset can use it. False where none can."""
        steps, queue = {}, collections.deque()
        for i, hosts in enumerate(self.allowed):
            if host in hosts:
                steps[i] = (None, host)
                queue.append(i)
        while queue:
            i = queue.popleft()
            if self.left[i]:
                self.move(i, steps)
                return True
            # A mapper of this dataset may leave its slot to another one's.
            for other, hosts in enumerate(self.allowed):
                given = other not in steps and next((h for h in self.taken[i] if h in hosts), None)
                if given:
                    steps[other] = (i, given)
                    queue.append(other)
        return False

    def move(self, i, steps):
        self.left[i] -= 1
        while i is not None:
            before, host = steps[i]
            self.taken[i][host] += 1
            if before is not None:
                self.taken[before][host] -= 1
                self.taken[before] += collections.Counter()
            i = before

    def hosts(self):
        return [list(counts.elements()) for counts in self.taken]


class Places:
    """A program, and its hosts and boxes."""

    def __init__(self, program, boxes):
        self.program, self.boxes, self.network = program, boxes, program.network
        self.allowed = [set(program.slots if dataset.shared else dataset.hosts) for dataset in program.datasets]

    def mappers_round(self, middle):
        """By dataset, a host a split; None where there are not slots enough."""
        program = self.program
        slots = Slots(program.datasets, self.allowed)
        for host in sorted(program.slots, key=lambda host: self.network.distance(middle, host)):
            for _ in range(program.slots[host]):
                if not any(slots.left) or not slots.take(host):
                    break
        return None if any(slots.left) else slots.hosts()

    def near_to(self, mappers):
        """Reducers, each with its box, and the sum of distances."""
        program, network = self.program, self.network
        counts = collections.Counter(host for hosts in mappers for host in hosts)

        def total(node):
            return sum(network.distance(node, host) * n for host, n in counts.items())

        totals = {node: total(node) for node in self.boxes or program.reducer_hosts}
        choices = []
        for order, host in enumerate(program.reducer_hosts):
            if self.boxes:
                cost, _, box = min((totals[box] + network.distance(box, host), i, box)
                                   for i, box in enumerate(self.boxes))
            else:
                cost, box = totals[host], None
            each = math.ceil(program.reducers / len(program.reducer_hosts))
            choices += [(cost, order, host, box)] * each
        best = sorted(choices)[:program.reducers]
        return [(host, box) for _, _, host, box in best], sum(choice[0] for choice in best)

    def too_few(self):
        """The sentence about slots."""
        slots = self.program.slots
        for dataset, hosts in zip(self.program.datasets, self.allowed):
            have = sum(slots[host] for host in hosts)
            if have < dataset.mappers:
                return f"dataset {dataset.name} has {dataset.mappers} mappers, and its hosts have {have} slots: " \
                       "give hosts more `slots`, name more hosts, or say `shared yes` if all hosts can read it"
        wanted = sum(dataset.mappers for dataset in self.program.datasets)
        return f"the datasets' {wanted} mappers have no slots together, though each dataset's have some: " \
               "give hosts more `slots`"


def place(program, boxes):
    """The placement of a program's mappers and reducers; @boxes reduce what comes by."""
    places, best = Places(program, boxes), None
    for middle in boxes or program.reducer_hosts:
        mappers = places.mappers_round(middle)
        if not mappers:
            raise Wrong(places.too_few())
        reducers, cost = places.near_to(mappers)
        if not best or cost < best.cost:
            best = Placement(mappers, reducers, cost)
    if best.cost == math.inf:
        raise Wrong("no links lead from all mappers to a reducer" + (" by a box" if boxes else ""))
    return best
