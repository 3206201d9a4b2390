#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The exporter of flows and nfacctd, a collector that keeps no files of flows. It is not installed for the
tests, as the package pmacct starts four daemons: nfacctd has to be there."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap  # noqa: E402
from feed import PATIENCE, Feed, listener, need_exporter, until  # noqa: E402

NFACCTD = shutil.which("nfacctd", path=os.environ["PATH"] + ":/usr/sbin")


class Nfacctd:
    """The collector of pmacct, which writes each second what it has received since."""

    def __init__(self, port, directory):
        self.port, self.output = port, os.path.join(directory, "output")
        self.log = os.path.join(directory, "log")
        self.config = os.path.join(directory, "config")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(f"""daemonize: false
nfacctd_ip: 127.0.0.1
nfacctd_port: {port}
plugins: print
aggregate: src_host,dst_host,src_port,dst_port,proto
print_output: json
print_refresh_time: 1
print_output_file: {self.output}
print_output_file_append: true
""")

    @contextlib.contextmanager
    def running(self):
        with open(self.log, "wb") as log:
            process = subprocess.Popen([NFACCTD, "-f", self.config], stdout=log, stderr=log, start_new_session=True)
        try:
            until("the collector listens", self.listens)
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=PATIENCE)

    def listens(self):
        with open("/proc/net/udp", encoding="ascii") as sockets:
            return any(line.split()[1].endswith(f":{self.port:04X}") for line in list(sockets)[1:])

    def packets(self, proto):
        """Packets of a protocol that it has written so far; UDP's have to be those to port 53."""
        if not os.path.exists(self.output):
            return 0
        with open(self.output, encoding="utf-8") as file:
            flows = [json.loads(line) for line in file if line.endswith("}\n")]
        assert all(f["ip_src"] == f["ip_dst"] == "10.0.0.1" and f["port_dst"] == 53 * (f["ip_proto"] == "udp")
                   for f in flows), flows
        return sum(f["packets"] for f in flows if f["ip_proto"] == proto)


def feed_until_written(feed, nfacctd, kind, proto):
    """Send records of a kind until the collector has written one more of their protocol."""
    before = nfacctd.packets(proto)

    def is_written():
        feed.add(kind=kind)
        feed.send()
        time.sleep(0.1)
        return nfacctd.packets(proto) > before
    until(f"a record of {proto}", is_written)


def marked(feed, nfacctd):
    """Packets of UDP that were collected, when all records that were sent before have arrived. It writes them
    when others come after them."""
    feed_until_written(feed, nfacctd, "icmp", "icmp")
    return nfacctd.packets("udp")


def all_packets_arrive():
    """nfacctd has the packets of all records, if it was there from the beginning; and if it starts again
    while records keep coming, those of all records since it has the templates."""
    with listener(socket.SOCK_DGRAM) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as directory:
        nfacctd = Nfacctd(port, directory)
        with nfacctd.running():
            feed = Feed(port, 1)
            sent = feed.add(100)
            assert marked(feed, nfacctd) == sent
        feed.add(10)
        feed.send()
        with nfacctd.running():
            feed_until_written(feed, nfacctd, "add", "udp")
            before = marked(feed, nfacctd)
            sent = feed.add(100)
            assert marked(feed, nfacctd) - before == sent
        feed.end()


need_exporter()
if not NFACCTD:
    ktap.skip_all("nfacctd is not installed (Debian: pmacct)")
sys.exit(ktap.run([all_packets_arrive]))
