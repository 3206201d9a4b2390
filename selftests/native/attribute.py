#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Attribute samples of User Mode Linux to functions; called by `profile`.

    perf script -F comm,pid,time,ip,sym | attribute.py [OPTION...] DIR UM-FUNCTIONS

DIR has the files that `run --record` writes: kallsyms, maps and times of the guest, and the output
of the command. UM-FUNCTIONS lists the functions of arch/um, which emulate hardware.

Prints for each name of a measurement a table of parts and functions, and for each of its rounds
"round NAME WORK ms SYSCALLS syscalls", of an iteration.
"""
import argparse
import bisect
import collections
import re
import subprocess
import sys

RATE = 2500  # samples per second, as in `run`
USER = "uml-userspace"  # UML's name for the host processes that run user code

# Functions of arch/um that copy data, which is work on any machine
COPIES = re.compile(r"(copy_chunk_(to|from)_user|clear_chunk|(__)?mem(cpy|move|set)(_orig)?|copy_page|"
                    r"clear_page|csum_partial\w*|skb_copy_\w+|\w*copy_(from|to)_iter\w*)$")
DRIVERS = re.compile(r"(veth|bond|vxlan|bridge|br)_\w+$")
FAULTS = re.compile(r"(handle_mm_fault|__handle_mm_fault|do_(anonymous|wp|user)_\w+|lock_mm_\w+|\w*_fault|"
                    r"vma_alloc_\w+|folio_\w+|\w*_rmap\w*|lru_\w+|mas_\w+|\w*mem_cgroup\w*|__pte_\w+|pte_\w+)$")


class Symbols:
    """Names by address"""

    def __init__(self, pairs):
        pairs = sorted(set(pairs))
        self.addresses = [pair[0] for pair in pairs]
        self.names = [pair[1] for pair in pairs]

    def find(self, address):
        at = bisect.bisect(self.addresses, address) - 1
        return self.names[at] if at >= 0 else None


def read_kallsyms(path):
    """Return symbols whose names are pairs of module and function."""
    pairs = []
    with open(path, errors="replace") as file:
        for line in file:
            fields = line.split()
            if len(fields) >= 3 and fields[1] in "tTwW":
                pairs.append((int(fields[0], 16), (fields[3].strip("[]") if len(fields) > 3 else "", fields[2])))
    return Symbols(pairs)


class Program:
    """The segments and functions of an ELF file that user processes map"""

    def __init__(self, path):
        self.segments, pairs = [], []
        for line in self.output(["readelf", "-lW", path]):
            fields = line.split()
            if fields and fields[0] == "LOAD":
                self.segments.append((int(fields[1], 16), int(fields[2], 16), int(fields[4], 16)))
        for options in (["-D"], []):
            for line in self.output(["nm", "-C", *options, path]):
                match = re.match(r"([0-9a-f]+) [tTwWiuV] (.*)", line)
                if match:
                    pairs.append((int(match[1], 16), match[2]))
        self.symbols = Symbols(pairs)

    @staticmethod
    def output(command):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              errors="replace", check=False).stdout.splitlines()

    def function(self, offset):
        for start, address, size in self.segments:
            if start <= offset < start + size:
                return self.symbols.find(offset - start + address) or "?"
        return "?"


class Maps:
    """The memory maps of user processes, by the host process that runs them"""

    def __init__(self, path):
        self.ranges = collections.defaultdict(dict)
        self.programs, self.found = {}, {}
        host = None
        with open(path, errors="replace") as file:
            for line in file:
                fields = line.split()
                if fields and fields[0] == "process":
                    host = int(fields[1])
                elif len(fields) >= 5:
                    start, end = (int(word, 16) for word in fields[0].split("-"))
                    self.ranges[host][start] = (end, int(fields[2], 16), fields[5] if len(fields) > 5 else "")

    def look_up(self, host, address):
        for start, (end, offset, path) in self.ranges[host].items():
            if start <= address < end:
                if not path.startswith("/"):
                    return path or "[anonymous]", ""
                if path not in self.programs:
                    self.programs[path] = Program(path)
                return path.split("/")[-1], self.programs[path].function(address - start + offset)
        return None

    def find(self, host, address):
        """Return program and function, or None if the address is UML's own code."""
        key = host, address
        if key not in self.found:
            self.found[key] = self.look_up(host, address)
        return self.found[key]


class Run:
    """A measurement: from its first mark to its last, so many iterations"""

    def __init__(self, name, marks, iteration):
        (self.begin, calls, count), (self.end, last_calls, last_count) = marks[0], marks[-1]
        self.name = name
        self.iterations = (last_count - count) / iteration
        self.syscalls = (last_calls - calls) / self.iterations
        self.parts = collections.Counter()

    def work(self):
        """Return milliseconds of work an iteration."""
        return sum(n for part, n in self.parts.items() if is_work(part)) * 1000 / RATE / self.iterations


def read_runs(directory, iterations):
    """Return the measurements that the output of the command marks; else one, of all of it."""
    runs, marks = [], []
    with open(f"{directory}/output", errors="replace") as file:
        for line in file:
            match = re.match(r"profile: mark ([0-9.]+) ([0-9.]+) ([0-9]+)", line)
            if match:
                marks.append((float(match[1]), int(match[3]), float(match[2])))
            match = re.match(r"profile: run (\S+) ([0-9.]+)", line)
            if match:
                if len(marks) < 2:
                    sys.exit(f"attribute.py: {match[1]}: a run was too short to be measured")
                runs.append(Run(match[1], marks, float(match[2])))
                marks = []
    if runs:
        return runs
    with open(f"{directory}/times") as file:
        times = [line.split() for line in file]
    return [Run("command", [(float(time), int(calls), 0 if name == "begin" else iterations)
                            for name, time, calls in times], 1)]


def attribute(comm, host, address, symbol, kallsyms, maps, um_functions):
    """Return the part and the function that a sample belongs to."""
    if address >> 63:
        return "UML: host kernel", f"host kernel, {'user code' if comm == USER else 'kernel'}: {symbol}"
    if comm == USER:
        found = maps.find(host, address)
        if found:
            return f"user: {found[0]}", " ".join(("user", *found))
        if host in maps.ranges and maps.ranges[host]:
            return "UML: stub", "UML stub"
        return "user: unknown, too short-lived", "user ?"
    if address >= 1 << 46:
        return "UML: libc", f"UML libc: {symbol}"
    module, name = kallsyms.find(address) or ("", "?")
    if module == "bpf":
        return "bpf", f"bpf {name}"
    if module:
        return f"module {module}", f"{module} {name}"
    for pattern, part in ((COPIES, "copies"), (DRIVERS, "driver"), (FAULTS, "page faults")):
        if pattern.match(name):
            return f"kernel: {part}", f"kernel {name}"
    if re.sub(r"\.(isra|constprop|part|cold)\b.*", "", name) in um_functions:
        return "UML: kernel side", f"UML {name}"
    return "kernel: stack and rest", f"kernel {name}"


def is_work(part):
    return not part.startswith("UML: ")


def count_samples(lines, runs, kallsyms, maps, um_functions):
    """Count samples by part in each run, and return those of each name by function."""
    functions = collections.defaultdict(collections.Counter)
    begins = [run.begin for run in runs]
    sample = re.compile(r"\s*(.+?)\s+(\d+)\s+([0-9]+\.[0-9]+):\s+([0-9a-f]+)\s*(.*)")
    for match in filter(None, map(sample.match, lines)):
        run = runs[bisect.bisect(begins, float(match[3])) - 1]
        if not run.begin <= float(match[3]) < run.end:
            continue
        part, function = attribute(match[1], int(match[2]), int(match[4], 16), match[5], kallsyms, maps, um_functions)
        run.parts[part] += 1
        functions[run.name][function] += 1
    return functions


def print_table(name, runs, functions, top):
    parts = sum((run.parts for run in runs), collections.Counter())
    samples, work = sum(parts.values()), sum(n for part, n in parts.items() if is_work(part))
    unit = 1000 / RATE / sum(run.iterations for run in runs)
    if not work:
        sys.exit(f"attribute.py: {name}: no samples")
    print(f"# {name}: parts, milliseconds an iteration, and per cent of the work or of all:")
    for part, count in sorted(parts.items(), key=lambda item: (not is_work(item[0]), -item[1])):
        print(f"# {count * unit:10.3f}  {100 * count / (work if is_work(part) else samples):5.1f} %  {part}")
    print(f"# {name}: functions, per cent of all:")
    for function, count in functions.most_common(top):
        print(f"# {100 * count / samples:6.2f} %  {function}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=float, default=1)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("directory")
    parser.add_argument("um_functions")
    arguments = parser.parse_args()

    runs = read_runs(arguments.directory, arguments.iterations)
    with open(arguments.um_functions) as file:
        um_functions = set(file.read().split())
    functions = count_samples(sys.stdin, runs, read_kallsyms(f"{arguments.directory}/kallsyms"),
                              Maps(f"{arguments.directory}/maps"), um_functions)
    for name in dict.fromkeys(run.name for run in runs):
        rounds = [run for run in runs if run.name == name]
        print_table(name, rounds, functions[name], arguments.top)
        for run in rounds:
            print(f"round {name} {run.work():.3f} ms {run.syscalls:.1f} syscalls")


if __name__ == "__main__":
    main()
