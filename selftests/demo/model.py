# SPDX-License-Identifier: GPL-2.0
"""The demo's model: digits of 8 by 8 pixels, by a small network of two layers.

All arithmetic is in double precision and in a fixed order, so that a run can be done
again bit for bit; only the gradients are made coarser, on their way through the network.
"""

import gzip
import hashlib

import numpy

PIXELS, HIDDEN, DIGITS = 64, 64, 10
SHAPES = ((PIXELS, HIDDEN), (HIDDEN,), (HIDDEN, DIGITS), (DIGITS,))
PARAMETERS = sum(int(numpy.prod(shape)) for shape in SHAPES)

BATCH = 32          # samples a worker, each step
RATE = 0.8          # learning rate
EPOCHS = 12
TEST_SHARE = 5      # one sample in so many is kept for the test
SEED = 7


def prepare(digits, path):
    """Store the digits of scripts/digits, shuffled and split."""
    with gzip.open(digits, "rt") as lines:
        table = numpy.loadtxt(lines, delimiter=",")
    pixels, labels = table[:, :-1], table[:, -1].astype(numpy.int64)
    order = numpy.random.default_rng(SEED).permutation(len(labels))
    pixels, labels = pixels[order] / 16, labels[order]
    test = len(labels) // TEST_SHARE
    numpy.savez(path, train_pixels=pixels[test:], train_labels=labels[test:],
                test_pixels=pixels[:test], test_labels=labels[:test])


class Data:
    """The digits, and which of them a worker sees at each step."""

    def __init__(self, path, ranks):
        with numpy.load(path) as file:
            self.pixels, self.labels = file["train_pixels"], file["train_labels"]
            self.test_pixels, self.test_labels = file["test_pixels"], file["test_labels"]
        self.ranks = ranks
        self.steps = len(self.labels) // (BATCH * ranks)

    def epoch(self, number):
        """For each step of an epoch, the samples of all workers, one row each."""
        order = numpy.random.default_rng([SEED, number]).permutation(len(self.labels))
        return order[:self.steps * self.ranks * BATCH].reshape(self.steps, self.ranks, BATCH)


def initial():
    """The parameters that every worker starts from, in one vector."""
    random = numpy.random.default_rng(SEED)
    vector = numpy.zeros(PARAMETERS)
    for part in _parts(vector):
        if part.ndim == 2:
            part[:] = random.normal(0, (2 / part.shape[0]) ** 0.5, part.shape)
    return vector


def _parts(vector):
    """The layers, as views of the vector."""
    parts, at = [], 0
    for shape in SHAPES:
        size = int(numpy.prod(shape))
        parts.append(vector[at:at + size].reshape(shape))
        at += size
    return parts


def _forward(vector, pixels):
    w1, b1, w2, b2 = _parts(vector)
    hidden = numpy.maximum(pixels @ w1 + b1, 0)
    scores = hidden @ w2 + b2
    scores = scores - scores.max(axis=1, keepdims=True)
    return hidden, scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))


def loss_and_gradient(vector, pixels, labels):
    """Mean cross-entropy over some samples, and its gradient."""
    count = len(labels)
    hidden, log_odds = _forward(vector, pixels)
    loss = -log_odds[numpy.arange(count), labels].mean()
    gradient = numpy.empty_like(vector)
    w1, b1, w2, b2 = _parts(gradient)
    error = numpy.exp(log_odds)
    error[numpy.arange(count), labels] -= 1
    error /= count
    w2[:] = hidden.T @ error
    b2[:] = error.sum(axis=0)
    back = (error @ _parts(vector)[2].T) * (hidden > 0)
    w1[:] = pixels.T @ back
    b1[:] = back.sum(axis=0)
    return loss, gradient


def loss(vector, pixels, labels):
    """Mean cross-entropy over some samples."""
    log_odds = _forward(vector, pixels)[1]
    return -log_odds[numpy.arange(len(labels)), labels].mean()


def accuracy(vector, pixels, labels):
    """Share of the samples that are recognised."""
    return (_forward(vector, pixels)[1].argmax(axis=1) == labels).mean()


def digest(vector):
    """SHA-256 of all parameters' bits."""
    return hashlib.sha256(vector.tobytes()).hexdigest()
