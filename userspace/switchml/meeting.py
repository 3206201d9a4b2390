# SPDX-License-Identifier: GPL-2.0
"""Meetings of workers, which wait for each other.

Calls wait until those come whom they wait for, or until their client is gone: then they are
cancelled, and count no more. Nothing is kept of a call but while it waits.
"""
import asyncio

from refusal import check_workers, over, wrong


def waiting(calls):
    """Those that do: one whose client is gone hears of it later than we may come by."""
    return [call for call in calls if not call.done()]


class Barrier:
    """Calls return when as many wait as they say. @broken(workers): one of them is gone."""

    def __init__(self, broken):
        self.broken = broken
        self.waiting = {}  # by the number of workers, the calls
        self.failed = {}  # by the number of workers, why they will never all come

    async def wait(self, workers):
        check_workers(workers)
        if workers in self.failed:
            raise over(self.failed[workers])
        calls = waiting(self.waiting.pop(workers, []))
        if len(calls) + 1 == workers:
            for call in calls:
                call.set_result(None)
            return
        call = asyncio.get_running_loop().create_future()
        self.waiting[workers] = calls + [call]
        try:
            await call
        except asyncio.CancelledError:
            self.vanished(workers, call)
            raise

    def vanished(self, workers, call):
        calls = waiting(self.waiting.pop(workers, []))
        if calls:
            self.waiting[workers] = calls
        # Not where it has just been let go.
        if call.cancelled():
            self.broken(workers)

    def fail(self, workers, sentence):
        """So many workers are told so, those that wait and those that come, until abort()."""
        self.failed[workers] = sentence
        for call in waiting(self.waiting.pop(workers, [])):
            call.set_exception(over(sentence))

    def abort(self, sentence):
        """All that wait are told so."""
        self.failed = {}
        old, self.waiting = self.waiting, {}
        for calls in old.values():
            for call in waiting(calls):
                call.set_exception(over(sentence))


class Broadcast:
    """Calls return the root's value, once a rank. @begins(value, workers): a root says one."""

    def __init__(self, begins):
        self.begins = begins
        self.waiting = {}  # by rank, number of workers and call
        self.forget()

    def forget(self):
        """Calls from now on wait for another value."""
        self.value, self.workers, self.taken = None, 0, set()

    def broken(self, workers):
        """So many workers will never meet."""
        if workers == self.workers:
            self.forget()

    async def call(self, value, rank, workers, root):
        check_workers(workers, rank)
        if root >= workers:
            raise wrong(f"the root {root} is none of {workers} workers")
        if rank == root:
            self.say(value, rank, workers)
        elif self.workers != workers or rank in self.taken:
            return await self.wait(rank, workers)
        self.taken.add(rank)
        return self.value

    def say(self, value, root, workers):
        self.begins(value, workers)
        self.value, self.workers, self.taken = value, workers, {root}
        old, self.waiting = self.waiting, {}
        for rank, (number, call) in old.items():
            if call.done():
                continue
            if number == workers:
                self.taken.add(rank)
                call.set_result(value)
            else:
                call.set_exception(wrong(f"rank {root} has {workers} workers, rank {rank} {number}"))

    async def wait(self, rank, workers):
        for call in waiting([self.waiting[rank][1]] if rank in self.waiting else []):
            call.set_exception(over(f"another worker of rank {rank} has come"))
        call = asyncio.get_running_loop().create_future()
        self.waiting[rank] = workers, call
        try:
            return await call
        finally:
            if self.waiting.get(rank, (0, None))[1] is call:
                del self.waiting[rank]


class Meeting:
    """Both of them. A root's value begins a session; workers that wait in an older one are told."""

    def __init__(self, log):
        self.log = log
        self.broadcast = Broadcast(self.begins)
        self.barrier = Barrier(self.broken)
        self.session = None, 0  # the root's value, and the number of workers

    def begins(self, value, workers):
        self.barrier.abort("a new session has begun")
        self.session = value, workers

    def refused(self, session, sentence):
        """A worker that has this root's value may not join: the others need not wait for it."""
        value, workers = self.session
        if session == value:
            self.barrier.fail(workers, sentence)

    def broken(self, workers):
        self.log(f"one of {workers} workers has vanished while it waited")
        self.broadcast.broken(workers)
