#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Many ranks of a job that spans boxes, behind one box: a thread each, with a port each.

usage: crowd.py ADDRESS JOB FIRST COUNT RANKS [--degraded]

Ranks FIRST to FIRST + COUNT - 1 of RANKS are sources 0 to COUNT - 1 of the box at ADDRESS, from port
20000 on. Prints the digest of the sums that all of them have, and how many ranks are in them.
"""
import array
import hashlib
import sys
import threading

import weir

ELEMENTS = 600
PORT = 20000


def element(rank, index):
    return rank * 31 + index


def run(address, job, first, number, ranks, flags, results):
    rank = first + number
    values = array.array("i", (element(rank, i) for i in range(ELEMENTS)))
    out = array.array("i", bytes(4 * ELEMENTS))
    with weir.Communicator(address, job=job, rank=rank, ranks=ranks, source=number, grads=256,
                           window=8, bind_port=PORT + number, timeout=300, flags=flags) as comm:
        comm.allreduce(values, out)
        results[number] = (out.tobytes(), comm.info()["min_ranks"])


def main():
    address = sys.argv[1]
    job, first, count, ranks = map(int, sys.argv[2:6])
    degraded = "--degraded" in sys.argv
    results = [None] * count
    threads = [threading.Thread(target=run, args=(
        address, job, first, number, ranks, weir.ACCEPT_DEGRADED if degraded else 0, results))
        for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1, "ranks differ"
    sums, in_it = results[0]
    if not degraded:
        wanted = array.array("i", (sum(element(rank, i) for rank in range(ranks))
                                   for i in range(ELEMENTS)))
        assert sums == wanted.tobytes(), "the sums are wrong"
    print(hashlib.sha256(sums).hexdigest(), in_it)


if __name__ == "__main__":
    main()
