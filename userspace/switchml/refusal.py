# SPDX-License-Identifier: GPL-2.0
"""The answer to a worker whose request fails: a sentence."""
import grpc


class Refused(Exception):
    """Carries the sentence, and the gRPC status that goes with it."""

    def __init__(self, sentence, status=grpc.StatusCode.FAILED_PRECONDITION):
        super().__init__(sentence)
        self.status = status


def wrong(sentence):
    """Of a request that makes no sense."""
    return Refused(sentence, grpc.StatusCode.INVALID_ARGUMENT)


def over(sentence):
    """Refuse a call whose wait was wasted."""
    return Refused(sentence, grpc.StatusCode.ABORTED)


def full(sentence):
    """Of a call for which there is no room."""
    return Refused(sentence, grpc.StatusCode.RESOURCE_EXHAUSTED)


WORKERS_MAX = 32


def check_workers(workers, rank=0):
    """Refuse a number of workers that no session has, and a rank that is not among them."""
    if not 1 <= workers <= WORKERS_MAX:
        raise wrong(f"a session has 1 to {WORKERS_MAX} workers, not {workers}")
    if rank >= workers:
        raise wrong(f"rank {rank} is none of {workers} workers")
