# SPDX-License-Identifier: BSD-2-Clause
"""The ranks without the box: where they meet when it is lost, and sum by Gloo from then on."""

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, ProcessGroupGloo

from . import numbers

_OPERATIONS = {"sum": dist.ReduceOp.SUM, "min": dist.ReduceOp.MIN, "max": dist.ReduceOp.MAX}


class Peers:
    """A Gloo group of its own, so that its calls cannot mix with those of the program.

    One thread a rank calls it; all ranks call the same in the same order. What goes from one rank to
    another, bytes and numbers, may be another thread's.
    """

    def __init__(self, store, rank, ranks, timeout):
        self._store = PrefixStore("peers", store)
        self._gloo = ProcessGroupGloo(self._store, rank, ranks, timeout)
        self.rank = rank
        self.ranks = ranks

    def gather(self, number):
        """One number of each rank."""
        mine = torch.tensor([number])
        all_of_them = [torch.empty_like(mine) for _ in range(self.ranks)]
        self._gloo.allgather([all_of_them], [mine]).wait()
        return [int(each) for each in all_of_them]

    def broadcast(self, tensor, root):
        options = dist.BroadcastOptions()
        options.rootRank = root
        options.rootTensor = 0
        # Gloo has not all types of numbers, but bytes.
        self._gloo.broadcast([tensor.view(torch.uint8)], options).wait()

    def allreduce(self, source, out, operation, average):
        wide = numbers.widen(source)
        options = dist.AllreduceOptions()
        options.reduceOp = _OPERATIONS[operation]
        self._gloo.allreduce([wide], options).wait()
        if average:
            numbers.divide(wide, self.ranks)
        out.copy_(wide)

    def reduce_scatter(self, source, out):
        """Gloo has none of its own in all releases, and where it has, it is this."""
        whole = torch.empty_like(source)
        self.allreduce(source, whole, "sum", False)
        out.copy_(whole.view(self.ranks, -1)[self.rank])

    def allgather(self, source, out):
        every = list(out.view(self.ranks, -1).view(torch.uint8).unbind())
        self._gloo.allgather([every], [source.clone().view(torch.uint8)]).wait()

    def send_number(self, number, rank, tag):
        """To one rank, which receives it."""
        self._gloo.send([torch.tensor([number])], rank, tag).wait()

    def receive_number(self, rank, tag):
        number = torch.tensor([0])
        self._gloo.recv([number], rank, tag).wait()
        return int(number)

    def send_bytes(self, data, rank, tag):
        """To one rank, which receives them."""
        data = torch.frombuffer(data, dtype=torch.uint8)
        self.send_number(data.numel(), rank, tag)
        self._gloo.send([data], rank, tag).wait()

    def receive_bytes(self, rank, tag):
        data = torch.empty(self.receive_number(rank, tag), dtype=torch.uint8)
        self._gloo.recv([data], rank, tag).wait()
        return data.numpy().tobytes()

    def tell_loss(self, sentence):
        """Tells the other ranks why the box is lost, for those that are not at a meeting."""
        self._tell("loss", sentence)

    def tell_failure(self, sentence):
        """Tells the other ranks why no allreduce will complete any longer."""
        self._tell("failure", sentence)

    def _tell(self, what, sentence):
        self._store.set(what, sentence)
        self._store.add(f"{what}-told", 1)
        self._store.add("told", 1)

    def told(self):
        """The sentences that ranks have left about a failure and about a loss, or None."""
        # The store of older releases cannot be asked whether it has a key.
        if not self._store.add("told", 0):
            return None, None
        return tuple(self._store.get(what).decode() if self._store.add(f"{what}-told", 0) else None
                     for what in ("failure", "loss"))
