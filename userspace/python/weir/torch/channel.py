# SPDX-License-Identifier: BSD-2-Clause
"""Collectives of one rank, in the order in which they were asked for, by a thread.

The thread is the only one that uses the communicator. It has DEPTH collectives under way at most,
each from the caller's tensor to storage of the channel's own, from where the result goes back.
So the input is whole until there is a result, and the last DEPTH results are kept: a rank that
has finished allreduce k knows that all have begun it, and so have finished k - DEPTH.

That is what the ranks need when the box is lost. They meet by Gloo and compare how far each
has come; the one that is ahead gives the others the results that they lack, which are then the
same bits on all; and all that follows goes by Gloo. What has another result on each rank,
as a reduce-scatter has, all do again. A rank that gives up says so in the
store, where those that wait for it look once a second.

The channel fails, for all calls to come, when an allreduce takes longer than the group's timeout, or
makes no progress after a rank's process has ended. The other ranks are told in the store.

A rank that the others have left behind has no results until it resumes, see recovery.py. Until then its
calls leave tensors as they are.
"""

import atexit
import collections
import concurrent.futures
import contextlib
import errno
import os
import select
import sys
import threading
import time
import weakref

import torch

import weir

from . import device, note, numbers
from .call import AllGatherCall, Call, ReduceScatterCall
from .staging import Staging

DEPTH = 2

# Errors of one allreduce's values, which all ranks have alike: the next may go by the box again.
_OF_VALUES = {errno.EDOM, errno.ENODATA}

# Seconds between looks of a rank that waits, whether another has given up.
_LOOK_SECONDS = 1

# Seconds without a result after another rank's process has ended. Results that may lack ranks come
# when the box has waited for the rank.
_GRACE_SECONDS = 1
_GRACE_DEGRADED_SECONDS = 5

# For a thread to end whose results are no longer wanted.
_ABANDON_SECONDS = 2


class _Storage:
    """Bytes for results. Programs call with few different sizes, again and again."""

    def __init__(self):
        self._spare = []

    def take(self, size):
        for i, each in enumerate(self._spare):
            if each.numel() >= size:
                return self._spare.pop(i)
        # Storage that is too small is not kept beside larger storage.
        self._spare.clear()
        return torch.empty(size, dtype=torch.uint8)

    def give(self, storage):
        self._spare.append(storage)


def _takes_shares(comm, dtype):
    """Return whether the job and its box take reduce-scatters and all-gathers, as all ranks find alike."""
    nothing = torch.empty(0, dtype=dtype)
    try:
        comm.iallgather(nothing, nothing).wait()
    except (weir.Error, TypeError) as error:
        if isinstance(error, weir.Error) and error.errno != errno.EOPNOTSUPP:
            raise
        return False
    return True


class Channel:
    """The ranks' way through the box, with Gloo behind it.

    comm        the communicator
    peers       the same ranks, by Gloo
    watch       connections to them, see watch.py
    timeout     seconds for one allreduce, unless it has a timeout of its own
    """

    def __init__(self, comm, peers, watch, timeout):
        stats = comm.stats()
        self._dtypes = numbers.dtypes_of(stats["type"])
        self._operation = stats["operation"]
        self._share_dtype = numbers.dtype_of(stats["type"])
        self._takes_shares = _takes_shares(comm, self._share_dtype)
        self._comm = comm
        self._peers = peers
        self._watch = watch
        self._timeout = timeout
        self._orders = collections.deque()
        self._degraded = False
        # Something will resume where this rank falls behind: the reason is here then.
        self.is_recoverable = False
        self.behind = None
        self._calls = collections.deque()
        self._under_way = collections.deque()
        self._kept = collections.deque()
        self._storage = _Storage()
        # By the adapter of the accelerator.
        self._stagings = {}
        self._finished = 0
        self._looked = time.monotonic()
        # Of the oldest call under way: since when it is that, how many elements had come and when.
        self._oldest = None
        self._since = 0
        self._elements = 0
        self._progress = 0
        # A sentence on a rank that has ended, and since when it is known.
        self._gone = None
        self._gone_since = 0
        # The error that all calls get.
        self._error = None
        # The communicator has an error that the next allreduce will meet.
        self._faulty = False
        self._closing = False
        self._abandoned = False
        self._wake = os.eventfd(0, os.EFD_NONBLOCK)
        self._ended = False
        weakref.finalize(self, os.close, self._wake).atexit = False
        self._thread = threading.Thread(target=self._run, name="weir", daemon=True)
        self._thread.start()
        atexit.register(self._exit)

    def suits(self, tensor, operation):
        """Return whether the job can combine such tensors so, alike on all ranks."""
        return (operation == self._operation and tensor.dtype in self._dtypes and
                tensor.numel() and numbers.is_plain(tensor) and
                (numbers.is_on_host(tensor) or device.adapter_of(tensor) is not None))

    def allreduce(self, tensor, operation="sum", average=False, residual=None, timeout=None):
        """Start an allreduce of the tensor, in place; return the Call.

        residual    gets the part of the tensor that is not in the result, which may lack ranks
                    then; else Gloo makes such results again
        timeout     in seconds; None is the channel's
        """
        timeout = timeout or self._timeout
        adapter = device.adapter_of(tensor)
        if adapter:
            return self._staging(adapter).allreduce(tensor, operation, average, residual, timeout)
        return self._started(Call(tensor, numbers.flat(tensor), operation, average, residual, timeout))

    def suits_shares(self, tensors, operation):
        """Return whether the job can gather such tensors, or scatter their sum, alike on all ranks."""
        return (self._takes_shares and operation == "sum" and
                all(each.dtype == self._share_dtype and each.numel() and numbers.is_plain(each) and
                    numbers.is_on_host(each) for each in tensors))

    def reduce_scatter(self, data, tensor, timeout=None):
        """Start to sum the data of all ranks, of which each gets an equal share; return the Call."""
        return self._started(ReduceScatterCall(tensor, numbers.flat(data), timeout or self._timeout))

    def all_gather(self, data, tensors, timeout=None):
        """Start to gather the data of all ranks, in the order of ranks; return the Call.

        tensors     one that has room for all, or one for each rank's
        """
        return self._started(AllGatherCall(tensors, numbers.flat(data), self.rank,
                                           timeout or self._timeout))

    def _started(self, call):
        self._start(call)
        return call

    def _start(self, call):
        self._calls.append(call)
        self._kick()

    def _staging(self, adapter):
        if adapter not in self._stagings:
            self._stagings[adapter] = Staging(adapter, self._start, self._kick)
        return self._stagings[adapter]

    @property
    def rank(self):
        return self._peers.rank

    @property
    def peers(self):
        return self._peers

    def was_degraded(self):
        """Return whether a result has lacked ranks since the last call of this function."""
        was, self._degraded = self._degraded, False
        return was

    def position(self):
        """Return the position of this rank, between calls, and how many it has finished."""
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
        """Have the thread call a function when no allreduce is under way; return its result."""
        future = concurrent.futures.Future()
        self._orders.append((function, future))
        self._kick()
        return future.result()

    def _obey(self):
        function, future = self._orders.popleft()
        try:
            if self._comm is None:
                raise weir.Error(errno.ENODATA, "the box is lost")
            future.set_result(function())
        except Exception as error:
            future.set_exception(error)

    def _kick(self):
        """Wakes the thread for what was just added to a queue."""
        os.eventfd_write(self._wake, 1)
        if self._ended:
            self._refuse_rest()

    def _refuse_rest(self):
        """End what comes too late: called by the thread, or by the caller after it."""
        error = self._error or RuntimeError("the process group was destroyed")
        for queue, refuse in ((self._calls, lambda call: call.end(error)),
                              (self._orders, lambda order: order[1].set_exception(error))):
            while queue:
                with contextlib.suppress(IndexError):
                    refuse(queue.popleft())

    def _exit(self):
        """The interpreter ends. After an exception, a keyboard interrupt say, no one wants results."""
        self.close(abandon=hasattr(sys, "last_type"))

    def close(self, abandon=False):
        """End the thread when all that was asked for has its result, or at once."""
        atexit.unregister(self._exit)
        if self._closing:
            return
        self._closing, self._abandoned = True, abandon
        self._kick()
        # The collector of garbage runs in any thread.
        if threading.current_thread() is not self._thread:
            self._thread.join(_ABANDON_SECONDS if abandon else None)

    def _run(self):
        while not self._abandoned and (self._calls or self._under_way or self._orders or
                                       not self._closing):
            try:
                self._turn()
            except Exception as error:
                # The store may be gone, with rank 0: no one waits for a result that cannot come.
                self._break(error if isinstance(error, RuntimeError) else RuntimeError(str(error)))
        if self._abandoned:
            self._refuse_all(RuntimeError("the program ended before the allreduce"))
        self._watch.close()
        for each in self._stagings.values():
            each.close()
        self._drop_comm()
        self._ended = True
        self._refuse_rest()

    def _drop_comm(self):
        comm, self._comm = self._comm, None
        if comm:
            comm.close()

    def _turn(self):
        while self._orders and not self._under_way:
            self._obey()
        while self._calls and len(self._under_way) < DEPTH and self._calls[0].is_ready():
            self._begin(self._calls.popleft())
        if not self._under_way:
            self._idle()
        elif not self._test(self._under_way[0]):
            self._wait()

    def _begin(self, call):
        if call.fault:
            self._break(call.fault)
        if self._error:
            call.end(self._error)
            return
        call.hold(self._storage.take(call.bytes_held()))
        self._under_way.append(call)
        if self._comm is None:
            return
        try:
            call.begin(self._comm)
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
            self._storage.give(call.storage)
            call.skip()

    def _test(self, call):
        """Makes progress; tells whether there is more to do at once."""
        if self._comm is None:
            self._by_gloo(call)
            return True
        try:
            if not call.request.test():
                return False
            self._degraded |= bool(self._comm.info()["degraded_blocks"])
        except weir.Error as error:
            if error.errno in _OF_VALUES:
                note.debug(self._peers.rank, f"allreduce {self._finished} goes by Gloo: {error}")
                self._by_gloo(call)
            else:
                self._fail(error)
            return True
        if call.average and not call.flags() & weir.AVERAGE:
            numbers.divide(call.out, self._peers.ranks)
        self._finish(call)
        return True

    def _by_gloo(self, call):
        call.by_gloo(self._peers)
        call.clear_residual()
        self._finish(call)

    def _finish(self, call):
        call.deliver()
        self._under_way.remove(call)
        self._finished += 1
        self._kept.append(call)
        if len(self._kept) > DEPTH:
            self._storage.give(self._kept.popleft().storage)
        call.end()

    def _refuse_all(self, error):
        for queue in self._under_way, self._calls:
            while queue:
                queue.popleft().end(error)

    def _break(self, error):
        """No allreduce will have a result any longer, on any rank."""
        if not self._error:
            self._error = error
            note.debug(self._peers.rank, str(error))
            try:
                self._peers.tell_failure(str(error))
            except RuntimeError:
                # The store is gone, and the other ranks notice.
                pass
            self._drop_comm()
        self._refuse_all(self._error)

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
            call.catch_up(self._peers, root)
            if lacking:
                call.clear_residual()
                self._finish(call)

    def _wait(self):
        """Until the box answers or a call is made, but not past a look at the other ranks."""
        now = time.monotonic()
        self._look(now)
        if self._comm is None:
            return
        self._sleep(min(_LOOK_SECONDS, self._limit(self._under_way[0], now) - now))

    def _idle(self):
        """Until a call is made. Meanwhile the others may need this rank's answers, or give up."""
        if self._comm is None:
            self._sleep(None)
            return
        self._look(time.monotonic())
        if self._comm is None:
            return
        self._sleep(_LOOK_SECONDS)
        if not self._faulty:
            try:
                self._comm.behind()
            except weir.Error:
                self._faulty = True

    def _look(self, now):
        """Other ranks may have lost the box, failed, or ended."""
        rank = self._watch.look()
        if rank is not None:
            self._note_gone(f"the process of rank {rank} has ended", now)
        if now < self._looked + _LOOK_SECONDS:
            return
        self._looked = now
        try:
            failure, loss = self._peers.told()
        except RuntimeError as error:
            self._note_gone(f"the ranks' store is gone: {error}", now)
            return
        if failure:
            raise RuntimeError(failure)
        if loss:
            self._lose(loss)

    def _note_gone(self, sentence, now):
        if not self._gone:
            self._gone, self._gone_since = sentence, now

    def _limit(self, call, now):
        """Until when the oldest call may take. Raises RuntimeError when it has taken longer."""
        elements = self._comm.stats()["elements"]
        if self._oldest is not call:
            self._oldest, self._since, self._progress = call, now, now
        if elements != self._elements:
            self._elements, self._progress = elements, now
        limit = self._since + call.timeout
        if now >= limit:
            raise RuntimeError(f"rank {self._peers.rank}: an allreduce has not completed for "
                               f"{call.timeout:g} s, the process group's timeout")
        if self._gone:
            grace = _GRACE_SECONDS if call.residual is None else _GRACE_DEGRADED_SECONDS
            end = max(self._progress, self._gone_since) + grace
            if now >= end:
                raise RuntimeError(f"rank {self._peers.rank}: an allreduce cannot complete: {self._gone}")
            limit = min(limit, end)
        return limit

    def _sleep(self, seconds):
        """Until something happens, so many seconds at most."""
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        # Without the box no one looks.
        for fd in self._watch.fds() if self._comm else ():
            poll.register(fd, select.POLLIN)
        if self._comm and not self._faulty:
            readable, writable, timeout = self._comm.poll()
            seconds = timeout if seconds is None else min(timeout, seconds)
            for fd in readable:
                poll.register(fd, select.POLLIN | (select.POLLOUT if fd in writable else 0))
        # Rounded up: else the last millisecond is spent in a loop.
        events = poll.poll(None if seconds is None else int(seconds * 1000) + 1)
        if any(fd == self._wake for fd, _ in events):
            os.eventfd_read(self._wake)
