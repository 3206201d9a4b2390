# SPDX-License-Identifier: GPL-2.0
"""Findings of the tree's checkers that are not accepted."""
import fnmatch
import re

from adapt import home
from plan import read


def rules(path):
    """Return the lines of a file that are neither empty nor comments."""
    return [line for line in read(path).splitlines() if line and not line.startswith("#")]


def remaining(lines):
    """Return the lines that neither packaging/series/findings nor, for the file here, checkpatch-ignore accepts.

    A line begins with the path of a file in the tree and a colon.
    """
    accepted = [line.split("\t") for line in rules("packaging/series/findings")]
    ignored = [(pattern, f":(?:{types.replace(',', '|')}):")
               for pattern, types in (line.split() for line in rules("selftests/style/checkpatch-ignore"))]
    for line in lines:
        path = line.split(":", 1)[0]
        if not any(fnmatch.fnmatchcase(name, pattern) and re.search(found, line)
                   for name, list_of in ((path, accepted), (home(path), ignored)) for pattern, found in list_of):
            yield line
