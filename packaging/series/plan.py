# SPDX-License-Identifier: GPL-2.0
"""The plan of the series, packaging/series/patches: the patches in order, each with its files and its message."""
import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Files of the modules that the tree has otherwise: see grow.py and adapt.py.
OTHERWISE = ("kmod/Kbuild", "kmod/Kconfig", "kmod/core/Kbuild", "kmod/agg/Kbuild", "kmod/trim/Kbuild",
             "kmod/xdp/Kbuild", "kmod/core/base/compat.h")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">].*\n', re.M)


class Failure(Exception):
    """The plan, or what it is about, is not as it has to be."""


class Patch:
    """One patch: its subject, the paths of its files in the project, and the text of its message."""

    def __init__(self, subject, paths, text):
        self.subject, self.paths, self.text = subject, paths, text


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def expand(pattern):
    """Return the files of a pattern, as in a shell: {a,b}, * and [ab]."""
    braces = re.search(r"\{([^{}]*)\}", pattern)
    if braces:
        return [path for word in braces[1].split(",")
                for path in expand(pattern[:braces.start()] + word + pattern[braces.end():])]
    found = sorted(path for path in glob.glob(pattern, root_dir=ROOT) if os.path.isfile(os.path.join(ROOT, path)))
    if not found:
        raise Failure(f"patches: no file is called {pattern}")
    return found


def patches():
    """Return the patches of the plan. A file that two of them name comes with the first."""
    result, taken = [], set()
    for block in re.split(r"^= ", read("packaging/series/patches"), flags=re.M)[1:]:
        head, _, text = block.partition("\n\n")
        subject, *lines = head.split("\n")
        paths = []
        for pattern in " ".join(lines).split():
            new = [path for path in expand(pattern) if path not in taken and path not in OTHERWISE]
            if not new:
                raise Failure(f"patches: {subject}: all files of {pattern} come earlier")
            paths += new
            taken.update(new)
        result.append(Patch(subject, paths, text.strip() + "\n"))
    return result


def included(path):
    """Return the files of the project that a file includes."""
    found = []
    for quote, name in INCLUDE.findall(read(path)):
        for place in (os.path.dirname(path) if quote == '"' else "", "kmod", "bpf/lib", "uapi", ""):
            candidate = os.path.normpath(os.path.join(place, name))
            if os.path.isfile(os.path.join(ROOT, candidate)) and not candidate.startswith(".."):
                found.append(candidate)
                break
    return found


def sources():
    """Return all files that the series has to bring."""
    found = {path for pattern in ("kmod/**/*.[ch]", "uapi/*") for path in glob.glob(pattern, root_dir=ROOT, recursive=True)}
    # Of the headers that BPF programs and modules share, those of the modules.
    todo = list(found)
    while todo:
        for path in included(todo.pop()):
            if path not in found:
                found.add(path)
                todo.append(path)
    found |= {os.path.relpath(os.path.join(top, name), ROOT)
              for top, _, names in os.walk(os.path.join(HERE, "tree")) for name in names}
    return found - set(OTHERWISE)


def check(plan):
    """Raise Failure unless each file comes with a patch, and not before what it includes."""
    present, faults = set(), []
    for patch in plan:
        present.update(patch.paths)
        for path in patch.paths:
            # What a table of parts includes comes with the parts.
            if not path.endswith("/main.c"):
                faults += [f"{patch.subject}: {path} includes {other}, which comes later"
                           for other in included(path) if other not in present and other not in OTHERWISE]
    everything = sources()
    faults += [f"{path} comes with no patch" for path in sorted(everything - present)]
    faults += [f"{path} is none of the modules'" for path in sorted(present - everything)]
    if faults:
        raise Failure("\n".join("patches: " + fault for fault in faults))
