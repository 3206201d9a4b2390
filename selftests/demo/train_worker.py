#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One worker of the demo: learns from its share of each batch, with all the others.

usage: train_worker.py DATA RESULT ADDRESS JOB RANK RANKS
"""

import json
import sys
import time

import numpy

import model
import weir


def train(comm, data, report):
    """Runs all epochs; returns the parameters, the loss after each, and the times."""
    parameters = model.initial()
    losses, times = [], []
    for epoch in range(model.EPOCHS):
        for shares in data.epoch(epoch):
            mine = shares[comm.rank]
            gradient = model.loss_and_gradient(parameters, data.pixels[mine], data.labels[mine])[1]
            vector = gradient.astype(numpy.float32)
            start = time.monotonic()
            comm.allreduce(vector)
            times.append(time.monotonic() - start)
            parameters -= model.RATE * (vector.astype(numpy.float64) / comm.ranks)
        if report:
            losses.append(model.loss(parameters, data.pixels, data.labels))
            accuracy = model.accuracy(parameters, data.test_pixels, data.test_labels)
            mean = sum(times[-data.steps:]) / data.steps
            print(f"epoch {epoch + 1:2}   loss {losses[-1]:.4f}   test accuracy {accuracy:6.1%}   "
                  f"allreduce {mean * 1e3:6.2f} ms", flush=True)
    return parameters, losses, times


def main():
    path, result, address, job, rank, ranks = sys.argv[1:]
    rank, ranks = int(rank), int(ranks)
    data = model.Data(path, ranks)
    with weir.Communicator(address, job=int(job), rank=rank, ranks=ranks, timeout=120) as comm:
        parameters, losses, times = train(comm, data, report=rank == 0)
        stats = comm.stats()
    with open(result, "w", encoding="ascii") as file:
        json.dump({"digest": model.digest(parameters), "losses": losses,
                   "accuracy": model.accuracy(parameters, data.test_pixels, data.test_labels),
                   "mean_ms": 1e3 * sum(times) / len(times), "stats": stats}, file)


if __name__ == "__main__":
    try:
        main()
    except weir.Error as error:
        sys.exit(f"rank {sys.argv[5]}: {error}")
