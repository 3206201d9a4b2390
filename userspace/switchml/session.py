# SPDX-License-Identifier: GPL-2.0
"""Sessions: one a job, which rank 0 begins, and each worker is bound in by its own call."""
import asyncio
import collections
import ipaddress
import time

from box import route
from limits import group_of
from refusal import Refused, check_workers, wrong

# By what workers say of their packets: gradients.
GRADS = {1: 64, 3: 256}
# IPv4's header, UDP's and SwitchML's.
HEADERS = 20 + 8 + 10


def mac_text(mac):
    return ":".join(f"{mac:012x}"[i:i + 2] for i in range(0, 12, 2))


def check_addresses(request):
    """An address and a MAC address that a worker can have, as text."""
    address = ipaddress.IPv4Address(request.ipv4)
    if address.is_multicast or address.is_unspecified or address.is_loopback or request.ipv4 >> 28 == 15:
        raise wrong(f"{address} is no address of a worker")
    if not 0 < request.mac < 1 << 48 or request.mac >> 40 & 1:
        raise wrong(f"{request.mac:#x} is no MAC address of a worker")
    return str(address), mac_text(request.mac)


# Seconds after which a worker's packets have come by the right device, if they do.
FLOOD = 1

# A worker: @seen_by has other devices that its packets have come by.
Bound = collections.namedtuple("Bound", "rank dev seen_by")


class Sessions:
    """The session of a job's workers, from their requests so far."""

    def __init__(self, box, blocks, repeat_after, log):
        self.box, self.blocks, self.repeat_after, self.log = box, blocks, repeat_after, log
        self.lock = asyncio.Lock()
        self.now = None  # of rank 0's request: what all have in common
        self.callers = set()  # where the calls of the session's workers came from
        self.bound = {}  # by address, its workers
        self.tasks = set()

    def known(self):
        """Return the callers for whose calls and connections there is room, however many others come."""
        return self.callers

    async def join(self, request, caller):
        """A worker's request. Returns the box's MAC address."""
        check_workers(request.num_workers, request.rank)
        if request.packet_size not in GRADS:
            raise wrong(f"packets of size {request.packet_size} are not served: set packet_numel "
                        "to 64 (256 bytes, size 1) or 256 (1024 bytes, size 3) in the workers' switchml.cfg")
        address, mac = check_addresses(request)
        # A worker that vanishes meanwhile leaves nothing half done.
        return await asyncio.shield(self.join_one(request, caller, address, mac))

    async def join_one(self, request, caller, address, mac):
        async with self.lock:
            if request.rank:
                self.check_fits(request)
            # A worker that may not be bound ends no session.
            way = await self.box.way(address, mac, HEADERS + 4 * GRADS[request.packet_size], caller)
            if request.rank:
                return await self.bind(request, caller, address, mac, way)
            try:
                await self.begin(request)
                return await self.bind(request, caller, address, mac, way)
            except Refused:
                # Without rank 0 there is no session.
                await self.end_locked()
                raise

    def check_fits(self, request):
        now = self.now
        if not now or request.session_id != now.session_id:
            raise Refused(f"rank {request.rank} is of no session that rank 0 has begun")
        if request.num_workers != now.num_workers:
            raise Refused(f"rank {request.rank} has {request.num_workers} workers, "
                          f"rank 0 has {now.num_workers}")
        if request.packet_size != now.packet_size:
            raise Refused(f"rank {request.rank} has packets of size {request.packet_size}, "
                          f"rank 0 of size {now.packet_size}")

    async def begin(self, request):
        self.forget()
        await self.box.make(request.num_workers, GRADS[request.packet_size], self.blocks,
                            self.repeat_after)
        self.now = request
        self.log(f"session {request.session_id:#x} of {request.num_workers} workers begins")

    async def bind(self, request, caller, address, mac, way):
        await self.box.bind(request.rank, address, mac, way.dev)
        self.callers.add(group_of(caller))
        self.bound[address] = Bound(request.rank, way.dev, set())
        self.log(f"rank {request.rank} is {address}, {mac} on {way.dev}")
        return int(way.own.replace(":", ""), 16)

    async def end(self):
        """Nothing of it is left."""
        async with self.lock:
            await self.end_locked()

    async def end_locked(self):
        self.forget()
        await self.box.remove()

    def forget(self):
        self.now, self.callers, self.bound = None, set(), {}

    async def watch(self, idle):
        """Ends a session without packets for @idle seconds: no worker says that it is done."""
        before, since = None, 0
        while True:
            await asyncio.sleep(min(idle / 4, 60))
            async with self.lock:
                heard = await self.heard()
                if heard != before:
                    before, since = heard, time.monotonic()
                elif heard and time.monotonic() - since > idle:
                    self.log(f"nothing has come for {idle:g} seconds: the session is over")
                    await self.end_locked()

    def seen(self, address, dev):
        """A packet of this address has come by the device, in a frame to the MAC address of another one."""
        worker = self.bound.get(address)
        if worker and dev != worker.dev and dev not in worker.seen_by:
            worker.seen_by.add(dev)
            task = asyncio.create_task(self.complain(worker, address, dev))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def complain(self, worker, address, dev):
        """Logs it, unless the worker's packets come by the right device, too: a switch floods some."""
        await asyncio.sleep(FLOOD)
        async with self.lock:
            if self.bound.get(address) is worker and not await self.box.has_come(worker.rank):
                self.log(f"rank {worker.rank}, {address}, sends by {dev}, and the route to it leads to "
                         f"{worker.dev}: its packets are refused as not-local, and the session hangs: run "
                         f"`{route(address, dev)}`, and start the workers again")

    async def heard(self):
        """A value that changes when packets have come; None without a job."""
        try:
            job = await self.box.check()
        except Refused:
            return None
        return job and (self.now and self.now.session_id, job["bound"], job["stats"])
