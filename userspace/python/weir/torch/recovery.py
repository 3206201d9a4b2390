# SPDX-License-Identifier: BSD-2-Clause
"""Recovery of a rank that fell behind, while the others train.

Under a policy that does not wait, the box goes on without a rank that is stopped for long. The rank then
lacks results, and its parameters are no longer the others'. It asks for help in the store. The other
ranks look there at the end of an iteration, only while results lack ranks. The first one that sees the
request leads: it names an iteration to come, at whose end all wait until it has sent the rank a copy of
what they train. Then all go on together.
"""

import io
import time
from typing import Any

import torch
from torch.distributed import distributed_c10d
from torch.distributed.distributed_c10d import PrefixStore

import weir

from . import note

# Iterations from the one in which a rank leads to the one after which all wait: so many that each rank
# has looked meanwhile.
_AHEAD = 2

# Pauses between looks of a rank that waits.
_PAUSE_SECONDS = 0.01

_TAG = 7700


class Recovery:
    """Brings back a rank that fell behind.

    state           of the hook, see weir.torch.state()
    things          what all ranks have alike and change from step to step: the model, the optimizer,
                    and others with state_dict() and load_state_dict(), as schedulers
    timeout         seconds after which a rank that wants to come back gives up

    All ranks make one, and call step() at the end of each iteration. `iteration` is the number of the
    next one, on all ranks alike: one that comes back has skipped some.
    """

    iteration: int
    recoveries: int

    def __init__(self, state: Any, *things: Any, timeout: float = 300) -> None:
        self.iteration = 0
        self.recoveries = 0
        self._state = state
        self._things = things
        self._timeout = timeout
        self._handled = 0
        self._boundary = None
        self._leads = False
        if state.channel:
            self._store = PrefixStore("weir-recovery", distributed_c10d._get_default_store())
            state.channel.is_recoverable = True

    def step(self) -> None:
        """Ends an iteration: all its gradients are applied."""
        self.iteration += 1
        channel = self._state.channel
        if not channel:
            return
        if channel.behind:
            self._come_back(channel)
        elif channel.was_degraded() or self._boundary is not None:
            self._look(channel)

    def _look(self, channel):
        """Another rank may want to come back."""
        number = self._handled + 1
        if self._boundary is None:
            if self._store.add("requests", 0) < number:
                return
            self._agree(channel, number)
        if self.iteration < self._boundary:
            return
        # A rank that was late itself has not seen it in time: the others have met without it.
        if self.iteration == self._boundary:
            if self._leads:
                self._give(channel, number)
            else:
                self._await(f"done/{number}", self._timeout)
            self.recoveries += 1
        self._handled = number
        self._boundary = None

    def _agree(self, channel, number):
        self._leads = self._store.add(f"claims/{number}", 1) == 1
        if self._leads:
            self._store.set(f"leader/{number}", f"{channel.rank} {self.iteration + _AHEAD}")
            self._store.add(f"led/{number}", 1)
        self._boundary = int(self._store.get(f"leader/{number}").decode().split()[1])

    def _await(self, key, seconds):
        """Waits until a key was counted; tells whether it was."""
        end = time.monotonic() + seconds
        while not self._store.add(key, 0):
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE_SECONDS)
        return True

    def _give(self, channel, number):
        rank = int(self._store.get(f"rank/{number}"))
        try:
            position, finished = channel.position()
            copy = io.BytesIO()
            torch.save({"position": position, "finished": finished, "iteration": self.iteration,
                        "things": [each.state_dict() for each in self._things]}, copy)
            channel.peers.send_bytes(copy.getbuffer(), rank, _TAG)
            channel.peers.receive_number(rank, _TAG)
        except Exception as error:
            # The others have waited; that rank fails by itself.
            note.say(f"rank {channel.rank} could not bring back rank {rank}: {error}")
        finally:
            self._store.add(f"done/{number}", 1)

    def _come_back(self, channel):
        end = time.monotonic() + self._timeout
        while channel.behind:
            note.say(f"rank {channel.rank} wants to come back: {channel.behind}")
            number = self._store.add("requests", 1)
            self._store.set(f"rank/{number}", str(channel.rank))
            if not self._await(f"led/{number}", end - time.monotonic()):
                raise channel.behind
            leader = int(self._store.get(f"leader/{number}").decode().split()[0])
            self._take(channel, leader)
            self._handled = number
        self._boundary = None
        self.recoveries += 1
        note.say(f"rank {channel.rank} is back, after iteration {self.iteration}")

    def _take(self, channel, leader):
        copy = io.BytesIO(channel.peers.receive_bytes(leader, _TAG))
        there = torch.load(copy)
        for each, state in zip(self._things, there["things"]):
            each.load_state_dict(state)
        self._state.residuals.clear()
        self.iteration = there["iteration"]
        try:
            channel.resume(there["position"], there["finished"])
        except weir.Behind as error:
            note.debug(channel.rank, str(error))
        channel.peers.send_number(int(channel.behind is None), leader, _TAG)
