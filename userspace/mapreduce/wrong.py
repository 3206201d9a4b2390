# SPDX-License-Identifier: GPL-2.0
"""The error that ends a run: a sentence, and an exit status."""
import difflib

FAILED, USAGE = 1, 2


class Wrong(Exception):
    """Carries the sentence that the user reads."""

    def __init__(self, sentence, status=USAGE):
        super().__init__(sentence)
        self.status = status


def failed(sentence):
    """Of something that was asked for rightly, and did not happen."""
    return Wrong(sentence, FAILED)


def meant(word, known):
    """Ends a sentence about a word that is not known: what it was to be, or what there is."""
    near = difflib.get_close_matches(word, known, 1)
    if near:
        return f"; is {near[0]} meant?"
    return f"; there are: {', '.join(known)}" if known else ""
