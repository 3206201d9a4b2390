#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Checks what the demo's workers have learned, and says it in words.

usage: verify.py DATA RESULT...

Trains twice more, in this one process: exactly, on whole batches, as one machine would;
and rounded, with each worker's share rounded as the library documents it and the
integers added here.

How far the rounded run may stray. An element of a worker's gradient is off by at most
half a step of the scale, 1/2S, and by the rounding to float32 on the way in and out, of
2^-24 of its size each; so is the mean of all workers'. A vector of d elements is then off
by at most e = sqrt(d) (1/2S + 2 max|g| 2^-24) in length. One step of descent at rate r
adds r e to the distance between the two runs' parameters, and stretches the distance
that is there already by a factor s, which is measured here, step by step, on both runs:

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


def rounded_mean(gradients):
    """What the workers have after the allreduce."""
    total = numpy.zeros(model.PARAMETERS, dtype=numpy.int64)
    for gradient in gradients:
        scaled = gradient.astype(numpy.float32).astype(numpy.float64) * model.SCALE
        total += numpy.rint(scaled).astype(numpy.int64)
    sums = (total / model.SCALE).astype(numpy.float32)
    return sums.astype(numpy.float64) / len(gradients)


def replay(data):
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
            error = model.PARAMETERS ** 0.5 * (0.5 / model.SCALE + 2 * largest * 2 ** -24)
            apart = rounded - exact
            length = numpy.linalg.norm(apart)
            stretch = (numpy.linalg.norm(apart - model.RATE * (here - there)) / length
                       if length else 1)
            bound = stretch * bound + model.RATE * error
            rounded -= model.RATE * rounded_mean(parts)
            exact -= model.RATE * there
        slopes = [model.loss_and_gradient(each, data.pixels, data.labels)
                  for each in (exact, rounded)]
        slope = max(numpy.linalg.norm(gradient) for _, gradient in slopes)
        rows.append((slopes[0][0], slopes[1][0], numpy.linalg.norm(rounded - exact), bound,
                     slope * bound))
    return rounded, rows


def main():
    results = []
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as file:
            results.append(json.load(file))
    data = model.Data(sys.argv[1], len(results))
    digests = {result["digest"] for result in results}
    accuracy = results[0]["accuracy"]

    say(len(digests) == 1,
        f"the {len(results)} workers' models are the same bits (SHA-256 {results[0]['digest'][:16]}...)")
    say(accuracy >= 0.95, f"they recognise {accuracy:.1%} of digits never seen; 95 % were asked for")
    rounded, rows = replay(data)
    say(model.digest(rounded) in digests and len(digests) == 1,
        "one process that rounds and adds by itself comes to the very same bits")
    apart = [abs(loss - row[0]) for loss, row in zip(results[0]["losses"], rows)]
    say(len(apart) == model.EPOCHS and all(a <= row[4] for a, row in zip(apart, rows)),
        f"its loss curve is that of one exact process within the bound of rounding: at most "
        f"{max(apart):.1e} apart, where {max(row[4] for row in rows):.1e} may be")
    say(all(row[2] <= row[3] for row in rows),
        f"so are its parameters: {rows[-1][2]:.1e} apart at the end, where {rows[-1][3]:.1e} may be "
        f"(scale {model.SCALE}, {model.EPOCHS * data.steps} steps)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
