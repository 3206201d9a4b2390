# SPDX-License-Identifier: GPL-2.0
"""Debian's packages, unpacked in the cache and not installed."""

import glob
import os
import subprocess
import sys
import tempfile

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "weir")


def apt_get(directory, *arguments):
    subprocess.run(["apt-get", "-q", *arguments], cwd=directory, check=True, stdout=sys.stderr)


def unpacked(name, packages, more=None):
    """Return the cache's directory of this name: the packages' files are in package/ there, and what
    @more(part, tree) adds. It becomes whole in one step, and is kept."""
    directory = os.path.join(CACHE, name)
    if os.path.isdir(directory):
        return directory
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as part:
        tree = os.path.join(part, "tree")
        os.mkdir(tree)
        apt_get(part, "download", *packages)
        for each in glob.glob(f"{part}/*.deb"):
            subprocess.run(["dpkg-deb", "-x", each, f"{tree}/package"], check=True)
        if more:
            more(part, tree)
        os.rename(tree, directory)
    return directory
