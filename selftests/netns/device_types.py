# SPDX-License-Identifier: GPL-2.0
"""Types of network devices by features that look at received packets.

Each type is built between two namespaces, box and peer: device d0 of the box has 10.8.0.1, the peer 10.8.0.2.
A feature either does its work on packets that come in by d0, or is refused with a reason that names the cause.
"""
import fcntl
import json
import os
import re
import select
import socket
import struct
import subprocess
import sys
import threading
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "../lib"), here]
import ktap
import rtnl
from trio import PATIENCE, Worker, enter

BOX, PEER = sys.argv[1:3]
LOCAL, REMOTE = "10.8.0.1", "10.8.0.2"
BPF = os.path.join(here, "../../build/bpf")
MACS = {BOX: "02:00:00:00:00:01", PEER: "02:00:00:00:00:02"}
KEY = "00112233445566778899aabbccddeeff"
TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454ca, 1, 2, 0x1000
RTM_NEWLINK, NLM_CREATE = 16, 0x400


class Refused(Exception):
    """Carries the error output of a command that failed."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip())
    return done.stdout


def ip(namespace, *lines):
    subprocess.run(["ip", "-n", namespace, "-batch", "-"], input="\n".join(lines) + "\n",
                   text=True, check=True)


def weir(*words):
    return run("weir", "-n", BOX, *words)


def whole_checksums(device):
    """Orders and forwarding by XDP refuse a veth whose other end leaves checksums undone."""
    run("nsenter", "--net=/run/netns/" + PEER, "ethtool", "-K", device, "tx", "off")


def underlay():
    run("ip", "link", "add", "u0", "address", MACS[BOX], "netns", BOX, "type", "veth",
        "peer", "name", "u0", "address", MACS[PEER], "netns", PEER)
    ip(BOX, "link set u0 up", "addr add 10.9.0.1/24 dev u0")
    ip(PEER, "link set u0 up", "addr add 10.9.0.2/24 dev u0")
    whole_checksums("u0")


def addresses(peer_dev="d0", box_dev="d0"):
    ip(BOX, "link set d0 up", "addr add %s/24 dev %s" % (LOCAL, box_dev))
    ip(PEER, "link set %s up" % peer_dev, "addr add %s/24 dev %s" % (REMOTE, peer_dev))


def on_both(line):
    """The same device in both namespaces; {local} and {remote} are addresses of the underlay."""
    def build():
        underlay()
        for namespace, local, remote in ((BOX, 1, 2), (PEER, 2, 1)):
            ip(namespace, *line.format(local="10.9.0.%d" % local,
                                       remote="10.9.0.%d" % remote).split("; "))
        addresses()
    return build


def on_box(line, box_dev="d0"):
    """The peer has its address on the underlay."""
    def build():
        underlay()
        ip(BOX, "addr flush dev u0", *line.split("; "))
        addresses("u0", box_dev)
    return build


def veth():
    run("ip", "link", "add", "d0", "netns", BOX, "type", "veth", "peer", "name", "d0", "netns", PEER)
    whole_checksums("d0")
    addresses()


def team():
    underlay()
    ip(BOX, "addr flush dev u0", "link add d0 type team")
    run("nsenter", "--net=/run/netns/" + BOX, "teamnl", "d0", "setoption", "mode", "roundrobin")
    ip(BOX, "link set u0 down", "link set u0 master d0", "link set u0 up")
    addresses("u0")


def netkit():
    """iproute2 of Debian 12 has no word for it."""
    def attribute(kind, data):
        return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)

    def link(name, namespace, info):
        return (struct.pack("=BxHiII", 0, 0, 0, 0, 0) + attribute(3, name.encode() + b"\0") +
                attribute(28, struct.pack("=I", namespace)) + info)
    with open("/run/netns/" + BOX) as box, open("/run/netns/" + PEER) as peer:
        # IFLA_NETKIT_PEER_INFO, IFLA_NETKIT_MODE: NETKIT_L2
        data = attribute(1, link("d0", peer.fileno(), b"")) + attribute(5, struct.pack("=I", 0))
        info = attribute(18, attribute(1, b"netkit\0") + attribute(2, data))
        rtnl.ask(RTM_NEWLINK, link("d0", box.fileno(), info), NLM_CREATE)
    addresses()


class Relay:
    """Carries packets between a tap of the box and one of the peer, as a guest does."""

    def __init__(self, flags):
        self.files = []
        for namespace in (BOX, PEER):
            enter(namespace)
            file = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", b"d0", flags | IFF_NO_PI))
            self.files.append(file)
        self.stop, self.end = os.pipe()
        self.thread = threading.Thread(target=self.carry)
        self.thread.start()
        addresses()

    def carry(self):
        one, other = self.files
        while True:
            ready = select.select([one, other, self.stop], [], [])[0]
            if self.stop in ready:
                return
            for file in ready:
                try:
                    os.write(other if file == one else one, os.read(file, 65536))
                except OSError:
                    pass  # the other end is not up

    def close(self):
        os.write(self.end, b"x")
        self.thread.join()
        for file in self.files + [self.stop, self.end]:
            os.close(file)


def macsec():
    underlay()
    for namespace, other in ((BOX, PEER), (PEER, BOX)):
        ip(namespace, "link add link u0 d0 type macsec port 1 encrypt off")
        for words in ("tx sa 0 pn 1 on key 00 " + KEY, "rx address %s port 1" % MACS[other],
                      "rx address %s port 1 sa 0 pn 1 on key 00 %s" % (MACS[other], KEY)):
            run("ip", "-n", namespace, "macsec", "add", "d0", *words.split())
    addresses()


def wireguard():
    underlay()
    keys = {namespace: run("wg", "genkey").strip() for namespace in (BOX, PEER)}
    for namespace, other, address in ((BOX, PEER, "10.9.0.2"), (PEER, BOX, "10.9.0.1")):
        public = subprocess.run(["wg", "pubkey"], input=keys[other], capture_output=True, text=True,
                                check=True).stdout.strip()
        ip(namespace, "link add d0 type wireguard")
        subprocess.run(["nsenter", "--net=/run/netns/" + namespace, "wg", "set", "d0", "listen-port", "51820",
                        "private-key", "/dev/stdin", "peer", public, "allowed-ips", "10.8.0.0/24",
                        "endpoint", address + ":51820"], input=keys[namespace], text=True, check=True)
    addresses()


def bareudp():
    underlay()
    for namespace, local, remote, to in ((BOX, "10.9.0.1", "10.9.0.2", REMOTE),
                                         (PEER, "10.9.0.2", "10.9.0.1", LOCAL)):
        ip(namespace, "link add d0 type bareudp dstport 6635 ethertype ipv4", "link set d0 up",
           "addr add %s/32 dev d0" % (LOCAL if namespace == BOX else REMOTE),
           "route add %s/32 encap ip id 5 src %s dst %s ttl 64 dev d0" % (to, local, remote))


def ifb():
    underlay()
    ip(BOX, "addr flush dev u0", "link add d0 type ifb", "link set d0 up")
    run("tc", "-n", BOX, "qdisc", "add", "dev", "u0", "clsact")
    run("tc", "-n", BOX, "filter", "add", "dev", "u0", "ingress", "matchall", "action", "mirred", "egress",
        "redirect", "dev", "d0")
    addresses("u0", "u0")


TUNNEL = "local {local} remote {remote}"
TYPES = {
    "veth": veth,
    "bond": on_box("link add d0 type bond mode active-backup miimon 100; link set u0 down; link set u0 master d0"),
    "team": team,
    "bridge": on_box("link add d0 type bridge forward_delay 0 mcast_snooping 0; link set u0 master d0"),
    "vlan": on_both("link add link u0 name d0 type vlan id 5"),
    "qinq": on_both("link add link u0 name s0 type vlan protocol 802.1ad id 7; link set s0 up; link add link s0 name d0 type vlan id 5"),
    "macvlan": on_box("link add link u0 name d0 type macvlan mode bridge"),
    "ipvlan": on_box("link add link u0 name d0 type ipvlan mode l2"),
    "vrf": on_box("link add d0 type vrf table 100; link set u0 master d0", "u0"),
    "netkit": netkit,
    "tap": lambda: Relay(IFF_TAP),
    "tun": lambda: Relay(IFF_TUN),
    "ipip": on_both("link add d0 type ipip " + TUNNEL),
    "gre": on_both("link add d0 type gre " + TUNNEL),
    "gretap": on_both("link add d0 type gretap " + TUNNEL),
    "sit": on_both("link add d0 type sit mode any " + TUNNEL),
    "vxlan": on_both("link add d0 type vxlan id 5 dstport 4789 " + TUNNEL),
    "geneve": on_both("link add d0 type geneve id 5 remote {remote}"),
    "wireguard": wireguard,
    "bareudp": bareudp,
    "macsec": macsec,
    "ifb": ifb,
}


class Pinger:
    """Sends echo requests from the peer, and sees whether they are answered."""

    def __init__(self, kind):
        enter(PEER)
        self.kind = kind
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.socket.setblocking(False)
        self.number = 0

    def send(self):
        self.number += 1
        packet = struct.pack("!BBHHH", 8, 0, 0, 77, self.number) + bytes(56)
        total = sum(struct.unpack("!%dH" % (len(packet) // 2), packet))
        total = (total & 0xffff) + (total >> 16)
        packet = packet[:2] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + packet[4:]
        try:
            self.socket.sendto(packet, (LOCAL, 0))
        except OSError:
            pass  # no route or neighbour yet

    def answered(self):
        """The numbers of all answers since the last call."""
        numbers = set()
        while True:
            try:
                data = self.socket.recv(2048)
            except BlockingIOError:
                return numbers
            if data[20] == 0 and data[24:26] == struct.pack("!H", 77):
                numbers.add(struct.unpack_from("!H", data, 26)[0])

    def until(self, condition, patience=PATIENCE):
        """Sends one after the other until a condition holds; returns whether it came true."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            self.send()
            for _ in range(10):
                if condition():
                    return True
                time.sleep(0.02)
        return False

    def alive(self):
        self.answered()
        return self.until(lambda: bool(self.answered()))


def stat(*words):
    return json.loads(weir("-j", *words))


def seen(what):
    if not what:
        raise AssertionError("it was accepted, and no packet came to it")


def filter_drops(pinger, mode):
    weir("filter", "add", "dev", "d0", "prio", "10", "rule", "proto=1", "action", "drop", "mode", mode)
    pinger.answered()
    first = pinger.number
    seen(pinger.until(lambda: stat("filter", "show", "dev", "d0")[0]["stats"]["dropped"] > 0))
    assert not [n for n in pinger.answered() if n > first], "the rule dropped some pings, and others passed"


def flow_records(pinger, mode):
    weir("flow", "on", "dev", "d0", "mode", mode)
    seen(pinger.until(lambda: REMOTE in weir("-j", "flow", "show", "dev", "d0")))


def order_keeps(pinger, mode):
    weir("order", "add", "dev", "d0", "prio", "1", "rule", "proto=1", "cpus", "0", "mode", mode)
    pinger.answered()
    seen(pinger.until(lambda: stat("order", "show", "dev", "d0")[0]["stats"]["packets"] > 0))
    assert pinger.alive(), "it was accepted, and packets are lost"


def chain_drops(pinger, mode):
    weir("chain", "add", "dev", "d0", "prio", "10", "program", BPF + "/members.bpf.o", "section", "member_drop",
         "mode", mode)
    seen(pinger.until(lambda: stat("chain", "show", "dev", "d0")[0]["drop"] > 0))


def port_sums(_, mode):
    weir("port", "attach", "dev", "d0", "mode", mode)
    weir("job", "add", "id", "7", "sources", "1", "blocks", "64", "grads", "256", "address", LOCAL)
    weir("source", "add", "job", "7", "id", "0", "address", REMOTE)
    worker = Worker(PEER, LOCAL, 7, 0)
    try:
        packet, end = None, time.monotonic() + PATIENCE
        while not packet and time.monotonic() < end:
            worker.send(0, [5] * 16)
            packet = worker.receive(1)
        seen(packet)
        assert packet.sums[:16] == (5,) * 16, "the sum is %r" % packet
    finally:
        worker.close()


def trim_trims(pinger, hook):
    """Datagrams that leave by d0, faster than the policy's rate: the box's, or those redirected to an ifb."""
    weir("trim", "set", "dev", "d0", "hook", hook, "rule", "proto=udp", "dscp", "45", "limit", "1", "rate", "8kbit")
    redirected = pinger.kind == "ifb"
    enter(PEER if redirected else BOX)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        def trims():
            for _ in range(20):
                sender.sendto(bytes(1200), (LOCAL if redirected else REMOTE, 5000))
            return stat("trim", "show", "dev", "d0")[0]["stats"]["trim"] > 0
        seen(pinger.until(trims))


def forward_sends(pinger, _):
    """Datagrams of the peer to a network behind v0: d0 is the device that they come in by."""
    weir("trim", "set", "dev", "v0", "hook", "xdp", "from", "d0", "rule", "from=d0", "dscp", "45", "limit", "1", "rate", "8kbit")
    enter(PEER)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        def trims():
            for _ in range(20):
                sender.sendto(bytes(1200), ("10.7.0.2", 5000))
            return stat("trim", "show", "dev", "v0")[0]["stats"]["trim"] > 0
        seen(pinger.until(trims))


# The test of each feature, its modes, and the objects that it makes.
FEATURES = {
    "filter": (filter_drops, ("xdp", "generic"), ("filter",)),
    "flow": (flow_records, ("xdp", "generic"), ("flow",)),
    "order": (order_keeps, ("xdp", "generic"), ("order",)),
    "chain": (chain_drops, ("xdp", "generic"), ("chain",)),
    "port": (port_sums, ("xdp", "generic", "tc"), ("job", "port")),
    "trim": (trim_trims, ("tc",), ("trim",)),
    "forward": (forward_sends, ("xdp",), ("trim",)),
}

# Reasons for which a command is refused.
NO_XDP = "the driver of d0 has no XDP of its own"
NO_ETHERNET = "Ethernet header"
BLIND = {"vrf": "is a VRF|a VRF sends", "ifb": "is an ifb"}


def expected(kind, feature, mode):
    """Return the expected error of a command; None if the feature has to work."""
    if kind in BLIND and feature != "forward" and (kind, feature) != ("ifb", "trim"):
        return BLIND[kind]
    if kind in LAYER3 and feature != "chain":
        return NO_ETHERNET if feature != "forward" else NO_XDP
    if (kind, feature) == ("netkit", "forward"):
        return "its other end has left undone"
    if mode == "xdp" and kind not in NATIVE:
        return NO_XDP
    return None


LAYER3 = {"tun", "ipip", "gre", "sit", "wireguard", "bareudp"}
NATIVE = {"veth", "bond", "tap"}


class Scene:
    """The type of device that is there now."""

    def __init__(self):
        self.kind = self.made = self.pinger = None

    def build(self, kind):
        if kind == self.kind:
            return
        self.clear()
        self.kind = kind
        self.made = TYPES[kind]()
        run("ip", "link", "add", "v0", "netns", BOX, "type", "veth", "peer", "name", "v0", "netns", PEER)
        ip(BOX, "link set v0 up", "addr add 10.7.0.1/24 dev v0", "neigh add 10.7.0.2 lladdr 02:00:00:00:00:07 dev v0 nud permanent")
        ip(PEER, "link set v0 up", "route replace 10.7.0.0/24 via " + LOCAL)
        run("nsenter", "--net=/run/netns/" + PEER, "ethtool", "-K", "v0", "gro", "on")
        self.pinger = Pinger(kind)
        assert self.pinger.alive(), "the peer's pings are not answered"

    def clear(self):
        if self.pinger:
            self.pinger.socket.close()
        if hasattr(self.made, "close"):
            self.made.close()
        self.kind = self.made = self.pinger = None
        for namespace in (BOX, PEER):
            for name in ("d0", "s0", "u0", "v0"):
                subprocess.run(["ip", "-n", namespace, "link", "del", name], capture_output=True)


def cell(scene, kind, feature, mode):
    def test():
        scene.build(kind)
        refusal = expected(kind, feature, mode)
        try:
            FEATURES[feature][0](scene.pinger, mode)
        except Refused as e:
            assert refusal, "it was refused: %s" % e
            assert re.search(refusal, str(e)), "it was refused for another reason than %r: %s" % (refusal, e)
        else:
            assert not refusal, "it was accepted, and should have been refused: %s" % refusal
        finally:
            for made in FEATURES[feature][2]:
                weir(made, "flush")
        assert scene.pinger.alive(), "pings are not answered any longer"
    test.__name__ = "%s: %s by %s" % (kind, feature, mode) if not expected(kind, feature, mode) else \
        "%s: %s by %s is refused" % (kind, feature, mode)
    return test


def is_there(kind):
    """Return whether the kernel has the type."""
    if kind != "bareudp" or not subprocess.run(["modprobe", "-n", "-q", kind]).returncode:
        return True
    print("# the kernel has no devices of type", kind)
    return False


def main():
    enter(BOX)
    # Only d0 answers for its address: the device below a macvlan would answer, too, and get the pings.
    for setting in "ip_forward", "conf/all/arp_ignore":
        with open("/proc/sys/net/ipv4/" + setting, "w") as f:
            f.write("1")
    scene = Scene()
    kinds = [kind for kind in TYPES if is_there(kind)]
    cells = [cell(scene, kind, feature, mode) for kind in kinds
             for feature, (_, modes, _) in FEATURES.items() for mode in modes
             if mode != "xdp" or kind in NATIVE or feature in ("port", "forward")]
    status = ktap.run(cells, lambda test: test.__name__)
    scene.clear()
    return status


sys.exit(main())
