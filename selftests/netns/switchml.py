#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Format switchml and weir-switchml, by workers that do what the public one does.

usage: switchml.py BOX ROUTER WORKER...

To be run by switchml.sh, in the router's namespace. Speaks KTAP.
"""
import concurrent.futures
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time

import grpc
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap
from switchml_worker import (BOX_PORT, SECOND, Client, Wire, Worker, header, parsed, payload, reduce, set_up,
                             wrapped)
from trio import PATIENCE, until

box, router, *namespaces = sys.argv[1:]
N, JOB = len(namespaces), 1
ADDRESSES = [f"10.77.{i + 1}.1" for i in range(N)]
AT = "127.0.0.1:50099"
wires = [Wire(ns, router, ip) for ns, ip in zip(namespaces, ADDRESSES)]
mode = None


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.decode()


def weir(*words):
    return json.loads(run("weir", "-j", *map(str, words)) or "null")


def job():
    return next((j for j in weir("job", "show") if j["id"] == JOB), None)


def stat(name):
    return job()["stats"].get(name, 0)


def refused(reason, of=None):
    return (of or job())["stats"].get("refusals", {}).get(reason, 0)


def everywhere(reason):
    """As the namespace counts it, whether it was for a job or not."""
    return weir("stats")["stats"]["refusals"].get(reason, 0)


def link_of(i):
    return json.loads(run("ip", "-j", "link", "show", "dev", f"w{i + 1}"))[0]


def attach(to):
    global mode
    mode = to
    for i in range(N):
        run("weir", "port", "attach", "dev", f"w{i + 1}", "mode", mode, "udp", str(BOX_PORT))


def silence():
    """Nothing has come that was not waited for; frames of any other kind fail as they come."""
    for wire in wires:
        result = wire.pending()
        assert not result, result


class Job:
    """A job that is made by hand, of the first @n workers."""

    def __init__(self, n, grads=64, blocks=1024, repeat_after="0", **keys):
        run("weir", "job", "add", "id", str(JOB), "format", "switchml", "sources", str(n), "grads",
            str(grads), "blocks", str(blocks), "address", box, "repeat-after", repeat_after,
            *(word for key in keys.items() for word in map(str, key)))
        self.wires = wires[:n]
        for i, wire in enumerate(self.wires):
            wire.box = socket.inet_aton(box)
            wire.box_mac = bytes.fromhex(link_of(i)["address"].replace(":", ""))
            run("ip", "neigh", "replace", ADDRESSES[i], "lladdr", wire.mac.hex(":"), "dev",
                f"w{i + 1}", "nud", "permanent")
            run("weir", "source", "add", "job", str(JOB), "id", str(i), "address", ADDRESSES[i])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run("weir", "job", "del", "id", str(JOB))
        for wire in wires:
            while wire.pending():
                pass

    def workers(self, threads=1, m=4, grads=64, **other):
        return [Worker(wire, rank, len(self.wires), threads, m, grads, port=4000 + 100 * rank, **other)
                for rank, wire in enumerate(self.wires)]


class Service:
    """weir-switchml, running."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            ("weir-switchml", "--address", box, "--job", str(JOB), "--listen", AT, *options),
            stderr=subprocess.PIPE, text=True)
        self.said = []
        self.reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr))
        self.reader.start()
        until(lambda: "awaited" in self.heard() or self.process.poll() is not None)
        assert self.process.poll() is None, self.said

    def heard(self):
        """All that it has said by now."""
        return "".join(self.said)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(self.process.terminate)

    def kill(self):
        self.end(self.process.kill)

    def end(self, how):
        if self.process.poll() is None:
            how()
            self.process.wait(timeout=PATIENCE)
        self.reader.join(PATIENCE)


def address_of(i):
    return socket.inet_ntoa(wires[i].ip)


def learn(i, mac=None):
    """The kernel knows worker @i, as if it had answered ARP once; its calls come from elsewhere."""
    dev = json.loads(run("ip", "-j", "route", "get", address_of(i)))[0]["dev"]
    if mac or not json.loads(run("ip", "-j", "neigh", "show", "to", address_of(i), "dev", dev) or "[]"):
        run("ip", "neigh", "replace", address_of(i), "lladdr", mac or wires[i].mac.hex(":"), "dev", dev,
            "nud", "stale")


def session(n, grads=64):
    """All workers at once, as they are processes."""
    for i in range(n):
        learn(i)
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        ids = list(pool.map(lambda rank: set_up(AT, wires[rank], rank, n, grads), range(n)))
    assert len(set(ids)) == 1, ids
    return ids[0]


rng = numpy.random.default_rng(1)


def check_ints(workers, size):
    """A tensor of integers of any size, whose sums may leave 32 bits."""
    rows = [rng.integers(-2**31, 2**31, size, dtype=numpy.int64).astype(numpy.int32) for _ in workers]
    outs = reduce(workers, rows)
    want = wrapped(sum(row.astype(numpy.int64) for row in rows))
    for out in outs:
        assert numpy.array_equal(out, want), numpy.nonzero(out != want)


def check_floats(workers, size, scale):
    """The same bits for all, near what they are the sum of."""
    rows = [(rng.normal(0, 1, size) * scale).astype(numpy.float32) for _ in workers]
    outs = reduce(workers, rows)
    want = sum(row.astype(numpy.float64) for row in rows)
    assert all(numpy.array_equal(out, outs[0]) for out in outs)
    assert numpy.abs(outs[0] - want).max() <= numpy.abs(want).max() * 1e-5, numpy.abs(outs[0] - want).max()


def sums(n, threads, m, grads):
    def test():
        with Job(n, grads) as at:
            workers = at.workers(threads, m, grads, timeout=PATIENCE)
            check_ints(workers, 3 * m * threads * grads + 5)
            check_floats(workers, 2 * m * threads * grads + 7, 1e-3)
            check_ints(workers, 1)
            check_floats(workers, 3, 1e6)
            check_ints(workers, m * threads * grads)
            assert stat("overflows") == 0 and refused("busy") == 0, job()
        silence()
    test.__name__ = f"{n} workers of {threads} threads with {m} of {grads} under way"
    return test


def losses(n, threads, m, loss):
    """Each way, but for what no box makes good."""
    def test():
        with Job(n, repeat_after="140ms") as at:
            workers = at.workers(threads, m, timeout=0.2, loss=loss)
            for tensor in range(4):
                size = (2 + tensor) * m * threads * 64 + 64 * threads * (tensor + 1)
                if tensor % 2:
                    check_floats(workers, size, 1.0)
                else:
                    check_ints(workers, size)
            print(f"# {sum(w.lost for w in workers)} lost, {sum(w.again for w in workers)} sent again,",
                  f"{stat('repeats')} results repeated")
            assert sum(worker.lost for worker in workers) and stat("repeats")
            assert not any(thread.repeats for worker in workers for thread in worker.threads)
        silence()
    test.__name__ = f"{n} workers lose {loss * 100:g} % each way"
    return test


def impatient():
    """Workers that send all again before they read its results count none of them twice."""
    with Job(2, repeat_after="4000s") as at:
        workers = at.workers(2, 4, timeout=1e-6, hasty=True)
        for size in (3000, 1, 2048, 200, 700):
            check_ints(workers, size)
            check_floats(workers, size, 1.0)
        assert all(worker.again for worker in workers) and refused("duplicate")
        assert not any(thread.repeats for worker in workers for thread in worker.threads)
    silence()


def say(wire, tensor, packet, pool, value, port=4000, exponents=(0, 0), **odd):
    wire.say(port, header(64, tensor, packet, pool, exponents) + payload([value] * 64), **odd)


def answer(wire, tensor, packet, pool, value, port=4000, exponents=(0, 0)):
    """The next result, bit for bit."""
    result = wire.receive()
    want = header(64, tensor, packet, pool, exponents) + payload([value] * 64)
    assert result.said == want, (result, result.said[:14].hex(), want[:14].hex())
    assert result.port == port, result


def bits_of_results():
    with Job(2) as at:
        a, b = at.wires
        say(a, 255, 0, SECOND | 7, 2**31 - 1, port=4000, exponents=(-3, -128))
        say(b, 255, 0, SECOND | 7, 2, port=4711, exponents=(5, -1))
        answer(a, 255, 0, SECOND | 7, -2**31 + 1, port=4000, exponents=(5, -1))
        answer(b, 255, 0, SECOND | 7, -2**31 + 1, port=4711, exponents=(5, -1))
        # Where all are negative; and numbers whose bytes show their order.
        say(a, 255, 1, SECOND | 8, 1, exponents=(-3, 0))
        say(b, 255, 1, SECOND | 8, 1, port=4711, exponents=(-5, 0))
        answer(a, 255, 1, SECOND | 8, 2, exponents=(-3, 0))
        answer(b, 255, 1, SECOND | 8, 2, port=4711, exponents=(-3, 0))
    silence()


def wraps_around():
    """Tensors of one packet, whose numbers come round in both sets of a slot, and in one."""
    with Job(2) as at:
        a, b = at.wires
        m = 128
        for s in range(600):
            pool = s % m | (SECOND if s // m % 2 else 0)
            say(a, s, 0, pool, s)
            say(b, s, 0, pool, 1)
            answer(a, s, 0, pool, s + 1)
            answer(b, s, 0, pool, s + 1)
    silence()


def slots_are_apart():
    """One is 60 rounds ahead of another, and that one's result waits."""
    with Job(2) as at:
        a, b = at.wires
        for p in range(2):
            say(a, 0, p, p, p)
        say(b, 0, 0, 0, 1)
        say(b, 0, 1, 1, 1)
        for wire in a, b:
            answer(wire, 0, 0, 0, 1)
            answer(wire, 0, 1, 1, 2)
        for round in range(1, 61):
            pool = SECOND if round % 2 else 0
            for wire in a, b:
                say(wire, 0, 2 * round, pool, round)
            for wire in a, b:
                answer(wire, 0, 2 * round, pool, 2 * round)
        # A worker that lacks the result of the other slot still gets it, until it has gone on.
        say(b, 0, 3, SECOND | 1, 5)
        until(lambda: stat("contributions") == 125)
        say(a, 0, 1, 0, 99)
        answer(a, 0, 1, 1, 2)
        say(a, 0, 3, SECOND | 1, 6)
        for wire in a, b:
            answer(wire, 0, 3, SECOND | 1, 11)
        say(a, 0, 1, 0, 99)
        until(lambda: refused("stale") == 1)
    silence()


def repeats_inside_of_h():
    with Job(2, repeat_after="4000s") as at:
        a, b = at.wires
        say(a, 0, 0, 0, 1)
        say(b, 0, 0, 0, 2)
        answer(a, 0, 0, 0, 3)
        answer(b, 0, 0, 0, 3)
        for i in range(5):
            say(a, 0, 0, 0, 1)
        until(lambda: refused("duplicate") == 5)
    silence()


def repeats_outside_of_h():
    with Job(2, repeat_after="200us") as at:
        a, b = at.wires
        say(a, 0, 0, 0, 1)
        say(b, 0, 0, 0, 2)
        answer(a, 0, 0, 0, 3)
        answer(b, 0, 0, 0, 3)
        for i in range(3):
            end = time.monotonic() + 0.001
            while time.monotonic() < end:
                pass
            say(b, 0, 0, 0, 99)
            answer(b, 0, 0, 0, 3)
        assert stat("repeats") == 3 and stat("contributions") == 2
    silence()


def numbered_as_the_one_before():
    """Of three first packets the second was lost by both, or its result by one."""
    with Job(2) as at:
        a, b = at.wires
        for wire in a, b:
            say(wire, 9, 0, 30, 1)
            say(wire, 9, 2, 32, 3)
        for wire in a, b:
            answer(wire, 9, 0, 30, 2)
            answer(wire, 9, 2, 32, 6)
        # The window is 3, so it goes on with 3, which is its last.
        for wire in a, b:
            say(wire, 9, 3, SECOND | 30, 4)
        for wire in a, b:
            answer(wire, 9, 3, SECOND | 30, 8)
        say(a, 9, 1, 30, 10)
        say(b, 9, 1, 30, 20)
        for wire in a, b:
            answer(wire, 9, 1, 31, 30)
        say(b, 9, 1, 30, 77)
        answer(b, 9, 1, 31, 30)
        # The next tensor begins in another slot, and its first window wraps.
        for packet, pool in ((0, SECOND | 31), (2, 30)):
            for wire in a, b:
                say(wire, 10, packet, pool, packet)
            for wire in a, b:
                answer(wire, 10, packet, pool, 2 * packet)
        for wire in a, b:
            say(wire, 10, 1, SECOND | 31, 50)
        for wire in a, b:
            answer(wire, 10, 1, SECOND | 32, 100)
        assert stat("contributions") == 14, job()
    silence()


def early():
    """In place of packet 0, whose result was lost, the one after the first window comes."""
    with Job(2) as at:
        a, b = at.wires
        for wire in a, b:
            for packet in range(3):
                say(wire, 0, packet, packet, packet + 1)
        for wire in a, b:
            for packet in range(3):
                answer(wire, 0, packet, packet, 2 * packet + 2)
        say(a, 0, 3, 2, 0x7fffffff)
        answer(a, 0, 0, 0, 2)
        # While the other has gone on.
        say(b, 0, 3, SECOND, 7)
        until(lambda: stat("contributions") == 7)
        say(a, 0, 3, 2, 0x7fffffff)
        answer(a, 0, 0, 0, 2)
        say(a, 0, 3, SECOND, 8)
        for wire in a, b:
            answer(wire, 0, 3, SECOND, 15)
        assert stat("contributions") == 8
    silence()


def checksums():
    with Job(1) as at:
        a, = at.wires
        for packet, sums in enumerate(("pseudo", "right", "none")):
            say(a, 0, packet, packet, packet, sums=sums)
            answer(a, 0, packet, packet, packet)
        # Others are wrong.
        say(a, 0, 3, 3, 1, ip_wrong=0x100)
        say(a, 0, 3, 3, 1, sums="right", ip_wrong=1)
        say(a, 0, 3, 3, 1, udp_wrong=1)
        say(a, 0, 3, 3, 1, sums="right", udp_wrong=0x8000)
        until(lambda: refused("checksum", weir("stats")) >= 4)
        assert stat("contributions") == 3
    silence()


def counted(reason, act):
    """It is refused for this reason; what else comes of it the wire tells."""
    before = everywhere(reason)
    act()
    until(lambda: everywhere(reason) == before + 1)


def refusals_are_silent():
    """Where the stack saw such packets it would answer, as their checksums are right."""
    def refused_for(reason, said, port=4000, **odd):
        counted(reason, lambda: wires[0].say(port, said, sums="right", **odd))

    with Job(1, blocks=16) as at:
        a, = at.wires
        good = header(64, 0, 0, 0) + payload([1] * 64)
        refused_for("no-source", good, ip="10.77.1.9")
        refused_for("runt", good[:9])
        refused_for("length", good[:-4])
        refused_for("length", good + bytes(4))
        refused_for("flags", b"\x12" + good[1:])
        refused_for("flags", b"\x10" + good[1:])
        refused_for("flags", b"\x21" + good[1:])
        refused_for("too-long", header(256, 0, 0, 0) + payload([1] * 256))
        refused_for("direction", good, port=BOX_PORT)
        refused_for("ahead", header(64, 0, 0, 8) + payload([1] * 64))
        refused_for("stale", header(64, 0, 1, 1) + payload([1] * 64))
        refused_for("fragment", good, fragment=0x2000)
        # A slot that is taken by a packet of another name.
        a.say(4000, good)
        answer(a, 0, 0, 0, 1)
        refused_for("busy", header(64, 1, 0, 0) + payload([1] * 64), port=4001)
        # A packet for another host goes its way.
        refused_for("not-local", good, to=b"\x02\0\0\0\0\x99")
        assert stat("contributions") == 1
    # Without a job likewise.
    refused_for("no-job", good)
    silence()


def what_may_be_asked_for():
    """Requests for jobs that the format cannot have are refused with a sentence."""
    base = dict(id="2", format="switchml", sources="2", grads="64", blocks="64", address=box)

    def refused_with(words, **keys):
        keys = dict(base, **{k.replace("_", "-"): v for k, v in keys.items()})
        done = subprocess.run(["weir", "job", "add", *(w for key in keys.items() for w in key)],
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode and words in done.stderr, done

    refused_with("32 sources at most", sources="33")
    refused_with("64 or 256 grads", grads="128")
    refused_with("2 blocks at least", blocks="1")
    refused_with("32768 blocks at most", blocks="65536")
    refused_with("of one type", dtype="float32")
    refused_with("summed", op="max")
    refused_with("policy wait", policy="partial")
    refused_with("no quorum", quorum="1")
    refused_with("leave the group away", group="239.1.1.1")
    refused_with("IPv4", address="fd77::1")
    with Job(2, timeout="20ms"):
        now = job()
        assert now["port"] == BOX_PORT and now["policy"] == "wait", now
        for words in (("policy", "exclude"), ("group", "239.1.1.1"), ("quorum", "1")):
            done = subprocess.run(["weir", "job", "set", "id", str(JOB), *words],
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode, words
        # A late worker is counted, and waited for.
        say(wires[0], 0, 0, 0, 1)
        until(lambda: stat("aged") == 1)
        say(wires[1], 0, 0, 0, 1)
        for wire in wires[:2]:
            answer(wire, 0, 0, 0, 2)
    assert "repeat-after" in run("weir", "help", "job")


def doctor():
    def says(check, status):
        told = json.loads(subprocess.run(["weir", "-j", "doctor", "job", str(JOB)],
                                         stdout=subprocess.PIPE).stdout)
        return any(c["check"] == check and c["status"] == status for c in told["checks"])

    with Job(1):
        assert says("udp", "ok") and not says("neighbour", "fail")
        run("ip", "neigh", "replace", ADDRESSES[0], "lladdr", wires[0].mac.hex(":"), "dev", "w1",
            "nud", "noarp")
        assert says("neighbour", "fail")
        run("weir", "port", "attach", "dev", "w1", "mode", mode, "udp", "12000")
        assert says("udp", "fail")
        # Without a word it listens to the ports of all jobs.
        run("weir", "port", "attach", "dev", "w1", "mode", mode)
        assert says("udp", "ok")
    # Without a job to the port that jobs of the format have.
    attach(mode)
    assert all(port["udp"] == [BOX_PORT] for port in weir("port", "show"))


# The service, and sessions as workers set them up.


def whole_sessions():
    # Entries of jobs that were made by hand would be an administrator's.
    run("ip", "neigh", "flush", "nud", "permanent")
    with Service("--timeout", "100000") as service:
        for n, threads, m, grads in ((1, 1, 1, 64), (2, 4, 4, 256), (8, 1, 4, 64), (4, 4, 8, 256)):
            session(n, grads)
            now = job()
            assert (now["sources"], now["bound"], now["grads"]) == (n, n, grads), now
            workers = [Worker(wires[rank], rank, n, threads, m, grads, timeout=PATIENCE)
                       for rank in range(n)]
            check_ints(workers, 3 * m * threads * grads)
            check_floats(workers, m * threads * grads + 1, 1.0)
            for i in range(n):
                known = json.loads(run("ip", "-j", "neigh", "show", "dev", f"w{i + 1}"))
                assert [k["state"] for k in known] == [["PERMANENT"]], known
            silence()
        # A worker of the last session that has not heard of the next one's beginning.
        session(2)
        stale = Worker(wires[2], 2, 4, 1, 4, 64)
        counted("no-source", lambda: stale.wire.say(4000, header(64, 3, 1, 1) + payload([1] * 64)))
        stale = Worker(wires[1], 1, 4, 1, 4, 64)
        counted("stale", lambda: stale.wire.say(4000, header(64, 3, 1, 1) + payload([1] * 64)))
        check_ints([Worker(wires[rank], rank, 2, 1, 4, 64, timeout=PATIENCE) for rank in range(2)], 999)
    assert service.process.returncode == 0
    assert not job()
    assert not json.loads(run("ip", "-j", "neigh", "show", "nud", "permanent") or "[]")
    silence()


def fails(future, words):
    try:
        future.result()
    except grpc.RpcError as error:
        assert words in error.details(), error.details()
        return error.code()
    raise AssertionError("it was not refused")


def size_of(pid):
    """Resident kilobytes, threads and open files."""
    status = dict(line.split(":\t", 1) for line in open(f"/proc/{pid}/status") if ":\t" in line)
    return (int(status["VmRSS"].split()[0]), int(status["Threads"]),
            len(os.listdir(f"/proc/{pid}/fd")))


def opened(pid):
    """Return what the open files of a process are."""
    at = f"/proc/{pid}/fd"
    return [os.readlink(f"{at}/{fd}") for fd in os.listdir(at)]


def request(rank=0, n=2, session=7, size=1, wire=None, **other):
    wire = wire or wires[rank]
    return {1: session, 2: rank, 3: n, 4: int.from_bytes(wire.mac, "big"),
            5: int.from_bytes(wire.ip, "big"), 7: size, **other}


def refused_sessions():
    learn(0), learn(1)
    with Service():
        client = Client(AT)

        def refused_with(words, fields):
            return fails(client.start("Session/UdpSession", fields), words)

        refused_with("no session that rank 0 has begun", request(rank=1))
        refused_with("1 to 32 workers", request(n=33))
        refused_with("1 to 32 workers", request(n=0))
        refused_with("none of 2 workers", request(rank=2))
        refused_with("size 2", request(size=2))
        refused_with("no address of a worker", {**request(), 5: 0xe0000001})
        refused_with("no MAC address", {**request(), 4: 1 << 40})
        run("ip", "route", "replace", "192.0.2.0/24", "via", "10.77.1.77")
        refused_with("behind a router", {**request(), 5: 0xc0000201})
        refused_with("198.51.100.1", {**request(), 5: 0xc6336401})
        refused_with("it is local", {**request(), 5: int.from_bytes(socket.inet_aton(box), "big")})
        run("ip", "route", "del", "192.0.2.0/24")
        assert not job()
        assert client.call("Session/UdpSession", request()) == {
            1: 7, 2: int(link_of(0)["address"].replace(":", ""), 16),
            3: int.from_bytes(socket.inet_aton(box), "big")}
        refused_with("rank 1 has packets of size 3, rank 0 of size 1", request(rank=1, size=3))
        refused_with("rank 1 has 3 workers, rank 0 has 2", request(rank=1, n=3))
        refused_with("no session that rank 0 has begun", request(rank=1, session=8))
        refused_with("source 0 of job 1 has this address", request(rank=1, wire=wires[0]))
        assert job()["bound"] == 1
        client.call("Session/UdpSession", request(rank=1))
        assert job()["bound"] == 2
        client.close()
        # Another's number is not taken.
        run("weir", "job", "flush")
        run("weir", "job", "add", "id", str(JOB), "sources", "1", "blocks", "16", "grads", "16",
            "address", box)
        client = Client(AT)
        refused_with("job 1 is of format trio", request())
        client.close()
        assert job()["format"] == "trio"
        run("weir", "job", "flush")
        run("weir", "port", "attach", "dev", "w1", "mode", mode, "udp", "12000")
        for i in range(1, N):
            run("weir", "port", "detach", "dev", f"w{i + 1}")
        client = Client(AT)
        refused_with("no device hands packets", request())
        client.close()
        attach(mode)
    # The job that they were for was deleted behind the service's back.
    run("ip", "neigh", "flush", "nud", "permanent")


def outcomes(n, grads):
    """Return what each worker of a session is told, rank by rank; None if all is well."""
    def outcome(rank):
        try:
            set_up(AT, wires[rank], rank, n, grads(rank))
        except grpc.RpcError as error:
            return error.details()
        return None

    for i in range(n):
        learn(i)
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        return list(pool.map(outcome, range(n)))


def a_refused_rank_ends_the_others():
    """All of its session are told why, also those who come later, and strangers end nothing."""
    with Service() as service:
        said = outcomes(3, lambda rank: 256 if rank == 2 else 64)
        assert set(said) == {"rank 2 has packets of size 3, rank 0 of size 1"}, said
        # Of two that are refused the first is why.
        said = outcomes(3, lambda rank: 256 if rank == 0 else 64)
        assert set(said) <= {f"rank {rank} has packets of size 1, rank 0 of size 3" for rank in (1, 2)}, said
        run("weir", "port", "detach", "dev", "w3")
        said = outcomes(3, lambda rank: 64)
        assert set(said) == {"w3 hands no packets of format switchml over: run `weir port attach dev w3 "
                             f"udp {BOX_PORT}`"}, said
        run("weir", "port", "detach", "dev", "w1")
        said = outcomes(3, lambda rank: 64)
        assert len(set(said)) == 1 and "weir port attach dev w1" in said[0], said
        # One that is late is told, too.
        client = Client(AT)
        assert client.broadcast(77, 0, 2) == 77 and client.broadcast(0, 1, 2) == 77
        fails(client.start("Session/UdpSession", request(session=77)), "weir port attach dev w1")
        fails(client.start("Sync/Barrier", {1: 2}), "weir port attach dev w1")
        attach(mode)
        # Another session's refusal is none of this one's.
        assert client.broadcast(78, 0, 2) == 78
        waits = client.begin("Sync/Barrier", {1: 2})
        fails(client.start("Session/UdpSession", request(session=77, size=2)), "size 2")
        assert not waits.done()
        client.barrier(2)
        waits.result()
        client.close()
        assert outcomes(3, lambda rank: 64) == [None] * 3
        check_ints([Worker(wires[r], r, 3, 1, 4, 64, timeout=PATIENCE) for r in range(3)], 500)
        assert "refused: rank 2 has packets" in service.heard()
    run("ip", "neigh", "flush", "nud", "permanent")
    silence()


def another_device():
    """A worker is behind another device than the route to it names: it is told so if that is known, and if
    not, the service and the doctor say it when packets come."""
    def device_of(rank):
        told = json.loads(subprocess.run(["weir", "-j", "doctor", "job", str(JOB)],
                                         stdout=subprocess.PIPE).stdout)
        return [c for c in told["checks"]
                if c.get("subject") == f"source {rank} of job {JOB}" and c["status"] != "ok"]

    wire, here = wires[1], wires[1].ip
    wire.ip = socket.inet_aton("10.77.1.77")
    learns = "ip", "neigh", "replace", "10.77.1.77", "lladdr", wire.mac.hex(":"), "dev"
    try:
        with Service("--timeout", "100000") as service:
            run(*learns, "w2", "nud", "stale")
            client = Client(AT)
            fails(client.start("Session/UdpSession", request(wire=wire)),
                  "10.77.1.77 is behind w2, and the route to it leads to w1: "
                  "run `ip route replace 10.77.1.77 dev w2`")
            client.close()
            run("ip", "neigh", "flush", "dev", "w2")
            # As an administrator has it, who knows it no better than the route.
            run(*learns, "w1", "nud", "permanent")
            session(2)
            assert not device_of(0) and not device_of(1)
            workers = [Worker(wires[r], r, 2, 1, 4, 64, timeout=PATIENCE) for r in range(2)]
            workers[0].begin(numpy.zeros(100, numpy.int32))
            until(lambda: stat("contributions"))
            counted("not-local", lambda: say(wire, 0, 0, 0, 1))
            until(lambda: "rank 1, 10.77.1.77, sends by w2, and the route to it leads to w1" in service.heard())
            assert "rank 0, " not in service.heard()
            finding, = device_of(1)
            assert "w2" in finding["found"] and "ip route replace 10.77.1.77 dev w2" in finding["fix"], finding
            assert not device_of(0)
            # As both say.
            run("ip", "neigh", "del", "10.77.1.77", "dev", "w1")
            run("ip", "route", "replace", "10.77.1.77", "dev", "w2")
            session(2)
            assert f"rank 1 is 10.77.1.77, {wire.mac.hex(':')} on w2" in service.heard()
            assert not device_of(1)
            check_ints([Worker(wires[r], r, 2, 1, 4, 64, timeout=PATIENCE) for r in range(2)], 500)
            assert not device_of(1)
    finally:
        wire.ip = here
        subprocess.run(["ip", "route", "del", "10.77.1.77"])
        run("ip", "neigh", "flush", "nud", "permanent")
    silence()


# A worker's calls, from its namespace: what it is told of the box.
SET_UP = """
import sys, types
sys.path[:0] = sys.argv[1:3]
from switchml_worker import set_up
at, rank, workers, mac, ip = sys.argv[3:]
wire = types.SimpleNamespace(mac=bytes.fromhex(mac), ip=bytes.fromhex(ip))
set_up(at, wire, int(rank), int(workers), 64)
print(wire.box_mac.hex(), wire.box.hex())
"""


def how_to():
    """The example of docs/how-to/switchml.md, command by command, with workers that call from their links."""
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "..", "..", "docs/how-to/switchml.md"), encoding="utf-8") as file:
        text = file.read().partition("\n<!-- switchml -->\n")[2].partition("\n## ")[0]
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    commands = [line.replace("eth", "w") for line in lines[:lines.index("# on each worker, in switchml.cfg")]]
    settings = dict(line.partition("#")[0].replace(" ", "").split("=") for line in lines if " = " in line)
    run("weir", "port", "flush")
    addresses = ["11.0.0.201", "11.0.0.202"]
    process, here = None, [wire.ip for wire in wires[:2]]
    try:
        for command in commands:
            if command.startswith("weir-switchml"):
                assert settings["timeout"] in command, (command, settings)
                process = subprocess.Popen(command.split(), stderr=subprocess.PIPE, text=True)
            elif not command.startswith("#"):
                run("sh", "-ec", command)
        while "awaited" not in process.stderr.readline():
            assert process.poll() is None
        calls = []
        for i, address in enumerate(addresses):
            wires[i].ip = socket.inet_aton(address)
            for words in "link set eth0 arp on", f"address add {address}/24 dev eth0":
                run("ip", "-n", namespaces[i], *words.split())
            calls.append(subprocess.Popen(
                ["nsenter", f"--net=/run/netns/{namespaces[i]}", "/usr/bin/python3", "-c", SET_UP,
                 os.path.join(folder, "..", "lib"), folder, settings["controller_ip"] + ":50099", str(i), "2",
                 wires[i].mac.hex(), wires[i].ip.hex()], stdout=subprocess.PIPE, text=True))
        for i, call in enumerate(calls):
            wires[i].box_mac, wires[i].box = map(bytes.fromhex, call.communicate(timeout=PATIENCE)[0].split())
            assert wires[i].box == socket.inet_aton("11.0.0.1")
            assert wires[i].box_mac.hex(":") == link_of(i)["address"]
            run("ip", "-n", namespaces[i], "address", "flush", "dev", "eth0")
            run("ip", "-n", namespaces[i], "link", "set", "eth0", "arp", "off")
            wires[i].drain()
        check_ints([Worker(wires[r], r, 2, 1, 4, 64, timeout=PATIENCE) for r in range(2)], 2000)
    finally:
        if process:
            process.terminate()
            process.communicate(timeout=PATIENCE)
        for i, address in enumerate(addresses):
            wires[i].ip = here[i]
            subprocess.run(["ip", "route", "del", address])
        subprocess.run(["ip", "address", "del", "11.0.0.1/32", "dev", "lo"])
        attach(mode)
    silence()


def windows():
    """Workers may have as many packets under way as weir-switchml(8) says for --outstanding."""
    with Service("--timeout", "100000", "--outstanding", "64"):
        for threads, m in ((1, 128), (2, 42), (4, 18), (8, 8), (64, 1)):
            session(2)
            workers = [Worker(wires[r], r, 2, threads, m, 64, timeout=PATIENCE) for r in range(2)]
            check_ints(workers, 3 * m * threads * 64)
        for threads, m in ((1, 129), (2, 43), (4, 19)):
            session(2)
            worker = Worker(wires[0], 0, 2, threads, m, 64, timeout=PATIENCE)
            worker.begin(numpy.zeros(m * threads * 64, numpy.int32))
            until(lambda: refused("ahead"))
    wires[0].drain()
    silence()


def meetings():
    with Service() as service:
        clients = [Client(AT) for _ in range(4)]
        # Non-roots wait for the root's value, whenever they come.
        first = clients[1].start("Sync/Broadcast", {2: 1, 3: 3})
        assert clients[0].broadcast(5, 0, 3) == 5
        assert first.result() and clients[2].broadcast(0, 2, 3) == 5
        # One that has had it waits for the next.
        again = clients[1].start("Sync/Broadcast", {2: 1, 3: 3})
        assert clients[0].broadcast(6, 0, 3) == 6
        again.result()
        # Barriers open for all at once.
        waiting = [clients[i].start("Sync/Barrier", {1: 3}) for i in range(2)]
        other = clients[3].begin("Sync/Barrier", {1: 2})
        clients[2].barrier(3)
        for call in waiting:
            call.result()
        assert not other.done()
        # A worker that vanishes does not count.
        gone = Client(AT)
        call = gone.begin("Sync/Barrier", {1: 3})
        left = clients[0].begin("Sync/Barrier", {1: 3})
        call.cancel()
        gone.close()
        until(lambda: "one of 3 workers has vanished" in service.heard())
        second = clients[1].start("Sync/Barrier", {1: 3})
        try:
            left.result(timeout=0.5)
            raise AssertionError("two of three were enough")
        except grpc.FutureTimeoutError:
            pass
        clients[2].barrier(3)
        left.result(), second.result()
        # A new session begins: who waits in an old one hears of it.
        clients[0].broadcast(8, 0, 2)
        fails(other, "a new session has begun")
        # Where one vanishes after it has said its value, nobody begins with that.
        clients[0].broadcast(9, 0, 2)
        root = clients[0].begin("Sync/Barrier", {1: 2})
        other = clients[3].begin("Sync/Barrier", {1: 3})
        root.cancel()
        until(lambda: "one of 2 workers has vanished" in service.heard())
        heir = clients[1].start("Sync/Broadcast", {2: 1, 3: 2})
        clients[0].broadcast(10, 0, 2)
        assert parsed(heir.result())[1] == 10
        fails(other, "a new session has begun")
        # Different numbers of workers are refused.
        clients[1].begin("Sync/Broadcast", {2: 1, 3: 4})
        fails(clients[2].start("Sync/Barrier", {1: 0}), "1 to 32 workers")
        fails(clients[2].start("Sync/Broadcast", {2: 9, 3: 4}), "rank 9 is none of 4")
        fails(clients[2].start("Sync/Broadcast", {2: 1, 3: 4, 4: 4}), "the root 4")
        for client in clients:
            client.close()


def garbage():
    """Clients that say anything, and many of them, leave nothing behind."""
    with Service() as service:
        def rubbish(count):
            for i in range(count):
                client = Client(AT)
                calls = [client.start("Sync/Barrier", {1: 32}), client.start("Sync/Broadcast", {2: 1, 3: 2}),
                         client.start("Session/UdpSession", {}, raw=os.urandom(100)),
                         client.start("Session/RdmaSession", {1: 1}),
                         client.start("Session/UdpSession", {}, raw=bytes(5000)),
                         client.start("No/Such", {})]
                for call in calls[2:]:
                    try:
                        call.result()
                    except grpc.RpcError:
                        pass
                client.close()
            with socket.create_connection(AT.split(":")) as junk:
                junk.sendall(os.urandom(1000))

        rubbish(20)
        before = size_of(service.process.pid)
        rubbish(40)
        # gRPC keeps some files of its own for longer; what a client leaves behind, forty would.
        try:
            until(lambda: size_of(service.process.pid)[2] <= before[2] + 20)
        except AssertionError:
            print("#", before, "files, and now", opened(service.process.pid))
            raise
        after = size_of(service.process.pid)
        print("# kilobytes, threads, files:", before, after)
        assert after[0] < before[0] + 2048 and after[1] <= before[1] + 2, (before, after)
        # More than it serves at once.
        client = Client(AT)
        calls = [client.start("Sync/Barrier", {1: n}) for n in range(2, 33) for i in range(n - 1)]
        until(lambda: sum(call.done() for call in calls) >= len(calls) - 64)
        assert {call.code() for call in calls if call.done()} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        for call in calls:
            call.cancel()
        client.close()
        session(2)
        check_ints([Worker(wires[r], r, 2, 1, 4, 64, timeout=PATIENCE) for r in range(2)], 500)
    silence()


# A call from a namespace, with an address of its own: UdpSession of rank 0, and what it is told.
CALL = """
import sys
sys.path[:0] = sys.argv[1:3]
import grpc
from switchml_worker import Client
client = Client(sys.argv[3])
try:
    client.call("Session/UdpSession", eval(sys.argv[4]))
    print("served")
except grpc.RpcError as error:
    print(error.details())
"""


def call_from(namespace, at, fields):
    lib = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib")
    return run("nsenter", f"--net=/run/netns/{namespace}", "/usr/bin/python3", "-c", CALL, lib,
               os.path.dirname(os.path.abspath(__file__)), at, repr(fields)).strip()


def strangers():
    """A worker is bound where its call comes from the worker's own link, or the kernel knows its
    address; a router never is. Refused calls leave the session alone."""
    ns, dev, at = namespaces[7], f"w{N}", "10.77.8.254:50099"

    def inside(*words):
        run("ip", "-n", ns, *words)

    def refused_with(words, ip, source=None, mac=None):
        if source:
            inside("route", "replace", "10.77.8.254/32", "dev", "eth0", "src", source)
        fields = {**request(n=1, wire=wires[7]), 5: int.from_bytes(socket.inet_aton(ip), "big")}
        said = call_from(ns, at, fields if mac is None else {**fields, 4: mac})
        assert words in said, said

    def neighbour(ip):
        return [(n.get("lladdr"), n["state"]) for n in
                json.loads(run("ip", "-j", "neigh", "show", "to", ip, "nud", "permanent") or "[]")]

    inside("link", "set", "eth0", "arp", "on")
    # Either of the addresses is a router's in a route with two of them.
    inside("address", "add", "10.77.8.2/24", "dev", "eth0")
    inside("address", "add", "10.77.8.3/24", "dev", "eth0")
    inside("address", "add", "192.0.2.7/32", "dev", "eth0")
    try:
        with Service("--listen", "0.0.0.0:50099"):
            mac = wires[7].mac.hex(":")
            # A caller on the link is believed.
            refused_with("served", "10.77.8.1", source="10.77.8.2")
            assert neighbour("10.77.8.1") == [(mac, ["PERMANENT"])]
            bound = job()
            # Of other links, and of what the kernel knows better, it is not.
            refused_with("10.77.8.2 does not call from the link of 10.77.1.77", "10.77.1.77")
            run("ip", "neigh", "replace", "10.77.8.5", "lladdr", "02:00:00:00:00:05", "dev", dev, "nud", "stale")
            refused_with("10.77.8.5 has the MAC address 02:00:00:00:00:05", "10.77.8.5")
            # A router is no worker, however it is routed by, and who is behind one is not on the link.
            for words in (("192.0.2.0/24", "via", "10.77.8.2"),
                          ("192.0.2.0/24", "nexthop", "via", "10.77.8.2", "nexthop", "via", "10.77.8.3")):
                run("ip", "route", "replace", *words)
                refused_with("10.77.8.2 is a router", "10.77.8.2", source="192.0.2.7")
                refused_with("192.0.2.7 does not call from the link", "10.77.8.4", source="192.0.2.7")
                # As it looks when the router translates addresses.
                refused_with("10.77.8.2 does not call from the link", "10.77.8.4", source="10.77.8.2")
            for ip in "10.77.8.2", "10.77.8.4", "10.77.8.5", "10.77.1.77":
                assert not neighbour(ip), ip
            assert {**bound, "stats": None} == {**job(), "stats": None}
            # An administrator knows better still, and is left alone.
            run("ip", "neigh", "replace", "10.77.8.4", "lladdr", mac, "dev", dev, "nud", "permanent")
            refused_with("served", "10.77.8.4", source="192.0.2.7")
            assert not neighbour("10.77.8.1")
        assert neighbour("10.77.8.4") == [(mac, ["PERMANENT"])]
    finally:
        subprocess.run(["ip", "route", "del", "192.0.2.0/24"])
        inside("address", "flush", "dev", "eth0")
        inside("link", "set", "eth0", "arp", "off")
        run("ip", "neigh", "flush", "dev", dev)
        run("ip", "neigh", "flush", "dev", dev, "nud", "permanent")
        wires[7].drain()


def idle():
    """A session without packets is over; any packet of a worker shows that it is not."""
    with Service("--idle", "6") as service:
        session(2)
        a = wires[0]
        before = stat("contributions")
        say(a, 0, 0, 0, 1)
        until(lambda: stat("contributions") == before + 1)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            say(a, 0, 0, 0, 1)
            time.sleep(0.2)
        assert job()["bound"] == 2 and refused("duplicate")
        until(lambda: not job())
        until(lambda: not json.loads(run("ip", "-j", "neigh", "show", "nud", "permanent") or "[]"))
        assert "is over" in service.heard()
        session(3)
        check_ints([Worker(wires[r], r, 3, 1, 4, 64, timeout=PATIENCE) for r in range(3)], 500)
    silence()


def bridged():
    """Two links are ports of a bridge, which has to be told who is where."""
    ports = "w1", "w2"
    run("ip", "link", "add", "br0", "address", "02:00:00:00:00:b0", "type", "bridge",
        "mcast_snooping", "0")
    try:
        run("ip", "link", "set", "br0", "up")
        run("ip", "address", "flush", "dev", "w2")
        run("ip", "address", "add", "10.77.2.254/24", "dev", "br0")
        for port in ports:
            run("ip", "link", "set", port, "master", "br0")
        here = [wires[0].ip, wires[1].ip]
        wires[0].ip = socket.inet_aton("10.77.2.7")
        with Service("--timeout", "100000"):
            client = Client(AT)
            learn(0)
            fails(client.start("Session/UdpSession", request()), "bridge fdb replace")
            client.close()
            assert not job()
            for wire, port in zip(wires, ports):
                run("bridge", "fdb", "replace", wire.mac.hex(":"), "dev", port, "master", "static")
            session(2)
            assert wires[0].box_mac == wires[1].box_mac == bytes.fromhex("0200000000b0")
            check_ints([Worker(wires[r], r, 2, 2, 4, 64, timeout=PATIENCE) for r in range(2)], 2000)
        silence()
    finally:
        wires[0].ip, wires[1].ip = here
        run("ip", "link", "del", "br0")
        run("ip", "address", "add", "10.77.2.254/24", "dev", "w2")


def killed():
    """Its session goes on without it, and with the next one, until another begins."""
    service = Service("--timeout", "100000")
    session(2)
    workers = [Worker(wires[rank], rank, 2, 2, 4, 64, timeout=PATIENCE) for rank in range(2)]
    check_ints(workers, 1000)
    service.kill()
    check_ints(workers, 1000)
    with Service("--timeout", "100000") as service:
        assert "its workers go on" in service.heard()
        check_ints(workers, 1000)
        old = job()
        # Neighbours that the last run added do not count as known to the kernel.
        client = Client(AT)
        fails(client.start("Session/UdpSession", request()), "does not call from the link")
        client.close()
        assert job() == old
        run("ip", "neigh", "flush", "nud", "permanent")
        session(3)
        assert job()["sources"] == 3 and old["sources"] == 2
        check_ints([Worker(wires[r], r, 3, 1, 4, 64, timeout=PATIENCE) for r in range(3)], 500)
        service.kill()
    with Service() as service:
        pass
    assert not job() and not json.loads(run("ip", "-j", "neigh", "show", "nud", "permanent") or "[]")
    silence()


def packets(n):
    """Return the tests that are run at each hook."""
    return (bits_of_results, sums(1, 1, 1, 64), sums(2, 4, 4, 64), sums(2, 1, 32, 256), sums(4, 1, 4, 256),
            sums(n, 1, 4, 64), losses(2, 2, 4, 0.03), losses(3, 1, 4, 0.03), impatient, wraps_around,
            slots_are_apart, repeats_inside_of_h, repeats_outside_of_h, numbered_as_the_one_before,
            early, checksums, refusals_are_silent)


def at(hook, test):
    def run_it():
        if mode != hook:
            attach(hook)
        test()
    run_it.__name__ = f"{hook}: {test.__name__}"
    return run_it


MODES = os.environ["WEIR_MODES"].split()
tests = [at(hook, test) for hook in MODES for test in packets(N)]
# Sessions do not depend on the hook that packets come in by.
if "xdp" in MODES:
    tests += [at("tc", what_may_be_asked_for), at("tc", doctor)]
    tests += [at("xdp", test) for test in (
        whole_sessions, refused_sessions, a_refused_rank_ends_the_others, another_device, how_to, windows,
        meetings, garbage, strangers, idle, bridged, killed)]


def mend():
    subprocess.run(["weir", "job", "flush"])
    run("ip", "neigh", "flush", "nud", "permanent")
    for wire in wires:
        wire.drain()


sys.exit(ktap.run(tests, mend=mend))
