# SPDX-License-Identifier: GPL-2.0
"""A cluster of Dask's, and what its workers are made to do."""

import contextlib
import glob
import logging
import os
import signal
import tempfile
import threading
import time
import warnings

import distributed
import weir.dask.worker


@contextlib.contextmanager
def started(scheduler, workers):
    """A client of a cluster at addresses of this machine, a process each."""
    quiet = {"dashboard": False, "silence_logs": logging.ERROR}
    with tempfile.TemporaryDirectory() as folder:
        options = {"nthreads": 1, "local_directory": folder} | quiet
        with distributed.SpecCluster(
                scheduler={"cls": distributed.Scheduler, "options": {"host": scheduler, "dashboard": False}},
                workers={name: {"cls": distributed.Nanny, "options": options | {"host": host}}
                         for name, host in enumerate(workers)}, silence_logs=logging.ERROR) as cluster, \
                distributed.Client(cluster) as client:
            yield client


@contextlib.contextmanager
def meanwhile(work):
    """Another thread does it; what it raises is raised at the end."""
    raised = []

    def run():
        try:
            work()
        except BaseException as error:
            raised.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if raised:
        raise raised[0]


def by_job(call):
    """Its result, which no warning came with."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "weir:")
        return call()


def by_dask(sentence, call):
    """Its result, which came with a warning that says so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    said = [str(each.message) for each in caught if str(each.message).startswith("weir:")]
    assert len(said) == 1 and sentence in said[0], (sentence, said)
    return result


def poll(condition, seconds=300, pause=0.05):
    """Waits until it holds; what it returned."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, condition
        time.sleep(pause)
    return found


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def ends(kind):
    """Processes of streams' ends: their numbers, and their parents'."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        words = _read(f"{folder}/cmdline").split(b"\0")
        if words[1:4] == [b"-m", b"weir.end", kind.encode()]:
            status = _read(f"{folder}/stat").rpartition(b") ")[2].split()
            if len(status) > 1:
                found[int(os.path.basename(folder))] = int(status[1])
    return found


def datagrams():
    """Return how many have come to sockets of this network namespace."""
    lines = [line.split() for line in _read("/proc/net/snmp").decode().splitlines() if line.startswith("Udp:")]
    return int(dict(zip(*lines))["InDatagrams"])


def _hold(source, path):
    plain = weir.dask.worker._put

    def held(job, op, run, its_source, parts):
        while its_source == source and weir.dask.worker._put is held and not os.path.exists(path):
            time.sleep(0.05)
        return plain(job, op, run, its_source, parts)
    held.plain = plain
    weir.dask.worker._put = held


def _let_go():
    weir.dask.worker._put = getattr(weir.dask.worker._put, "plain", weir.dask.worker._put)


@contextlib.contextmanager
def held(client, source):
    """The mapper with this number begins when the function is called that this gives."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "go")
        client.run(_hold, source, path)
        try:
            yield lambda: open(path, "w", encoding="utf-8").close()
        finally:
            client.run(_let_go)


def kill_worker_of(kind):
    """Kills the worker with the first end of this kind, which dies with it."""
    end, worker = min(poll(lambda: ends(kind)).items())
    os.kill(worker, signal.SIGKILL)
    poll(lambda: end not in ends(kind))
