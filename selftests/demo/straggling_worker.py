#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One worker of a cluster with stragglers: learns, and is slowed down now and then.

usage: straggling_worker.py DATA RESULT ADDRESS RANK RANKS RUN...

A RUN is JOB:SHARE:carry or JOB:SHARE:drop: which job sums, with which probability (in
percent) a worker is slowed down at a point, and what becomes of a gradient that came too
late. Runs follow each other in one process, as starting one takes long.

Stragglers are made as in the Trio paper, section 6.1 (its "Slow Worker Pattern"): each
iteration has three points, at each of which one worker is slowed down with the given
probability, for 0.5 to 2 times the iteration's usual time. An iteration's usual time is
fixed here, as if an accelerator computed that long while the processor is idle.

A worker whose gradient came too late takes the results that are there, waits for the
iteration that the others are at, and computes again with them from the next one on: a
gradient that it began in the middle of theirs would be late again.
"""

import json
import sys
import time

import numpy

import model
import weir

USUAL = 0.25            # seconds that a gradient takes
POINTS = 3
GRADS = 1024
BLOCKS = -(-model.PARAMETERS // GRADS)
FLAGS = weir.AVERAGE | weir.ACCEPT_DEGRADED


def delays(rank, ranks, share, steps):
    """For each iteration, the seconds that this worker is slowed down at each point."""
    random = numpy.random.default_rng([model.SEED, share])
    shape = steps, POINTS
    who = random.integers(ranks, size=shape)
    slow = random.random(shape) < share / 100
    return numpy.where((who == rank) & slow, random.uniform(0.5, 2, shape) * USUAL, 0)


class Worker:
    """A rank that learns over one communicator."""

    def __init__(self, comm, data, share, carries):
        self.comm, self.data, self.carries = comm, data, carries
        self.steps = model.EPOCHS * data.steps
        self.delays = delays(comm.rank, comm.ranks, share, self.steps)
        self.parameters = model.initial()
        self.mean, self.missed, self.carried = (
            numpy.zeros(model.PARAMETERS, numpy.float32) for _ in range(3))
        self.followed = self.late = 0
        self.in_step = True

    def descend(self):
        self.parameters -= model.RATE * self.mean.astype(numpy.float64)

    def follow(self, others_are_done):
        """An iteration that the others have done already, or are at."""
        self.comm.follow(self.mean)
        self.followed += 1
        self.in_step = not others_are_done

    def compute(self, samples, slow):
        """An iteration: the gradient, when the accelerator would have it."""
        end = time.monotonic() + USUAL
        pixels, labels = self.data.pixels[samples], self.data.labels[samples]
        gradient = model.loss_and_gradient(self.parameters, pixels, labels)[1]
        time.sleep(max(0, end - time.monotonic()))
        time.sleep(slow)
        return gradient.astype(numpy.float32) + self.carried

    def contribute(self, vector):
        self.comm.allreduce(vector, self.mean, residual=self.missed)
        self.in_step = not self.comm.info()["missed_blocks"]
        self.late += not self.in_step
        self.carried = self.missed.copy() if self.carries else self.carried

    def learn(self):
        shares = (s for epoch in range(model.EPOCHS) for s in self.data.epoch(epoch))
        for share, slow in zip(shares, self.delays):
            time.sleep(slow[0])
            behind = self.comm.behind() >= BLOCKS
            if behind or not self.in_step:
                self.follow(behind)
            else:
                self.contribute(self.compute(share[self.comm.rank], slow[1] + slow[2]))
            self.descend()


def run(data, address, rank, ranks, words):
    job, share, carries = words.split(":")
    with weir.Communicator(address, job=int(job), rank=rank, ranks=ranks, grads=GRADS, timeout=120,
                           flags=FLAGS) as comm:
        worker = Worker(comm, data, int(share), carries == "carry")
        start = time.monotonic()
        worker.learn()
        took = time.monotonic() - start
    return {"run": words, "iteration": took / worker.steps, "late": worker.late,
            "followed": worker.followed, "slow": int((worker.delays > 0).sum()),
            "digest": model.digest(worker.parameters),
            "accuracy": model.accuracy(worker.parameters, data.test_pixels, data.test_labels)}


def main():
    path, result, address, rank, ranks, *runs = sys.argv[1:]
    data = model.Data(path, int(ranks))
    with open(result, "w", encoding="ascii") as file:
        for words in runs:
            print(json.dumps(run(data, address, int(rank), int(ranks), words)), file=file)


if __name__ == "__main__":
    try:
        main()
    except weir.Error as error:
        sys.exit(f"rank {sys.argv[4]}: {error}")
