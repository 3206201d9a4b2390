# SPDX-License-Identifier: BSD-2-Clause
"""The ranks without the box: where they meet when it is lost, and sum by Gloo from then on."""

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, ProcessGroupGloo

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
        """Numbers of 16 bits are summed with 32: Gloo lacks some, and a mean may fit where its
        sum does not."""
        wide = source.float() if source.element_size() == 2 else source.clone()
        options = dist.AllreduceOptions()
        options.reduceOp = _OPERATIONS[operation]
        self._gloo.allreduce([wide], options).wait()
        if average:
            wide /= self.ranks
        out.copy_(wide)

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
        """Leaves word with the store, for ranks that are not at a meeting."""
        self._store.set("sentence", sentence)
        self._store.add("losses", 1)

    def told_loss(self):
        """The sentence that a rank has left, or None."""
        # The store of older releases cannot be asked whether it has a key.
        return self._store.get("sentence").decode() if self._store.add("losses", 0) else None
