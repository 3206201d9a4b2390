# SPDX-License-Identifier: BSD-2-Clause
"""Allreduces of one rank, in the order in which they were asked for, by a thread.

The thread is the only one that uses the communicator. It has DEPTH allreduces under way at most,
each from the caller's tensor to storage of the channel's own, from where the result goes back.
So the input is whole until there is a result, and the last DEPTH results are kept: a rank that
has finished allreduce k knows that all have begun it, and so have finished k - DEPTH.

That is what the ranks need when the box is lost. They meet by Gloo and compare how far each
has come; the one that is ahead gives the others the results that they lack, which are then the
same bits on all; and all that follows is summed by Gloo. A rank that gives up says so in the
store, where those that wait for it look once a second.

A rank that the others have left behind has no results until it resumes, see recovery.py. Until then its
calls leave tensors as they are.
"""

import atexit
import collections
import concurrent.futures
import errno
import os
import select
import threading
import time

import torch

import weir

from . import note

DEPTH = 2

# Errors of one allreduce's values, which all ranks have alike: the next may go by the box again.
_OF_VALUES = {errno.EDOM, errno.ENODATA}

# How often a rank that waits looks whether another has given up.
_LOOK_SECONDS = 1

_FLOATS = {torch.float32, torch.float16, torch.bfloat16}


class _Call:
    """An allreduce, from when it is asked for until its result may be forgotten."""

    def __init__(self, tensor, operation, average, residual):
        self.tensor = tensor
        self.input = tensor.view(-1)
        self.operation = operation
        self.average = average
        self.residual = residual
        self.future = torch.futures.Future()
        self.storage = None
        self.out = None
        self.request = None

    def flags(self):
        return (weir.ACCEPT_OVERFLOW | (weir.AVERAGE if self.average else 0) |
                (0 if self.residual is None else weir.ACCEPT_DEGRADED))

    def hold(self, storage):
        """The result's place, in storage of bytes."""
        size = self.input.numel() * self.input.element_size()
        self.storage = storage
        self.out = storage[:size].view(self.input.dtype)


class _Storage:
    """Bytes for results. Programs call with few different sizes, again and again."""

    def __init__(self):
        self._spare = []

    def take(self, tensor):
        size = tensor.numel() * tensor.element_size()
        for i, each in enumerate(self._spare):
            if each.numel() >= size:
                return self._spare.pop(i)
        # What is too small is not kept beside what is not.
        self._spare.clear()
        return torch.empty(size, dtype=torch.uint8)

    def give(self, storage):
        self._spare.append(storage)


class Channel:
    """The ranks' way through the box, with Gloo behind it.

    comm        the communicator
    peers       the same ranks, by Gloo
    """

    def __init__(self, comm, peers):
        stats = comm.stats()
        self._dtypes = _FLOATS | ({torch.int32} if stats["type"] == "int32" else set())
        self._operation = stats["operation"]
        self._comm = comm
        self._peers = peers
        self._orders = collections.deque()
        self._degraded = False
        # Something will resume where this rank falls behind: the reason is here then.
        self.is_recoverable = False
        self.behind = None
        self._calls = collections.deque()
        self._under_way = collections.deque()
        self._kept = collections.deque()
        self._storage = _Storage()
        self._finished = 0
        self._looked = time.monotonic()
        # The communicator has an error that the next allreduce will meet.
        self._faulty = False
        self._closing = False
        self._wake = os.eventfd(0, os.EFD_NONBLOCK)
        self._thread = threading.Thread(target=self._run, name="weir", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def suits(self, tensor, operation):
        """Can the job combine such tensors so?"""
        return (operation == self._operation and tensor.dtype in self._dtypes and
                tensor.device.type == "cpu" and tensor.layout == torch.strided and
                tensor.is_contiguous())

    def allreduce(self, tensor, operation="sum", average=False, residual=None):
        """A future of the tensor itself, with the result in it.

        residual    gets the part of the tensor that is not in the result, which may lack ranks
                    then; else Gloo makes such results anew
        """
        call = _Call(tensor, operation, average, residual)
        self._calls.append(call)
        os.eventfd_write(self._wake, 1)
        return call.future

    @property
    def rank(self):
        return self._peers.rank

    @property
    def peers(self):
        return self._peers

    def was_degraded(self):
        """Did a result lack ranks since the last call of this function?"""
        was, self._degraded = self._degraded, False
        return was

    def position(self):
        """Where this rank is, between calls, and how many it has finished."""
        return self._order(lambda: (self._comm.position(), self._finished))

    def resume(self, position, finished):
        """Goes on there. Raises weir.Behind where the box no longer can."""
        def order():
            self._comm.resume(position)
            self._finished = finished
            self._kept.clear()
            self._faulty = False
            self.behind = None
        self._order(order)

    def _order(self, function):
        """Has the thread call a function, when no allreduce is under way; its result."""
        future = concurrent.futures.Future()
        self._orders.append((function, future))
        os.eventfd_write(self._wake, 1)
        return future.result()

    def _obey(self):
        function, future = self._orders.popleft()
        try:
            if self._comm is None:
                raise weir.Error(errno.ENODATA, "the box is lost")
            future.set_result(function())
        except Exception as error:
            future.set_exception(error)

    def close(self):
        """Ends the thread when all that was asked for has its result."""
        atexit.unregister(self.close)
        if self._closing:
            return
        self._closing = True
        os.eventfd_write(self._wake, 1)
        # The collector of garbage runs in any thread.
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self):
        while self._calls or self._under_way or self._orders or not self._closing:
            try:
                self._turn()
            except Exception as error:
                # The store may be gone, with rank 0: nobody waits for a result in vain.
                self._refuse_all(error)
        if self._comm:
            self._comm.close()

    def _turn(self):
        while self._orders and not self._under_way:
            self._obey()
        while self._calls and len(self._under_way) < DEPTH:
            self._begin(self._calls.popleft())
        if not self._under_way:
            self._idle()
        elif not self._test(self._under_way[0]):
            self._wait()

    def _begin(self, call):
        call.hold(self._storage.take(call.input))
        self._under_way.append(call)
        if self._comm is None:
            return
        try:
            call.request = self._comm.iallreduce(call.input, call.out, op=call.operation,
                                                 flags=call.flags(), residual=call.residual)
        except weir.Error as error:
            self._fail(error)

    def _fail(self, error):
        if self.is_recoverable and isinstance(error, weir.Behind):
            self._fall_behind(error)
        else:
            self._lose(str(error))

    def _fall_behind(self, error):
        """All that is under way has no result."""
        self.behind = self.behind or error
        while self._under_way:
            call = self._under_way.popleft()
            if call.residual is not None:
                call.residual.zero_()
            self._storage.give(call.storage)
            call.future.set_result(call.tensor)

    def _test(self, call):
        """Makes progress; tells whether there is more to do at once."""
        if self._comm is None:
            self._by_gloo(call)
            return True
        try:
            if not call.request.test():
                return False
            self._degraded |= bool(self._comm.info()["degraded_blocks"])
            self._finish(call)
        except weir.Error as error:
            if error.errno in _OF_VALUES:
                note.debug(self._peers.rank, f"allreduce {self._finished} goes by Gloo: {error}")
                self._by_gloo(call)
            else:
                self._fail(error)
        return True

    def _by_gloo(self, call):
        try:
            self._peers.allreduce(call.input, call.out, call.operation, call.average)
        except Exception as error:
            self._refuse(call, error)
            return
        if call.residual is not None:
            call.residual.zero_()
        self._finish(call)

    def _finish(self, call):
        call.input.copy_(call.out)
        self._leave(call)
        call.future.set_result(call.tensor)

    def _refuse(self, call, error):
        self._leave(call)
        call.future.set_exception(error)

    def _refuse_all(self, error):
        while self._under_way:
            self._refuse(self._under_way[0], error)

    def _leave(self, call):
        self._under_way.remove(call)
        self._finished += 1
        self._kept.append(call)
        if len(self._kept) > DEPTH:
            self._storage.give(self._kept.popleft().storage)

    def _lose(self, sentence):
        """The box is lost to this rank, and so to all."""
        comm, self._comm = self._comm, None
        note.debug(self._peers.rank, sentence)
        try:
            self._peers.tell_loss(sentence)
            finished = self._peers.gather(self._finished)
            if self._peers.rank == 0:
                note.say(f"Gloo goes on without the box after {max(finished)} allreduces: "
                         f"{sentence}")
            self._catch_up(finished)
        finally:
            comm.close()

    def _catch_up(self, finished):
        """The ranks that are behind get the results that they lack."""
        least, most = min(finished), max(finished)
        root = finished.index(most)
        if most - least > DEPTH:
            raise weir.Error(errno.ENODATA, f"rank {finished.index(least)} is {most - least} "
                             f"allreduces behind rank {root}, which has kept {DEPTH}")
        # A rank counts on as it gets them.
        before = list(self._kept)[len(self._kept) - (self._finished - least):]
        for number in range(most - least):
            lacking = number >= len(before)
            call = self._under_way[0] if lacking else before[number]
            self._peers.broadcast(call.out, root)
            if lacking:
                if call.residual is not None:
                    call.residual.zero_()
                self._finish(call)

    def _wait(self):
        """Until the box answers or a call is made, but not past a look at the store."""
        if self._comm is None:
            self._sleep(None)
            return
        now = time.monotonic()
        if now >= self._looked + _LOOK_SECONDS:
            self._looked = now
            sentence = self._peers.told_loss()
            if sentence:
                self._lose(sentence)
                return
        self._sleep(_LOOK_SECONDS)

    def _idle(self):
        """Until a call is made. Meanwhile the others may need this rank's answers, or give up."""
        self._wait()
        if self._comm and not self._faulty:
            try:
                self._comm.behind()
            except weir.Error:
                self._faulty = True

    def _sleep(self, seconds):
        """Until something happens, so many seconds at most."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        if self._comm and not self._faulty:
            readable, writable, timeout = self._comm.poll()
            seconds = timeout if seconds is None else min(timeout, seconds)
            for fd in readable:
                poll.register(fd, select.POLLIN | (select.POLLOUT if fd in writable else 0))
        # Rounded up: else the last millisecond is spent in a loop.
        events = poll.poll(None if seconds is None else int(seconds * 1000) + 1)
        if any(fd == self._wake for fd, _ in events):
            os.eventfd_read(self._wake)
