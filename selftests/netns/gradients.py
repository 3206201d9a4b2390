#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One worker's gradients, summed twice: as a vector by a job, and as keys and values by a stream.

    gradients.py BOX RANK RANKS JOB KV_JOB >SUMS

A gradient's key is its layer and its place there (P4COM's second use). Rank 0 prints the vector's sums as
`weir kv get` prints those of the stream.
"""
import array
import random
import sys

import weir
import weir.kv

# Of a small network: so many gradients a layer.
LAYERS = {"conv1": 150, "conv2": 2400, "fc": 1200, "bias": 94}


def gradients(rank):
    """Multiples of 1/1024 below 8: their sums have no rounding in float32, in any order."""
    source = random.Random(rank)
    return [source.randrange(-8192, 8192) / 1024 for _ in range(sum(LAYERS.values()))]


def names():
    return [f"{layer}.{place}" for layer, count in LAYERS.items() for place in range(count)]


def main():
    box, (rank, ranks, job, kv_job) = sys.argv[1], map(int, sys.argv[2:])
    mine = array.array("f", gradients(rank))
    sums = array.array("f", bytes(4 * len(mine)))
    with weir.Communicator(box, job=job, rank=rank, ranks=ranks, grads=256, timeout=120) as comm:
        comm.allreduce(mine, sums)
    with weir.kv.Mapper(box, job=kv_job, source=rank, dtype="float32") as mapper:
        for name, value in zip(names(), mine):
            mapper.put(name, value)
    if rank == 0:
        for name, value in zip(names(), sums):
            print(f"{name}\t{value:.9g}")


main()
