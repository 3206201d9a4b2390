#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Stragglers, retention, generations, identity and rates, packet by packet.

usage: stragglers.py LINUX SPEC BOX ROUTER WORKER...

BOX is the router's address, ROUTER and WORKER are namespaces. To be run by
stragglers.sh. Speaks KTAP.
"""
import fcntl
import os
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap
from trio import (AGED, BEHIND, CONTROL, COOKIE, DEGRADED, INT32_SUM, NEVER, NOTICE, WANTED,
                  Admin, Worker, enter, until)

linux, spec, box, router, *namespaces = sys.argv[1:]
admin = Admin(router, linux, spec)
JOB, N, GRADS = 7, len(namespaces), 5
GUEST = "10.77.4.9"
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454ca, 2, 0x1000


def command(*lines):
    """Runs programs in this namespace."""
    for line in lines:
        subprocess.run(line.split(), check=True)


class Job:
    """A job of all workers, with an address each."""

    def __init__(self, addresses=(), **config):
        """@addresses: by source, of those whose address is not their host's"""
        config.setdefault("blocks", 16)
        config.setdefault("grads", GRADS)
        admin.do("job-add", id=JOB, sources=N, address=socket.inet_aton(box), **config)
        self.workers = []
        for i, namespace in enumerate(namespaces):
            address = dict(addresses).get(i, f"10.77.{i + 1}.1")
            admin.do("source-add", job=JOB, id=i, address=socket.inet_aton(address))
            self.workers.append(Worker(namespace, box, JOB, i, address=address))
        self.tag = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.close()
        admin.do("job-del", id=JOB)


def numbers(source, block):
    return tuple(1000 * source + 10 * (block % 10000) + i for i in range(GRADS))


def sums(sources, block):
    return tuple(sum(column) for column in zip(*(numbers(s, block) for s in sources)))


def contribute(job, sources, block, **other):
    for s in sources:
        job.workers[s].send(block, numbers(s, block), **(other or job.tag))


def complete(job, block, **other):
    """A block that all contribute to, and its result at each."""
    contribute(job, range(N), block, **other)
    return [w.receive_where(lambda p: p.sums and p.block == block) for w in job.workers]


def same(packets):
    assert len({p.data for p in packets}) == 1, packets
    return packets[0]


def results(job, sources=range(N)):
    """The next result at each; the box may say other things meanwhile."""
    return [job.workers[s].receive_where(lambda p: p.sums) for s in sources]


def patience():
    """Microseconds in which this machine gets many blocks of all workers through."""
    with Job() as job:
        start = time.monotonic()
        for block in range(4):
            complete(job, block)
        return max(1000000, int(10e6 * (time.monotonic() - start)))


def answered_at_the_timeout():
    with joined(timeout=TIMEOUT) as job:
        contribute(job, (0, 2, 3), 5)
        result = same(results(job))
        assert result.flags == DEGRADED | AGED, result
        assert result.contributors == 3 and result.members == {0, 2, 3}, result
        assert result.sums == sums((0, 2, 3), 5), result
        stats = admin.stats(JOB)
        assert (stats["blocks"], stats["degraded"], stats["aged"], stats["straggles"]) == (1, 1, 1, 1)
        assert admin.source(JOB, 1)["stats"]["straggles"] == 1

        # A source that comes late gets the very same, alone, and counts once.
        for _ in range(3):
            contribute(job, (1,), 5)
            assert results(job, (1,))[0].data == result.data
        until(lambda: admin.stats(JOB)["repeats"] == 3)
        assert admin.stats(JOB)["late"] == 1
        assert not any(p.sums for w in job.workers for p in w.pending())
        # So does a source that is in it.
        contribute(job, (0,), 5)
        assert results(job, (0,))[0].data == result.data
        assert admin.stats(JOB)["late"] == 1


def wait_only_counts():
    with Job(policy="wait", timeout=TIMEOUT) as job:
        contribute(job, (0, 1, 2), 5)
        until(lambda: admin.stats(JOB)["aged"] == 1)
        assert admin.stats(JOB)["blocks"] == 0
        assert admin.source(JOB, 3)["missing"] == 1
        contribute(job, (3,), 5)
        result = same(results(job))
        assert result.flags == 0 and result.members is None and result.contributors == N, result
        assert result.sums == sums(range(N), 5)


def quorum():
    with joined(quorum=3) as job:
        contribute(job, (3, 1, 0), 2)
        result = same(results(job))
        assert result.flags == DEGRADED and result.members == {0, 1, 3}, result
        assert result.sums == sums((0, 1, 3), 2)
        contribute(job, (2,), 2)
        assert results(job, (2,))[0].data == result.data
        admin.do("job-set", id=JOB, quorum=0)
        assert not same(complete(job, 3)).flags


def timeout_changes():
    with joined() as job:
        contribute(job, (0, 1, 2), 1)
        until(lambda: admin.job(JOB)["open"] == 1)
        assert admin.stats(JOB)["aged"] == 0
        admin.do("job-set", id=JOB, policy="partial", timeout=1000)
        assert same(results(job)).members == {0, 1, 2}
        admin.do("job-set", id=JOB, policy="wait", timeout=0)
        contribute(job, (0, 1, 2), 2)
        contribute(job, (3,), 2)
        assert same(results(job)).flags == 0


def without_the_library():
    """A client that has only the paper's format knows of no bytes behind the gradients."""
    with Job(quorum=3) as job:
        contribute(job, (3, 1, 0), 2)
        result = same(results(job))
        assert result.flags == DEGRADED and result.contributors == 3, result
        assert result.members is None and result.sums == sums((0, 1, 3), 2), result
        # A question alone does not fetch it again: the contribution does.
        job.workers[2].query(2)
        reply = job.workers[2].receive()
        assert reply.flags == WANTED and reply.count == 0 and reply.contributors == 3, reply
        contribute(job, (2,), 2)
        assert job.workers[2].receive().data == result.data


# Of this many gradients the result fills 1500 bytes, and the bitmap is too much.
FILLS_MTU = (1500 - 20 - 8 - 12) // 4


def bitmap_does_not_fit():
    """It is left out for the receiver whose route is too narrow, instead of the result lost."""
    narrow = ["ip", "-n", router, "route", "replace", "10.77.2.1/32", "dev", "w2", "mtu", "1500"]
    gradients = tuple(range(FILLS_MTU))
    with joined(quorum=3, grads=FILLS_MTU) as job:
        subprocess.run(narrow, check=True)
        try:
            for s in (0, 1, 3):
                job.workers[s].send(0, gradients, **job.tag)
            wide, cut = results(job, (0, 1))
            assert wide.members == {0, 1, 3} and len(wide.data) == 12 + 4 * FILLS_MTU + 4
            assert cut.members is None and cut.contributors == 3 and cut.flags == DEGRADED
            assert cut.data == wide.data[:-4]
            # One that fits whole has it.
            contribute(job, (0, 1, 3), 1)
            assert results(job, (1,))[0].members == {0, 1, 3}
            # A source that asks gets the same again.
            job.workers[1].query(0, **job.tag)
            assert results(job, (1,))[0].data == cut.data
        finally:
            subprocess.run([*narrow[:4], "del", "10.77.2.1/32", "dev", "w2"], check=True)
        assert admin.stats(JOB)["result-errors"] == 0


def forge(job, source, times, body):
    """Worker 0 says this in the name of another, so many times. Returns the bytes."""
    enter(namespaces[0])
    to, port = job.workers[0].box
    udp = struct.pack("!HHHH", port, port, 8 + len(body), 0) + body
    ip = struct.pack("!BBHIBBH4s4s", 0x45, 0, 0, 0, 64, socket.IPPROTO_UDP, 0,
                     socket.inet_aton(f"10.77.{source + 1}.1"), socket.inet_aton(to))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
        for _ in range(times):
            raw.sendto(ip + udp, (to, 0))
    return times * len(body)


def header(source, block, flags=0, generation=0, count=0):
    return struct.pack("!BIBBBHH", JOB, block, flags, source, 1, generation, count)


def no_more_than_came():
    """A source may say another's address: no more goes there than came in its name."""
    with Job(quorum=1) as job:
        for block in range(4):
            contribute(job, (0,), block)
            same(results(job))
        generation = admin.job(JOB)["generation"]

        def answered(body, seen, times=50):
            before = seen()
            sent = forge(job, 1, times, body)
            until(lambda: seen() == before + times)
            came = job.workers[1].pending()
            assert came and sum(len(p.data) for p in came) <= sent, (len(came), came[0])
            assert not any(job.workers[s].pending() for s in (0, 2, 3))
            return came

        def refused_generations():
            return admin.refused(admin.stats(JOB), "generation")

        for block in (0, 3):
            assert answered(header(1, block), lambda: admin.stats(JOB)["queries"])[0].flags == WANTED
        for cookie in (bytes(8), b"12345678"):
            join = header(1, 0, CONTROL) + struct.pack("!IIII", 77, N, 0, GRADS) + cookie + INT32_SUM
            assert answered(join, lambda: admin.stats(JOB)["joins"])[0].flags == COOKIE
        misfit = (header(1, 0, CONTROL) + struct.pack("!IIII", 77, N + 1, 0, GRADS) + bytes(8) +
                  INT32_SUM)
        answered(misfit, lambda: admin.refused(admin.stats(JOB), "join"))
        # That it has joined another box.
        assert answered(header(1, 0, generation=9, count=0x8000), refused_generations)[0].flags == \
            NOTICE | DEGRADED
        assert admin.job(JOB)["generation"] == generation
        # It comes itself, with the others.
        generation, _ = join_all(job, 77)
        assert admin.job(JOB)["generation"] == generation


def queries():
    with joined() as job:
        asker = job.workers[1]
        asker.query(4, **job.tag)
        reply = asker.receive()
        assert reply.flags == WANTED and reply.count == 0 and reply.source == 1, reply
        assert reply.contributors == 0 and reply.block == 4, reply
        contribute(job, (0,), 4)
        asker.query(4, **job.tag)
        reply = asker.receive()
        assert reply.flags == WANTED and reply.contributors == 1, reply
        contribute(job, (1,), 4)
        asker.query(4, **job.tag)
        reply = asker.receive()
        assert reply.flags == 0 and reply.contributors == 2, reply
        contribute(job, (2, 3), 4)
        result = same(results(job))
        asker.query(4, **job.tag)
        assert asker.receive().data == result.data
        stats = admin.stats(JOB)
        assert (stats["queries"], stats["replies"], stats["repeats"]) == (4, 3, 1), stats


def retained_until_all_have_it():
    """A job that waits reuses no slot while a source may still lack its result."""
    with Job(policy="wait", blocks=8, retain=0) as job:
        results = [same(complete(job, b)).data for b in range(8)]
        # Source 3 has shown by block 7 that it has those up to 3: block 12 must wait.
        for _ in range(3):
            contribute(job, (0,), 12)
        until(lambda: admin.refused(admin.stats(JOB), "busy") == 3)
        # A source that asks is told to wait.
        job.workers[0].query(12)
        reply = job.workers[0].receive_where(lambda p: p.block == 12)
        assert reply.flags == 0 and reply.count == 0, reply
        # Results that it may lack are repeated.
        for b in range(4, 8):
            contribute(job, (3,), b)
            assert job.workers[3].receive_where(lambda p: p.block == b).data == results[b]
        # All that go on show that they have it.
        for b in range(8, 12):
            complete(job, b)
        contribute(job, (0,), 12)
        until(lambda: admin.job(JOB)["open"] == 1)


def retained_as_long_as_memory_allows():
    """Results take the memory that the job retains them in, and are answered from it."""
    with Job(quorum=3, timeout=NEVER, policy="wait", blocks=8, retain=24 * 4096) as job:
        assert admin.job(JOB)["retain"] == 24 * 4096 and admin.job(JOB)["blocks"] == 8
        first = [complete_without(job, 3, b) for b in range(32)]
        contribute(job, (0,), 32)
        until(lambda: admin.refused(admin.stats(JOB), "busy") == 1)
        for b in range(32):
            contribute(job, (3,), b)
            assert job.workers[3].receive_where(lambda p: p.block == b).data == first[b]
        assert complete_without(job, 3, 32)


def left_behind():
    """No source waits for another that does not take its results; that one can go on later."""
    with joined(timeout=TIMEOUT, dead_after=1000 * TIMEOUT, blocks=8, retain=0) as job:
        def go_on(block):
            """Until the sources that are there have the block's result, however slow this machine is."""
            while True:
                contribute(job, (0, 1, 2), block, **job.tag)
                for _ in range(8):
                    packet = job.workers[0].receive_now(0.1)
                    if packet and packet.sums and packet.block == block:
                        return packet

        for block in range(30):
            assert go_on(block).members == {0, 1, 2}
        assert admin.event(lambda e: e["event"] == "behind")["source"] == 3
        assert admin.source(JOB, 3)["state"] == "behind"
        assert admin.stats(JOB)["behind"] == 1
        # Blocks have not waited for it after the first ones: few have timed out.
        assert admin.stats(JOB)["aged"] <= 4
        contribute(job, (3,), 2, **job.tag)
        status = job.workers[3].receive_where(lambda p: p.flags == BEHIND)
        assert (status.block, status.oldest, status.next, status.source) == (2, 22, 30, 3), status
        # It asks, and is told the same.
        job.workers[3].query(3, **job.tag)
        assert job.workers[3].receive_where(lambda p: p.flags == BEHIND).block == 3
        # It acknowledges results that it receives while it is behind. It resumes before them, and lacks one.
        job.workers[3].ack(25, job.tag["generation"])
        job.workers[3].query(4, **job.tag)
        assert job.workers[3].receive_where(lambda p: p.flags == BEHIND).block == 4
        # It goes on where the others are, and they wait for it again.
        job.workers[3].ack(30, job.tag["generation"], final=True)
        until(lambda: admin.source(JOB, 3)["state"] != "behind")
        assert admin.stats(JOB)["acks"] == 2
        assert same(complete(job, 30, **job.tag)).flags == 0


class Guest:
    """A guest on the last worker's host, for which programs of the host send. It receives until it is paused;
    then no one reads the frames of its tap."""

    def __enter__(self):
        enter(namespaces[3])
        self.tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tap, TUNSETIFF, struct.pack("16sH22x", b"guest0", IFF_TAP | IFF_NO_PI))
        command("ip link set guest0 up", "sysctl -qw net.ipv4.ip_forward=1",
                f"ip neigh add {GUEST} lladdr 02:00:00:00:00:09 dev guest0 nud permanent")
        enter(router)
        command(f"ip route add {GUEST} via 10.77.4.1")
        return self

    def receive(self):
        enter(namespaces[3])
        command(f"ip address add {GUEST}/32 dev lo")

    def pause(self):
        enter(namespaces[3])
        command(f"ip address del {GUEST}/32 dev lo", f"ip route add {GUEST} dev guest0")

    def __exit__(self, *_):
        enter(router)
        command(f"ip route del {GUEST}")
        # The device and its route go with it.
        os.close(self.tap)


def held_by_receivers():
    """Programs and guests that do not read what they receive keep no memory from the job: packet sockets on
    the box's and on a worker's device, a stopped worker with a large buffer, and a guest on a tap."""
    so_rcvbufforce, eth_p_all, blocks = 33, socket.htons(3), 300
    for config in ({"policy": "wait"}, {"policy": "partial"}, {"policy": "exclude"}, {"quorum": 2}):
        with Guest() as guest:
            guest.receive()
            with joined(blocks=4, retain=0, addresses={3: GUEST}, **config) as job:
                guest.pause()
                unread = [job.workers[2].socket]
                for namespace in (router, namespaces[0]):
                    enter(namespace)
                    unread.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, eth_p_all))
                for each in unread:
                    each.setsockopt(socket.SOL_SOCKET, so_rcvbufforce, 64 << 20)
                for block in range(blocks):
                    contribute(job, range(N), block, **job.tag)
                    for worker in job.workers[:2]:
                        got = worker.receive_where(lambda p: p.block == block and p.sums)
                        assert got.sums == sums(got.members or range(N), block), (config, got)
                stats = admin.stats(JOB)
                assert not admin.refused(stats, "nomem"), (config, stats)
                assert stats["pages-left"] > blocks // 2, (config, stats)
                # The packets that were left to them are as they were sent.
                for block in range(blocks):
                    got = job.workers[2].receive_where(lambda p: p.block == block and p.sums)
                    assert got.sums == sums(got.members or range(N), block), (config, got)
                for each in unread[1:]:
                    each.close()


def any_first_block():
    """A generation of the paper's workers begins with any block, in any order of the first ones."""
    with Job(blocks=16) as job:
        for generation, first in ((1, 1000), (2, 5), (3, 0xfffffff8), (4, 0), (5, 0x80000000)):
            contribute(job, (1,), first + 3, generation=generation)
            until(lambda: admin.job(JOB)["open"] == 1)
            for offset in (1, 0, 2):
                block = first + offset & 0xffffffff
                assert same(complete(job, block, generation=generation)).sums == sums(range(N), block)
            contribute(job, (0, 2, 3), first + 3 & 0xffffffff, generation=generation)
            results(job)
            for offset in range(4, 40):
                block = first + offset & 0xffffffff
                assert not same(complete(job, block, generation=generation)).flags
        assert not admin.refused(admin.stats(JOB), "ahead")


def a_window_by_count():
    """A worker that has few blocks outstanding, however far apart, loses no result."""
    with Job(blocks=16, retain=1 << 20) as job:
        contribute(job, (0, 1, 2), 0)
        done = [same(complete(job, b)).data for b in range(1, 200)]
        contribute(job, (3,), 0)
        assert same([w.receive_where(lambda p: p.block == 0) for w in job.workers]).sums == \
            sums(range(N), 0)
        contribute(job, (3,), 7)
        assert job.workers[3].receive_where(lambda p: p.block == 7).data == done[6]


def far_ahead():
    """One packet of a block that no source is near changes nothing, and no source is told."""
    with Job(retain=0) as job:
        complete(job, 0)
        for block in (17, 16 * 1000 + 1, 0x7fffffff):
            job.workers[1].send(block, (1,) * GRADS)
            job.workers[1].query(block)
        until(lambda: admin.refused(admin.stats(JOB), "ahead") == 6)
        assert admin.job(JOB)["open"] == 0
        for block in range(1, 40):
            assert not same(complete(job, block)).flags
        assert admin.stats(JOB)["notices"] == 0 and not any(w.pending() for w in job.workers)


def complete_without(job, missing, block):
    contribute(job, [s for s in range(N) if s != missing], block)
    return job.workers[0].receive_where(lambda p: p.block == block).data


def generations_wrap():
    with Job(retain=0) as job:
        for generation in (0, 30000, 60000, 65535, 0, 1):
            result = same(complete(job, 5, generation=generation))
            assert result.generation == generation and result.sums == sums(range(N), 5)
            assert admin.job(JOB)["generation"] == generation
        contribute(job, (0,), 6, generation=65535)
        contribute(job, (0,), 6, generation=0)
        until(lambda: admin.refused(admin.stats(JOB), "generation") == 2)
        assert admin.job(JOB)["open"] == 0
        # An open block is swept away by the block of a new generation that comes to its slot.
        contribute(job, (0,), 6, generation=1)
        for block in range(16):
            complete(job, block, generation=2)
        assert admin.stats(JOB)["abandoned"] == 1


def a_generation_an_iteration():
    """As the paper's workers use it. One lost the end of an iteration when others go on."""
    with Job(blocks=8) as job:
        last = [same(complete(job, b, generation=7)).data for b in range(4)]
        for block in range(4):
            contribute(job, range(N - 1), block, generation=8)
        until(lambda: admin.job(JOB)["open"] == 4)
        late = job.workers[N - 1]
        for block in range(4):
            late.query(block, generation=7)
            reply = late.receive()
            assert reply.flags == WANTED and reply.generation == 7, reply
            contribute(job, (N - 1,), block, generation=7)
            assert late.receive().data == last[block]
        for block in range(4):
            contribute(job, (N - 1,), block, generation=8)
            result = same([w.receive_where(lambda p: p.block == block) for w in job.workers])
            assert result.generation == 8 and result.sums == sums(range(N), block), result
        assert not admin.refused(admin.stats(JOB), "generation")


def join_all(job, nonces, lacks=0, sources=range(N)):
    """All join; the generation and the block that it begins with."""
    for _ in range(2):
        for s in sources:
            job.workers[s].join(nonces + s, N, 1, lacks[s] if lacks else 0)
    answers = [job.workers[s].receive_where(lambda p: p.flags == CONTROL) for s in sources]
    assert len({a.generation for a in answers}) == 1 and len({a.block for a in answers}) == 1
    return answers[0].generation, answers[0].block


def joined(**config):
    """A job whose workers have joined; what they send says so."""
    job = Job(**config)
    try:
        generation, _ = join_all(job, 100)
    except BaseException:
        job.__exit__()
        raise
    job.tag = {"generation": generation, "joined": True}
    return job


def a_box_set_up_anew():
    with Job() as job:
        generation, _ = join_all(job, 100)
        assert not same(complete(job, 0, generation=generation, joined=True)).flags
    with Job() as job:
        # A generation that another box has given out means nothing to this one.
        contribute(job, (2,), 1, generation=generation, joined=True)
        notice = job.workers[2].receive()
        assert notice.flags == NOTICE | DEGRADED and notice.source == 2, notice
        assert admin.job(JOB)["open"] == 0
        # They go on where the last one of them is.
        again, start = join_all(job, 200, lacks=(1001, 1000, 1003, 1001))
        assert start == 1000
        assert not same(complete(job, 1000, generation=again, joined=True)).flags
        # A source that still has the old generation is told the new one.
        contribute(job, (1,), 1001, generation=again - 1, joined=True)
        notice = job.workers[1].receive_where(lambda p: p.flags == NOTICE)
        assert notice.generation == again


def dead_and_excluded():
    with Job(policy="exclude", timeout=TIMEOUT, dead_after=8 * TIMEOUT) as job:
        generation, _ = join_all(job, 100)
        tag = {"generation": generation, "joined": True}
        for b in range(8):
            contribute(job, (0, 1, 2), b, **tag)
        # The first one times out; others may be complete before it, as they do not wait for 3 then.
        found = [{p.block: p for p in (job.workers[s].receive_where(lambda p: p.sums) for _ in range(8))}
                 for s in (0, 1, 2)]
        for b in range(8):
            assert same([of_worker[b] for of_worker in found]).members == {0, 1, 2}
        assert admin.stats(JOB)["aged"] >= 1
        # The others go on to be heard, and read what they are sent. One that was not heard would be
        # given up next, on a machine that is slow to tell.
        until(lambda: contribute(job, (0, 1, 2), 7, **tag) or
              not [w.pending() for w in job.workers] or
              admin.source(JOB, 3)["state"] == "excluded")
        event = admin.event(lambda e: e["event"] == "dead")
        assert event["source"] == 3 and event["job"] == JOB, event
        notice = job.workers[1].receive_where(lambda p: p.flags == NOTICE)
        assert notice.dead == {3} and notice.excluded == {3} and not notice.waiting
        assert admin.source(JOB, 3)["state"] == "excluded"
        admin.do("job-set", id=JOB, timeout=20 * TIMEOUT, dead_after=40 * TIMEOUT)
        aged = admin.stats(JOB)["aged"]
        # No block waits for it, and its slots are free for others.
        for b in range(8, 20):
            contribute(job, (0, 1, 2), b, **tag)
            result = job.workers[0].receive_where(lambda p: p.sums and p.block == b)
            assert result.flags == DEGRADED and result.members == {0, 1, 2}, result
        assert admin.stats(JOB)["aged"] == aged
        # It is told that it is out.
        contribute(job, (3,), 20, **tag)
        notice = job.workers[3].receive_where(lambda p: p.flags == NOTICE)
        assert 3 in notice.excluded
        until(lambda: admin.refused(admin.stats(JOB), "excluded") == 1)
        # It wants to come back, and the others hear of it.
        job.workers[3].join(333, N, GRADS)
        job.workers[1].receive_where(lambda p: p.flags == NOTICE and p.waiting == {3})
        # They all join, and it is back.
        for w in job.workers:
            w.pending()
        generation, _ = join_all(job, 500)
        assert admin.source(JOB, 3)["state"] == "active"
        assert admin.event(lambda e: e["event"] == "recovered")["source"] == 3
        assert same(complete(job, 0, generation=generation, joined=True)).flags == 0


def late_for_now():
    with Job(timeout=TIMEOUT, dead_after=8 * TIMEOUT) as job:
        generation, _ = join_all(job, 100)
        tag = {"generation": generation, "joined": True}
        contribute(job, (0, 1, 2), 0, **tag)
        job.workers[3].receive_where(lambda p: p.sums)
        contribute(job, (3,), 0, **tag)
        event = admin.event(lambda e: e["event"] == "straggler")
        assert event["source"] == 3 and event["straggles"] == 1, event
        assert admin.event(lambda e: e["event"] == "recovered")["source"] == 3
        assert admin.source(JOB, 3)["state"] == "active"


def who_is_missing():
    with Job() as job:
        contribute(job, (0, 2), 6)
        contribute(job, (1,), 7)
        until(lambda: admin.stats(JOB)["contributions"] == 3)
        blocks = {b["id"]: b for b in admin.dump("block-get", job=JOB)}
        assert blocks[6]["missing"] == [1, 3] and blocks[6]["received"] == 2, blocks
        assert blocks[7]["missing"] == [0, 2, 3] and blocks[7]["age"] > 0, blocks
        assert [admin.source(JOB, s)["missing"] for s in range(N)] == [1, 1, 1, 2]
        assert admin.dump("block-get") == admin.dump("block-get", job=JOB) or len(blocks) == 2
        lateness = [sum(admin.source(JOB, s)["lateness"]) for s in range(N)]
        assert lateness == [1, 1, 1, 0], lateness


def who_they_say():
    """Neither another's id, nor its own from elsewhere."""
    with Job() as job:
        job.workers[0].send(1, numbers(0, 1), source=1)
        until(lambda: admin.refused(admin.source(JOB, 0)["stats"], "spoofed") == 0 and
              admin.refused(admin.stats(JOB), "spoofed") == 1)
        admin.do("source-set", job=JOB, id=0, port=12000)
        elsewhere = Worker(namespaces[0], box, JOB, 0, port=4000)
        elsewhere.send(1, numbers(0, 1))
        until(lambda: admin.refused(admin.stats(JOB), "spoofed") == 2)
        enter(router)
        admin.do("source-set", job=JOB, id=0, ifindex=socket.if_nametoindex("w2"))
        contribute(job, (0,), 1)
        until(lambda: admin.refused(admin.stats(JOB), "spoofed") == 3)
        admin.do("source-set", job=JOB, id=0, ifindex=socket.if_nametoindex("w1"), vlan=9)
        contribute(job, (0,), 1)
        until(lambda: admin.refused(admin.stats(JOB), "spoofed") == 4)
        assert admin.job(JOB)["open"] == 0
        admin.do("source-set", job=JOB, id=0, vlan=0)
        assert same(complete(job, 1)).flags == 0
        elsewhere.close()


def rates():
    with Job(rate={"packets": 1, "packets-burst": 30}) as job:
        admin.do("source-set", job=JOB, id=0, rate={"packets": 1, "packets-burst": 10})
        for b in range(100):
            contribute(job, (0,), b % 8)
        until(lambda: total(job) == 100)
        over = admin.refused(admin.source(JOB, 0)["stats"], "source-rate")
        assert 0 < over <= 90, over
        for b in range(100):
            contribute(job, (1,), b % 8)
        until(lambda: total(job) == 200)
        stats = admin.stats(JOB)
        assert admin.refused(stats, "source-rate") == over
        job_over = admin.refused(admin.source(JOB, 1)["stats"], "job-rate")
        assert 0 < job_over <= 80, job_over
        length = 8 + 12 + 4 * GRADS
        assert stats["policed-bytes"] == (over + job_over) * length, stats
        admin.do("job-set", id=JOB, rate={})
        admin.do("source-set", job=JOB, id=0, rate={})
        assert "rate" not in admin.job(JOB) and "rate" not in admin.source(JOB, 0)
        admin.do("job-set", id=JOB, rate={"bytes": 1, "bytes-burst": 65535})
        for b in range(65535 // length + 50):
            contribute(job, (2,), b % 8)
        until(lambda: admin.refused(admin.source(JOB, 2)["stats"], "job-rate") == 50)


def total(job):
    stats = admin.stats(JOB)
    return stats["contributions"] + stats["repeats"] + sum(
        r["packets"] for r in stats.get("refusal", []))


def refused_requests():
    with Job():
        for attributes, why in (
                ({"policy": "partial", "timeout": 0}, "need a timeout"),
                ({"quorum": N + 1}, "more than the job's"),
                ({"timeout": 20000, "dead_after": 10000}, "shorter than the timeout"),
                ({"rate": {"packets-burst": 5}}, "needs a rate"),
                ({"rate": {"bytes": 5, "bytes-burst": 100}}, "longest packet"),
                ({}, "nothing to change")):
            try:
                admin.do("job-set", id=JOB, **attributes)
            except admin.Refused as e:
                assert why in str(e), e
            else:
                raise AssertionError(f"{attributes} was not refused")
        for attributes, why in (({"vlan": 4096}, ""), ({"ifindex": 9999}, "no device")):
            try:
                admin.do("source-set", job=JOB, id=0, **attributes)
            except admin.Refused as e:
                assert why in str(e), e
            else:
                raise AssertionError(f"{attributes} was not refused")


def nothing_is_left():
    assert admin.do("stats-get")["memory-used"] == 0
    assert admin.do("stats-get")["jobs"] == 0


tests = (answered_at_the_timeout, wait_only_counts, quorum, timeout_changes,
         without_the_library, bitmap_does_not_fit, no_more_than_came, queries,
         retained_until_all_have_it, retained_as_long_as_memory_allows, left_behind,
         held_by_receivers, any_first_block, a_window_by_count, far_ahead, generations_wrap,
         a_generation_an_iteration, a_box_set_up_anew, dead_and_excluded,
         late_for_now, who_is_missing, who_they_say, rates, refused_requests, nothing_is_left)
TIMEOUT = patience()
sys.exit(ktap.run(tests, mend=admin.forget_events))
