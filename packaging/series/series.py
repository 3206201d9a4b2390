#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The modules as a series of patches to the kernel's tree.

    series.py check                 test the plan against the sources
    series.py edits                 print the paths of the kernel's own files that change
    series.py commit LINUX BUILT    commit the series, patch by patch, in the kernel's tree LINUX, of which
                                    git knows the files that are to change. BUILT is where the modules
                                    were built, build/kmod-RELEASE
    series.py findings              print the lines of standard input, which a checker of the tree has said,
                                    that are not accepted; exit status 1 if there are any

The plan, packaging/series/patches, says which files come with which patch, and why: behind all that they
include and call, so each patch builds and boots. What has to grow is made for each (grow.py): a part of a
module is started, and a request is served, as soon as it is there. Files have the paths of the tree, and no
differences between kernels (adapt.py).
"""
import os
import re
import subprocess
import sys

import adapt
import findings
import grow
import plan

# Lines that files of the tree get behind (or in front of) the first that matches, with one of our files.
EDITS = (
    ("kmod/core/main.c", "net/Kconfig", r'source "net/psample/Kconfig"\n', "behind", 'source "net/weir/Kconfig"\n'),
    ("kmod/core/main.c", "net/Makefile", r"obj-\$\(CONFIG_PSAMPLE\).*\n", "behind", "obj-$(CONFIG_WEIR_CORE)\t+= weir/\n"),
    ("kmod/trim/main.c", "net/sched/Kconfig", r"menuconfig NET_SCH_DEFAULT\n", "before", 'source "net/sched/weir/Kconfig"\n\n'),
    ("kmod/trim/main.c", "net/sched/Makefile", r"obj-\$\(CONFIG_NET_SCH_DUALPI2\).*\n", "behind",
     "obj-$(CONFIG_NET_SCH_WEIR)\t+= weir/\n"),
    ("packaging/series/tree/Documentation/networking/weir.rst", "Documentation/networking/index.rst", r"   vxlan\n", "behind",
     "   weir\n"),
    ("packaging/series/tree/tools/testing/selftests/net/weir/Makefile", "tools/testing/selftests/Makefile",
     r"TARGETS \+= net/tcp_ao\n", "behind", "TARGETS += net/weir\n"),
)
MAINTAINERS = "MAINTAINERS"
THEIRS = sorted({file for _, file, *_ in EDITS} | {MAINTAINERS})


def edited(path, text, present):
    """Return the text of one of the kernel's own files where these files of ours are there."""
    if path == MAINTAINERS:
        entry = plan.read("packaging/series/maintainers").split("\n", 1)[1]
        title = entry.split("\n", 1)[0]
        section = text.index("Maintainers List")
        later = next(match for match in re.finditer(r"(?<=\n\n)([^\s].*)\n(?=[A-Z]:\t)", text[section:]) if match[1] > title)
        at = section + later.start()
        return text[:at] + entry + "\n" + text[at:]
    for trigger, file, pattern, where, lines in EDITS:
        if file == path and trigger in present:
            match = re.search("^" + pattern, text, re.M)
            if not match:
                raise plan.Failure(f"{path} has no line for {pattern!r}")
            at = match.end() if where == "behind" else match.start()
            text = text[:at] + lines + text[at:]
    return text


def git(linux, *words, **options):
    return subprocess.run(["git", "-C", linux, *words], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def commit(linux, built):
    """Commit the series. Each patch brings the files of the plan, and what grows by them."""
    kernel = adapt.Kernel(linux)
    tree = grow.Tree(kernel, grow.Objects(built))
    theirs = {path: git(linux, "show", f"HEAD:{path}") for path in THEIRS}
    present, before = set(), dict(theirs)
    for patch in plan.patches():
        present.update(patch.paths)
        after = tree.files(present)
        after.update({path: edited(path, text, present) for path, text in theirs.items()})
        changed = [path for path, text in after.items() if before.get(path) != text]
        for path in changed:
            file = os.path.join(linux, path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as output:
                output.write(after[path])
            source = os.path.join(plan.ROOT, "packaging/series/tree", path)
            if os.access(source, os.X_OK):
                os.chmod(file, 0o755)
        git(linux, "add", "-f", "--", *changed)
        git(linux, "commit", "-q", "-s", "-F", "-", input=f"{patch.subject}\n\n{patch.text}")
        before = after


def main(words):
    if words == ["check"]:
        plan.check(plan.patches())
    elif words == ["edits"]:
        print("\n".join(THEIRS))
    elif words == ["findings"]:
        left = list(findings.remaining(sys.stdin))
        sys.stdout.writelines(left)
        sys.exit(1 if left else 0)
    elif len(words) == 3 and words[0] == "commit":
        plan.check(plan.patches())
        commit(os.path.realpath(words[1]), os.path.realpath(words[2]))
    else:
        sys.exit(__doc__)


try:
    main(sys.argv[1:])
except plan.Failure as failure:
    sys.exit(f"series: {failure}")
