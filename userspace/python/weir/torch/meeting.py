# SPDX-License-Identifier: BSD-2-Clause
"""How the ranks begin: all go by the box, or none."""

import datetime
import json

from torch.distributed.distributed_c10d import PrefixStore

import weir
from weir import environment

from . import note
from .channel import Channel
from .peers import Peers

MIN_BYTES = 16384


def _exchange(store, step, rank, ranks, mine):
    """What each rank has to say about a step; {} where all is well."""
    store.set(f"{step}/{rank}", json.dumps(mine))
    return [json.loads(store.get(f"{step}/{each}")) for each in range(ranks)]


def _fault(said):
    """The first rank's fault, as a sentence."""
    return next((f"rank {rank}: {each['fault']}" for rank, each in enumerate(said)
                 if each.get("fault")), None)


def _settings(rank, ranks):
    """What must be alike on all ranks, or the fault in it."""
    try:
        options = environment.complete({"rank": rank, "ranks": ranks})
        min_bytes = environment.read("WEIR_MIN_BYTES", int)
    except ValueError as error:
        return {"fault": str(error)}
    # A job that is asked for has its name from the box's URL, or from the launcher.
    return {"job": options.get("job", options.get("box")), "grads": options.get("grads", 0),
            "min_bytes": MIN_BYTES if min_bytes is None else min_bytes}


def _differing(said):
    for rank, each in enumerate(said):
        for name in ("job", "grads"):
            if each[name] != said[0][name]:
                return f"rank {rank} has {name} {each[name]}, and rank 0 {said[0][name]}"
    return None


def _open(rank, ranks):
    try:
        return weir.Communicator(rank=rank, ranks=ranks), {}
    except (weir.Error, ValueError) as error:
        return None, {"fault": str(error)}


def begin(store, rank, ranks):
    """Called by all ranks. A channel, or None where Gloo has to do all; and from how many bytes on
    a tensor goes by the box."""
    store = PrefixStore("weir", store)
    said = _exchange(store, "settings", rank, ranks, _settings(rank, ranks))
    fault = _fault(said) or _differing(said)
    comm = None
    if not fault:
        comm, mine = _open(rank, ranks)
        fault = _fault(_exchange(store, "opened", rank, ranks, mine))
    if fault:
        if comm:
            comm.close()
        if rank == 0:
            note.say(f"Gloo does all, without the box: {fault}")
        return None, 0
    peers = Peers(store, rank, ranks, datetime.timedelta(minutes=30))
    note.debug(rank, f"{ranks} ranks go by the box, from {said[0]['min_bytes']} bytes on")
    return Channel(comm, peers), said[0]["min_bytes"]
