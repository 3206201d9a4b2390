# SPDX-License-Identifier: BSD-2-Clause
"""A run of a job, as the program that has the client sees it.

The reducer and each mapper are a task that may run on the hosts which have its address alone. Where a
worker dies, Dask starts its tasks again: what the stream had is void then, as weir.kv has it, and all
mappers put all their pairs again. The reducer's result is all that counts: it has the mark of each
mapper, and so is of this run alone, whoever else may have sent to the job.
"""
from __future__ import annotations

import contextlib
import os
import time
from typing import Any

import distributed
from distributed.comm import get_address_host

from . import worker
from .job import Job, Refused

# Before other tasks, as all ends wait for each other.
_PRIORITY = 100

# Seconds between two looks.
_PAUSE = 1


def _client():
    try:
        return distributed.get_client()
    except ValueError:
        raise Refused("there is no distributed.Client") from None


def _look_for(client, addresses):
    try:
        here = client.run(worker.which_are_here, addresses)
    except OSError:
        # A worker has died; it is gone the next time.
        return {address: set() for address in addresses}
    except Exception as error:
        raise Refused(f"a worker cannot say which addresses it has: {error}") from error
    return {address: {get_address_host(each) for each, found in here.items() if address in found}
            for address in addresses}


def _hosts(client, job):
    """For each address of the job its hosts, as Dask calls them: itself, or those of workers that have it."""
    until = time.monotonic() + job.timeout
    while not all((hosts := _look_for(client, {job.reducer, *job.mappers})).values()):
        if time.monotonic() > until:
            lacking = min(address for address in hosts if not hosts[address])
            raise Refused(f"no worker has the address {lacking}")
        # A worker that has died may be on its way back.
        time.sleep(_PAUSE)
    return {address: [address] if address in its_hosts else sorted(its_hosts)
            for address, its_hosts in hosts.items()}


def _reduce_parts(client, parts):
    futures = client.compute(parts)
    distributed.wait(futures)
    for future in futures:
        if future.status == "error":
            future.result()
    return futures


def _shares(client, parts, job, hosts):
    """For each mapper the partitions that it puts: those that are on its host, where that is even."""
    shares = [[] for _ in job.mappers]
    most = -(-len(parts) // len(shares))
    holders = client.who_has(parts)
    for part in parts:
        near = {get_address_host(each) for each in holders.get(part.key, ())}
        open_shares = [i for i, share in enumerate(shares) if len(share) < most]
        shares[min(open_shares, key=lambda i: (near.isdisjoint(hosts[job.mappers[i]]), len(shares[i])))
               ].append(part)
    return shares


class _Run:
    """One attempt."""

    def __init__(self, client, job, hosts):
        self._client = client
        self._job = job
        self._hosts = hosts
        self._run = os.urandom(16)
        self._ends = {}
        self._results = {}
        self._obstacle_since = None

    def _submit(self, address, function, *arguments):
        # Hosts, and not workers, as one that is started again has another port.
        future = self._client.submit(function, *arguments, workers=self._hosts[address], pure=False,
                                     allow_other_workers=False, priority=_PRIORITY)
        self._ends[future] = self._hosts[address]
        return future

    def begin(self, op, shares):
        job = self._job
        self._client.run(worker.want, job, self._run, on_error="ignore")
        self._reducer = self._submit(job.reducer, worker.take, job, op, self._run)
        for source, share in enumerate(shares):
            self._submit(job.mappers[source], worker.put, job, op, self._run, source, share)

    def end(self):
        self._client.cancel(list(self._ends))
        self._client.run(worker.want, self._job, None, on_error="ignore")

    def _obstacle(self):
        """Return why there may be no result, if it goes on like this; else None."""
        # scheduler_info() lists but a few workers where Dask is new.
        there = {get_address_host(each) for each in self._client.nthreads()}
        for future, hosts in self._ends.items():
            if future not in self._results and there.isdisjoint(hosts):
                return f"there is no longer a worker on {' or '.join(hosts)}"
        # Where one mapper has ended, all pairs have been at the reducer.
        return "the reducer's result is lost" if self._results else None

    def _look_around(self):
        obstacle = self._obstacle()
        if obstacle is None:
            self._obstacle_since = None
        elif self._obstacle_since is None:
            self._obstacle_since = time.monotonic()
        elif time.monotonic() - self._obstacle_since > self._job.timeout:
            raise Refused(obstacle)

    def _read(self, future):
        """A task's result, as soon as there is one."""
        if future.status == "error":
            raise Refused(str(future.exception())) from future.exception()
        try:
            result = future.result(timeout=self._job.timeout)
        except distributed.TimeoutError:
            # Its worker has died: Dask starts it again.
            return
        if isinstance(result, Refused):
            raise result
        self._results[future] = result

    def _wait(self):
        waiting = [future for future in self._ends if future not in self._results]
        with contextlib.suppress(distributed.TimeoutError):
            distributed.wait(waiting, timeout=_PAUSE, return_when="FIRST_COMPLETED")
        for future in waiting:
            if future.done():
                self._read(future)

    def result(self):
        """The reducer's, whatever becomes of the mappers once it is there."""
        while self._reducer not in self._results:
            self._look_around()
            self._wait()
        return self._results[self._reducer]


def reduce(parts: list[Any], job: Job, op: str) -> worker.Pairs:
    """All pairs of lists of pairs, which are delayed, each key once. Raises Refused."""
    client = _client()
    hosts = _hosts(client, job)
    parts = _reduce_parts(client, parts)
    run = _Run(client, job, hosts)
    try:
        run.begin(op, _shares(client, parts, job, hosts))
        return run.result()
    finally:
        run.end()
