#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Every way in which the netlink family refuses a request: the error, the sentence, and
that nothing is changed by it. To be run by refusals.sh. Speaks KTAP.

A sentence of the module's that no request here brings out fails the suite, so that one
who adds a refusal adds its case.
"""
import errno
import glob
import os
import re
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from genl import REQUEST, ROOT, Family, command
from named import address, encode, kind_of, lasting
import xdp as xdp_program


def index(name):
    return socket.if_nametoindex(name)


family = Family()


def ask(name, /, **values):
    return family.ask(command(name), encode(kind_of(name), **values))


def must(name, /, **values):
    error, sentence, _ = ask(name, **values)
    assert not error, f"{name}: {errno.errorcode.get(error)} {sentence}"


def state():
    """All that could be harmed; nothing here counts, but for the namespace's own time."""
    return [family.dump(command(name)) for name in ("job-get", "source-get", "port-get", "trim-get", "trim-acl-get", "chain-get", "flow-get", "filter-get", "order-get")]


BOX, OWN, WORKER = address("10.0.0.254"), address("10.0.0.200"), address("10.0.0.1")
d0, d1, d2, d3, none = *(index(f"d{i}") for i in range(4)), 9999
d5 = index("d5")
# Devices whose packets no program sees, and what is said of them.
blind = ((d2, "device d2 carries no Ethernet header: name the device below it"),
         (index("d6"), "device d6 is a VRF, which receives no packet: name its members"),
         (index("d7"), "device d7 is an ifb: name the device that redirects to it"))
new = {"id": 8, "sources": 4, "blocks": 64, "grads": 256, "address": BOX}
rack = dict(new, ranks=8, parent=WORKER, **{"parent-source": 0})
lab = {"id": 8, "sources": 4, "blocks": 2, "grads": 256, "format": 2, "address": BOX}
ethernet = dict(lab, format=3, address=bytes.fromhex("020000000007"))
station, stations = bytes.fromhex("020000000009"), b"\xff" * 6
framed = {"job": 4, "id": 1, "address": station, "ifindex": d1}
switchml = dict(new, format=4)
one = {"job": 7, "id": 1}
rule = {"dscp": 10}
trim = {"ifindex": d0, "hook": 1, "size": 64, "dscp": 11, "rule": rule}
tc = dict(trim, hook=2, rate=1000000)
xdp = dict(trim, hook=3, rate=1000000, ifindex=d3)
any_packet = {}
drops = {"action": 2, "match": any_packet}
passes = xdp_program.program()
rtp = {"ifindex": d1, "prio": 9, "sequence": 1, "flows": 1, "packets": 2}
try:
    bound = xdp_program.program(flags=xdp_program.BOUND, device=d3)
except OSError:
    bound = ()    # before Linux 6.3
INVAL, NOENT, EXIST = errno.EINVAL, errno.ENOENT, errno.EEXIST
NOTSUPP, NODEV = errno.EOPNOTSUPP, errno.ENODEV


def without(values, *keys):
    return {key: value for key, value in values.items() if key not in keys}


# Request, attributes, error, sentence (a pattern).
CASES = [
    # Objects that are not there, or not named.
    *((name, {}, INVAL, "say which job: its id is missing")
      for name in ("job-get", "job-set", "job-del", "job-collect", "source-add", "source-flush")),
    *((name, {"id": 9}, NOENT, "there is no job 9 in this network namespace")
      for name in ("job-get", "job-set", "job-del", "job-collect")),
    *((name, {"job": 9}, NOENT, "there is no job 9 in this network namespace")
      for name in ("source-add", "source-set", "source-del", "source-get", "source-flush")),
    *((name, {}, INVAL, "say which device: its index is missing")
      for name in ("port-add", "port-set", "port-del", "port-get", "trim-set", "trim-del", "trim-get",
                   "chain-add", "chain-set", "chain-del", "chain-get", "flow-set", "flow-del", "flow-get",
                   "filter-add", "filter-set", "filter-del", "filter-get", "filter-commit",
                   "order-add", "order-del", "order-get")),
    *((name, {"ifindex": none}, error, f"there is no device {none} in this network namespace")
      for name, error in (("port-add", NODEV), ("port-del", NOENT), ("port-get", NOENT),
                          ("trim-set", NODEV), ("trim-del", NOENT), ("trim-get", NOENT), ("trim-clear", NOENT),
                          ("flow-set", NODEV), ("flow-del", NOENT), ("flow-get", NOENT))),
    ("flow-listen", {}, errno.EBUSY, "another socket has the records of flows"),
    ("flow-del", {"ifindex": d1}, NOENT, "device [^ ]+ has no flows recorded"),
    ("flow-set", {"ifindex": d0, "flows": 32}, errno.EBUSY, "the table has room for 16 flows: end recording, and begin it anew"),
    *(("flow-set", {"ifindex": dev, "share": 500000}, INVAL, "a share is one of the link's rate: say rate, too") for dev in (d0, d1)),
    ("flow-set", {"ifindex": d1, "flows": 1 << 24}, errno.ENOMEM, "records of so many flows take more than a quarter of the machine's memory"),
    ("port-set", {"ifindex": none, "mode": 1}, NOENT, f"there is no device {none} in this network namespace"),
    # Jobs.
    ("job-add", without(new, "id"), INVAL, "say which id the job is to have"),
    ("job-add", without(new, "sources"), INVAL, "say how many sources the job has"),
    ("job-add", without(new, "blocks"), INVAL, "say how many blocks the job may hold"),
    ("job-add", without(new, "grads"), INVAL, "say how many gradients a block has at most"),
    ("job-add", without(new, "address"), INVAL, "say which address of this box the workers send to"),
    ("job-add", dict(new, id=7), EXIST, "job 7 exists already: delete it first or take another id"),
    # Jobs with keys in place of blocks.
    *(("job-add", dict(new, dtype=dtype, grads=1025), INVAL, "packets have 1024 gradients of this dtype at most")
      for dtype in (5, 6)),
    *(("job-add", without(dict(rack, format=6, dtype=dtype, keys=9), "blocks", "grads", "ranks"), INVAL,
       "values of this format are of type int32, float32 or int64") for dtype in (4, 6)),
    ("job-collect", {"id": 7}, NOTSUPP, "jobs of this format have blocks: there are no keys to go on"),
    ("job-add", dict(new, keys=9), INVAL, "jobs of this format have blocks: leave keys away"),
    ("job-add", dict(new, **{"key-memory": 9}), INVAL, "jobs of this format have blocks: leave key-memory away"),
    ("job-add", dict(new, format=6), INVAL, "jobs of this format have keys in place of blocks: leave it away"),
    ("job-add", without(dict(new, format=6), "blocks", "grads"), INVAL, "say how many keys the job may hold"),
    ("job-add", without(dict(new, format=6, keys=9), "blocks", "grads"), INVAL,
     "say where the reducer is, or the box before it"),
    ("job-add", dict(lab, **{"byte-order": 2}), INVAL, "packets of this format have network byte order"),
    # Jobs of several boxes.
    ("job-add", dict(lab, ranks=4), INVAL, "jobs of this format have one box: leave ranks away"),
    ("job-add", dict(new, ranks=3), INVAL,
     "3 ranks are fewer than this box's 4 sources: say those of all boxes"),
    ("job-add", without(rack, "ranks"), INVAL, "say how many ranks the job has in all, over its boxes"),
    ("job-add", without(rack, "parent-source"), INVAL,
     "say which source of the parent's job this box is"),
    ("job-add", without(rack, "parent"), INVAL, "it is the source of no parent: say its address"),
    ("job-add", dict(new, ranks=8, **{"parent-port": 5}), INVAL,
     "it is the port of no parent: say its address"),
    ("job-add", dict(new, ranks=8, **{"parent-ifindex": d1}), INVAL,
     "it is the device of no parent: say its address"),
    ("job-add", dict(new, ranks=8, **{"parent-vlan": 5}), INVAL,
     "it is the VLAN of no parent: say its address"),
    ("job-add", dict(rack, **{"parent-ifindex": none}), NODEV, f"there is no device with the index {none}"),
    ("job-add", dict(rack, address=address("fd00::7"), parent=address("fe80::1")), INVAL,
     "a link-local address needs the device that the parent is behind: say parent-dev"),
    ("job-add", dict(rack, parent=BOX), INVAL, "a box is not its own parent"),
    ("job-add", dict(rack, parent=OWN), INVAL, "the parent's address is one of this box's"),
    ("job-add", dict(rack, parent=address("fd00::1")), INVAL, "the job's addresses are IPv4"),
    ("job-add", dict(rack, parent=address("239.0.0.1")), INVAL, "the address must be a unicast address"),
    ("job-add", dict(new, blocks=63), INVAL, "blocks must be a power of two: take 64"),
    ("job-add", dict(new, blocks=65536, grads=2048), errno.EDQUOT,
     r"the job needs 5\d\d MiB, but \d+ of \d+ are taken: use fewer blocks"),
    ("job-add", dict(new, policy=2, timeout=0), INVAL, "blocks that are not to wait need a timeout"),
    ("job-add", dict(new, timeout=99), INVAL, "a timeout is 100 us at least, or 0 for none"),
    ("job-set", {"id": 7, "timeout": 1}, INVAL, "a timeout is 100 us at least, or 0 for none"),
    ("job-add", dict(new, timeout=100, **{"dead-after": 999}), INVAL,
     "dead-after is 1 ms at least, or 0 for what follows from the timeout"),
    ("job-add", dict(new, timeout=10000, **{"dead-after": 9000}), INVAL,
     "dead-after is shorter than the timeout"),
    ("job-add", dict(new, quorum=5), INVAL, "a quorum of 5 is more than the job's 4 sources"),
    ("job-add", dict(new, quorum=0x10004), INVAL, "a quorum of 65535 is more than the job's 4 sources"),
    ("job-set", {"id": 7}, INVAL, "nothing to change: say port, group, policy, .*"),
    ("job-set", {"id": 7, "policy": 2, "timeout": 0}, INVAL, "blocks that are not to wait need a timeout"),
    ("job-set", {"id": 6, "port": 12001}, INVAL,
     "source 0 is at this address and port: give it another port first"),
    ("job-set", {"id": 7, "quorum": 5}, INVAL, "a quorum of 5 is more than the job's 4 sources"),
    # A format whose jobs are all alike.
    ("job-add", dict(switchml, sources=33), INVAL, "jobs of this format have 32 sources at most"),
    ("job-add", dict(switchml, blocks=1), INVAL, "jobs of this format have 2 blocks at least"),
    ("job-add", dict(switchml, blocks=65536), INVAL, "jobs of this format have 32768 blocks at most"),
    ("job-add", dict(switchml, grads=128), INVAL, "packets of this format have 64 or 256 grads"),
    ("job-add", dict(switchml, retain=4), INVAL, "results of this format stay in their slots: omit retain"),
    ("job-add", dict(switchml, dtype=2), INVAL,
     "numbers of this format are of one type: leave dtype away"),
    ("job-add", dict(switchml, op=3), INVAL, "packets of this format are summed: leave op away"),
    *((name, dict(values, group=address("239.0.0.1")), INVAL,
       "workers of this format have ports of their own: leave the group away")
      for name, values in (("job-add", switchml), ("job-set", {"id": 2}))),
    ("job-add", dict(switchml, address=address("fd00::254")), INVAL, "the job's addresses are IPv4"),
    # Addresses.
    ("job-add", dict(new, address=BOX[:3]), INVAL, r"an address has 4 bytes \(IPv4\) or 16 \(IPv6\)"),
    ("job-add", dict(new, address=b""), INVAL, r"an address has 4 bytes \(IPv4\) or 16 \(IPv6\)"),
    ("job-add", dict(new, address=address("255.255.255.255")), INVAL,
     "the broadcast address cannot be used"),
    ("job-add", dict(new, address=address("::ffff:10.0.0.254")), INVAL,
     "write an IPv4 address as such, not as IPv4-mapped IPv6"),
    ("job-add", dict(new, address=address("239.0.0.1")), INVAL, "the address must be a unicast address"),
    ("job-add", dict(new, address=address("ff15::1")), INVAL, "the address must be a unicast address"),
    ("job-add", dict(new, address=address("0.0.0.0")), INVAL, "the address must be a unicast address"),
    ("job-add", dict(new, address=address("::")), INVAL, "the address must be a unicast address"),
    ("job-add", dict(new, group=WORKER), INVAL, "the group is no multicast address"),
    ("job-add", dict(new, group=address("ff15::1")), INVAL, "the job's addresses are IPv4"),
    ("job-add", dict(new, address=address("fd00::254"), group=address("239.0.0.1")), INVAL,
     "the job's addresses are IPv6"),
    *(("job-set", {"id": 6, "group": address(group)}, INVAL,
       "a group of one link or host has no route: take one of a wider scope, as ff15::1")
      for group in ("ff02::7", "ff12::7", "ff01::7")),
    *(("source-add", dict({"job": 6, "id": 1, "address": address("fe80::1")}, **more), INVAL,
       "a link-local address needs the device that the source is behind")
      for more in ({}, {"ifindex": 0}, {"port": 5, "vlan": 100})),
    ("job-set", {"id": 7, "group": WORKER}, INVAL, "the group is no multicast address"),
    ("job-set", {"id": 6, "group": address("239.0.0.1")}, INVAL, "the job's addresses are IPv6"),
    ("source-add", dict(one, address=address("fd00::1")), INVAL, "the job's addresses are IPv4"),
    ("source-add", {"job": 6, "id": 1, "address": WORKER}, INVAL, "the job's addresses are IPv6"),
    # Formats whose packets say less.
    ("job-add", dict(lab, policy=2, timeout=1000), INVAL,
     "results of this format never lack a source: its jobs have the policy wait"),
    ("job-add", dict(lab, quorum=1), INVAL, "results of this format never lack a source: its jobs have no quorum"),
    *(("job-add", dict(lab, dtype=dtype), INVAL, "numbers of this format have 4 bytes: take int32 or float32")
      for dtype in (4, 5, 6)),
    ("job-add", dict(new, format=5, dtype=1), INVAL, "numbers of this format are of one type: leave dtype away"),
    ("job-add", dict(new, format=5, dtype=4), INVAL, "numbers of this format are of one type: leave dtype away"),
    ("job-add", dict(new, format=5, address=address("fd00::254")), INVAL, "the job's addresses are IPv4"),
    ("job-add", dict(lab, retain=4096), INVAL, "results of this format stay in their slots: omit retain"),
    ("job-add", dict(lab, blocks=1), INVAL, "jobs of this format have 2 blocks at least"),
    ("job-add", dict(lab, address=address("10.0.0.253")), errno.EADDRINUSE,
     "job 5 has this address and port: packets of its format say no job"),
    ("job-set", {"id": 3, "port": 8000}, errno.EADDRINUSE,
     "job 5 has this address and port: packets of its format say no job"),
    # Those without IP.
    ("job-add", dict(ethernet, port=8000), INVAL, "frames of this format have no UDP port: leave it away"),
    ("job-set", {"id": 4, "port": 8000}, INVAL, "frames of this format have no UDP port: leave it away"),
    ("job-add", dict(ethernet, group=address("239.0.0.1")), INVAL,
     "results of this format go to all of a link: leave the group away"),
    ("job-add", dict(ethernet, address=BOX), INVAL, "an Ethernet address has 6 bytes"),
    ("job-add", dict(ethernet, address=b"\1" * 6), INVAL,
     "frames go to one station, or to all: ff:ff:ff:ff:ff:ff"),
    ("job-add", dict(new, address=address("::0001:0:0:7")), INVAL, "no host has this address: 0000::/8 is reserved"),
    ("source-add", dict(framed, address=WORKER), INVAL, "an Ethernet address has 6 bytes"),
    ("source-add", dict(framed, address=stations), INVAL, "the address must be that of one station"),
    ("source-add", dict(framed, address=bytes(6)), INVAL, "the address must be that of one station"),
    ("source-add", dict(framed, address=bytes.fromhex("02000000000a")), errno.EADDRINUSE, "device d1 of this box has this address"),
    ("source-add", dict(framed, port=8000), INVAL, "frames of the job's format have no UDP port: leave it away"),
    ("source-add", without(framed, "ifindex"), INVAL,
     "an Ethernet address needs the device that the source is behind"),
    ("source-add", dict(framed, address=ethernet["address"]), INVAL, "job 4 itself has this address"),
    ("source-add", dict(framed, id=2, address=bytes.fromhex("020000000008")), EXIST,
     "source 0 of job 4 has this address already"),
    # Rates.
    ("job-add", dict(new, rate={"packets-burst": 5}), INVAL, "a burst of packets needs a rate of packets"),
    ("job-add", dict(new, rate={"bytes-burst": 70000}), INVAL, "a burst of bytes needs a rate of bytes"),
    ("job-set", {"id": 7, "rate": {"packets": 5, "packets-burst": 0}}, INVAL,
     "a burst of 0 packets lets nothing pass"),
    ("source-set", {"job": 7, "id": 0, "rate": {"bytes": 5, "bytes-burst": 65534}}, INVAL,
     "a burst below 65535 bytes does not hold the longest packet"),
    # Sources.
    *((name, {"job": 7}, INVAL, "say which source: its id is missing")
      for name in ("source-add", "source-set", "source-del", "source-get")),
    *((name, {"job": 7, "id": 4}, errno.ERANGE, "job 7 has 4 sources: ids run from 0 to 3")
      for name in ("source-add", "source-set", "source-del", "source-get")),
    *((name, one, NOENT, "source 1 of job 7 has no address")
      for name in ("source-set", "source-del", "source-get")),
    ("source-add", one, INVAL, "say the source's address: nothing else tells who it is"),
    ("source-add", {"job": 7, "id": 0, "address": WORKER}, EXIST,
     "source 0 of job 7 has an address already: set it or delete it first"),
    ("source-add", dict(one, address=BOX), INVAL, "job 7 itself has this address and port: take another port"),
    ("source-add", dict(one, address=BOX, port=12000), INVAL, "job 7 itself has this address and port: take another port"),
    ("source-set", {"job": 7, "id": 0, "address": BOX}, INVAL, "job 7 itself has this address and port: take another port"),
    ("source-add", dict(one, address=WORKER), EXIST, "source 0 of job 7 has this address and port already"),
    ("source-add", dict(one, address=address("10.0.0.2"), ifindex=none), NODEV,
     f"there is no device with the index {none}"),
    ("source-set", {"job": 7, "id": 0}, INVAL, "nothing to change: say address, port, device, VLAN or rate"),
    # Ports.
    ("port-add", {"ifindex": d1}, EXIST, "device d1 is a weir port already"),
    ("port-set", {"ifindex": d1}, INVAL, "nothing to change: say mode"),
    ("port-set", {"ifindex": d0, "mode": 1}, NOENT, "device d0 is no weir port"),
    ("port-del", {"ifindex": d0}, NOENT, "device d0 is no weir port"),
    ("port-get", {"ifindex": d0}, NOENT, "device d0 is no weir port"),
    # Policies: what is not there, the hook, the device.
    ("trim-get", {"ifindex": d0}, NOENT, "device d0 has no trimming policy"),
    ("trim-del", {"ifindex": d0}, NOENT, "device d0 has no trimming policy"),
    ("trim-set", without(trim, "hook"), INVAL, "say where packets are trimmed: hook is missing"),
    ("trim-set", {"ifindex": d1, "hook": 2}, INVAL, "the hook cannot be changed: take the policy away first"),
    ("trim-set", dict(trim, ifindex=d2), NOTSUPP, "packets of the device have no Ethernet header"),
    ("trim-set", dict(trim, queue=60000), INVAL, "the device does not have as many transmit queues"),
    ("trim-set", dict(trim, queue=65535), INVAL, "say whose queue trimmed packets get: tc or dscp-tc is missing"),
    ("trim-set", dict(tc, queue=65535), INVAL, "say whose queue trimmed packets get: tc or dscp-tc is missing"),
    ("trim-set", dict(tc, queue=65535, tc=1), INVAL,
     "the device has no such traffic class: mqprio gives it some"),
    # Rules and DSCPs.
    ("trim-set", dict(trim, rule={"dscp-last": 10}), INVAL, "dscp-last needs dscp, the lowest one"),
    ("trim-set", dict(trim, rule={"dscp": 10, "dscp-last": 9}), INVAL, "dscp-last is lower than dscp"),
    ("trim-set", dict(trim, rule=[rule] * 17), INVAL, "a policy has 16 rules at most"),
    ("trim-set", dict(trim, rule={"port": 5, "proto": 1}), INVAL, "only UDP and TCP have ports"),
    ("trim-set", dict(trim, rule={"sport": 5, "proto": 1}), INVAL, "only UDP and TCP have ports"),
    ("trim-set", dict(trim, rule={"src-prefix": 8}), INVAL, "a prefix length needs an address"),
    ("trim-set", dict(trim, rule={"dst": bytes(5)}), INVAL,
     r"an address has 4 bytes \(IPv4\) or 16 \(IPv6\)"),
    ("trim-set", dict(trim, rule={"src": bytes(4), "src-prefix": 33}), INVAL,
     "the prefix is longer than an IPv4 address"),
    ("trim-set", dict(trim, rule={"src": bytes(4), "dst": bytes(16)}), INVAL,
     "a rule's addresses are all IPv4 or all IPv6"),
    ("trim-set", dict(trim, rule={"src": b"\x0a\0\0\1", "src-prefix": 8}), INVAL,
     "the address has bits behind its prefix"),
    ("trim-set", dict(trim, rule={"dscp": 11}), INVAL,
     "packets with the DSCP of trimmed, returned or control ones cannot be trimmed"),
    ("trim-set", dict(trim, rule={"dscp": 10, "dscp-last": 12}), INVAL,
     "packets with the DSCP of trimmed, returned or control ones cannot be trimmed"),
    ("trim-set", without(trim, "rule"), INVAL, "say which packets are trimmed: a rule is missing"),
    ("trim-set", dict(trim, rule=dict(rule, disable=True)), INVAL,
     "say which packets are trimmed: a rule is missing"),
    ("trim-set", dict(trim, **{"tc-dscp": bytes([0, 1, 2, 3, 4, 5, 6, 64])}), INVAL, "a DSCP is 63 at most"),
    ("trim-set", dict(trim, **{"tc-dscp": bytes(17)}), INVAL, "there are 16 traffic classes at most"),
    ("trim-set", dict(trim, **{"dscp-tc": bytes([16] * 64)}), INVAL, "a traffic class is 15 at most"),
    ("trim-set", without(trim, "dscp"), INVAL,
     "say which DSCP trimmed packets get: dscp or tc is missing"),
    ("trim-set", dict(trim, dscp=0), INVAL, "DSCP 0 is that of packets without a mark: choose another one"),
    ("trim-set", dict(without(trim, "dscp"), tc=0), INVAL,
     "the class has DSCP 0, as packets without a mark: give it one by tc-dscp"),
    ("trim-set", dict(trim, **{"trimmed-dscps": 1}), INVAL,
     "DSCP 0 is that of packets without a mark: choose another one"),
    ("trim-set", dict(trim, **{"control-dscps": 1}), INVAL,
     "DSCP 0 is that of packets without a mark: choose another one"),
    ("trim-set", dict(trim, **{"return-dscp": 0}), INVAL,
     "DSCP 0 is that of packets without a mark: choose another one"),
    ("trim-set", dict(trim, **{"return-dscp": 11}), INVAL,
     "packets that go back need another DSCP than trimmed or control ones"),
    ("trim-set", dict(trim, **{"control-dscps": 1 << 11}), INVAL,
     "a DSCP is that of trimmed packets or of control ones, not of both"),
    # Bands.
    ("trim-set", dict(trim, limit=0), INVAL, "the data band needs a limit of packets, bytes or time, or a dynamic one"),
    ("trim-set", {**trim, "limit-dynamic": 256}, INVAL,
     "a dynamic limit is a part of what is free in a pool: pool is missing"),
    ("trim-set", {**trim, "pool": b"none-such\0"}, NOENT, "there is no such pool: add it first"),
    ("trim-set", {**tc, "limit-dynamic": 256}, NOTSUPP, "only hook qdisc shares a pool of buffer"),
    ("trim-set", dict(trim, share=3, **{"share-value": 100}), INVAL,
     "headers get 99 percent of the bytes at most"),
    ("trim-set", dict(trim, full=2), INVAL,
     "say which DSCP packets get that go back: return-dscp is missing"),
    ("trim-set", dict(tc, full=2, **{"return-dscp": 12}), NOTSUPP, "packets cannot go back from the tc hook"),
    ("trim-set", dict(tc, victim=2), NOTSUPP, "only the qdisc can trim packets that wait"),
    ("trim-set", dict(tc, share=1), NOTSUPP, "only the qdisc has two bands that share the link"),
    ("trim-set", {**tc, "port-limit": 9000}, NOTSUPP,
     "only weir qdiscs share a limit: take hook qdisc, or hook xdp with meter backlog"),
    ("trim-set", dict(tc, share=2, **{"share-value": 5}), NOTSUPP,
     "only the qdisc has two bands that share the link"),
    ("trim-set", dict(xdp, ifindex=d0), NOTSUPP,
     "the driver cannot send what XDP redirects: take hook qdisc or tc"),
    ("trim-set", dict(trim, ifindex=d3, queue=0), NOTSUPP,
     "below mq the queue is chosen before the qdisc: take hook tc, or a root qdisc"),
    ("trim-set", dict(trim, full=2, **{"return-dscp": 13}), INVAL,
     "another port sends packets back with another DSCP: give all the same"),
    ("trim-set", dict(xdp, priority=1), NOTSUPP, "packets have no priority at the xdp hook"),
    ("trim-set", dict(xdp, queue=0), NOTSUPP, "the xdp hook cannot choose a transmit queue"),
    ("trim-set", dict(trim, ifindex=d5, **{"limit-time": 20}), NOTSUPP,
     "how long packets wait in weir's child is not known: limit packets or bytes"),
    ("trim-set", dict(trim, ifindex=d5, victim=2), NOTSUPP,
     "packets in weir's child cannot be trimmed: the victim must be arriving"),
    # Pools: d1 has one, and there are as many as there may be.
    *((name, {}, INVAL, "say which pool: its name is missing") for name in ("trim-pool-set", "trim-pool-del", "trim-pool-get")),
    *((name, {"name": b"none-such\0"}, NOENT, "there is no such pool: add it first") for name in ("trim-pool-del", "trim-pool-get")),
    *(("trim-pool-set", {"name": name, "size": 9000}, INVAL, "a pool's name is one word of visible ASCII characters")
      for name in (b"\0", b"a b\0", b"\xc3\xa4\0", b"a\x7f\0")),
    ("trim-pool-set", {"name": b"one-more\0"}, INVAL, "say how many bytes may wait: size is missing"),
    ("trim-pool-set", {"name": b"one-more\0", "size": 9000}, errno.ENOSPC, "a network namespace has 64 pools at most: remove some of them"),
    ("trim-pool-del", {"name": b"pool0\0"}, errno.EBUSY, "policies name the pool: give them another one first, or none"),
    # ACLs: d1 names the first one, and there are as many as there may be.
    *((name, {}, INVAL, "say which ACL: its name is missing") for name in ("trim-acl-set", "trim-acl-del", "trim-acl-get")),
    *((name, {"name": b"none-such\0"}, NOENT, "there is no such ACL: add a rule to it first") for name in ("trim-acl-del", "trim-acl-get")),
    *((name, {"name": b"acl0\0", "prio": 9}, NOENT, "the ACL has no rule with this prio") for name in ("trim-acl-del", "trim-acl-get")),
    ("trim-set", {**trim, "acl": b"none-such\0"}, NOENT, "there is no such ACL: add a rule to it first"),
    *(("trim-acl-set", {"name": name, "prio": 1, "rule": rule}, INVAL, "an ACL's name is one word of visible ASCII characters")
      for name in (b"\0", b"a b\0", b"\xc3\xa4\0", b"a\x7f\0")),
    ("trim-acl-set", {"name": b"acl0\0", "rule": rule}, INVAL, "say which place: prio is missing"),
    ("trim-acl-set", {"name": b"acl0\0", "prio": 9}, INVAL, "say which packets it matches: rule is missing"),
    ("trim-acl-set", {"name": b"acl0\0", "prio": 9, "rule": {"port": 5, "proto": 1}}, INVAL, "only UDP and TCP have ports"),
    ("trim-acl-set", {"name": b"acl0\0", "prio": 9, "rule": {"src": bytes(4), "dst": bytes(16)}}, INVAL,
     "a rule's addresses are all IPv4 or all IPv6"),
    ("trim-acl-set", {"name": b"one-more\0", "prio": 1, "rule": rule}, errno.ENOSPC,
     "a network namespace has 64 ACLs at most: remove some of them"),
    *(("trim-acl-del", {"name": b"acl0\0", **values}, errno.EBUSY, "policies name the ACL: take it from them first") for values in ({}, {"prio": 1})),
    # Chains: d1 has one of a program, and d5 the longest.
    *((name, {"ifindex": d1}, INVAL, "say which place: its prio is missing")
      for name in ("chain-add", "chain-set", "chain-del", "chain-get")),
    *((name, {"ifindex": d1, "prio": 9, **values}, NOENT, "no program of a chain has prio 9 on this device")
      for name, values in (("chain-set", {"to": 8}), ("chain-del", {}), ("chain-get", {}))),
    ("chain-add", {"ifindex": d1, "prio": 9}, INVAL, "say which program: its fd is missing"),
    ("chain-add", {"ifindex": none, "prio": 9, "fd": passes}, NODEV, f"there is no device {none} in this network namespace"),
    ("chain-add", {"ifindex": d1, "prio": 10, "fd": passes}, EXIST, "the chain has a program with prio 10 already"),
    ("chain-add", {"ifindex": d1, "prio": 9, "fd": 9999}, errno.EBADF, "fd 9999 is no XDP program"),
    ("chain-add", {"ifindex": d1, "prio": 9, "fd": xdp_program.program(attach=xdp_program.CPUMAP)}, INVAL,
     "a program for cpumaps or devmaps is none for a device"),
    ("chain-add", {"ifindex": d5, "prio": 9, "fd": passes}, errno.E2BIG, "a chain has 16 programs at most"),
    ("chain-set", {"ifindex": d1, "prio": 10}, INVAL, "nothing to change: say fd or to"),
    ("chain-set", {"ifindex": d1, "prio": 10, "to": 100}, INVAL, "weir's own programs have their places"),
    *(bound and [("chain-add", {"ifindex": d3, "prio": 9, "fd": bound}, INVAL,
                  "a program that is bound to a device cannot be in a chain")]),
    # Filters: d1 has one of a rule.
    *((name, {"ifindex": d1}, INVAL, "say which rule: its prio is missing") for name in ("filter-set", "filter-del")),
    *((name, {"ifindex": d1, "prio": 9, **values}, NOENT, "no rule of a filter has prio 9 on this device")
      for name, values in (("filter-set", drops), ("filter-del", {}), ("filter-get", {}))),
    *((name, {"ifindex": d2}, NOENT, "device d2 has no filter") for name in ("filter-get", "filter-flush", "filter-commit")),
    ("filter-flush", {"ifindex": none}, NOENT, f"there is no device {none} in this network namespace"),
    ("filter-add", {"ifindex": none, **drops}, NODEV, f"there is no device {none} in this network namespace"),
    ("filter-add", {"ifindex": d1, "prio": 10, **drops}, EXIST, "the filter has a rule with prio 10 already"),
    ("filter-add", {"ifindex": d3, **drops}, errno.ERANGE, "no place is left behind the last rule: say which, by prio"),
    ("filter-add", {"ifindex": d1, "action": 2}, INVAL, "say which packets: a match is missing"),
    ("filter-add", {"ifindex": d1, "match": any_packet}, INVAL, "say what is done with packets"),
    ("filter-add", {"ifindex": d1, "action": 2, "match": [any_packet] * 17}, INVAL, "say which file so many matches come from"),
    ("filter-add", {"ifindex": d1, "action": 3, "match": any_packet}, INVAL, "say which rate packets may have"),
    ("filter-add", {"ifindex": d1, "action": 3, "match": any_packet, "rate": {}}, INVAL, "a rate is of packets, or of bytes, or of both"),
    ("filter-add", {"ifindex": d1, "action": 3, "match": any_packet, "rate": {"packets": 5}, "sources": 9}, INVAL,
     "sources are told apart where the rate is that of each"),
    ("filter-add", {"ifindex": d1, "action": 4, "match": any_packet}, INVAL, "say which DSCP packets get"),
    ("filter-add", {"ifindex": d1, "rate": {"packets": 5}, **drops}, INVAL, "only police and guard have a rate"),
    ("filter-add", {"ifindex": d1, "each": True, **drops}, INVAL, "only police and guard are of each source"),
    ("filter-add", {"ifindex": d1, "sources": 9, **drops}, INVAL, "only police and guard know sources"),
    ("filter-add", {"ifindex": d1, "dscp": 9, **drops}, INVAL, "only mark has a DSCP"),
    ("filter-add", {"ifindex": d1, "time": 5000, **drops}, INVAL, "only guard has a time"),
    ("filter-add", {"ifindex": d1, "action": 6, "match": any_packet}, INVAL, "say one packet in how many is sampled"),
    ("filter-add", {"ifindex": d1, "sample": 9, **drops}, INVAL, "only sample has a share"),
    ("filter-add", {"ifindex": d1, "group": 9, **drops}, INVAL, "only sample has a group"),
    *(("filter-add", {"ifindex": d1, "action": 2, "match": match}, INVAL, sentence) for match, sentence in (
        ({"length-last": 9}, "length-last needs length, the least one"),
        ({"length": 9, "length-last": 8}, "length-last is less than length"),
        ({"tcp-set": 3, "tcp-clear": 2}, "no segment has a TCP flag both set and clear"),
        ({"rule": {"from": d2}}, "a filter's rules have neither from nor disable"),
        ({"rule": {"disable": True}}, "a filter's rules have neither from nor disable"),
        ({"rule": {"dscp-last": 9}}, "dscp-last needs dscp, the lowest one"))),
    *((name, dict(values, ifindex=device), NOTSUPP, sentence) for device, sentence in blind
      for name, values in (("filter-add", drops), ("order-add", rtp), ("flow-set", {}), ("port-add", {}),
                           ("chain-add", {"prio": 50}))),
    ("chain-add", {"ifindex": index("d6"), "prio": 9}, NOTSUPP, blind[1][1]),
    ("trim-set", dict(tc, ifindex=index("d6")), NOTSUPP,
     "a VRF sends past the hook tc: set the policies of its members"),
    *((name, dict(values, ifindex=d3), NOTSUPP, "device d3 hides VLAN tags: turn off rxvlan, and its peer's txvlan")
      for name, values in (("filter-add", {"action": 2, "match": {"rule": {"vlan": 5}}}),
                           ("order-add", dict(rtp, rule={"vlan": 5})))),
    ("filter-add", {"ifindex": d1, "common": {"rule": {"disable": True}}, **drops}, INVAL,
     "a filter's rules have neither from nor disable"),
    # Orders: d1 has one, and d5 as many as there may be.
    *((name, {"ifindex": d1}, INVAL, "say which order: its prio is missing")
      for name in ("order-add", "order-del", "order-get")),
    *((name, {"ifindex": d1, "prio": 9}, NOENT, "no order has prio 9 on this device") for name in ("order-del", "order-get")),
    ("order-add", dict(rtp, ifindex=none), NODEV, f"there is no device {none} in this network namespace"),
    ("order-add", dict(rtp, prio=10), EXIST, "the device has an order with prio 10 already"),
    ("order-add", dict(rtp, ifindex=d5), errno.E2BIG, "a device has 16 orders at most"),
    ("order-add", without(rtp, "sequence"), INVAL, "say cpus to spread packets over, or the sequence that they have"),
    ("order-add", dict(rtp, cpu=5000), NOENT, "there is no such CPU"),
    ("order-add", dict(rtp, cpu=[0, 0]), INVAL, "a CPU is there twice"),
    ("order-add", dict(rtp, offset=4), INVAL, "offset and width are of sequence field"),
    ("order-add", dict(rtp, sequence=3, offset=4), INVAL, "sequence field needs offset and width"),
    ("order-add", dict(rtp, sequence=3, offset=4, width=9), INVAL, "the width is 8, 16, 24 or 32 bits"),
    ("order-add", dict(rtp, **{"scope-offset": 4}), INVAL, "a scope is of sequence field"),
    ("order-add", dict(rtp, sequence=3, offset=4, width=32, **{"scope-offset": 0}), INVAL, "a scope needs offset and width"),
    ("order-add", dict(rtp, sequence=3, offset=4, width=32, **{"scope-offset": 0, "scope-width": 9}), INVAL,
     "the width of a scope is 8, 16, 24 or 32 bits"),
    ("order-add", dict(rtp, packets=1000), INVAL, "packets is a power of two"),
    ("order-add", dict(rtp, packets=1024, flows=65536), INVAL, "flows times packets is 16777216 at most"),
    ("order-add", dict(rtp, bytes=1 << 63), INVAL, r"bytes is less than 2\^63"),
    ("order-add", dict(rtp, rule={"disable": True}), INVAL, "an order's rule has no disable"),
    # The default that policies inherit.
    *((name, {"default": True}, NOENT, "trimming policies have no default here")
      for name in ("trim-get", "trim-del")),
    ("trim-set", {"default": True, "hook": 1}, INVAL, "only a port's policy can say this, not the default"),
    ("trim-set", {"default": True, "rate": 1000}, INVAL, "only a port's policy can say this, not the default"),
    ("trim-set", {"default": True, "limit": 0}, INVAL,
     "the data band needs a limit of packets, bytes or time, or a dynamic one"),
    ("trim-set", {"default": True, "control-dscps": 1 << 11}, INVAL,
     "d1: a DSCP is that of trimmed packets or of control ones, not of both"),
    # The reason is too long for a sentence with the device.
    ("trim-set", {"default": True, "control-dscps": 1 << 10}, INVAL,
     "device d1 has a policy that makes no sense then"),
    # Meters.
    ("trim-set", dict(trim, overhead=24), NOTSUPP, "the qdisc meters no rate that overhead could count for"),
    ("trim-set", dict(tc, optimistic=50, half=51), INVAL, "the shares must fall: optimistic, half, pessimistic"),
    ("trim-set", dict(tc, half=50, pessimistic=51), INVAL,
     "the shares must fall: optimistic, half, pessimistic"),
    ("trim-set", dict(tc, t0=100, t1=99), INVAL, "t1 cannot be before t0"),
    ("trim-set", dict(tc, meter=3), NOTSUPP, "only the xdp hook can read the backlog of a weir qdisc"),
    ("trim-set", without(tc, "rate"), INVAL, "say how fast the port is: rate is missing"),
    ("trim-set", dict(tc, rate=999), INVAL, "the rate must be 1000 bytes a second at least"),
    ("trim-set", dict(tc, rate=1000, meter=2, pessimistic=1), INVAL,
     "what a CPU takes of the rate at least is too slow to be metered"),
]

said = set()


def every_request():
    """Each case; what went otherwise is told all at once."""
    before, wrong = state(), []
    for name, values, want, pattern in CASES:
        error, sentence, _ = ask(name, **values)
        said.add(sentence)
        if error != want or not re.fullmatch(pattern, sentence):
            wrong.append(f"{name} {values}: {errno.errorcode.get(error, error)} '{sentence}'")
        elif state() != before:
            wrong.append(f"{name} {values}: was refused, and changed something")
            before = state()
    assert not wrong, "\n".join(wrong)


def dumps():
    """Those that can be asked for one job or device."""
    for name, values in (("source-get", {"job": 9}), ("block-get", {"job": 9})):
        error, sentence, objects = family.dump(command(name), encode(kind_of(name), **values))
        assert (error, sentence, objects) == \
            (NOENT, "there is no job 9 in this network namespace", []), (name, error, sentence)
        error, _, objects = family.dump(command(name), encode(kind_of(name), job=6))
        assert not error and len(objects) == (name == "source-get"), (name, error)
    error, sentence, objects = family.dump(command("trim-queue-get"), encode("trim-queue", ifindex=none))
    assert (error, sentence, objects) == \
        (NODEV, f"there is no device {none} in this network namespace", []), (error, sentence)
    for values, want in (({}, (INVAL, "say which rule: by ifindex and prio", [])),
                         ({"ifindex": d1, "prio": 9}, (NOENT, "no rule of a filter has prio 9 on this device", [])),
                         ({"ifindex": d1, "prio": 10}, (INVAL, "rule 10 tells no sources apart", []))):
        told = family.dump(command("filter-source-get"), encode("filter-source", **values))
        said.add(told[1])
        assert told == want, (values, told)
    error, _, objects = family.dump(command("trim-queue-get"), encode("trim-queue", ifindex=d0))
    assert not error and not objects, error


def refuse_more(device, sentence, **values):
    error, told, _ = ask("filter-add", ifindex=device, **values)
    said.add(told)
    assert (error, told) == (errno.E2BIG, sentence), (error, told)


def filters_have_an_end():
    """In rules, in their matches, and in the sets of fields that these compare."""
    def fill(count, at_once, **values):
        """Without acknowledgements: what is refused would be answered."""
        body = struct.pack("=BBH", command("filter-add"), 1, 0) + encode("filter", ifindex=d5, more=True, **values)
        one = struct.pack("=IHHII", 16 + len(body), family.family(command("filter-add")), REQUEST, 1, 0) + body
        for _ in range(count // at_once):
            assert family.sock.send(one * at_once) == len(one) * at_once

    file = {"action": 2, "file": b"/many\0"}
    fill(16, 1, match=[any_packet] * 16384, **file)
    refuse_more(d5, "the rules of a filter have 262144 matches at most", **drops)
    must("filter-flush", ifindex=d5)
    fill(16384, 256, **drops)
    refuse_more(d5, "a filter has 16384 rules at most", **drops)
    must("filter-flush", ifindex=d5)
    tuples = [{"rule": {"src": address("0.0.0.0"), "src-prefix": 1 + i % 32, "dst": address("0.0.0.0"), "dst-prefix": 1 + i // 32}}
              for i in range(257)]
    refuse_more(d5, "a filter compares 256 sets of fields and prefix lengths at most", match=tuples, **file)


def acls_have_an_end():
    """In rules, and in the sets of fields that these compare."""
    def refuse(sentence, **values):
        error, told, _ = ask("trim-acl-set", name=b"acl1\0", prio=65535, rule=values)
        said.add(told)
        assert (error, told) == (errno.ENOSPC, sentence), (error, told)

    for prio in range(2, 1025):
        must("trim-acl-set", name=b"acl1\0", prio=prio, rule={"port": prio})
    refuse("an ACL has 1024 rules at most", port=1)
    must("trim-acl-set", name=b"acl1\0", prio=1024, rule={"port": 1})
    must("trim-acl-del", name=b"acl1\0")
    for place in range(64):
        must("trim-acl-set", name=b"acl1\0", prio=1 + place, rule={
            "src": address("0.0.0.0"), "src-prefix": 1 + place % 32, "dst": address("0.0.0.0"), "dst-prefix": 1 + place // 32})
    refuse("rules compare 64 sets of fields at most: give prefixes the same lengths", port=1)
    must("trim-acl-set", name=b"acl1\0", prio=65535, rule={
        "disable": True, "src": address("128.0.0.0"), "src-prefix": 1, "dst": address("0.0.0.0"), "dst-prefix": 1})
    must("trim-acl-del", name=b"acl1\0")


def without_the_capability():
    """A user without the right to change anything may look; the error alone tells the user."""
    before = state()
    os.seteuid(65534)
    try:
        for name in ("job-add", "job-set", "job-del", "job-flush", "source-add", "source-set", "source-del",
                     "source-flush", "port-add", "port-set", "port-del", "port-flush", "trim-set",
                     "trim-del", "trim-flush", "trim-pool-set", "trim-pool-del", "trim-acl-set", "trim-acl-del", "chain-add", "chain-set", "chain-del", "chain-flush",
                     "flow-set", "flow-del", "flow-flush", "flow-listen",
                     "filter-add", "filter-set", "filter-del", "filter-flush", "filter-commit",
                     "order-add", "order-del", "order-flush"):
            error, _, _ = Family().ask(command(name), b"")
            assert error == errno.EPERM, f"{name}: {errno.errorcode.get(error, error)}"
        assert not Family().ask(command("stats-get"), b"")[0]
        assert not Family().dump(command("source-get"))[0]
        # But not at the blocks: that takes a walk over all slots, under the namespace's lock.
        error, _, blocks = Family().dump(command("block-get"))
        assert error == errno.EPERM and not blocks, errno.errorcode.get(error, error)
        error, _, jobs = Family().dump(command("job-get"))
        assert not error and jobs
        assert "open" not in {name for job in jobs for name, _ in lasting("job", job)}
    finally:
        os.seteuid(0)
    assert state() == before


def unknown_requests():
    for number in (0, command("job-ntf"), command("event-ntf"), 200):
        error, _, _ = family.ask(number, b"")
        assert error == NOTSUPP, (number, error)


def sentences():
    """All that the modules say to a request, with the files' names."""
    for path in glob.glob(os.path.join(ROOT, "kmod", "*", "netlink", "*.c")) + \
            [os.path.join(ROOT, "kmod", name) for name in ("core/base/device.c", "xdp/chain/member.c", "agg/config/jobs.c",
                                                           "trim/trim_config.c")]:
        for line in open(path, encoding="ascii"):
            for text in re.findall(r'"([^"]*)"', line):
                if text.count(" ") >= 2:
                    yield os.path.basename(path), text


def every_sentence():
    """All that the modules can say to a request was said, but for want of memory."""
    missing = []
    for name, text in sentences():
        pattern = ".*" + ".*".join(re.escape(part) for part in re.split(r"%\w+", text))
        # A part of a sentence, see what says %s.
        pattern += ".*" if text.startswith(" ") else ""
        # That there is no IPv6 is said in lacking.sh.
        if not text.startswith(("no memory", "this kernel has no IPv6")) and \
                not any(re.fullmatch(pattern, sentence) for sentence in said):
            missing.append(f"{name}: {text}")
    assert not missing, "\n".join(missing)


def no_sentence_is_cut_short():
    """The kernel has room for 79 letters, also where numbers are long: 1 TiB, device 65535."""
    cut = [f"{name}: {text}" for name, text in sentences()
           if len(re.sub("%l?[du]", "65535", text.replace("%llu", "1048576"))) > 79]
    assert not cut, "\n".join(cut)


must("job-add", **dict(switchml, id=2))
must("job-add", **dict(new, id=7))
must("job-add", **dict(new, id=6, address=address("fd00::254")))
must("job-add", **dict(lab, id=5, address=address("10.0.0.253")))
must("job-add", **dict(lab, id=3, address=address("10.0.0.253"), port=8001))
must("job-add", **dict(ethernet, id=4))
must("source-add", job=4, id=0, address=bytes.fromhex("020000000008"), ifindex=d1)
must("source-add", job=7, id=0, address=WORKER)
must("source-add", job=6, id=0, address=address("fd00::254"), port=12001)
must("port-add", ifindex=d1, mode=3)
must("trim-set", **dict(trim, ifindex=d1, full=2, **{"return-dscp": 12}))
for place in range(64):
    must("trim-pool-set", name=b"pool%d\0" % place, size=9000)
must("trim-set", ifindex=d1, pool=b"pool0\0")
for place in range(64):
    must("trim-acl-set", name=b"acl%d\0" % place, prio=1, rule=rule)
must("trim-set", ifindex=d1, acl=b"acl0\0")

must("flow-set", ifindex=d0, flows=16)
listener = Family()
assert not listener.ask(command("flow-listen"), b"")[0]
must("chain-add", ifindex=d1, prio=10, fd=passes)
for place in range(16):
    must("chain-add", ifindex=d5, prio=1000 + place, fd=passes)

must("filter-add", ifindex=d1, prio=10, **drops)
must("filter-add", ifindex=d3, prio=2 ** 31 - 1, **drops)

must("order-add", **dict(rtp, prio=10))
for place in range(16):
    must("order-add", **dict(rtp, ifindex=d5, prio=100 + place))

tests = (every_request, filters_have_an_end, acls_have_an_end, dumps, without_the_capability, unknown_requests, every_sentence,
         no_sentence_is_cut_short)
status = 0
print(f"KTAP version 1\n1..{len(tests)}", flush=True)
for number, test in enumerate(tests, 1):
    try:
        test()
        verdict = "ok"
    except AssertionError as reason:
        print("# " + str(reason).replace("\n", "\n# "))
        verdict, status = "not ok", 1
    print(f"{verdict} {number} {test.__name__.replace('_', ' ')}", flush=True)
sys.exit(status)
