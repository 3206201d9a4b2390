# SPDX-License-Identifier: GPL-2.0
"""Commands that are printed for a shell: all words of all of them are quoted here."""
import shlex

from wrong import Wrong


def word(text):
    """A word of one line of a POSIX shell, which has no way to write a line break there."""
    for character, name in ("\n", "a line break"), ("\0", "a zero byte"):
        if character in text:
            raise Wrong(f"{text!r} has {name}: it cannot be printed as a word of a command")
    return shlex.quote(text)


def line(words):
    return " ".join(map(word, words))
