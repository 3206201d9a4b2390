#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group in which something fails: which exceptions it gets, as a line of JSON.

The last rank is the one that fails. The test compares the ranks' lines and exit statuses with those of Gloo.
"""

import argparse
import datetime
import json
import os
import signal
import sys
import threading

import torch
import torch.distributed as dist

import weir.torch   # noqa: F401

SIZE = 24000


def allreduce(wait=lambda work: work.wait()):
    """The exception's name, or the result."""
    tensor = torch.full((SIZE,), RANK + 1.0)
    try:
        wait(dist.all_reduce(tensor, async_op=True))
    except Exception as error:
        return type(error).__name__
    return float(tensor[0])


def calls():
    return [allreduce(), allreduce(lambda work: work.get_future().wait()), allreduce()]


def peer_exits():
    if RANK == LAST:
        os._exit(9)
    return calls()


def peer_is_killed():
    if RANK == LAST:
        os.kill(os.getpid(), signal.SIGKILL)
    return calls()


def peer_raises():
    if RANK == LAST:
        raise ValueError("the program is at fault")
    return calls()


def peer_leaves():
    """It ends well, without a word to the group."""
    if RANK == LAST:
        sys.exit(0)
    return calls()


def peer_destroys_the_group():
    if RANK == LAST:
        dist.destroy_process_group()
        sys.exit(0)
    return calls()


def peer_sleeps():
    """For longer than the group's timeout: until the test says that the others have ended."""
    if RANK == LAST:
        sys.stdin.readline()
        return []
    return calls()


def interrupted():
    """The program is interrupted while it waits for ranks that do not call; it ends without a wait."""
    if RANK > 0:
        sys.stdin.readline()
        return []
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    dist.all_reduce(torch.ones(SIZE))
    return ["not interrupted"]


def raises_with_a_call_under_way():
    if RANK > 0:
        sys.stdin.readline()
        return []
    dist.all_reduce(torch.ones(SIZE), async_op=True)
    raise ValueError("the program is at fault")


def group_is_destroyed_twice():
    dist.barrier()
    dist.destroy_process_group()
    try:
        dist.destroy_process_group()
    except AssertionError:
        return ["AssertionError"]
    except ValueError:
        return ["ValueError"]
    return ["nothing"]


def further_groups():
    """Of all, of halves, and of one rank."""
    groups = [dist.new_group(list(range(LAST + 1))), dist.new_group([0, 1]), dist.new_group([2, 3]),
              dist.new_group([LAST])]
    results = []
    for group in groups:
        tensor = torch.full((SIZE,), RANK + 1.0)
        work = dist.all_reduce(tensor, group=group, async_op=True)
        if work is not None:
            work.wait()
        results.append(float(tensor[0]))
    return results


def no_one_fails():
    return calls()


parser = argparse.ArgumentParser()
parser.add_argument("case")
parser.add_argument("--backend", default="weir")
parser.add_argument("--timeout", type=float, default=60)
parser.add_argument("--pause", action="store_true", help="say \"ready\" after the first call and wait for a line")
arguments = parser.parse_args()
dist.init_process_group(arguments.backend, timeout=datetime.timedelta(seconds=arguments.timeout))
RANK, LAST = dist.get_rank(), dist.get_world_size() - 1
assert allreduce() == 10
if arguments.pause:
    print("ready", flush=True)
    sys.stdin.readline()
print(json.dumps(globals()[arguments.case]()), flush=True)
