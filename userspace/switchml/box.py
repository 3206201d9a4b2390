# SPDX-License-Identifier: GPL-2.0
"""Requests to the box: jobs and sources by weir(8), routes and neighbours by ip(8)."""
import asyncio
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

    async def find(self):
        """The job, None where there is none."""
        jobs = await ask(self.weir, "-j", "job", "show")
        return next((job for job in jobs if str(job["id"]) == self.job), None)

    async def check(self):
        """Is what there is by our number ours?"""
        job = await self.find()
        if job and job["format"] != "switchml":
            raise Refused(f"job {self.job} is of format {job['format']}: take another number")
        return job

    async def listens(self):
        """Does any device hand such packets over?"""
        ports = await ask(self.weir, "-j", "port", "show")
        if not any(PORT in port.get("udp", [PORT]) for port in ports):
            raise Refused("no device hands packets of format switchml over: run `weir port attach "
                          f"dev DEVICE udp {PORT}`")

    async def make(self, workers, grads, blocks, repeat_after):
        """The job anew, without anything that was before."""
        await self.remove()
        await run(self.weir, "job", "add", "id", self.job, "format", "switchml",
                  "sources", str(workers), "grads", str(grads), "blocks", str(blocks),
                  "address", self.address, "repeat-after", f"{repeat_after}us")

    async def remove(self):
        """The job, and the neighbours that it was made with, by whichever run of ours."""
        if not await self.check():
            return
        sources = await ask(self.weir, "-j", "source", "show", "job", self.job)
        await run(self.weir, "job", "del", "id", self.job)
        for source in sources:
            await self.forget(source["address"])

    async def forget(self, address):
        for known in await ask("ip", "-j", "neigh", "show", "to", address, "nud", "permanent"):
            if str(known.get("protocol")) == PROTOCOL:
                await run("ip", "neigh", "del", address, "dev", known["dev"])

    async def way(self, address, mac, bytes_needed):
        """The device that leads to a worker, which is on its link, and its own MAC address."""
        try:
            route, = await ask("ip", "-j", "route", "get", address, "from", self.address)
        except Refused as refused:
            raise Refused(f"no way leads to {address}: {refused}") from refused
        if "gateway" in route or "via" in route:
            raise Refused(f"{address} is behind a router, which takes no packets of SwitchML")
        if route.get("type", "unicast") != "unicast":
            raise Refused(f"{address} is no address of a worker: it is {route['type']}")
        link, = await ask("ip", "-j", "-d", "link", "show", "dev", route["dev"])
        if link["mtu"] < bytes_needed:
            raise Refused(f"{route['dev']} has MTU {link['mtu']}, and results need {bytes_needed}")
        if link.get("linkinfo", {}).get("info_kind") == "bridge":
            await self.check_bridge(route["dev"], mac)
        return route["dev"], link["address"]

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
        await run("ip", "neigh", "replace", address, "lladdr", mac, "dev", dev, "nud", "permanent",
                  "protocol", PROTOCOL)


def find_weir(beside):
    """The tool that was installed with us, or the one on the path."""
    path = os.path.join(beside, "weir")
    return path if os.access(path, os.X_OK) else "weir"
