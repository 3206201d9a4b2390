#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Checks what the demo's workers have learned, and says it in words.

usage: verify.py DTYPE DATA RESULT...

DTYPE is the job's. Trains twice more, in this one process: exactly, on whole batches, as one
machine would; and rounded, with each worker's share rounded as the library and the box
document it, and added here.

How far the rounded run may stray. An element of the mean of all workers' gradients is off by
at most some u, see the classes below. A vector of d elements is then off by at most
e = sqrt(d) u in length. One step of descent at rate r adds r e to the distance between the two
runs' parameters, and stretches the distance that is there already by a factor s, which is
measured here, step by step, on both runs:

    D <- s D + r e

bounds the distance (triangle inequality), and the loss differs by at most D times the
length of its gradient.
"""

import json
import sys

import numpy

import model

failed = False


def say(good, sentence):
    global failed
    failed |= not good
    print(f"{'yes' if good else 'NO '}  {sentence}", flush=True)


def shortened(vector, bits):
    """Each element to the nearest of so many significant bits, halves to even."""
    fraction, exponent = numpy.frexp(vector)
    return numpy.ldexp(numpy.rint(numpy.ldexp(fraction, bits)), exponent - bits)


class Floats:
    """A job of floats whose sums are the same in any order: added exactly, rounded once.

    A worker's element is off by its rounding to the job's type, 2^-bits of its size, and
    so is the sum.
    """

    def __init__(self, bits):
        self.bits = bits

    def sum(self, gradients):
        exact = sum(shortened(gradient, self.bits).astype(numpy.longdouble)
                    for gradient in gradients)
        return shortened(exact, self.bits).astype(numpy.float32)

    def error(self, largest, ranks):
        return 2 * largest * 2.0 ** -self.bits


class Integers:
    """A job of int32: all blocks of so short a vector share one power of two.

    It is the least that no element of any rank reaches, 2^e, and 2^(e - n) is the step that
    elements are rounded to, where 2^n is int32's room for each rank. An element is off by half a
    step, and by the rounding to float32 on the way in and out.
    """

    bits = 24

    def step(self, largest, ranks):
        return 2.0 ** (int(numpy.frexp(largest)[1]) - (31 - (ranks - 1).bit_length()))

    def sum(self, gradients):
        step = self.step(max(abs(gradient).max() for gradient in gradients), len(gradients))
        total = sum(numpy.rint(gradient.astype(numpy.float64) / step).astype(numpy.int64)
                    for gradient in gradients)
        return (total * step).astype(numpy.float32)

    def error(self, largest, ranks):
        return self.step(largest, ranks) / 2 + 2 * largest * 2.0 ** -24


JOBS = {"int32": Integers(), "float32": Floats(24), "bfloat16": Floats(8)}


def rounded_mean(job, gradients):
    """The values that the workers have after the allreduce."""
    sums = job.sum([gradient.astype(numpy.float32) for gradient in gradients])
    return sums.astype(numpy.float64) / len(gradients)


def replay(job, data):
    """Both runs in step. Returns the rounded parameters and, for each epoch, the losses of
    both, the distance of their parameters, and the bounds of the distance and of the loss."""
    exact, rounded = model.initial(), model.initial()
    bound, rows = 0.0, []
    for epoch in range(model.EPOCHS):
        for shares in data.epoch(epoch):
            parts = [model.loss_and_gradient(rounded, data.pixels[share], data.labels[share])[1]
                     for share in shares]
            whole = shares.reshape(-1)
            there = model.loss_and_gradient(exact, data.pixels[whole], data.labels[whole])[1]
            here = sum(parts) / len(parts)
            largest = max(abs(part).max() for part in parts)
            error = model.PARAMETERS ** 0.5 * job.error(largest, data.ranks)
            apart = rounded - exact
            length = numpy.linalg.norm(apart)
            stretch = (numpy.linalg.norm(apart - model.RATE * (here - there)) / length
                       if length else 1)
            bound = stretch * bound + model.RATE * error
            rounded -= model.RATE * rounded_mean(job, parts)
            exact -= model.RATE * there
        slopes = [model.loss_and_gradient(each, data.pixels, data.labels)
                  for each in (exact, rounded)]
        slope = max(numpy.linalg.norm(gradient) for _, gradient in slopes)
        rows.append((slopes[0][0], slopes[1][0], numpy.linalg.norm(rounded - exact), bound,
                     slope * bound))
    return rounded, rows


def main():
    dtype, data, *paths = sys.argv[1:]
    results = []
    for path in paths:
        with open(path, encoding="ascii") as file:
            results.append(json.load(file))
    data = model.Data(data, len(results))
    digests = {result["digest"] for result in results}
    accuracy = results[0]["accuracy"]

    say(len(digests) == 1,
        f"the {len(results)} workers' models are the same bits (SHA-256 {results[0]['digest'][:16]}...)")
    say(accuracy >= 0.95, f"they recognise {accuracy:.1%} of digits never seen; 95 % were asked for")
    rounded, rows = replay(JOBS[dtype], data)
    say(model.digest(rounded) in digests and len(digests) == 1,
        "one process that rounds and adds by itself comes to the very same bits")
    apart = [abs(loss - row[0]) for loss, row in zip(results[0]["losses"], rows)]
    say(len(apart) == model.EPOCHS and all(a <= row[4] for a, row in zip(apart, rows)),
        f"its loss curve is that of one exact process within the bound of rounding: at most "
        f"{max(apart):.1e} apart, where {max(row[4] for row in rows):.1e} may be")
    say(all(row[2] <= row[3] for row in rows),
        f"so are its parameters: {rows[-1][2]:.1e} apart at the end, where {rows[-1][3]:.1e} may be "
        f"({model.EPOCHS * data.steps} steps)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
