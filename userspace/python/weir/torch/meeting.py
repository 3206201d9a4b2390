# SPDX-License-Identifier: BSD-2-Clause
"""Start of the ranks: all go by the box, or none."""

import json
import os
import threading

from torch.distributed.distributed_c10d import PrefixStore

import weir
from weir import environment

from . import note, watch
from .channel import Channel
from .peers import Peers

MIN_BYTES = 16384

# Seconds between looks of a rank that waits for the others to join, whether one of them cannot.
_LOOK_SECONDS = 0.2

# libweir's limit for a box that is silent.
_BOX_SECONDS = 30

# By so much the library waits longer for ranks than the process group's timeout, which is to end the wait.
_MARGIN_SECONDS = 5


def _exchange(store, step, rank, ranks, mine):
    """Publish this rank's part of a step, {} if all is well; return the parts of all ranks."""
    store.set(f"{step}/{rank}", json.dumps(mine))
    return [json.loads(store.get(f"{step}/{each}")) for each in range(ranks)]


def _faults(said):
    """Sentences on the ranks that have one."""
    return [f"rank {rank}: {each['fault']}" for rank, each in enumerate(said) if each.get("fault")]


def _settings(rank, ranks):
    """Return what must be alike on all ranks, or the fault in it."""
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
                return [f"rank {rank} has {name} {each[name]}, and rank 0 {said[0][name]}"]
    return []


def _limits(timeout):
    """The library's timeouts: the ranks have time to go on without a lost box."""
    box = environment.read("WEIR_TIMEOUT", float) or _BOX_SECONDS
    ranks = environment.read("WEIR_RANKS_TIMEOUT", float) or timeout + _MARGIN_SECONDS
    return {"timeout": min(box, timeout / 3), "ranks_timeout": ranks}


class _Opening:
    """Opens a communicator in a thread, unless another rank turns out to be unable to."""

    def __init__(self, rank, ranks, timeout):
        self._options = {"rank": rank, "ranks": ranks} | _limits(timeout)
        self._cancel, self._trigger = os.pipe()
        self.comm, self._fault = None, {}
        self._thread = threading.Thread(target=self._open, name="weir-open", daemon=True)

    def _open(self):
        try:
            self.comm = weir.Communicator(**self._options, cancel_fd=self._cancel)
        except (weir.Error, ValueError) as error:
            self._fault = {"fault": str(error)}

    def run(self, store):
        """Return {} or the fault."""
        self._thread.start()
        while self._thread.is_alive():
            self._thread.join(_LOOK_SECONDS)
            if self._thread.is_alive() and store.add("unable", 0):
                os.write(self._trigger, b"x")
                self._thread.join()
                # The other rank's fault is the one to report.
                self._fault = {}
        os.close(self._cancel)
        os.close(self._trigger)
        if self._fault:
            store.add("unable", 1)
        return self._fault


def _report(rank, faults, ranks):
    """A fault that all ranks have is said once, others on each rank, whose user looks for the reason."""
    if rank == 0 or len(faults) < ranks:
        note.say(f"Gloo does all, without the box: {faults[0]}")


def begin(store, rank, ranks, timeout):
    """Called by all ranks. A channel, or None where Gloo has to do all; and from how many bytes on
    a tensor goes by the box.

    timeout     the process group's, a timedelta
    """
    store = PrefixStore("weir", store)
    said = _exchange(store, "settings", rank, ranks, _settings(rank, ranks))
    faults = _faults(said) or _differing(said)
    comm = None
    if not faults:
        opening = _Opening(rank, ranks, timeout.total_seconds())
        faults = _faults(_exchange(store, "opened", rank, ranks, opening.run(store)))
        comm = opening.comm
    if faults:
        if comm:
            comm.close()
        _report(rank, faults, ranks)
        return None, 0
    peers = Peers(store, rank, ranks, timeout)
    note.debug(rank, f"{ranks} ranks go by the box, from {said[0]['min_bytes']} bytes on")
    return (Channel(comm, peers, watch.begin(store, rank, ranks), timeout.total_seconds()),
            said[0]["min_bytes"])
