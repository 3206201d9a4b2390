# SPDX-License-Identifier: GPL-2.0
"""A placed program: what each host's end is told, and each box."""
import collections

import shell
from split import ranges
from wrong import Wrong

SOURCES_MAX = 256


class Job:
    """Streams from the hosts that have mappers, a source each, to the reducers, a job each."""

    def __init__(self, program, placement):
        self.program, self.reducers, self.network = program, placement.reducers, program.network
        self.splits = self.by_host(placement.mappers)
        self.sources = list(self.splits)
        if len(self.sources) > SOURCES_MAX:
            raise Wrong(f"{len(self.sources)} hosts have mappers, and a job has {SOURCES_MAX} sources: "
                        "give hosts more `slots`, or datasets fewer mappers")
        self.ports = self.ports_of_reducers()

    def by_host(self, mappers):
        splits, number = collections.defaultdict(list), 0
        for dataset, hosts in zip(self.program.datasets, mappers):
            for index, host in enumerate(hosts):
                splits[host].append({"number": number, "dataset": dataset.name, "path": dataset.path,
                                     "index": index, "count": dataset.mappers})
                number += 1
        return dict(splits)

    def ports_of_reducers(self):
        """Those of one host have ports one behind the other."""
        seen, ports = collections.Counter(), []
        for host, _ in self.reducers:
            ports.append(self.program.port + seen[host])
            seen[host] += 1
        if max(ports) > 65535:
            raise Wrong(f"reducers of one host have port {self.program.port} and those behind it: "
                        "there are none behind 65535")
        return ports

    def id(self, reducer):
        return self.program.job + reducer

    def address(self, name):
        return self.network.address(name)

    def numbers(self):
        """Return what mappers, boxes and reducers have to agree on."""
        return {"operation": self.program.operation, "type": self.program.type}

    def streams(self):
        return [{"job": self.id(reducer), "to": self.address(box or host), "port": self.ports[reducer]}
                for reducer, (host, box) in enumerate(self.reducers)]

    def mapper(self, host):
        return {"host": host, "source": self.sources.index(host), "map": self.program.map,
                "local_keys": self.program.local_keys, **self.numbers(),
                "ranges": list(ranges(self.splits[host])), "streams": self.streams()}

    def output(self, reducer):
        name = self.program.output
        return f"{name}.{reducer}" if name and len(self.reducers) > 1 else name

    def reducer(self, number):
        host, box = self.reducers[number]
        return {"host": host, "reducer": number, "map": self.program.map[0], "job": self.id(number),
                "sources": 1 if box else len(self.sources), "address": self.address(host),
                "port": self.ports[number], "from": self.address(box or self.sources[0]), **self.numbers(),
                "output": self.output(number)}

    def ends(self):
        """Pairs of a host and what its end is told; those of a host come together."""
        ends = [(host, self.mapper(host)) for host in self.sources]
        ends += [(host, self.reducer(number)) for number, (host, _) in enumerate(self.reducers)]
        order = list(dict.fromkeys(host for host, _ in ends))
        return sorted(ends, key=lambda end: order.index(end[0]))


def weir(request, **values):
    """A command of weir's for a shell."""
    return shell.line(["weir", *request.split(), *(str(word) for pair in values.items() for word in pair)])


def box_commands(job):
    """By box, the commands that its administrator gives."""
    commands = collections.defaultdict(list)
    program = job.program
    for number, (host, box) in enumerate(job.reducers):
        if not box:
            continue
        commands[box].append(weir("job add", id=job.id(number), format="kv", sources=len(job.sources),
                                  keys=program.keys, op=program.operation, dtype=program.type,
                                  port=job.ports[number], address=job.address(box), parent=job.address(host),
                                  source=0))
        commands[box] += [weir("source add", job=job.id(number), id=source, address=job.address(mapper))
                          for source, mapper in enumerate(job.sources)]
    return dict(commands)
