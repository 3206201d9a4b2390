#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Workers that ask weird(8) for their job: libweir, weir-perf and Python's binding, with the
reference box in the module's place."""
import http.server
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "torch")]

import ktap
from daemon import PATIENCE, ROOT, Daemon, make_certificates, tenant, tls_status, wait_for
from harness import torchrun

BUILD = os.path.join(ROOT, "build")
JOB = 7

# A worker for each launcher; prints what it came to.
WORKER = """
import json, os, signal, sys
import numpy, weir
with weir.Communicator(**json.loads(sys.argv[1])) as comm:
    vector = numpy.full(2000, comm.rank + 1, dtype=numpy.int32)
    comm.allreduce(vector)
    stats = comm.stats()
    print(json.dumps([int(vector[0]), int(vector[-1]), comm.rank, comm.ranks, stats["job"],
                      stats["grads"], stats["type"]]), flush=True)
    for line in sys.stdin:
        vector[:] = 1
        comm.allreduce(vector)
        print(int(vector[0]), flush=True)
"""

# A script for a launcher, which says one word of weir.
TRAINING = """
import torch, torch.distributed as dist, weir.torch
dist.init_process_group("weir")
vector = torch.full((20000,), dist.get_rank() + 1.0)
dist.all_reduce(vector)
print(float(vector[0]), flush=True)
"""


class Box:
    """weird, and beside it a box that sums the one job that it can give."""

    def __init__(self, ranks=2, tenants=None, kind="int32", host="127.0.0.1", **conf):
        self.port = self.free_port()
        self.daemon = Daemon(tenants or [tenant("own", "secret")], host=host, port=self.port,
                             jobs={"first": JOB, "last": JOB}, **conf)
        self.refbox = [os.path.join(BUILD, "lib-tests", "refbox"), "--address", host,
                       "--sources", str(ranks), "--job", str(JOB), "--blocks", "64", "--port",
                       str(self.port), "--dtype", kind]
        self.sums = None
        self.workers = []

    @staticmethod
    def free_port(kind=socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def __enter__(self):
        self.daemon.start()
        self.sums = subprocess.Popen(self.refbox, stdout=subprocess.PIPE)
        assert self.sums.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *error):
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.sums.kill()
        self.sums.communicate()
        self.daemon.__exit__(*error)

    def url(self, rest="/run?blocks=64"):
        return f"weird://{self.daemon.where}:{self.daemon.port}{rest}"

    def environment(self, more):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("WEIR", "OMPI", "PMI", "SLURM", "TORCH", "MASTER"))
                 and name not in ("RANK", "WORLD_SIZE")}
        return {**clean, "WEIR_TOKEN": "secret", "LD_LIBRARY_PATH": os.path.join(BUILD, "lib"),
                "PYTHONPATH": os.path.join(ROOT, "userspace", "python"), **more}

    def run(self, words, environment):
        worker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=self.environment(environment))
        self.workers.append(worker)
        return worker

    def python(self, environment, **arguments):
        return self.run([sys.executable, "-c", WORKER, json.dumps(arguments)], environment)

    def perf(self, rank, *words, **environment):
        return self.run([os.path.join(BUILD, "bin", "weir-perf"), "--box", self.url(), "--rank",
                         str(rank), "--ranks", "2", "--verify", "--max-bytes", "64K",
                         "--iterations", "2", *words], environment)


def first_line(worker):
    line = worker.stdout.readline()
    assert line, worker.stderr.read().decode()
    return json.loads(line)


def leave(workers):
    for worker in workers:
        worker.stdin.close()
    for worker in workers:
        assert worker.wait() == 0, worker.stderr.read().decode()


def gone(daemon):
    return not daemon.in_box() and not daemon.journal()


def sums_of_a_job_that_was_asked_for():
    with Box(grace=3600) as box:
        workers = [box.perf(rank) for rank in range(2)]
        for worker in workers:
            out, errors = worker.communicate()
            assert worker.returncode == 0, (out, errors)
            assert f"job {JOB} at weird://".encode() in out, out
        wait_for(lambda: gone(box.daemon), "ranks that close take the job at once")


def type_and_operation_are_asked_for():
    with Box(kind="float32") as box:
        workers = [box.perf(rank, "--dtype", "float32") for rank in range(2)]
        for worker in workers:
            out, errors = worker.communicate()
            assert worker.returncode == 0, (out, errors)


def over_ipv6():
    with Box(tenants=[tenant("own", "secret", prefixes=["::1"])], host="::1") as box:
        workers = [box.python({}, box=box.url(), rank=rank, ranks=2) for rank in range(2)]
        assert all(first_line(worker)[0] == 3 for worker in workers)
        assert box.daemon.jobs("secret")[0]["address"] == "::1"
        leave(workers)


def launchers():
    """Each tells the rank, how many there are, and a name for the run, in its own way."""
    several = [
        lambda rank: {"RANK": rank, "WORLD_SIZE": 2, "TORCHELASTIC_RUN_ID": "my run"},
        lambda rank: {"RANK": rank, "WORLD_SIZE": 2, "TORCHELASTIC_RUN_ID": "none",
                      "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": 29500},
        lambda rank: {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": 2,
                      "PMIX_NAMESPACE": "123@0", "SLURM_PROCID": 0, "SLURM_NTASKS": 1},
        lambda rank: {"PMI_RANK": rank, "PMI_SIZE": 2, "WEIR_JOB": "own-name"},
        lambda rank: {"PMIX_RANK": rank, "SLURM_NTASKS": 2, "SLURM_JOB_ID": 99},
        lambda rank: {"SLURM_PROCID": rank, "SLURM_NTASKS": 2, "SLURM_JOB_ID": 99,
                      "SLURM_STEP_ID": 3},
    ]
    names = ["torch-my-run", "torch-10.0.0.1-29500", "pmix-123-0", "own-name", "slurm-99.0",
             "slurm-99.3"]
    with Box() as box:
        for launcher, name in zip(several, names):
            workers = []
            for rank in range(2):
                words = {key: str(value) for key, value in launcher(rank).items()}
                workers.append(box.python({**words, "WEIR_BOX": box.url("?blocks=64")}))
            lines = [first_line(worker) for worker in workers]
            assert [line[:5] for line in lines] == [[3, 3, rank, 2, JOB] for rank in range(2)]
            assert box.daemon.jobs("secret")[0]["name"] == name
            leave(workers)
            wait_for(lambda: gone(box.daemon), "the run is over")


def training_by_torch():
    with Box() as box:
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(box.free_port(socket.SOCK_STREAM)),
                   "WORLD_SIZE": "2", "WEIR_BOX": box.url("/training?blocks=64"), "WEIR_DEBUG": "1"}
        workers = [box.run([sys.executable, "-c", TRAINING], {**meeting, "RANK": str(rank)})
                   for rank in range(2)]
        for worker in workers:
            out, errors = worker.communicate()
            assert worker.returncode == 0 and out == b"3.0\n", (out, errors)
            assert b"2 ranks go by the box" in errors and b"goes by Gloo" not in errors, errors
        wait_for(lambda: gone(box.daemon), "the training is over")


def training_that_torchrun_restarts():
    """A worker is killed, and the run has its job again, in the grace period."""
    def train(box, *more):
        results, errors = torchrun(2, "--backend", "weir", *more, **box.environment(
            {"WEIR_BOX": box.url("/training?blocks=64"), "WEIR_DEBUG": "1"}))
        assert "2 ranks go by the box" in errors and "without the box" not in errors, errors
        assert len(results) == 2, results
        return {each["digest"] for each in results}

    with tempfile.TemporaryDirectory() as work, Box(grace=60) as box:
        undisturbed = train(box)
        assert len(undisturbed) == 1
        assert undisturbed == train(box, "--kill", "3", "--checkpoint", os.path.join(work, "file"))
        wait_for(lambda: gone(box.daemon), "the training is over")


def wishes_of_the_url():
    with Box() as box:
        url = box.url("/a?blocks=64&policy=partial&timeout_us=700000&quorum=2")
        workers = [box.python({}, box=url, rank=rank, ranks=2, grads=100) for rank in range(2)]
        assert all(first_line(worker)[5] == 100 for worker in workers)
        job = box.daemon.jobs("secret")[0]
        assert (job["policy"], job["timeout_us"], job["quorum"]) == ("partial", 700000, 2)
        leave(workers)


def rank_that_is_killed_comes_back():
    with Box(grace=2) as box:
        workers = [box.python({}, box=box.url(), rank=rank, ranks=2) for rank in range(2)]
        for worker in workers:
            first_line(worker)
        workers[1].send_signal(signal.SIGKILL)
        wait_for(lambda: not box.daemon.jobs("secret")[0]["bound"][1]["connected"], "it is lost")
        again = box.python({}, box=box.url(), rank=1, ranks=2)
        wait_for(lambda: box.daemon.jobs("secret")[0]["bound"][1]["connected"], "it has its place")
        again.kill()
        workers[0].kill()
        wait_for(lambda: gone(box.daemon), "the grace period ends")


def daemon_that_begins_anew_is_asked_again():
    with Box(restart_grace=3600) as box:
        workers = [box.python({}, box=box.url(), rank=rank, ranks=2) for rank in range(2)]
        for worker in workers:
            first_line(worker)
        box.daemon.kill()
        box.daemon.start()
        assert not any(rank["connected"] for rank in box.daemon.jobs("secret")[0]["bound"])

        def all_are_back():
            for worker in workers:
                worker.stdin.write(b"\n")
                worker.stdin.flush()
            assert [worker.stdout.readline() for worker in workers] == [b"2\n"] * 2
            return all(rank["connected"] for rank in box.daemon.jobs("secret")[0]["bound"])
        wait_for(all_are_back, "the ranks have their connections again")
        leave(workers)
        wait_for(lambda: gone(box.daemon), "the run is over")


def refusals_in_words():
    cases = [
        ({"WEIR_TOKEN": "guess"}, {"rank": 0, "ranks": 2}, "", "no tenant has this token"),
        ({"WEIR_TOKEN": ""}, {"rank": 0, "ranks": 2}, "", "needs a token"),
        ({}, {"rank": 0, "ranks": 2}, "/a/b", "must be as weird://"),
        ({}, {"rank": 0, "ranks": 2}, "/a?policy=never", "must be one of wait"),
        ({}, {"rank": 0, "ranks": 2}, "?blocks=64", "no name"),
        ({}, {"rank": 0, "ranks": 2, "address": "127.0.0.1"}, "/a", "both given"),
        ({}, {}, "/a", "ranks is 0"),
    ]
    with Box() as box:
        for environment, arguments, rest, words in cases:
            worker = box.python(environment, box=box.url(rest or "/a?blocks=64"), **arguments)
            errors = worker.communicate()[1].decode()
            assert worker.returncode == 1 and words in errors, (words, errors)
        nobody = box.python({}, box=f"weird://127.0.0.1:{box.port}/a", rank=0, ranks=2)
        assert b"gives rank 0 no place in job a" in nobody.communicate()[1]
        assert gone(box.daemon)


def rank_that_is_refused_ends_the_wait():
    """The others have half an hour, and are told at once: who waits, and who comes after it."""
    with Box(ranks=3) as box:
        waits = box.python({}, box=box.url(), rank=0, ranks=3)
        wait_for(lambda: box.daemon.jobs("secret"), "rank 0 has its place")
        refused = box.python({}, box=box.url(), rank=1, ranks=3, grads=100)
        late = box.python({}, box=box.url(), rank=2, ranks=3)
        assert b"grads" in refused.communicate()[1] and refused.returncode == 1
        for worker in waits, late:
            errors = worker.communicate(timeout=60)[1].decode()
            assert worker.returncode == 1, errors
            assert "cannot begin: rank 1 is refused a place: " in errors and "grads" in errors, errors
        wait_for(lambda: gone(box.daemon), "all have left")


class Translated(http.server.BaseHTTPRequestHandler):
    """A weird to which workers come from the address of a router."""

    left = None

    def log_message(self, *words):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        line = json.dumps({"job": JOB, "address": "127.0.0.1", "udp_port": 12000, "bind_port": 4711,
                           "grads": 256, "window": 32, "bind_address": "192.0.2.7"})
        self.send_response(201)
        self.end_headers()
        self.wfile.write(line.encode() + b"\n")
        self.wfile.flush()
        self.connection.recv(1)

    def do_DELETE(self):
        Translated.left = self.path
        self.send_response(204)
        self.end_headers()


def address_that_is_translated_on_the_way():
    with Box() as box, \
            http.server.ThreadingHTTPServer(("127.0.0.1", 0), Translated) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        worker = box.python({}, box=f"weird://127.0.0.1:{server.server_port}/run", rank=0, ranks=2)
        errors = worker.communicate()[1]
        server.shutdown()
        thread.join()
        assert b"192.0.2.7" in errors and b"translated" in errors, errors
        assert b"bind_address" not in errors, errors
        assert Translated.left == "/jobs/run/ranks/0"


def token_of_a_file():
    with Box() as box:
        path = os.path.join(box.daemon.work, "token")
        with open(path, "w", encoding="ascii") as file:
            file.write("secret\n")
        workers = [box.python({"WEIR_TOKEN": "", "WEIR_TOKEN_FILE": path}, box=box.url(),
                              rank=rank, ranks=2) for rank in range(2)]
        for worker in workers:
            first_line(worker)
        leave(workers)


def certificates_of_clients_alone_over_new_tls():
    with Box(tenants=[tenant("own", "secret", certificates=["worker", "server"])]) as box:
        box.daemon.kill()
        made = make_certificates(box.daemon.work)
        box.daemon.conf["tls"] = {"certificate": made["box.pem"], "key": made["box.key"],
                                  "authority": made["ca.pem"]}
        box.daemon.start()
        port = box.daemon.port
        assert tls_status(port, made, "worker") == 200
        assert tls_status(port, made) == 401
        assert tls_status(port, made, "server") in (0, 401), "a server's certificate is no client's"
        assert tls_status(port, made, "worker", ssl.TLSVersion.TLSv1_2) == 200
        for old in ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1:
            assert tls_status(port, made, "worker", old) == 0, old


def certificates_are_rotated():
    """A reload takes other certificates of the box and other authorities of clients; jobs stay."""
    with Box(tenants=[tenant("own", "secret", certificates=["worker"])]) as box:
        box.daemon.kill()
        old, new = (make_certificates(os.path.join(box.daemon.work, name)) for name in ("old", "new"))
        use = {"certificate": old["box.pem"], "key": old["box.key"], "authority": old["ca.pem"]}
        box.daemon.conf["tls"] = use
        box.daemon.start()
        port = box.daemon.port

        def reload(**files):
            use.update(files)
            box.daemon.conf["tls"] = {member: file for member, file in use.items() if file}
            box.daemon.write_conf()
            before = box.daemon.said().count("\n")
            box.daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: box.daemon.said().count("\n") > before, "a line about the reload")
            return box.daemon.said().splitlines()[-1]

        own = {"WEIR_TOKEN": "", "WEIR_AUTHORITY": old["ca.pem"], "WEIR_CERTIFICATE": old["worker.pem"],
               "WEIR_KEY": old["worker.key"]}
        workers = [box.python(own, box=box.url().replace("weird:", "weirds:"), rank=rank, ranks=2)
                   for rank in range(2)]
        for worker in workers:
            first_line(worker)
        assert "read again" in reload(certificate=new["box.pem"], key=new["box.key"])
        assert tls_status(port, {**old, "ca.pem": new["ca.pem"]}, "worker") == 200
        assert tls_status(port, old, "worker") == 0, "the old certificate is no longer shown"
        assert tls_status(port, new, "worker") == 401, "the new authority does not sign clients' yet"
        assert "read again" in reload(authority=new["ca.pem"])
        assert tls_status(port, new, "worker") == 200
        assert tls_status(port, {**old, "ca.pem": new["ca.pem"]}, "worker") == 401
        said = reload(key=old["box.key"])
        assert "stays as it was" in said and use["key"] in said, said
        assert "restart" in reload(key=new["box.key"], authority=None)
        assert tls_status(port, new, "worker") == 200
        assert all(worker.poll() is None for worker in workers)
        leave(workers)


def client_certificates():
    with Box(tenants=[tenant("own", "secret", certificates=["worker"])]) as box:
        box.daemon.kill()
        made = make_certificates(box.daemon.work)
        box.daemon.conf["tls"] = {"certificate": made["box.pem"], "key": made["box.key"],
                                  "authority": made["ca.pem"]}
        box.daemon.start()
        url = box.url().replace("weird:", "weirds:")
        stranger = box.python({"WEIR_TOKEN": "", "WEIR_AUTHORITY": made["ca.pem"]}, box=url,
                              rank=0, ranks=2)
        assert b"needs a token" in stranger.communicate()[1]
        unsure = box.python({}, box=url, rank=0, ranks=2)
        assert b"certificate" in unsure.communicate()[1], "who signs the box's is not known"
        own = {"WEIR_TOKEN": "", "WEIR_AUTHORITY": made["ca.pem"],
               "WEIR_CERTIFICATE": made["worker.pem"], "WEIR_KEY": made["worker.key"]}
        workers = [box.python(own, box=url, rank=rank, ranks=2) for rank in range(2)]
        for worker in workers:
            first_line(worker)
        leave(workers)
        wait_for(lambda: gone(box.daemon), "the run is over")


TESTS = [
    sums_of_a_job_that_was_asked_for, type_and_operation_are_asked_for, over_ipv6,
    launchers, training_by_torch, training_that_torchrun_restarts, wishes_of_the_url, rank_that_is_killed_comes_back,
    daemon_that_begins_anew_is_asked_again,
    refusals_in_words, rank_that_is_refused_ends_the_wait, token_of_a_file, client_certificates,
    address_that_is_translated_on_the_way,
    certificates_of_clients_alone_over_new_tls, certificates_are_rotated,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    sys.exit(ktap.run(chosen))
