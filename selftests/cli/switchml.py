#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""weir-switchml without a module: its limits, and whom it believes.

The service runs in a network namespace of its own, and weir(8) speaks to the stand-in (stand-in.c),
which answers that the device v0 hands packets over. With the module: selftests/netns/switchml.sh.
"""
import asyncio
import atexit
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "selftests", "lib"), os.path.join(ROOT, "selftests", "netns"),
                os.path.join(ROOT, "build", "switchml")]

if os.geteuid() == 0 and "WEIR_APART" not in os.environ:
    os.environ["WEIR_APART"] = "1"
    os.execvp("unshare", ["unshare", "--net", "--", sys.executable, *sys.argv])

import grpc

import ktap
import limits
from box import PORT, Box
from refusal import Refused
from switchml_worker import Client

PATIENCE = 60
MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:02"
work = tempfile.mkdtemp()
atexit.register(shutil.rmtree, work)


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, **more).stdout.decode()


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


def set_up():
    """The namespace, and a directory with the service and a tool that asks the stand-in."""
    for words in ("link set lo up", "link add v0 type veth peer name v1", "link add v2 type veth peer name v3",
                  "link set v0 up", "link set v1 up", "link set v2 up", "link set v3 up",
                  "address add 10.1.0.254/24 dev v0", "address add 10.2.0.254/24 dev v2"):
        run("ip", *words.split())
    os.makedirs(f"{work}/bin")
    os.symlink(f"{ROOT}/build/switchml", f"{work}/switchml")
    shutil.copy(f"{ROOT}/build/bin/weir-switchml", f"{work}/bin")
    with open(f"{work}/bin/weir", "w", encoding="ascii") as tool:
        tool.write(f'#!/bin/sh\nexport LD_PRELOAD="{ROOT}/build/cli/stand-in.so" WEIR_STAND_IN="{work}/said"\n'
                   f'exec "{ROOT}/build/bin/weir" "$@"\n')
    os.chmod(f"{work}/bin/weir", 0o755)


def fresh():
    """The stand-in begins again, with one port."""
    shutil.rmtree(f"{work}/said", ignore_errors=True)
    os.mkdir(f"{work}/said")
    index = json.loads(run("ip", "-j", "link", "show", "dev", "v0"))[0]["ifindex"]
    for n in range(1, 9):
        run(f"{ROOT}/selftests/cli/stand-in", "answer", f"{work}/said", "port-get", str(n),
            input=json.dumps([{"ifindex": index, "ifname": "v0"}]).encode())


box = Box(1, "10.1.0.254", f"{work}/bin/weir")


def asks(address, mac, caller):
    """Return the reason for which a worker is refused; None if it may be bound."""
    fresh()
    try:
        asyncio.run(box.way(address, mac, 300, limits.plain(caller) if caller else None))
    except Refused as refused:
        return str(refused)
    return None


def refused_with(words, *about):
    said = asks(*about)
    assert said and words in said, said


def callers():
    """A caller from a port's link is believed; no other is, however near."""
    assert asks("10.1.0.1", MAC, "10.1.0.7") is None
    assert asks("10.1.0.1", MAC, "::ffff:10.1.0.1") is None
    refused_with("10.2.0.1 does not call from the link of 10.1.0.1", "10.1.0.1", MAC, "10.2.0.1")
    refused_with("127.0.0.1 does not call from the link", "10.1.0.1", MAC, "127.0.0.1")
    refused_with("10.1.0.254 does not call from the link", "10.1.0.1", MAC, "10.1.0.254")
    refused_with("the caller does not call from the link", "10.1.0.1", MAC, None)
    refused_with(f"v2 hands no packets of format switchml over: run `weir port attach dev v2 udp {PORT}`",
                 "10.2.0.1", MAC, "10.2.0.1")


def routers():
    """A router is never a worker; and it and those behind it do not call from the link."""
    for words in ("192.0.2.0/24 via 10.1.0.9", "192.0.2.0/24 nexthop via 10.1.0.8 nexthop via 10.1.0.9",
                  "table 77 192.0.2.0/24 via 10.1.0.9"):
        run("ip", "route", "replace", *words.split())
        refused_with("10.1.0.9 is a router", "10.1.0.9", MAC, "10.1.0.7")
        refused_with("does not call from the link", "10.1.0.1", MAC, "192.0.2.1")
        refused_with("does not call from the link", "10.1.0.1", MAC, "10.1.0.9")
        run("ip", "route", "del", *words.split())
        assert asks("10.1.0.9", MAC, "10.1.0.7") is None


def neighbours():
    """The kernel's own knowledge decides, whoever calls."""
    def knows(mac, state, *more):
        subprocess.run(["ip", "neigh", "del", "10.1.0.1", "dev", "v0"], stderr=subprocess.DEVNULL)
        run("ip", "neigh", "add", "10.1.0.1", "lladdr", mac, "dev", "v0", "nud", state, *more)

    for state in "permanent", "stale", "reachable":
        knows(MAC, state)
        assert asks("10.1.0.1", MAC, "10.2.0.1") is None, state
        refused_with(f"10.1.0.1 has the MAC address {MAC} on v0, not {OTHER}", "10.1.0.1", OTHER, "10.1.0.7")
    # An entry of the service itself shows nothing.
    box.learned.clear()
    knows(MAC, "permanent", "protocol", "119")
    refused_with("does not call from the link", "10.1.0.1", MAC, "10.2.0.1")
    assert asks("10.1.0.1", OTHER, "10.1.0.7") is None
    run("ip", "neigh", "del", "10.1.0.1", "dev", "v0")


def peers():
    for peer, want in (("ipv4:10.0.0.1:99", "10.0.0.1"), ("ipv6:[::1]:99", "::1"), ("unix:", None),
                       ("ipv6:%5B::ffff:10.0.0.1%5D:99", "10.0.0.1"), ("ipv6:[fe80::1%25eth0]:9", "fe80::1%eth0")):
        got = limits.caller_of(peer)
        assert (str(got) if got else None) == want, (peer, got)
    group = [limits.group_of(limits.plain(a)) for a in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.0.0.1")]
    assert group[0] == group[1] != group[2] and str(group[3]) == "10.0.0.1", group


def connections():
    """The address with most connections loses the newest; there is room for known workers."""
    def left(groups, known=()):
        gone = limits.too_many(list(enumerate(groups)), set(known))
        return [group for i, group in enumerate(groups) if i not in gone]

    assert left(["a"] * 1100 + ["b"]) == ["a"] * limits.ADDRESS_CONNECTIONS + ["b"]
    many = [str(i) for i in range(limits.ALL_CONNECTIONS)]
    assert left(many) == many
    assert left(["a"] * 30 + many) == ["a"] + many[:-1]
    assert left(many + ["new"] + ["k"] * 2, ["k"]) == many + ["k"] * 2
    assert left(many + ["k"] * 200, ["k"]) == many + ["k"] * limits.KNOWN_CONNECTIONS


def calls():
    room = limits.Room(lambda: {"known"})

    def enters(group):
        try:
            room.enter(group)
            return True
        except Refused as refused:
            assert refused.status == grpc.StatusCode.RESOURCE_EXHAUSTED
            return False

    assert [enters("a") for _ in range(limits.ADDRESS_CALLS + 1)] == [True] * limits.ADDRESS_CALLS + [False]
    others = limits.ALL_CALLS - limits.ADDRESS_CALLS
    assert [enters("b") for _ in range(others + 1)] == [True] * others + [False]
    assert [enters("known") for _ in range(limits.KNOWN_CALLS + 1)] == [True] * limits.KNOWN_CALLS + [False]
    room.leave("known")
    assert not enters("a") and enters("known")


class Service:
    AT = "127.0.0.1", 50099

    def __enter__(self):
        fresh()
        self.process = subprocess.Popen(
            (f"{work}/bin/weir-switchml", "--address", "10.1.0.254", "--listen", "127.0.0.1:50099"),
            stderr=subprocess.PIPE, text=True)
        self.said = []
        self.reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr))
        self.reader.start()
        until(lambda: "awaited" in self.heard())
        return self

    def heard(self):
        return "".join(self.said)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
        self.reader.join(PATIENCE)


def is_closed(connection):
    try:
        while connection.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))


def crowds():
    """1,100 connections that say nothing, or no more than that they are there, disable nothing."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with Service() as service:
        for sources, said, limit in (
                (["127.0.0.2"], b"", limits.ADDRESS_CONNECTIONS),
                (["127.0.0.2"], GREETING, limits.ADDRESS_CONNECTIONS),
                ([f"127.0.1.{i}" for i in range(1, 251)], GREETING, limits.ALL_CONNECTIONS)):
            crowd = []
            for i in range(1100):
                crowd.append(socket.create_connection(service.AT, source_address=(sources[i % len(sources)], 0)))
                crowd[-1].sendall(said)
                crowd[-1].setblocking(False)
            until(lambda: sum(not is_closed(one) for one in crowd) <= limit)
            client = Client("%s:%d" % service.AT)
            client.barrier(1)
            client.close()
            # Nobody has to go for the others to end.
            until(lambda: all(is_closed(one) for one in crowd))
            for one in crowd:
                one.close()
        assert "too many connections" in service.heard(), service.heard()


def calls_of_one_address():
    """One that fills its share leaves others theirs."""
    with Service() as service:
        at = "%s:%d" % service.AT
        greedy, other = Client(at), Client(at)
        waiting = [greedy.start("Sync/Barrier", {1: 32}) for _ in range(30)] + \
            [greedy.start("Sync/Barrier", {1: 31}) for _ in range(29)] + \
            [greedy.start("Sync/Barrier", {1: 30}) for _ in range(20)]
        until(lambda: sum(call.done() for call in waiting) == len(waiting) - limits.ADDRESS_CALLS)
        assert {call.code() for call in waiting if call.done()} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        for call in waiting:
            call.cancel()
        until(lambda: "vanished" in service.heard())
        other.barrier(1)
        greedy.close(), other.close()


def not_served():
    with Service() as service:
        client = Client("%s:%d" % service.AT)
        for method, words in (("Session/RdmaSession", "RDMA is not served: set backend = dpdk"),
                              ("Session/TcpSession", "TcpSession is not served: set backend = dpdk"),
                              ("Other/Call", "Call is not served: set backend = dpdk")):
            try:
                client.start(method, {1: 1}).result()
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.UNIMPLEMENTED and words in error.details(), error.details()
            else:
                raise AssertionError(method)
        client.close()


if os.geteuid():
    ktap.skip_all("takes root, for a network namespace")
set_up()
sys.exit(ktap.run([peers, connections, calls, callers, routers, neighbours, not_served, crowds,
                   calls_of_one_address]))
