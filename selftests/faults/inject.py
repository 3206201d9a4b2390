# SPDX-License-Identifier: GPL-2.0
"""Makes the kernel run out of memory where, and when, it is told to.

The kernel's fault injection (failslab, fail_page_alloc, and fail_percpu of this folder)
is kept to allocations that are made under certain addresses: in the module's functions,
or behind one call. Which call of the module it was is seen in a trace of the stack.
"""
import os
import re

DEBUG, TRACING = "/sys/kernel/debug", "/sys/kernel/tracing"
# How often chance is given one.
TRIES = 40
KINDS = ("failslab", "fail_page_alloc", "fail_percpu")
# All modules, where the debug kernel, which has no KASLR, puts them.
MODULES = (0xffffffffa0000000, 0xffffffffff000000)
PROBES = """r:weir_faults/slab should_failslab failed=$retval:s32
r:weir_faults/page should_fail_alloc_page failed=$retval:u8
r:weir_faults/percpu fail_percpu:fail_percpu_should_fail failed=$retval:u8
p:weir_faults/load weir:weir_cut_init ip=%ip:x64
"""


def put(path, value):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))


def get(path):
    with open(path, encoding="ascii") as file:
        return file.read()


class Site:
    """A call of the module that allocates; what of its faults was seen."""

    def __init__(self, line):
        offset, self.place, self.function = line.split()
        self.offset = int(offset)
        self.failed = 0

    def __str__(self):
        return "%s (%s)" % (self.place, self.function)

    def line(self):
        return int(self.place.rpartition(":")[2])


class Injection:
    """There is one. @sites is what the program "sites" has printed."""

    def __init__(self, sites):
        size, *lines = get(sites).splitlines()
        # weir_cut_init(), which tells where the module is loaded, begins at the landmark.
        self.size, self.landmark = map(int, size.split()[1:])
        self.sites = {site.offset: site for site in map(Site, lines)}
        self.strange = set()
        self.seen = []
        self.base = self.loaded_at()
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
        """The sites of calls: a file's name, and a function's, each."""
        found = []
        for file, function in calls:
            sites = [site for site in self.sites.values() if site.function == function and
                     os.path.basename(site.place).startswith(file + ":")]
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
        put(TRACING + "/kprobe_events", PROBES)
        for probe in "slab", "page", "percpu":
            put(TRACING + "/events/weir_faults/%s/filter" % probe, "failed != 0")
            put(TRACING + "/events/weir_faults/%s/trigger" % probe, "stacktrace if failed != 0")
        put(TRACING + "/events/weir_faults/enable", 1)
        put(TRACING + "/trace", "")

    def loaded_at(self):
        """Where the module's text is."""
        return int(get("/sys/module/weir/sections/.text"), 16)

    def under(self, start, end):
        """Only what is allocated by functions there, or by those that they call."""
        for kind in KINDS:
            self.knob(kind, "require-start", hex(start))
            self.knob(kind, "require-end", hex(end))

    def under_module(self):
        self.base = self.loaded_at()
        self.under(self.base, self.base + self.size)

    def under_modules(self):
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
        at = self.base + site.offset
        self.under(at, at + 1)
        for kind in KINDS:
            self.knob(kind, "times", times)
            self.knob(kind, "probability", 100)
        try:
            function()
        finally:
            for kind in KINDS:
                self.knob(kind, "probability", 0)
        self.under_module()
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
        load = re.search(r" ip=0x([0-9a-f]+)", text)
        if load:
            # The probe's address may be that of the instruction behind it.
            self.base = (int(load.group(1), 16) & ~15) - self.landmark
        stacks = text.split("<stack trace>")[1:]
        for stack in stacks:
            self.note([int(a, 16) for a in re.findall(r"=> .*<([0-9a-f]+)>", stack)], stack)
        return len(stacks)

    def note(self, stack, text):
        for address in stack:
            offset = address - self.base
            if not 0 <= offset < self.size:
                continue
            if offset in self.sites:
                self.sites[offset].failed += 1
                self.seen.append(self.sites[offset].place)
            # Memory of the detectors, for what is allocated nowhere else.
            elif re.search(r"debug_object|kasan_|stack_depot|kmemleak", text):
                self.seen.append("a detector's")
            else:
                self.strange.add(text)
            return
        self.seen.append("the kernel's")

    def left(self):
        """A site of each place that has not failed yet: a line may be there several times."""
        places = {}
        for site in self.sites.values():
            places.setdefault(site.place, []).append(site)
        return len(places), [s[0] for s in places.values() if not any(site.failed for site in s)]

    def took(self):
        """The places that have failed since this was asked last, in their order."""
        seen, self.seen = self.seen, []
        return seen
