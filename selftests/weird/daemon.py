# SPDX-License-Identifier: GPL-2.0
"""The daemon in a test: started, asked, killed; and the stand-in's files, read and changed."""
import glob
import hashlib
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 120


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE} s: {what}")


def token_hash(token):
    return hashlib.sha256(token.encode()).hexdigest()


def tenant(name, token=None, prefixes=("127.0.0.0/8",), expires=None, **more):
    entry = {"name": name, "prefixes": list(prefixes), **more}
    if token:
        entry["tokens"] = [{"sha256": token_hash(token)}]
        if expires:
            entry["tokens"][0]["expires"] = expires
    return entry


class Answer:
    """The answer to a request: the status, the first line as JSON, and the connection, still open."""

    def __init__(self, connection, response):
        self.connection = connection
        self.response = response
        self.status = response.status
        self.line = response.readline() if self.status in (200, 201) else response.read()

    @property
    def body(self):
        return json.loads(self.line)

    @property
    def error(self):
        return self.body["error"]

    def close(self):
        self.response.close()
        self.connection.close()


class Daemon:
    def __init__(self, tenants, program="test-weird", host="127.0.0.1", **conf):
        self.host = host
        self.where = f"[{host}]" if ":" in host else host
        self.work = tempfile.mkdtemp(prefix="weird-")
        self.program = os.path.join(ROOT, "build", "bin", program)
        self.box = os.path.join(self.work, "box")
        self.state = os.path.join(self.work, "state")
        os.mkdir(self.box)
        os.mkdir(self.state)
        self.conf = {"grace": 1, "restart_grace": 2, "tenants": tenants, **conf}
        self.process = None
        with self.socket() as probe:
            probe.bind((host, 0))
            self.port = probe.getsockname()[1]

    def socket(self):
        return socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET)

    def write_conf(self):
        path = os.path.join(self.work, "conf.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(self.conf, file)
        return path

    def start(self, kill_at=None, **environment):
        path = self.write_conf()
        env = {**os.environ, "WEIRD_BOX": self.box, "ASAN_OPTIONS": "detect_leaks=0",
               **environment}
        if kill_at:
            env["WEIRD_KILL_AT"] = str(kill_at)
        self.log = open(os.path.join(self.work, "log"), "ab")
        self.process = subprocess.Popen(
            [self.program, "--listen", f"{self.where}:{self.port}", "--config", path, "--state",
             self.state], stderr=self.log, env=env)
        wait_for(lambda: self.process.poll() is not None or self.listens(), "it listens")
        return self

    def listens(self):
        with self.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0

    def said(self):
        with open(os.path.join(self.work, "log"), encoding="utf-8") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait() == 0, "its exit status"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.process and self.process.poll() is None:
            self.kill()
        if kind:
            print("# it said:", *self.said().splitlines()[-20:], sep="\n#   ")
        shutil.rmtree(self.work)

    def request(self, method, path, body=None, token=None, source=None, headers=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE,
                                                source_address=(source or self.host, 0))
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        return Answer(connection, connection.getresponse())

    def ask(self, name="a", rank=0, ranks=2, token=None, source=None, **more):
        return self.request("POST", "/jobs", {"name": name, "rank": rank, "ranks": ranks, **more},
                            token, source or f"127.0.1.{rank + 1}")

    def jobs(self, token=None):
        answer = self.request("GET", "/jobs", token=token)
        answer.close()
        return answer.body

    # The stand-in.

    def in_box(self):
        """Return what the stand-in holds: job ids and their files."""
        found = {}
        for path in glob.glob(os.path.join(self.box, "job-*")):
            try:
                with open(path, encoding="ascii") as file:
                    found[int(path.rsplit("-", 1)[1])] = json.load(file)
            except FileNotFoundError:
                pass
        return found

    def put_in_box(self, number, job):
        path = os.path.join(self.box, "other")
        with open(path, "w", encoding="ascii") as file:
            json.dump(job, file)
        os.rename(path, os.path.join(self.box, f"job-{number}"))

    def take_from_box(self, number):
        os.unlink(os.path.join(self.box, f"job-{number}"))

    def module(self, there):
        path = os.path.join(self.box, "gone")
        if there:
            os.unlink(path)
            return
        # Whoever looks meanwhile sees no box, and never a box whose jobs were taken out of it.
        jobs = self.in_box()
        with open(path, "w", encoding="ascii"):
            pass
        for number in jobs:
            self.take_from_box(number)

    def journal(self):
        return sorted(os.path.basename(path) for path in glob.glob(self.state + "/*"))


def make_certificates(work):
    """An authority, and what it has signed: a box at 127.0.0.1, and a worker."""
    os.makedirs(work, exist_ok=True)

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=work, check=True, stderr=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "2")
    with open(os.path.join(work, "names"), "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    with open(os.path.join(work, "names-server"), "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
    for name in ("box", "worker", "server"):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", name + ".pem", "-extfile", "names-server" if name == "server" else "names", "-days", "2")
    return {name: os.path.join(work, name)
            for name in ("ca.pem", "box.pem", "box.key", "worker.pem", "worker.key", "server.pem", "server.key")}


def tls_status(port, made, name=None, newest=ssl.TLSVersion.TLSv1_3):
    """Return the status of a request over TLS up to @newest, with a certificate or none; 0 if TLS fails."""
    warnings.simplefilter("ignore", DeprecationWarning)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(made["ca.pem"])
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    context.set_ciphers("ALL:@SECLEVEL=0")
    if name:
        context.load_cert_chain(made[name + ".pem"], made[name + ".key"])
    connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=PATIENCE)
    try:
        connection.request("GET", "/jobs")
        return connection.getresponse().status
    except (ssl.SSLError, ConnectionError):
        return 0
    finally:
        connection.close()
