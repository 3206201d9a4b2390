# SPDX-License-Identifier: GPL-2.0
"""Shows the progress of a run, as a bar on a terminal; and what came of it."""
import collections
import sys
import time

WIDTH = 20
# Bytes of a line that are kept until its end comes.
LINE_MAX = 1 << 20


def amount(number, unit=""):
    """In three digits or so."""
    for prefix in "", "k", "M", "G", "T":
        if number < 1000:
            break
        number /= 1000
    return f"{number:.3g} {prefix}{unit}".rstrip() if prefix or unit else str(number)


def bar(part, whole):
    filled = WIDTH if not whole else WIDTH * min(part, whole) // whole
    return "#" * filled + "." * (WIDTH - filled)


class Watch:
    """Takes reports of ends."""

    def __init__(self, job, to=sys.stderr):
        self.job, self.to, self.begun = job, to, time.monotonic()
        self.maps, self.puts, self.reduced = {}, {}, []
        # The unfinished line of a command, by the split.
        self.unended = collections.defaultdict(bytes)
        self.shown, self.line_open = to.isatty(), False

    def take(self, told):
        kind = told.pop("weir-mapreduce")
        if kind == "map":
            self.maps[told["split"]] = told
        elif kind == "put":
            self.puts[told["host"]] = told
        else:
            self.reduced.append(told)
        self.show()

    def aside(self, line):
        """Print output of mpirun and of commands."""
        self.wipe()
        self.to.buffer.write(line)
        self.to.flush()
        self.line_open = not line.endswith(b"\n")

    def said(self, split, text):
        """Error output of the split's command, which is shown by lines: others write at the same time."""
        lines, end, rest = (self.unended.pop(split, b"") + text).rpartition(b"\n")
        if len(rest) > LINE_MAX:
            lines, end, rest = lines + end, rest, b""
        if rest:
            self.unended[split] = rest
        if end:
            self.aside(lines + end)

    def wipe(self):
        if self.shown:
            self.to.write("\r\x1b[K")

    def slowest(self):
        """The split that has most to read, while one has."""
        left = max(self.maps.values(), key=lambda told: told["of"] - told["bytes"])
        if left["bytes"] == left["of"]:
            return ""
        return f"; split {left['split']} is at {100 * left['bytes'] // left['of']} %"

    def show(self):
        if not self.shown or not self.maps:
            return
        parts = []
        for verb, told in ("read", self.maps), ("put", self.puts):
            done, whole = (sum(each[key] for each in told.values()) for key in ("bytes", "of"))
            if told:
                parts.append(f"{verb} {bar(done, whole)} {amount(done, 'B')} of {amount(whole, 'B')}")
        pairs = sum(told["pairs"] for told in self.maps.values())
        self.wipe()
        self.to.write(f"{', '.join(parts)}, {amount(pairs)} pairs{self.slowest()}")
        self.to.flush()

    def done(self):
        for text in self.unended.values():
            self.aside(text + b"\n")
        self.wipe()
        self.to.write("\n" if self.line_open else "")
        self.to.flush()

    def missing(self):
        """Return how many reducers have not reported that they are done."""
        return len(self.job.reducers) - len(self.reduced)

    def summary(self):
        """Return what is reported at the end, in words for JSON."""
        # A device of several reducers counts once.
        links = {(told["host"], told["device"]): told["link"] for told in
                 sorted(self.reduced, key=lambda told: told.get("link", 0)) if "link" in told}
        return {"hosts": len(self.job.sources), "mappers": len(self.maps), "reducers": len(self.reduced),
                "boxes": len({box for _, box in self.job.reducers if box}),
                "bytes_read": sum(told["bytes"] for told in self.maps.values()),
                "pairs": sum(told["pairs"] for told in self.maps.values()),
                "bytes_put": sum(told["of"] for told in self.puts.values()),
                "left_out": sum(told["left_out"] for told in self.maps.values()),
                "keys": sum(told["keys"] for told in self.reduced),
                "bytes_to_reducers": sum(links.values()) if links else None,
                "seconds": round(time.monotonic() - self.begun, 3)}


def count(number, noun):
    ending = "" if number == 1 else "es" if noun.endswith("x") else "s"
    return f"{number:,} {noun}{ending}"


def sentence(summary):
    """The summary, for a reader."""
    mappers, hosts = count(summary["mappers"], "mapper"), count(summary["hosts"], "host")
    parts = [f"{mappers} on {hosts} read {amount(summary['bytes_read'], 'B')} and put "
             f"{count(summary['pairs'], 'pair')}, {amount(summary['bytes_put'], 'B')}"]
    if summary["left_out"]:
        parts.append(f"{count(summary['left_out'], 'word')} had no room in a key and were left out")
    through = f" by {count(summary['boxes'], 'box')}" if summary["boxes"] else ", without a box,"
    parts.append(f"{count(summary['reducers'], 'reducer')}{through} got {count(summary['keys'], 'key')}")
    if summary["bytes_to_reducers"] is not None:
        parts.append(f"{amount(summary['bytes_to_reducers'], 'B')} came in by the reducers' links, "
                     "with what others sent")
    parts.append(f"{summary['seconds']:.3g} s")
    return "; ".join(parts)
