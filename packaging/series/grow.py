# SPDX-License-Identifier: GPL-2.0
"""Files that grow from patch to patch: Makefiles, Kconfig, tables of parts, netlink specs and what is generated from them."""
import os
import re
import subprocess
import tempfile

from adapt import SPECS, adapted, place
from plan import Failure, read

# The directories of kmod/, each with its symbol in Kconfig, and those with a netlink family.
MODULES = {"core": "WEIR_CORE", "agg": "WEIR", "xdp": "WEIR_XDP", "trim": "NET_SCH_WEIR"}
FAMILIES = {"agg": "weir", "trim": "weir_trim", "xdp": "weir_xdp"}
VECTOR = "\n# The files with vector instructions"
OBJECT = re.compile(r"^(?!obj-)\w+-(?:y|\$\(\w+\)) \+= ([\w/]+)\.o\n", re.M)
NAME = re.compile(r"\bweir_\w+\b")


class Objects:
    """What the objects of the modules define and need, by nm from modules that were built."""

    def __init__(self, built):
        self.defines, self.needs = {}, {}
        for module in MODULES:
            for name in OBJECT.findall(read(f"kmod/{module}/Kbuild")):
                path = f"kmod/{module}/{name}"
                self.needs[path] = set()
                # Objects of another architecture need what their twins do, and come with them.
                if os.path.exists(f"{built}/{path}.o"):
                    self.read(path, f"{built}/{path}.o")
                elif not name.endswith("_neon"):
                    raise Failure(f"{built}/{path}.o is not there: make module")
        for path, names in self.needs.items():
            self.needs[path] = {self.defines[name] for name in names if name in self.defines} - {path}

    def read(self, path, file):
        listing = subprocess.run(["nm", "-P", file], check=True, text=True, stdout=subprocess.PIPE).stdout
        for line in listing.splitlines():
            name, kind = line.split()[:2]
            if kind == "U":
                self.needs[path].add(name)
            elif kind.isupper():
                self.defines[name] = path

    def lack(self, name, present):
        """Return true if a function or variable is of an object that does not come with these files."""
        return name in self.defines and self.defines[name] + ".c" not in present

    def check(self, present):
        """Raise Failure if an object of these files calls what comes later.

        A table of parts and a table of operations may: they grow.
        """
        for path, needs in self.needs.items():
            later = sorted(other for other in needs if other + ".c" not in present)
            if path + ".c" in present and later and not path.endswith(("/main", "/netlink/gen")):
                raise Failure(f"patches: {path} calls {' '.join(later)}, which comes later")


def makefile(module, present):
    """Return the Makefile of a module's directory with the objects of these files."""
    text = re.sub(r"^CFLAGS_main\.o.*\n", "", read(f"kmod/{module}/Kbuild"), flags=re.M)
    text = OBJECT.sub(lambda line: line[0] if f"kmod/{module}/{line[1]}.c" in present else "", text)
    objects, _, vector = text.partition(VECTOR)
    if "_avx2.o" in objects:
        objects += VECTOR + vector
    return re.sub(r"\n{3,}", "\n\n", objects).rstrip("\n") + "\n"


def kconfig(modules):
    """Return the symbols of these modules."""
    head, *blocks = re.split(r"\n(?=config )", read("kmod/Kconfig"))
    names = {f"config {MODULES[module]}" for module in modules}
    return head + "\n" + "\n\n".join(block.strip("\n") for block in blocks if block.split("\n", 1)[0] in names) + "\n"


def parts(text, objects, present):
    """Return a module's table of parts without those that are not there yet."""
    def lacks(lines):
        return any(objects.lack(name, present) for name in NAME.findall(lines))
    kept, entry = [], []
    for line in text.splitlines(keepends=True):
        include = re.match(r'#include "(.*)"', line)
        if include:
            if "kmod/" + include[1] in present:
                kept.append(line)
            continue
        if entry or line.startswith("\t{ ") or line.startswith("\t/*"):
            entry.append(line)
            body = "".join(one for one in entry if not one.startswith("\t/*"))
            if body and body.count("{") == body.count("}"):
                kept += [] if lacks(body) else entry
                entry = []
        elif not (line.startswith("\t") and line.endswith(";\n") and lacks(line)):
            kept.append(line)
    return "".join(kept)


class Spec:
    """A netlink spec, of which a patch has the operations that are served."""

    def __init__(self, family):
        self.family = family
        text = re.sub(r"^(# SPDX.*\n)(?:#.*\n)*", r"\1", read(f"uapi/{family}.yaml"))
        self.header = re.search(r"^uapi-header: (.*)", text, re.M)[1]
        text = text.replace("uapi-header: ", "uapi-header: linux/", 1)
        self.head, operations = re.split(r"(?<=\n  list:)\n", text[:text.index("\nmcast-groups:") + 1], maxsplit=1)
        self.tail = text[text.index("\nmcast-groups:"):]
        self.blocks = re.split(r"(?=^    - name: )", operations, flags=re.M)
        if self.blocks.pop(0).strip():
            raise Failure(f"uapi/{family}.yaml: something is in front of the operations")

    def text(self, objects, present):
        """Return the spec's text. Operations have the numbers that they have in the end."""
        kept, names, number, next_number = [], set(), 0, 1
        for block in self.blocks:
            name = re.match(r"    - name: (\S+)", block)[1]
            given = re.search(r"^      value: (\d+)\n", block, re.M)
            number = int(given[1]) if given else number + 1
            if not self.served(name, block, names, objects, present):
                continue
            names.add(name)
            if number != next_number and not given:
                block = block.replace("\n", f"\n      value: {number}\n", 1)
            next_number = number + 1
            kept.append(block)
        operations = "\n" + "".join(kept).rstrip("\n") if kept else " []"
        return self.head + operations + "\n" + self.tail

    def served(self, name, block, names, objects, present):
        notified = re.search(r"^      notify: (\S+)", block, re.M)
        if notified:
            return notified[1] in names
        handlers = [f"{self.family}_nl_{name.replace('-', '_')}_{how}it"
                    for how in ("do", "dump") if re.search(rf"^      {how}:", block, re.M)]
        return not any(objects.lack(handler, present) for handler in handlers)


class Generator:
    """The tree's own generator of netlink code. What it made of a spec is kept."""

    def __init__(self, linux):
        self.linux, self.made = linux, {}

    def run(self, family, text, mode, kind, name):
        key = (family, text, mode, kind)
        if key not in self.made:
            with tempfile.TemporaryDirectory() as work:
                spec = f"{SPECS}{family}.yaml"
                for directory in (os.path.dirname(spec), "tree"):
                    os.makedirs(os.path.join(work, directory))
                os.symlink(os.path.join(self.linux, "Documentation/netlink/genetlink.yaml"),
                           os.path.join(work, "Documentation/netlink/genetlink.yaml"))
                # The generator names the spec by its path from the directory that has this file.
                for path, content in ((spec, text), ("MAINTAINERS", "")):
                    with open(os.path.join(work, path), "w", encoding="utf-8") as file:
                        file.write(content)
                output = os.path.join(work, "tree", name)
                done = subprocess.run(["/usr/bin/python3", os.path.join(self.linux, "tools/net/ynl/pyynl/ynl_gen_c.py"),
                                       "--spec", os.path.join(work, spec), "--mode", mode, "--" + kind, "-o", output],
                                      capture_output=True, text=True, check=False)
                if done.returncode:
                    raise Failure(f"{family}.yaml: {done.stderr}")
                with open(output, encoding="utf-8") as file:
                    self.made[key] = file.read()
        return self.made[key]


class Tree:
    """The files of the series in the kernel's tree, for each set of files of the project that are there."""

    def __init__(self, kernel, objects):
        self.kernel, self.objects = kernel, objects
        self.generator = Generator(kernel.linux)
        self.specs = {module: Spec(family) for module, family in FAMILIES.items()}
        self.plain = {}

    def files(self, present):
        """Return the text of all files by their path in the tree."""
        self.objects.check(present)
        result = {}
        for path in present:
            if path not in self.plain:
                self.plain[path] = adapted(path, read(path), self.kernel)
            result[place(path)] = self.plain[path]
        there = [module for module in MODULES if f"kmod/{module}/main.c" in present]
        for module in there:
            path = f"kmod/{module}/main.c"
            result[place(path)] = adapted(path, parts(read(path), self.objects, present), self.kernel)
            result[place(f"kmod/{module}/Makefile")] = makefile(module, present)
        self.add_directories(there, result)
        self.add_generated(present, result)
        return result

    @staticmethod
    def add_directories(there, result):
        """Add Kconfig and Makefile of net/weir, and complete those of net/sched/weir."""
        own = [module for module in there if module != "trim"]
        if own:
            result["net/weir/Kconfig"] = kconfig(own)
            result["net/weir/Makefile"] = (
                "# SPDX-License-Identifier: GPL-2.0\n"
                "subdir-ccflags-y := -I$(src) -I$(src)/lib\n\n" +
                "".join(f"obj-$(CONFIG_{MODULES[module]}) += {module}/\n" for module in own))
        if "trim" in there:
            result["net/sched/weir/Kconfig"] = kconfig(["trim"])
            path = "net/sched/weir/Makefile"
            result[path] = result[path].replace(
                "obj-$", "ccflags-y := -I$(srctree)/net/sched -I$(srctree)/net/weir -I$(srctree)/net/weir/lib\n\nobj-$", 1)

    def add_generated(self, present, result):
        """Add the specs with the operations that are served, and what is generated from them."""
        for module, spec in self.specs.items():
            family = spec.family
            if f"uapi/{family}.yaml" not in present:
                continue
            text = spec.text(self.objects, present)
            result[place(f"uapi/{family}.yaml")] = text
            for path, mode, kind in ((f"uapi/{spec.header}", "uapi", "header"),
                                     (f"kmod/{module}/netlink/gen.h", "kernel", "header"),
                                     (f"kmod/{module}/netlink/gen.c", "kernel", "source")):
                if path in present:
                    result[place(path)] = self.generator.run(family, text, mode, kind, os.path.basename(path))
