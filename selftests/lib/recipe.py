# SPDX-License-Identifier: GPL-2.0
"""Follows a recipe of docs/how-to on a copy of the tree: files copied from a directory beside the
script, and entries put into tables. Prints each file that is new or changed."""
import os
import re
import shutil
import subprocess
import sys


class Recipe:
    def __init__(self, toys):
        self.tree = sys.argv[1]
        self.toys = toys

    def put(self, name, path):
        """Copies a file to a directory of the tree."""
        shutil.copy(os.path.join(self.toys, name), os.path.join(self.tree, path, name))
        print(os.path.join(path, name))

    def _insert(self, path, part, text):
        """Puts text after the first group of a pattern, which must be there once."""
        file = os.path.join(self.tree, path)
        with open(file, encoding="ascii") as f:
            before = f.read()
        found = list(re.finditer(part, before, re.S | re.M))
        assert len(found) == 1, f"{path}: '{part}' is there {len(found)} times"
        at = found[0].end(1)
        with open(file, "w", encoding="ascii") as f:
            f.write(before[:at] + text + before[at:])

    def table(self, path, *entries):
        """Adds entries to tables of a file: pairs of a pattern, whose first group they follow, and a text."""
        for part, text in entries:
            self._insert(path, part, text)
        print(path)

    def word(self, enumeration, name, doc):
        """Adds a word to an enumeration of the netlink spec."""
        self.spec((rf"(^    name: {enumeration}\n.*?(?=^  - ))", f"      - name: {name}\n        doc: {doc}\n"))

    def spec(self, *entries):
        """Adds entries to the netlink spec, as table() does, and makes what follows from it."""
        self.table("uapi/weir.yaml", *entries)
        made = subprocess.run([os.path.join(self.tree, "scripts/ynl-regen")], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        print(made, end="")

    def text(self, name):
        """A file of the directory without its first line, the license."""
        with open(os.path.join(self.toys, name), encoding="ascii") as file:
            return "".join(file.readlines()[1:])
