# SPDX-License-Identifier: GPL-2.0
"""Makes the kernel run out of memory where, and when, it is told to.

The kernel's fault injection (failslab, fail_page_alloc, and fail_percpu of this folder)
is kept to allocations that are made under certain addresses: in functions of modules,
or behind one call. Which call of which module it was is seen in a trace of the stack.
"""
import os
import re

DEBUG, TRACING = "/sys/kernel/debug", "/sys/kernel/tracing"
# Number of attempts at what happens by chance.
TRIES = 40
KINDS = ("failslab", "fail_page_alloc", "fail_percpu")
# All modules, where the debug kernel, which has no KASLR, puts them.
MODULES = (0xffffffffa0000000, 0xffffffffff000000)
PROBES = """r:weir_faults/slab should_failslab failed=$retval:s32
r:weir_faults/page should_fail_alloc_page failed=$retval:u8
r:weir_faults/percpu fail_percpu:fail_percpu_should_fail failed=$retval:u8
"""
# Tells where a module is loaded, as its landmark runs.
LANDMARK = "p:weir_faults/load_{0.name} {0.name}:{0.landmark} ip=%ip:x64\n"


def put(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))


def get(path):
    with open(path, encoding="ascii") as file:
        return file.read()


class Module:
    """A module: its text, and in it the calls that allocate, by their offsets."""

    def __init__(self, line):
        self.name, size, self.landmark, offset = line.split()[1:]
        self.size, self.landmark_offset = int(size), int(offset)
        self.sites = {}
        # Where its text is, None where it is not loaded.
        self.base = None

    def locate(self):
        path = "/sys/module/%s/sections/.text" % self.name
        self.base = int(get(path), 16) if os.path.exists(path) else None

    def has(self, address):
        return self.base is not None and self.base <= address < self.base + self.size


class Site:
    """A call of a module that allocates; what of its faults was seen."""

    def __init__(self, module, line):
        self.module = module
        offset, self.place, self.function, *self.maybe = line.split()
        self.offset = int(offset)
        self.failed = 0

    def __str__(self):
        return "%s (%s)" % (self.place, self.function)

    def line(self):
        return int(self.place.rpartition(":")[2])


def modules_of(text):
    """The modules of what "sites" has printed, by their names."""
    modules = {}
    for line in text.splitlines():
        if line.startswith("module "):
            module = Module(line)
            modules[module.name] = module
        else:
            site = Site(module, line)
            module.sites[site.offset] = site
    return modules


class Injection:
    """There is one. @sites is what the program "sites" has printed."""

    def __init__(self, sites):
        self.modules = modules_of(get(sites))
        self.sites = [site for module in self.modules.values() for site in module.sites.values()]
        self.strange = set()
        self.seen = []
        self.locate()
        self.under_modules()
        for kind in KINDS:
            self.knob(kind, "stacktrace-depth", 32)
            self.knob(kind, "verbose", 0)
            self.knob(kind, "probability", 0)
        put(DEBUG + "/failslab/ignore-gfp-wait", "N")
        put(DEBUG + "/fail_page_alloc/ignore-gfp-wait", "N")
        put(DEBUG + "/fail_page_alloc/min-order", 0)
        # kmemleak's own memory is no business of the module's; and whether a slab is full,
        # so that an object takes a page, is chance: faults are to fall in one order.
        if os.path.exists(DEBUG + "/kmemleak"):
            self.reject(("failslab", "fail_percpu"), "kmemleak_free", "kmemleak_scan_area")
        self.reject(("fail_page_alloc",), "___slab_alloc", "___slab_alloc")
        self.trace()

    def at(self, *calls):
        """The sites of calls: a file of kmod/, and a function, each."""
        found = []
        for file, function in calls:
            sites = [site for site in self.sites if site.function == function and
                     site.place.startswith("kmod/%s:" % file)]
            assert sites, "%s calls no %s" % (file, function)
            found += sites
        return found

    def knob(self, kind, name, value):
        put("%s/%s/%s" % (DEBUG, kind, name), value)

    def reject(self, kinds, first, last):
        """Nothing that is allocated by these functions, or those that lie between them."""
        start = end = None
        with open("/proc/kallsyms", encoding="ascii") as symbols:
            for line in symbols:
                address, _, name = line.split()[:3]
                # The compiler may have made a version of its own, and put what is rare elsewhere.
                if not name.endswith(".cold"):
                    name = name.partition(".")[0]
                if end:
                    end = address
                    break
                start = address if name == first else start
                end = address if name == last else end
        for kind in kinds:
            self.knob(kind, "reject-start", "0x" + start)
            self.knob(kind, "reject-end", "0x" + end)

    def trace(self):
        put(TRACING + "/buffer_size_kb", 2048)
        for option in "sym-addr", "sym-offset":
            put(TRACING + "/trace_options", option)
        put(TRACING + "/kprobe_events",
            PROBES + "".join(map(LANDMARK.format, self.modules.values())))
        for probe in "slab", "page", "percpu":
            put(TRACING + "/events/weir_faults/%s/filter" % probe, "failed != 0")
            put(TRACING + "/events/weir_faults/%s/trigger" % probe, "stacktrace if failed != 0")
        put(TRACING + "/events/weir_faults/enable", 1)
        put(TRACING + "/trace", "")

    def locate(self):
        """Finds the modules, which are others each time they are loaded."""
        for module in self.modules.values():
            module.locate()

    def under(self, start, end):
        """Only what is allocated by functions there, or by those that they call."""
        for kind in KINDS:
            self.knob(kind, "require-start", hex(start))
            self.knob(kind, "require-end", hex(end))

    def under_modules(self):
        """Of all modules: a request passes through several."""
        self.under(*MODULES)

    def nth(self, n, function):
        """Calls it with the n-th allocation failing; returns whether there were as many."""
        for kind in KINDS:
            self.knob(kind, "times", -1)
        fd = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
        try:
            os.write(fd, b"%d" % n)
            function()
        finally:
            left = int(os.pread(fd, 20, 0))
            os.write(fd, b"0")
            os.close(fd)
        return not left

    def always(self, site, times, function):
        """Calls it with up to so many allocations behind a site failing; returns how many."""
        at = site.module.base + site.offset
        self.under(at, at + 1)
        for kind in KINDS:
            self.knob(kind, "times", times)
            self.knob(kind, "probability", 100)
        try:
            function()
        finally:
            for kind in KINDS:
                self.knob(kind, "probability", 0)
            self.under_modules()
        return self.collect()

    def until_failed(self, site, times, function):
        """Calls it so again and again, until the site has failed; returns how many did."""
        failed = 0
        for _ in range(TRIES):
            failed += self.always(site, times, function)
            if site.failed:
                return failed
        raise AssertionError("%s: it was not seen to fail" % site)

    def collect(self):
        """Notes what has failed since the last time; returns how many."""
        text = get(TRACING + "/trace")
        put(TRACING + "/trace", "")
        for name, ip in re.findall(r" load_(\w+): .* ip=0x([0-9a-f]+)", text):
            # The probe's address may be that of the instruction behind it.
            module = self.modules[name]
            module.base = (int(ip, 16) & ~15) - module.landmark_offset
        stacks = text.split("<stack trace>")[1:]
        for stack in stacks:
            self.note([int(a, 16) for a in re.findall(r"=> .*<([0-9a-f]+)>", stack)], stack)
        return len(stacks)

    def note(self, stack, text):
        for address in stack:
            module = next((one for one in self.modules.values() if one.has(address)), None)
            if not module:
                continue
            site = module.sites.get(address - module.base)
            if site:
                site.failed += 1
                self.seen.append(site.place)
            # Memory of the detectors, for what is allocated nowhere else.
            elif re.search(r"debug_object|kasan_|stack_depot|kmemleak", text):
                self.seen.append("a detector's")
            else:
                self.strange.add(text)
            return
        self.seen.append("the kernel's")

    def left(self, name=""):
        """
        Return how many places there are that always allocate, in one module or all, and a site of each
        that has not failed yet. A line may be in a module several times.
        """
        places = {}
        for site in self.sites:
            if name in ("", site.module.name) and not site.maybe:
                places.setdefault((site.module, site.place), []).append(site)
        return len(places), [s[0] for s in places.values() if not any(site.failed for site in s)]

    def took(self):
        """The places that have failed since this was asked last, in their order."""
        seen, self.seen = self.seen, []
        return seen
