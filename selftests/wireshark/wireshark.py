#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The dissector, by tshark: packets of each format, and a conversation of the library's."""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

import packets
from packets import Recorder, ethernet, lab_packet, panama_packet, switchml_worker, trio, udp

ROOT = os.path.dirname(os.path.dirname(packets.HERE))
SCRIPT = os.path.join(ROOT, "userspace/wireshark/weir.lua")
sys.path.insert(0, os.path.join(ROOT, "selftests/lib"))
import ktap
import refbox

WORK = tempfile.TemporaryDirectory()


def dissect(frames, *options):
    """Return what tshark shows of each frame: {field: value, or values}."""
    path = os.path.join(WORK.name, "pcap")
    packets.write(path, frames)
    return read(path, *options)


def read(path, *options):
    done = subprocess.run(["tshark", "-n", "-r", path, "-X", f"lua_script:{SCRIPT}", "-T", "ek", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    assert "Lua" not in done.stderr, done.stderr
    found = []
    for line in done.stdout.splitlines():
        layers = json.loads(line).get("layers")
        if layers is None:
            continue
        fields = {"protocols": layers["frame"]["frame_frame_protocols"]}
        for layer in layers.values():
            # A dissector's error is a text here.
            assert "Lua Error" not in json.dumps(layer), layer
            if isinstance(layer, dict):
                fields.update({k.split("_weir_", 1)[-1]: v for k, v in layer.items() if "_weir_" in k})
        found.append(fields)
    return found


def has(got, **want):
    for name, value in want.items():
        assert got.get(name) == value, f"{name} is {got.get(name)!r}, not {value!r}: {got}"


def one(frame, *options, **want):
    found, = dissect([frame], *options)
    has(found, **want)
    return found


def box(job, block, flags=0, source=0, sources=1, generation=0, count=0, body=b""):
    """A Trio packet of a box."""
    return trio.struct.pack("!BIBBBHH", job, block, flags, source, sources, generation, count | trio.DOWN) + body


WORKER = Recorder(7, 3)
EXPONENT, UP = 0x2000, 0x1000
EMPTY, BRIEF, LITTLE = 0x40, 0x10, 0x80


def words(*values):
    return trio.struct.pack(f"!{len(values)}I", *values)


def contributions():
    sent = WORKER.packet(0xfffffffe, [1, -2], generation=65535, flags=trio.FINAL, joined=True)
    one(udp(sent, 12000, tos=2), kind="contribution", job="7", block="4294967294", source="3", sources="1",
        generation="65535", flags="0x08", flags_final=True, flags_degraded=False, joined=True, down=False, up=False,
        count="2", gradients="00:00:00:01:ff:ff:ff:fe", gradients_present="2", ecn="2", trimmed=None, flags_little=False)
    one(udp(WORKER.packet(1, [1, -2], flags=LITTLE, joined=True), 12000), kind="contribution", flags_little=True)


def without_gradients():
    """Contributions that add nothing, or whose sender does not need the sums, and results without them."""
    sent = WORKER.packet(1, [5, 6], flags=EMPTY | BRIEF, joined=True)
    one(udp(sent[:12], 12000), kind="contribution", count="2", flags_empty=True, flags_brief=True, flags_ack=None,
        gradients=None, trimmed=None, longer=None)
    one(udp(sent[:10] + trio.struct.pack("!Hi", 2 | EXPONENT | trio.JOINED, -9), 12000), kind="contribution",
        exponent="-9", flags_empty=True, gradients=None, members=None, trimmed=None, longer=None)
    sent = WORKER.packet(1, [5, 6], flags=BRIEF, joined=True)
    one(udp(sent, 12000), kind="contribution", flags_empty=False, flags_brief=True, gradients_present="2", trimmed=None)
    one(udp(box(7, 9, EMPTY, sources=3, count=3), 12000, down=True), kind="result", count="3", flags_empty=True,
        flags_brief=None, gradients=None, members=None, trimmed=None)
    one(udp(box(7, 9, EMPTY | trio.DEGRADED | trio.AGED, sources=3, count=3, body=words(0x7, 0x1)), 12000, down=True),
        kind="result", flags_empty=True, flags_aged=True, gradients=None, members="0-2 32", trimmed=None)
    exponent = trio.struct.pack("!BIBBBHHi", 7, 9, EMPTY | trio.DEGRADED, 0, 2, 0, 3 | EXPONENT | trio.DOWN, 5)
    one(udp(exponent + words(0x5), 12000, down=True), kind="result", exponent="5", members="0 2", gradients=None)


def with_an_exponent():
    sent = WORKER.packet(1, [5, 6], kind="i")
    sent = sent[:10] + trio.struct.pack("!Hi", 2 | EXPONENT, -9) + sent[12:]
    one(udp(sent, 12000), kind="contribution", exponent="-9", gradients_present="2", members=None, trimmed=None)


def queries_and_replies():
    one(udp(WORKER.packet(4), 12000), kind="query", gradients=None)
    one(udp(box(7, 4, trio.WANTED, source=3, sources=2, body=words(0x80000003)), 12000, down=True),
        kind="reply", flags_wanted=True, sources="2", members="0-1 31")


def results():
    sums = words(1, 2, 3)
    one(udp(box(7, 9, trio.DEGRADED | trio.AGED, sources=3, count=3, body=sums + words(0x7, 0x1)), 12000, down=True, tos=3),
        kind="result", flags_degraded=True, flags_aged=True, flags_wanted=None, gradients_present="3",
        members="0-2 32", ecn="3", trimmed=None)
    one(udp(box(7, 9, trio.OVERFLOW | LITTLE, sources=0, count=3, body=sums), 12000, down=True), kind="result",
        flags_overflow=True, flags_little=True, members=None, sources="0")


def of_levels():
    """Packets that a box sends to its parent."""
    sent = trio.struct.pack("!BIBBBHH", 7, 2, trio.DEGRADED, 1, 3, 8, 2 | UP | trio.JOINED)
    one(udp(sent + words(4, 5) + words(0x00000016), 12000), kind="contribution of a box", up=True, members="1-2 4")
    sent = trio.struct.pack("!BIBBBHH", 7, 0, trio.CONTROL, 1, 1, 0, UP)
    join = trio.struct.pack("!IIIIQBBBBHH", 77, 8, 0, 256, 0, 1, 1, 1, 0, 6, 0)
    one(udp(sent + join + words(0xf0), 12000), kind="join of a box", join_member="6", join_ranks="8", below="4-7",
        join_little=False)
    sent = trio.struct.pack("!BIBBBHH", 7, 0, trio.NOTICE, 1, 1, 8, UP | trio.JOINED)
    one(udp(sent + words(0x40, *[0] * 7, 0x40, *[0] * 15), 12000), kind="notice of a box", notice_dead="6",
        notice_excluded="6", notice_waiting="none", generation="8")


def joins():
    """The join, the cookie, the answer, and what the answer says of later packets."""
    answer = trio.struct.pack("!IIIIQBBBBHH", 99, 4, 64, 256, 20_000_000, 3, 2, 1, 7, 0, 12)
    halves = trio.struct.pack("!4H", 1, 2, 3, 4)
    cookie = trio.struct.pack("!IIIIQQ", 99, 4, 64, 256, 0x1122334455667788, 0)
    found = dissect([
        udp(WORKER.join_packet(bytes(8), 99, 4, 256), 12000),
        udp(box(7, 0, trio.COOKIE, 3, body=cookie), 12000, down=True),
        udp(box(7, 0, trio.CONTROL | trio.DEGRADED, 3, body=answer), 12000, down=True),
        # Degraded, with a bitmap: by the length alone these are two gradients of 4 bytes.
        udp(box(7, 1, trio.DEGRADED, count=2, body=halves[:4] + words(0x5)), 12000, down=True),
        udp(box(7, 5, trio.CONTROL, 3, generation=2, body=answer), 12000, down=True),
        udp(box(7, 1, trio.DEGRADED, count=2, body=halves[:4] + words(0x5)), 12000, down=True),
        udp(box(8, 1, trio.DEGRADED, count=2, body=halves[:4] + words(0x5)), 12000, down=True)])
    has(found[0], kind="join", join_nonce="0x00000063", join_ranks="4", join_grads="256", join_dtype="1", join_op="1",
        join_format="1", join_cookie="0x0000000000000000", join_cwnd_cap="0",
        join_shares=None)
    has(found[1], kind="cookie", join_cookie="0x1122334455667788", join_shares=False)
    has(found[2], kind="refused join")
    has(found[3], members=None, gradients="00:01:00:02:00:00:00:05")
    has(found[4], kind="answer to a join", join_dtype="3", join_op="2", join_blocks="64", join_cwnd_cap="12", generation="2",
        join_timeout="20000000", join_cookie=None, join_little=True, join_shares=True)
    has(found[5], members="0 2", gradients="00:01:00:02")
    has(found[6], members=None)


def notices():
    body = words(0x10, *[0] * 7, *[0] * 7, 0x80000000, 0b1101, *[0] * 7)
    one(udp(box(7, 0, trio.NOTICE, 3, generation=4, body=body), 12000, down=True), kind="notice",
        notice_dead="4", notice_excluded="255", notice_waiting="0 2-3", generation="4")
    # Of a job of several boxes bitmaps may be longer; a header alone says that it is one.
    longer = words(*[0] * 9, 1, *[0] * 20)
    one(udp(box(7, 0, trio.NOTICE, 3, body=longer), 12000, down=True), notice_dead="288", notice_waiting="none")
    one(udp(box(7, 0, trio.NOTICE | trio.DEGRADED, 3), 12000, down=True), kind="notice", notice_dead=None)


def acknowledgments():
    one(udp(WORKER.packet(9, flags=trio.ACK | trio.FINAL, generation=4, joined=True), 12000),
        kind="acknowledgment", block="9", flags_ack=True, flags_final=True, generation="4")
    one(udp(box(7, 2, trio.BEHIND, 3, generation=4, body=words(22, 30)), 12000, down=True), kind="behind",
        block="2", behind_oldest="22", behind_next="30", source="3")


def trimmed():
    """With right lengths, and with lengths that are kept; in each format that tells its own."""
    sent = WORKER.packet(5, range(100))
    one(udp(sent[:86], 12000, tos=45 << 2), kind="contribution", trimmed=True, trimmed_dscp="45", count="100",
        gradients_present="18")
    one(udp(sent, 12000, tos=45 << 2, keep=128), kind="contribution", trimmed=True, trimmed_dscp="45",
        gradients_present="18")
    one(udp(WORKER.join_packet(bytes(8), 1, 2, 3)[:30], 12000), kind="join", trimmed=True)
    one(udp(lab_packet.BOTH.packet(2, range(50), rank=1), 8000, keep=100), trimmed=True, lab_chunk_size="50")
    one(udp(panama_packet.packet(range(50)), 12056, tos=45 << 2, keep=101), trimmed=True)
    one(udp(switchml_worker.header(64, 0, 0, 0) + bytes(256), 48864, keep=100), trimmed=True, gradients_present="12")


def lab():
    for frame in (lambda data: udp(data, 8000), ethernet):
        for variant, name in ((lab_packet.BASIC, "basic"), (lab_packet.SCALED, "basic with a scale"),
                              (lab_packet.RELIABLE, "reliable"), (lab_packet.BOTH, "reliable with a scale")):
            more = {"lab_rank": "1", "lab_chunk": "2", "lab_chunks": "9", "lab_slot": "0"} if variant.reliable else {}
            more.update({"lab_m_val": "-3"} if variant.scaled else {})
            sent = variant.packet(4, [7] * 12, rank=1, chunk=2, total=9, scale=-3)
            one(frame(sent), kind="contribution" if variant.reliable else "chunk", lab_workers="4", lab_chunk_size="12",
                lab_variant=name, gradients_present="12", trimmed=None, **more)
    one(udp(lab_packet.RELIABLE.packet(4, [7]), 8000, down=True), kind="result")
    one(ethernet(lab_packet.BASIC.packet(4, [7])), lab_variant="basic", gradients="00:00:00:07", trimmed=None)


def switchml():
    for grads, kind in (64, "0x11"), (256, "0x13"):
        sent = switchml_worker.header(grads, 258, 0x01020304, switchml_worker.SECOND | 17, (-5, 6))
        one(udp(sent + bytes(4 * grads), 48864), kind="contribution", switchml_kind=kind, switchml_tensor="2",
            switchml_packet=str(0x01020304), switchml_second=True, switchml_slot="17", switchml_exponent="-5",
            switchml_exponent2="6", gradients_present=str(grads), trimmed=None)
        one(udp(sent + bytes(4 * grads), 48864, down=True), kind="result")


def panama():
    said = {"panama_job": "3", "panama_tree": "2", "panama_vid": "70000", "panama_round": "5", "panama_cwnd_cap": "40"}
    sent = panama_packet.packet([1.5, 2], job=3, tree=2, worker=6, vid=70000, round=5, cap=40, fin=True)
    one(udp(sent, 12056, tos=56 << 2 | 1), kind="contribution", panama_worker="6", panama_sources="1", panama_fin=True,
        ecn="1", gradients="3f:c0:00:00:40:00:00:00", trimmed=None, **said)
    sent = panama_packet.packet([1.5], job=3, tree=2, worker=1, vid=70000, round=5, cap=40, flags=2, sources=7)
    one(udp(sent, 12056, tos=56 << 2 | 1), kind="contribution", panama_worker="1", panama_sources="7", panama_box=True, **said)
    sent = panama_packet.result([3], 2, 40, job=3, tree=2, vid=70000, round=5)
    one(udp(sent, 12056, down=True, tos=56 << 2 | 3), kind="result", panama_sources="2", panama_fin=False, ecn="3", **said)


def kv():
    head = struct.pack(">BBBBHHHHIIQ", 0x11, 0x92, 1, 1, 7, 2, 2, 0, 5, 0x01020304, 0)
    one(udp(head + b"\x03abc" + bytes([0, 0, 0, 9]) + b"\x01z" + bytes(4), 12064), kind="pairs", kv_job="7", kv_source="2",
        kv_pairs="2", kv_seq="5", kv_session="0x01020304", kv_flags_fin=True, kv_flags_open=False, kv_op="1",
        kv_key=["abc", "z"], trimmed=None)
    long = head[:3] + b"\x05" + head[4:]
    one(udp(long + b"\x03abc" + bytes([0] * 7 + [9]) + b"\x01z" + bytes(8), 12064), kind="pairs", kv_dtype="5",
        kv_key=["abc", "z"], trimmed=None)
    one(udp(head + b"\x03ab", 12064), kind="pairs", trimmed=True)
    head = struct.pack(">BBBBHHHHIIQ", 0x12, 0xc8, 1, 1, 7, 2, 1, 64, 0, 9, 77)
    one(udp(head, 12064, down=True), kind="answer to an opening", kv_status="1", kv_window="64", kv_more="0x000000000000004d")


def other_ports():
    sent = udp(WORKER.packet(5, [1]), 12345)
    assert "kind" not in dissect([sent])[0]
    one(sent, "-o", "weir.ports:12000,12345", kind="contribution")
    one(udp(WORKER.packet(5, [1]), 12000), "-o", "weir.ports:12000,12345", kind="contribution")


def any_bytes():
    """No length and no flags make it fail."""
    frames = [udp(WORKER.packet(5, range(30), flags=flags, body=b"\1" * 7)[:10] + trio.struct.pack("!H", bits | 30) + bytes(77),
                  12000, down=down, keep=keep)
              for flags in (*range(64), EMPTY, EMPTY | BRIEF, EMPTY | trio.CONTROL)
              for bits in (0, EXPONENT, trio.DOWN, UP, 0xf000 - 30) for down in (False, True)
              for keep in (None, 54, 55, 60, 90)]
    frames += [udp(bytes([n]) * n, port) for port in (8000, 48864, 12056) for n in range(60)]
    frames += [ethernet(bytes([n]) * n) for n in range(60)]
    assert len(dissect(frames)) == len(frames)


LAST = b"the last packet of all"


def short_ones():
    """Datagrams of all short lengths to any port, and cut in their headers: a Lua error fails each frame."""
    frames = []
    for port in 12000, 8000, 48864, 12056, 12064, 53, 9999:
        for byte in 0x00, 0x11, 0x12, 0x13, 0xff:
            for length in range(48):
                frames.append(udp(bytes([byte]) * length, port))
        # A frame that ends within the header of UDP or IP, and a length of UDP that is less than its header.
        for keep in range(14, 60):
            frames.append(udp(bytes(32), port, keep=keep))
        for length in range(10):
            frame = bytearray(udp(bytes(32), port))
            frame[38:40] = struct.pack("!H", length)
            frames.append(bytes(frame))
            # The length in the IP header is less than the header of UDP.
            frame = bytearray(udp(bytes(32), port))
            frame[16:18] = struct.pack("!H", 20 + length)
            frames.append(bytes(frame[:34 + length]))
    # Pairs of empty keys, and of keys that end with the packet.
    for tail in b"\0", b"\0" * 5, b"\1a\0\0\0\1", b"\xffa":
        head = bytes([0x11, 0x10, 1, 1, 0, 7, 0, 1, 0, 2]) + bytes(18)
        frames.append(udp(head + tail, 12064))
    for i in range(0, len(frames), 500):
        assert len(dissect(frames[i:i + 500])) == len(frames[i:i + 500])


def of_the_library():
    """A training job of the library's and the reference box, as it is on the wire."""
    path = os.path.join(WORK.name, "job")
    # Each packet is in the file before the next one is taken.
    capture = subprocess.Popen(["tcpdump", "-q", "-n", "-i", "lo", "-U", "-B", "32768", "-Z", "root", "-w", path, "udp"],
                               stderr=subprocess.PIPE, text=True)
    while "listening on" not in capture.stderr.readline():
        assert capture.poll() is None
    with refbox.Box() as box:
        ranks = [subprocess.Popen([os.path.join(ROOT, "build/bin/weir-perf"), "--job", "7", "--address", refbox.BOX,
                                   "--bind-address", f"127.77.0.{rank + 1}", "--rank", str(rank), "--ranks", str(refbox.RANKS),
                                   "--max-bytes", "4096", "--iterations", "2", "--warmup", "0", "--dtype", "float32",
                                   "--scale", "100", "--grads", "256"],
                                  stdout=subprocess.DEVNULL) for rank in range(refbox.RANKS)]
        assert not any(rank.wait() for rank in ranks)
    # The kernel hands packets over some time later, and in their order.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
        last.sendto(LAST, ("127.77.0.1", 9))
    end = time.monotonic() + 60
    while LAST not in open(path, "rb").read():
        assert capture.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    capture.terminate()
    capture.communicate()
    found = [packet for packet in read(path) if packet["protocols"].endswith(":weir")]
    kinds = [packet["kind"] for packet in found]
    for kind in "join", "cookie", "answer to a join", "contribution", "result":
        assert kinds.count(kind) >= refbox.RANKS, (kind, kinds)
    of_boxes = ("cookie", "answer to a join", "result", "notice", "reply", "behind")
    for packet in found:
        has(packet, job="7", trimmed=None, up=False, down=packet["kind"] in of_boxes)
    assert {packet["source"] for packet in found if packet["kind"] == "contribution"} == {"0", "1", "2", "3"}


def enumerations():
    """Names are those of the netlink family."""
    with open(os.path.join(ROOT, "uapi/weir.h")) as f:
        header = f.read()
    with open(SCRIPT) as f:
        script = f.read()
    for enum, table in ("dtype", "dtypes"), ("op", "ops"), ("format", "formats"):
        body = re.search(rf"^enum weir_{enum} {{(.*?)^}};", header, re.M | re.S).group(1)
        names = [n.lower().replace("_", "-") for n in re.findall(rf"^\tWEIR_{enum.upper()}_(\w+)", body, re.M)]
        listed = re.findall(r'"([\w-]+)"', re.search(rf"^local {table} = {{(.*?)}}", script, re.M | re.S).group(1))
        assert names == listed, (names, listed)


TESTS = (contributions, without_gradients, with_an_exponent, queries_and_replies, results, of_levels, joins, notices,
         acknowledgments, trimmed, lab, switchml, panama, kv, other_ports, any_bytes, short_ones, of_the_library, enumerations)

if __name__ == "__main__":
    refbox.enter()
    with WORK:
        sys.exit(ktap.run(TESTS))
