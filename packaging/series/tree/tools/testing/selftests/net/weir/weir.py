#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0

"""
Tests for the netlink families of weir, and for its queueing discipline.
"""

import errno
import socket
import sys
from pathlib import Path

sys.path.append(Path(__file__).resolve().parents[1].as_posix())

# pylint: disable=wrong-import-position
from lib.py import ksft_run, ksft_exit
from lib.py import ksft_eq, ksft_gt, ksft_in, ksft_lt, ksft_raises, ksft_true
from lib.py import KsftSkipEx, NetNS, NetNSEnter, NlError, YnlFamily
from lib.py import cmd, defer, ip, tc
from lib.py.ynl import SPEC_PATH

BOX = "192.0.2.254"
WORKER = "192.0.2.1"
PAYLOAD = 1000
TRIMMED = 128


def family(name, module):
    """The family of a spec, whose module is loaded where it is one."""
    cmd(f"modprobe -q {module}", fail=False)
    try:
        return YnlFamily((SPEC_PATH / f"{name}.yaml").as_posix(), schema="")
    except Exception as err:
        raise KsftSkipEx(f"{module} is not there") from err


def namespace():
    """A network namespace, entered for the rest of the test."""
    ns = NetNS()
    defer(ns.__exit__, None, None, None)
    inside = NetNSEnter(str(ns))
    inside.__enter__()
    defer(inside.__exit__, None, None, None)
    ip("link set dev lo up")
    return ns


def add_job(weir, **settings):
    """Add job 7, of two sources."""
    job = {"id": 7, "sources": 2, "blocks": 64, "grads": 256,
           "address": socket.inet_aton(BOX)}
    job.update(settings)
    weir.job_add(job)


def job() -> None:
    """A job and its source are added, shown, changed and removed."""
    namespace()
    weir = family("weir", "weir")
    ksft_eq(weir.job_get({}, dump=True), [])
    add_job(weir)
    shown = weir.job_get({"id": 7})
    ksft_eq(shown["blocks"], 64)
    ksft_eq(shown["dtype"], "int32")
    weir.source_add({"job": 7, "id": 1, "address": socket.inet_aton(WORKER),
                     "port": 5000})
    weir.source_set({"job": 7, "id": 1, "port": 5001})
    ksft_eq(weir.source_get({"job": 7, "id": 1})["port"], 5001)
    ksft_gt(weir.stats_get({})["memory-used"], 0)
    weir.job_del({"id": 7})
    ksft_eq(weir.job_get({}, dump=True), [])


def job_refused() -> None:
    """What a job cannot be is refused with a sentence."""
    namespace()
    weir = family("weir", "weir")
    with ksft_raises(NlError) as refusal:
        add_job(weir, sources=0)
    ksft_eq(refusal.exception.nl_msg.error, -errno.ERANGE)
    add_job(weir)
    with ksft_raises(NlError) as refusal:
        add_job(weir)
    ksft_eq(refusal.exception.nl_msg.error, -errno.EEXIST)
    ksft_true(refusal.exception.nl_msg.extack["msg"])
    with ksft_raises(NlError) as refusal:
        weir.source_get({"job": 8}, dump=True)
    ksft_in("no job 8", refusal.exception.nl_msg.extack["msg"])


def job_of_namespace() -> None:
    """A namespace knows its own jobs alone, and takes them along."""
    other = NetNS()
    with NetNSEnter(str(other)):
        add_job(family("weir", "weir"))
    namespace()
    weir = family("weir", "weir")
    ksft_eq(weir.job_get({}, dump=True), [])
    add_job(weir)
    del other
    ksft_eq(len(weir.job_get({}, dump=True)), 1)


def filter_rule() -> None:
    """A rule of a filter is added, shown and removed."""
    namespace()
    xdp = family("weir_xdp", "weir_xdp")
    xdp.filter_add({"ifindex": 1, "prio": 7, "action": "drop",
                    "match": [{"rule": {"proto": 17}}]})
    rules = xdp.filter_get({}, dump=True)
    ksft_eq([(rule["ifname"], rule["action"]) for rule in rules],
            [("lo", "drop")])
    xdp.filter_flush({})
    ksft_eq(xdp.filter_get({}, dump=True), [])


def flood(sender, receiver):
    """Send more than the port can; return the sizes that are received."""
    with NetNSEnter(str(receiver)):
        sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sink.bind((BOX, 9000))
        sink.settimeout(2)
    with NetNSEnter(str(sender)):
        source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(100):
            source.sendto(bytes(PAYLOAD), (BOX, 9000))
    sizes = []
    try:
        while len(sizes) < 100:
            sizes.append(len(sink.recv(2 * PAYLOAD)))
    except socket.timeout:
        pass
    return sizes


def trim() -> None:
    """Packets that find the queue full are trimmed, and none is dropped."""
    sender = NetNS()
    receiver = NetNS()
    ip(f"link add near netns {sender} type veth peer far netns {receiver}")
    for ns, dev, address in (sender, "near", WORKER), (receiver, "far", BOX):
        ip(f"addr add {address}/24 dev {dev}", ns=ns)
        ip(f"link set dev {dev} up", ns=ns)
    with NetNSEnter(str(sender)):
        policies = family("weir_trim", "sch_weir")
        tc("qdisc add dev near root handle 1: tbf rate 1mbit burst 4000 "
           "limit 1000000")
        tc("qdisc add dev near parent 1:1 handle 10: weir")
        index = socket.if_nametoindex("near")
        policies.set({"ifindex": index, "hook": "qdisc", "size": TRIMMED,
                      "limit": 4, "dscp": 11, "rule": [{"proto": 17}]})
    sizes = flood(sender, receiver)
    ksft_eq(len(sizes), 100)
    ksft_lt(sizes.count(PAYLOAD), 50)
    ksft_gt(sizes.count(PAYLOAD), 3)
    with NetNSEnter(str(sender)):
        stats = policies.get({"ifindex": index})["stats"]
        ksft_eq(stats["trim"], 100 - sizes.count(PAYLOAD))
        ksft_eq(stats["dropped-trim"], 0)
        policies.flush({})


def main() -> None:
    """Run the tests."""
    ksft_run([job, job_refused, job_of_namespace, filter_rule, trim])
    ksft_exit()


if __name__ == "__main__":
    main()
