# SPDX-License-Identifier: GPL-2.0
"""Requests to the box: jobs and sources by weir(8), routes and neighbours by ip(8)."""
import asyncio
import collections
import ipaddress
import json
import os

from refusal import Refused

PORT = 48864
# The mark of neighbours that were added here, as routing daemons mark their routes.
PROTOCOL = "119"


async def run(*words):
    """The output of a command; Refused with its error message where it fails."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    out, err = await process.communicate()
    if process.returncode:
        said = err.decode(errors="replace").strip()
        raise Refused(said.splitlines()[-1] if said else f"{words[0]} failed")
    return out.decode()


async def ask(*words):
    return json.loads(await run(*words) or "[]")


class Box:
    """A job, and the neighbours of its sources."""

    def __init__(self, job, address, weir):
        self.job, self.address, self.weir = str(job), address, weir
        # MAC addresses by address that the kernel knew before they became permanent.
        self.learned = {}

    async def find(self):
        """The job, None where there is none."""
        jobs = await ask(self.weir, "-j", "job", "show")
        return next((job for job in jobs if str(job["id"]) == self.job), None)

    async def check(self):
        """Return the job with our number, or None. Refused if it is not ours."""
        job = await self.find()
        if job and job["format"] != "switchml":
            raise Refused(f"job {self.job} is of format {job['format']}: take another number")
        return job

    async def listens(self, dev):
        """Check that the device, or one below it, hands such packets over."""
        ports = await ask(self.weir, "-j", "port", "show")
        handing = {port["dev"] for port in ports if PORT in port.get("udp", [PORT])}
        if not handing:
            raise Refused("no device hands packets of format switchml over: run `weir port attach "
                          f"dev DEVICE udp {PORT}`")
        links = await ask("ip", "-j", "link", "show")
        below, more = set(), {dev}
        while more:
            below |= more
            more = {link["ifname"] for link in links if link.get("master") in more} | \
                {link["link"] for link in links if link["ifname"] in more and link.get("link")}
            more -= below
        if not below & handing:
            raise Refused(f"{dev} hands no packets of format switchml over: run `weir port attach "
                          f"dev {dev} udp {PORT}`")

    async def make(self, workers, grads, blocks, repeat_after):
        """Make the job again, without anything that it had."""
        await self.remove()
        await run(self.weir, "job", "add", "id", self.job, "format", "switchml",
                  "sources", str(workers), "grads", str(grads), "blocks", str(blocks),
                  "address", self.address, "repeat-after", f"{repeat_after}us", "owner", "switchml")

    async def remove(self):
        """The job, and the neighbours that it was made with, by whichever run of ours."""
        if not await self.check():
            return
        sources = await ask(self.weir, "-j", "source", "show", "job", self.job)
        await run(self.weir, "job", "del", "id", self.job)
        for source in sources:
            await self.forget(source["address"])

    async def forget(self, address):
        """Remove a neighbour that was added here. The kernel may know again what it knew by itself."""
        mac = self.learned.get(address)
        for known in await ask("ip", "-j", "neigh", "show", "to", address, "nud", "permanent"):
            if str(known.get("protocol")) == PROTOCOL:
                await run("ip", "neigh", "del", address, "dev", known["dev"])
                if mac and mac == known["lladdr"]:
                    await run("ip", "neigh", "replace", address, "lladdr", mac, "dev", known["dev"],
                              "nud", "stale")

    async def way(self, address, mac, bytes_needed, caller):
        """Return the way to a worker. Refused unless it is on a port's link, and is what it says."""
        try:
            route, = await ask("ip", "-j", "route", "get", address, "from", self.address)
        except Refused as refused:
            raise Refused(f"no way leads to {address}: {refused}") from refused
        if "gateway" in route or "via" in route:
            raise Refused(f"{address} is behind a router, which takes no packets of SwitchML: set "
                          "worker_ip to an address on the box's own link")
        if route.get("type", "unicast") != "unicast":
            raise Refused(f"{address} is no address of a worker: it is {route['type']}")
        if ipaddress.ip_address(address) in await gateways(4):
            raise Refused(f"{address} is a router that routes of the box lead to: set worker_ip to the "
                          "worker's own address")
        dev = route["dev"]
        link, = await ask("ip", "-j", "-d", "link", "show", "dev", dev)
        await self.listens(dev)
        if link["mtu"] < bytes_needed:
            raise Refused(f"{dev} has MTU {link['mtu']}, and results need {bytes_needed}")
        await self.confirm(address, mac, dev, caller)
        if link.get("linkinfo", {}).get("info_kind") == "bridge":
            await self.check_bridge(dev, mac)
        return Way(dev, link["address"])

    async def confirm(self, address, mac, dev, caller):
        """Check that the worker has this MAC address. The kernel knows, or else only a caller from that link
        is believed, as anyone there could claim any address by ARP as well."""
        entries = [known for known in await ask("ip", "-j", "neigh", "show", "to", address)
                   if "lladdr" in known and str(known.get("protocol")) != PROTOCOL]
        here = [known for known in entries if known["dev"] == dev]
        for known in entries:
            if not here and known["lladdr"] == mac:
                raise Refused(f"{address} is behind {known['dev']}, and the route to it leads to {dev}: run "
                              f"`{route(address, known['dev'])}`, or, if that is wrong, "
                              f"`ip neigh del {address} dev {known['dev']}`")
        for known in here:
            if known["lladdr"] != mac:
                raise Refused(f"{address} has the MAC address {known['lladdr']} on {dev}, not {mac}: if "
                              f"that is wrong, run `ip neigh del {address} dev {dev}`")
            if "PERMANENT" not in known["state"]:
                self.learned[address] = mac
            return
        if self.learned.get(address) == mac:
            return
        if not await self.calls_from(caller, dev):
            raise Refused(f"{caller or 'the caller'} does not call from the link of {address}: call from "
                          f"an address there, or run `ip neigh replace {address} lladdr {mac} dev {dev} "
                          "nud permanent` on the box, if that is the worker's MAC address")

    async def has_come(self, rank):
        """Return whether the module has counted a contribution of the source."""
        sources = await ask(self.weir, "-j", "source", "show", "job", self.job)
        return any(source["stats"].get("contributions") for source in sources if source["id"] == rank)

    async def calls_from(self, caller, dev):
        """Return whether the caller is on the device's own link.

        A caller behind a router that translates its address looks like that, too."""
        if not caller or caller in await gateways(caller.version):
            return False
        words = "ip", f"-{caller.version}", "-j", "route", "get", str(caller).partition("%")[0]
        if caller.version == 6 and caller.is_link_local:
            words += "oif", dev
            if caller.scope_id not in (dev, str(await index_of(dev))):
                return False
        try:
            route, = await ask(*words)
        except Refused:
            return False
        return route.get("dev") == dev and route.get("type", "unicast") == "unicast" and \
            not {"gateway", "via"} & route.keys()

    async def check_bridge(self, bridge, mac):
        """It sees nothing that comes from a worker, so it learns nothing, and would flood results."""
        known = await ask("bridge", "-j", "fdb", "show", "br", bridge)
        if not any(entry["mac"] == mac and entry.get("state") in ("static", "permanent") and
                   entry["ifname"] != bridge for entry in known):
            raise Refused(f"{bridge} would send results to all its ports: run `bridge fdb replace "
                          f"{mac} dev PORT master static` with the port that leads to {mac}")

    async def bind(self, rank, address, mac, dev):
        """A worker is source @rank, and is never asked for by ARP."""
        await run(self.weir, "source", "add", "job", self.job, "id", str(rank), "address", address)
        entries = await ask("ip", "-j", "neigh", "show", "to", address, "dev", dev, "nud", "permanent")
        # An administrator's stays when the session is over.
        if not any(known["lladdr"] == mac for known in entries):
            await run("ip", "neigh", "replace", address, "lladdr", mac, "dev", dev, "nud",
                      "permanent", "protocol", PROTOCOL)


def route(address, dev):
    """The command that says where a worker is."""
    return f"ip route replace {address} dev {dev}"


Way = collections.namedtuple("Way", "dev own")


async def gateways(version):
    """The addresses of routers in all the box's routes."""
    routes = await ask("ip", f"-{version}", "-j", "route", "show", "table", "all")
    hops = [hop for route in routes for hop in [route, *route.get("nexthops", [])]]
    texts = [hop.get("gateway") or hop.get("via", {}).get("host") for hop in hops]
    addresses = [ipaddress.ip_address(text) for text in texts if text]
    return {address for address in addresses if address.version == version}


async def index_of(dev):
    link, = await ask("ip", "-j", "link", "show", "dev", dev)
    return link["ifindex"]


def find_weir(beside):
    """The tool that was installed with us, or the one on the path."""
    path = os.path.join(beside, "weir")
    return path if os.access(path, os.X_OK) else "weir"
