# SPDX-License-Identifier: GPL-2.0
"""Tests weir.dask through a box: box.sh starts it in the namespace of the box, with the prefix of the
star's namespaces. Three workers are mappers, the fourth is the reducer."""

import asyncio
import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import traceback

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

import dask     # noqa: E402
import dask.bag     # noqa: E402
import distributed  # noqa: E402
import ktap     # noqa: E402
import weir.dask    # noqa: E402
from cluster import by_dask, by_job, held, kill_worker_of, meanwhile, poll  # noqa: E402

BOX = "10.77.1.254"
SCHEDULER = f"tcp://{BOX}:8786"
PLACES = {"box": BOX, "mappers": [f"10.77.{i}.1" for i in range(1, 4)], "reducer": "10.77.4.1"}
JOB = weir.dask.Job(7, timeout=300, **PLACES)

# Dask looks at these all the time, many times a second, which takes an emulated machine all of its time.
QUIET = {"distributed.worker.profile.enabled": False, "distributed.worker.profile.interval": "10s",
         "distributed.admin.tick.interval": "1s", "distributed.admin.tick.limit": "100s",
         "distributed.admin.system-monitor.interval": "10s"}

client = None


def tool(*words):
    return subprocess.run(["weir", *words], check=True, capture_output=True, text=True).stdout


def add_job(number, *words):
    tool("job", "add", "id", str(number), "format", "kv", "sources", "3", "keys", "20000", "address", BOX,
         "parent", PLACES["reducer"], "source", "0", *words)
    for source, address in enumerate(PLACES["mappers"]):
        tool("source", "add", "job", str(number), "id", str(source), "address", address)


def counter(name):
    return json.loads(tool("-j", "job", "show", "id", str(JOB.id)))[0]["stats"][name]


async def work(number, folder):
    # Without its extensions a worker does not import pandas.
    async with distributed.Worker(SCHEDULER, nthreads=1, host=f"10.77.{number}.1", dashboard=False, extensions={},
                                  memory_limit=0, local_directory=folder, silence_logs=logging.ERROR) as worker:
        await worker.finished()


def forked(function, *arguments):
    """A process that has what this one has imported, which takes an emulated machine long."""
    pid = os.fork()
    if pid:
        return pid
    try:
        function(*arguments)
    except Exception:
        traceback.print_exc()
    os._exit(1)


def work_in(prefix, number, folder):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{prefix}-w{number}", "rb") as namespace:
        if libc.setns(namespace.fileno(), 0):
            raise OSError(ctypes.get_errno(), "setns")
    asyncio.run(work(number, folder))


def nurse(prefix, folder):
    """Starts workers, and those that die again."""
    os.setpgid(0, 0)
    numbers = {forked(work_in, prefix, number, folder): number for number in range(1, 5)}
    while True:
        number = numbers.pop(os.wait()[0])
        numbers[forked(work_in, prefix, number, folder)] = number


def counts(words, call=by_job):
    bag = dask.bag.from_sequence(words, npartitions=6)
    found = call(lambda: weir.dask.frequencies(bag, JOB)).compute()
    assert dict(found) == dict(bag.frequencies().compute()) and len(found) == len(dict(found))


def words_are_counted_in_the_box():
    words = [f"word {i % 1000}" for i in range(10000)]
    before = counter("kv-hits"), counter("kv-misses")
    counts(words)
    # Once in each mapper, and its own mark.
    assert (counter("kv-hits") - before[0], counter("kv-misses") - before[1]) == (2000, 1003)


def disturbed(disturb):
    """While the last mapper is held, and what the others have put is in the box."""
    with held(client, 2) as go:
        before = counter("kv-misses")

        def then():
            try:
                # Seldom, as a look takes an emulated machine a tenth of a second.
                poll(lambda: counter("kv-misses") > before + 1500, pause=1)
                disturb()
            finally:
                go()
        with meanwhile(then):
            counts([f"a word with number {i}" for i in range(3000)] * 2)


def worker_is_killed():
    disturbed(lambda: kill_worker_of("map"))


def job_is_added_anew():
    def renew():
        tool("job", "flush")
        add_job(JOB.id)
    disturbed(renew)


def sums_beyond_float32():
    add_job(8, "dtype", "float32")
    job = weir.dask.Job(8, dtype="float32", timeout=300, **PLACES)
    bag = dask.bag.from_sequence([("a", 3e38)] * 3, npartitions=3)
    found = by_dask("beyond float32", lambda: weir.dask.foldby(bag, 0, job, value=1))
    assert found.compute() == [("a", 3 * 3e38)]


def no_job():
    tool("job", "flush")
    global JOB
    JOB = weir.dask.Job(7, timeout=1, **PLACES)
    counts(["a", "b"] * 9, lambda call: by_dask(f"nothing has come from {BOX}", call))


TESTS = [words_are_counted_in_the_box, worker_is_killed, job_is_added_anew, sums_beyond_float32, no_job]


def main():
    global client
    dask.config.set(QUIET)
    with tempfile.TemporaryDirectory() as folder:
        nurse_pid = forked(nurse, sys.argv[1], folder)
        try:
            add_job(JOB.id)
            for number in range(1, 5):
                tool("port", "attach", "dev", f"w{number}", "mode", "tc")
            with distributed.SpecCluster(scheduler={
                    "cls": distributed.Scheduler, "options": {"host": BOX, "port": 8786, "dashboard": False}},
                    silence_logs=logging.ERROR) as cluster, distributed.Client(cluster) as client:
                client.wait_for_workers(4, timeout=300)
                return ktap.run(TESTS)
        finally:
            os.killpg(nurse_pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
