#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""weird(8) with a stand-in for the module: who may have what, leases, crashes, limits."""
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib")]

import jsonschema
import yaml
from prometheus_client import parser as prometheus

import ktap
from daemon import (PATIENCE, ROOT, Daemon, make_certificates, tenant, tls_status, token_hash,
                    wait_for)
from metric_pages import read

OWN = tenant("own", "secret")


def expect(answer, status, *words):
    assert answer.status == status, (answer.status, answer.line)
    for word in words:
        assert word in answer.error, (word, answer.error)
    answer.close()


def sources_of(daemon, number):
    return daemon.in_box()[number]["sources"]


def gone(daemon):
    return not daemon.in_box() and not daemon.journal()


def a_job_by_asking():
    with Daemon([OWN], address="127.0.0.9").start() as daemon:
        first = daemon.ask(token="secret", type="float32", operation="max", grads=300,
                           blocks=64)
        assert first.status == 201, first.line
        assert first.body["job"] == 1 and first.body["address"] == "127.0.0.9"
        assert first.body["udp_port"] == 12000 and first.body["window"] == 32
        assert first.body["type"] == "float32" and first.body["operation"] == "max"
        second = daemon.ask(rank=1, token="secret", type="float32", operation="max", grads=300,
                            blocks=64, port=4711)
        assert second.status == 200 and second.body["job"] == 1
        assert second.body["bind_address"] == "127.0.1.2" and second.body["bind_port"] == 4711
        assert sources_of(daemon, 1) == {"0": "127.0.1.1 12000", "1": "127.0.1.2 4711"}
        listed = daemon.jobs("secret")
        assert [rank["connected"] for rank in listed[0]["bound"]] == [True, True]
        first.close()
        second.close()
        wait_for(lambda: gone(daemon), "the job goes with its workers")


def address_that_was_called_is_the_jobs():
    with Daemon([OWN]).start() as daemon:
        answer = daemon.ask(token="secret")
        assert answer.body["address"] == "127.0.0.1"
        answer.close()


def worker_that_comes_back():
    with Daemon([OWN], grace=2).start() as daemon:
        for source in ("127.0.1.1", "127.0.1.1", "127.0.1.9"):
            answer = daemon.ask(token="secret", source=source)
            assert answer.body["job"] == 1, "the grace period keeps the job"
            assert sources_of(daemon, 1) == {"0": f"{source} 12000"}
            answer.close()
            wait_for(lambda: not daemon.jobs("secret")[0]["bound"][0]["connected"], "it is lost")
        wait_for(lambda: gone(daemon), "the grace period ends")


def packets_keep_a_job_without_connections():
    with Daemon([OWN], grace=3).start() as daemon:
        daemon.ask(token="secret").close()
        for _ in range(80):
            job = wait_for(lambda: daemon.in_box().get(1), "the job is there")
            job["activity"] += 1
            daemon.put_in_box(1, job)
            threading.Event().wait(0.1)
        assert daemon.in_box(), "eight seconds, and packets in all three of them"
        wait_for(lambda: gone(daemon), "it goes when they cease")


def ranks_that_leave_take_the_job_at_once():
    with Daemon([OWN], grace=3600).start() as daemon:
        answers = [daemon.ask(rank=rank, token="secret") for rank in range(2)]
        expect(daemon.request("DELETE", "/jobs/a/ranks/7", token="secret"), 404, "no rank 7")
        for rank in range(2):
            assert daemon.in_box()
            answer = daemon.request("DELETE", f"/jobs/a/ranks/{rank}", token="secret")
            assert answer.status == 204
            answer.close()
        assert gone(daemon)
        assert "all ranks have left" in json.loads(answers[0].response.readline())["ended"]


def tenant_ends_its_job():
    with Daemon([OWN, tenant("other", "foreign")]).start() as daemon:
        answer = daemon.ask(token="secret")
        expect(daemon.request("DELETE", "/jobs/a", token="foreign"), 404, "other", "no job")
        expect(daemon.request("DELETE", "/jobs/a/b", token="secret"), 404)
        assert daemon.request("DELETE", "/jobs/a", token="secret").status == 204
        assert json.loads(answer.response.readline())["ended"] == "its tenant has ended it"
        assert answer.response.readline() == b"" and gone(daemon)


def names_are_a_tenants_own():
    with Daemon([OWN, tenant("other", "foreign"), tenant("root", "all", operator=True)]).start() \
            as daemon:
        mine = daemon.ask(token="secret")
        theirs = daemon.ask(token="foreign")
        assert mine.body["job"] != theirs.body["job"]
        assert [job["tenant"] for job in daemon.jobs("secret")] == ["own"]
        assert len(daemon.jobs("all")) == 2


def ranks_that_disagree():
    agreed = {"ranks": 4, "type": "float32", "operation": "sum", "grads": 256, "blocks": 64,
              "policy": "partial", "timeout_us": 5000, "quorum": 3, "order": "fixed",
              "rate": 1000000}
    others = {"ranks": (5, "ranks 4", "5"), "type": ("int32", "float32", "int32"),
              "operation": ("max", "sum", "max"), "grads": (255, "grads 256", "255"),
              "blocks": (32, "64", "32"), "policy": ("exclude", "partial", "exclude"),
              "timeout_us": (6000, "5000", "6000"), "quorum": (2, "quorum 3", "2"),
              "order": ("arrival", "fixed", "arrival"), "rate": (5, "1000000", "5")}
    with Daemon([OWN]).start() as daemon:
        first = daemon.ask(token="secret", **agreed)
        assert first.status == 201, first.line
        for member, (value, *words) in others.items():
            expect(daemon.ask(rank=1, token="secret", **{**agreed, member: value}), 409, *words)
        expect(daemon.ask(token="secret", **agreed), 409, "rank 0 is there already, at 127.0.1.1")


def run_of_another_size_takes_the_place_of_one_that_is_over():
    with Daemon([OWN], grace=3600, restart_grace=3600).start() as daemon:
        run = [daemon.ask(rank=rank, ranks=4, token="secret") for rank in range(4)]
        for answer in run[1:]:
            answer.close()
        expect(daemon.ask(rank=1, ranks=3, token="secret"), 409, "ranks 4", "3")
        assert daemon.request("DELETE", "/jobs/a/ranks/0", token="secret").status == 204
        # Workers that are killed close their connections, and say nothing.
        again = [daemon.ask(rank=rank, ranks=3, token="secret") for rank in range(3)]
        assert [answer.status for answer in again] == [201, 200, 200], again[0].line
        assert len(daemon.in_box()) == 1 and len(daemon.journal()) == 1
        assert len(sources_of(daemon, again[0].body["job"])) == 3
        for answer in again:
            answer.close()
        assert daemon.ask(rank=0, ranks=2, operation="max", token="secret").status == 201


def run_that_may_still_be_there_keeps_its_place():
    with Daemon([OWN], grace=3600, restart_grace=3600).start() as daemon:
        answer = daemon.ask(token="secret")
        daemon.kill()
        daemon.start()
        # Its worker calls the new daemon when it finds that its connection has gone.
        expect(daemon.ask(ranks=3, token="secret"), 409, "ranks 2")
        answer = daemon.ask(token="secret")
        assert answer.status == 200
        answer.close()
        wait_for(lambda: not daemon.jobs("secret")[0]["bound"][0]["connected"], "it is lost")
        number, job = daemon.in_box().popitem()
        job["activity"] += 1
        daemon.put_in_box(number, job)
        expect(daemon.ask(ranks=3, token="secret"), 409, "ranks 2")
        answer = daemon.ask(ranks=3, token="secret")
        assert answer.status == 201, "no packet has come since"


def next_line(answer):
    return json.loads(answer.response.readline())


def others_hear_of_a_rank_that_is_refused():
    with Daemon([OWN]).start() as daemon:
        # Before there is a job, and while ranks wait.
        expect(daemon.ask(rank=2, ranks=3, token="secret", group="239.1.1.1"), 403, "group")
        first = daemon.ask(rank=0, ranks=3, token="secret")
        refused = next_line(first)["refused"]
        assert refused["rank"] == 2 and "group" in refused["error"], refused
        expect(daemon.ask(rank=1, ranks=3, token="secret", operation="max"), 409, "max")
        refused = next_line(first)["refused"]
        assert refused["rank"] == 1 and "max" in refused["error"], refused
        # One that is there stays, and who has got its place was not refused.
        expect(daemon.ask(rank=0, ranks=3, token="secret"), 409, "there already")
        others = [daemon.ask(rank=rank, ranks=3, token="secret") for rank in (1, 2)]
        assert next_line(others[0])["refused"]["rank"] == 2
        # All are there: the job has begun.
        expect(daemon.ask(rank=1, ranks=3, token="secret", operation="max"), 409)
        assert daemon.request("DELETE", "/jobs/a", token="secret").status == 204
        for answer in [first, *others]:
            assert "ended" in next_line(answer)


def two_ranks_of_one_address():
    with Daemon([OWN]).start() as daemon:
        daemon.first = daemon.ask(token="secret", source="127.0.1.1")
        expect(daemon.ask(rank=1, token="secret", source="127.0.1.1"), 409, "another source's")
        assert sources_of(daemon, 1) == {"0": "127.0.1.1 12000"}
        second = daemon.ask(rank=1, token="secret", source="127.0.1.1", port=12001)
        assert second.status == 200, second.line


def who_may_not():
    tenants = [OWN, tenant("late", "old", expires="2020-01-01T00:00:00Z"),
               tenant("soon", "new", expires="2999-01-01T00:00:00Z"),
               tenant("elsewhere", "far", prefixes=["10.0.0.0/8", "127.0.1.128/25"])]
    with Daemon(tenants).start() as daemon:
        expect(daemon.ask(), 401, "token")
        expect(daemon.ask(token="guess"), 401, "no tenant")
        expect(daemon.ask(token=token_hash("secret")), 401, "no tenant")
        expect(daemon.ask(token="x" * 300), 401, "no token")
        expect(daemon.ask(token="old"), 401, "expired")
        expect(daemon.request("GET", "/jobs", headers={"Authorization": "Basic c2VjcmV0"}), 401,
               "Bearer")
        expect(daemon.ask(token="far"), 403, "elsewhere", "127.0.1.1")
        expect(daemon.ask(token="far", source="127.0.1.127"), 403)
        assert daemon.ask(token="far", source="127.0.1.128").status == 201
        assert daemon.ask(token="new").status == 201
        expect(daemon.request("GET", "/events", token="secret"), 403, "operator")
        expect(daemon.request("GET", "/metrics", token="secret"), 403, "operator")
        expect(daemon.ask(token="secret", group="239.1.1.1"), 403, "group")
        assert len(daemon.in_box()) == 2


def anonymous_tenant_needs_no_token():
    with Daemon([tenant("lab", anonymous=True), OWN]).start() as daemon:
        assert daemon.ask().body["tenant"] == "lab"
        assert daemon.ask(token="secret").body["tenant"] == "own"
        expect(daemon.ask(token="guess"), 401)


def strangers_are_not_the_anonymous_tenant():
    """From another address nothing of it can be seen, ended, or disturbed, by any request."""
    lab = tenant("lab", anonymous=True, prefixes=["127.0.1.0/24"])
    with Daemon([lab, OWN]).start() as daemon:
        waiting = daemon.ask(ranks=3, source="127.0.1.1")
        assert waiting.status == 201
        for source in "127.0.2.1", "127.0.0.1":
            for method, path in (("GET", "/jobs"), ("DELETE", "/jobs/a"), ("DELETE", "/jobs/a/ranks/0"),
                                 ("HEAD", "/jobs"), ("GET", "/metrics"), ("GET", "/events")):
                answer = daemon.request(method, path, source=source)
                assert answer.status == 403 and b"own" not in answer.line, (method, path, answer.status)
                answer.close()
            expect(daemon.ask(rank=1, ranks=3, source=source), 403, "lab", source)
            # A tenant that shows its token is not bound to an address for these.
            assert daemon.request("GET", "/jobs", token="secret", source=source).status == 200
        second = daemon.ask(rank=1, ranks=3, source="127.0.1.2")
        assert second.status == 200
        # The next thing that the waiting rank hears is the end by its own tenant, and no refusal.
        assert daemon.request("DELETE", "/jobs/a", source="127.0.1.2").status == 204
        assert "ended" in next_line(waiting)


def quotas():
    quota = {"jobs": 2, "memory": 96 * 4096, "rate": 1000}
    with Daemon([tenant("own", "secret", quota=quota), tenant("other", "foreign")]).start() \
            as daemon:
        one = daemon.ask("one", token="secret", blocks=64)
        assert one.body["rate"] == 500, "a job's share of the tenant's rate"
        expect(daemon.ask("two", token="secret", blocks=64), 429, "bytes", "own")
        expect(daemon.ask("two", token="secret", blocks=16, rate=501), 429, "a second")
        two = daemon.ask("two", token="secret", blocks=16, rate=500)
        assert two.status == 201, two.line
        expect(daemon.ask("three", token="secret", blocks=1), 429, "has 2 jobs")
        assert daemon.ask("three", token="foreign").status == 201, "another's are its own"
        assert daemon.request("DELETE", "/jobs/one", token="secret").status == 204
        assert daemon.ask("three", token="secret", blocks=64).status == 201


def ids_go_round_and_run_out():
    with Daemon([tenant("own", "secret", quota={"jobs": 256})], jobs={"first": 7, "last": 9}) \
            .start() as daemon:
        held = [daemon.ask(name, token="secret") for name in "abc"]
        assert sorted(daemon.in_box()) == [7, 8, 9]
        expect(daemon.ask("d", token="secret"), 507, "all 3 job ids")
        assert daemon.request("DELETE", "/jobs/b", token="secret").status == 204
        assert daemon.ask("d", token="secret").body["job"] == 8
        assert daemon.request("DELETE", "/jobs/a", token="secret").status == 204
        assert daemon.request("DELETE", "/jobs/d", token="secret").status == 204
        assert daemon.ask("e", token="secret").body["job"] == 7, "after 8 comes 9, which is taken"
        del held


def an_administrators_jobs():
    with Daemon([OWN], jobs={"first": 5, "last": 8}) as daemon:
        job = {"ask": {"name": "x", "rank": 0, "ranks": 3}, "address": "10.0.0.1", "port": 12000,
               "activity": 0, "sources": {"0": "10.0.0.7 12000"}}
        daemon.put_in_box(5, job)
        daemon.start()
        answer = daemon.ask(token="secret")
        assert answer.body["job"] == 6, "the id that is taken is passed over"
        daemon.take_from_box(6)
        assert "administrator" in json.loads(answer.response.readline())["ended"]
        assert not daemon.journal() and daemon.jobs("secret") == []
        # The number is the administrator's now, while the daemon is away.
        answer = daemon.ask(token="secret")
        mine = answer.body["job"]
        daemon.kill()
        daemon.put_in_box(mine, job)
        daemon.start()
        wait_for(lambda: not daemon.journal(), "the journal's job is given up")
        assert daemon.in_box() == {5: job, mine: job}


def restart_of_the_daemon():
    with Daemon([OWN], restart_grace=2).start() as daemon:
        answers = [daemon.ask(rank=rank, token="secret") for rank in range(2)]
        before = daemon.in_box()
        daemon.kill()
        daemon.start()
        assert daemon.in_box() == before, "running jobs are not touched"
        back = daemon.ask(rank=1, token="secret")
        assert back.status == 200 and back.body["job"] == answers[0].body["job"]
        assert daemon.in_box() == before
        back.close()
        wait_for(lambda: gone(daemon), "it ends as it would have")


def job_returns_with_the_module(daemon, meanwhile=()):
    """@meanwhile: files that the stand-in finds when the module is there again. Returns the ranks' connections."""
    answers = [daemon.ask(rank=rank, token="secret") for rank in range(2)]
    before = daemon.in_box()
    daemon.module(there=False)
    expect(daemon.ask("b", token="secret"), 503, "not loaded")
    for name in meanwhile:
        open(os.path.join(daemon.box, name), "w", encoding="ascii").close()
    daemon.module(there=True)
    wait_for(lambda: daemon.in_box() == before, "the job is there again")
    return answers


def restart_of_the_module():
    with Daemon([OWN]).start() as daemon:
        job_returns_with_the_module(daemon)


def upgrade_beside_the_daemon():
    """`weir upgrade` makes all jobs again. Whichever is first, the daemon keeps its jobs and their ranks."""
    with Daemon([OWN]).start() as daemon:
        answers = job_returns_with_the_module(daemon, meanwhile=["upgrade"])
        assert [rank["connected"] for rank in daemon.jobs("secret")[0]["bound"]] == [True, True]
        assert " ends: " not in daemon.said(), daemon.said()
        del answers


def another_daemon_of_the_same_journal():
    with Daemon([OWN]).start() as daemon, Daemon([OWN]) as second:
        second.state = daemon.state
        second.start()
        assert second.process.wait() == 1 and "another weird" in second.said()


def killed_at_each_step():
    """Asking, binding, leaving and ending, killed before and after each change."""
    ends = 0
    for at in range(1, 100):
        with Daemon([OWN], grace=0, restart_grace=0) as daemon:
            daemon.start(kill_at=at)
            try:
                for rank in range(2):
                    daemon.ask(rank=rank, token="secret", ranks=2).close()
                daemon.request("DELETE", "/jobs/a", token="secret")
                daemon.ask("b", token="secret")
                ends = at
                break
            except (OSError, http.client.HTTPException):
                pass
            assert daemon.process.wait() == -signal.SIGKILL
            daemon.conf["restart_grace"] = 3600
            daemon.start()
            numbers = set(daemon.in_box())
            assert numbers == {job["job"] for job in daemon.jobs("secret")}, "nothing half"
            assert daemon.journal() == sorted(f"job-{n}.json" for n in numbers)
            answer = daemon.ask(rank=1, token="secret", ranks=2)
            assert answer.status in (200, 201), answer.line
            named = [job for job in daemon.jobs("secret") if job["name"] == "a"]
            assert len(named) == 1, "nothing double"
    assert ends > 20, f"only {ends} steps were seen"


def two_hundred_jobs_of_sixteen_tenants_at_once():
    tenants = [tenant(f"t{i}", f"token{i}", quota={"jobs": 13}) for i in range(16)]
    with Daemon(tenants).start() as daemon:
        held, lock = [], threading.Lock()

        def ask(number):
            for rank in range(2):
                answer = daemon.ask(f"job{number}", rank, token=f"token{number % 16}", blocks=16,
                                    source=f"127.0.{2 + number}.{rank + 1}")
                with lock:
                    held.append(answer)
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(held) == 400 and all(answer.status in (200, 201) for answer in held)
        assert len({answer.body["job"] for answer in held}) == 200 == len(daemon.in_box())
        assert all(len(job["sources"]) == 2 for job in daemon.in_box().values())
        for number in range(16):
            room = 13 - len(range(number, 200, 16))
            more = [daemon.ask(f"more{i}", token=f"token{number}", blocks=16) for i in range(2)]
            assert [answer.status for answer in more] == ([201, 429] if room else [429, 429])
            held += more
        for answer in held:
            answer.close()
        wait_for(lambda: gone(daemon), "all go with their workers")


def slow_clients_are_not_waited_for():
    with Daemon([OWN]).start() as daemon:
        slow = [socket.create_connection(("127.0.0.1", daemon.port)) for _ in range(50)]
        for each in slow:
            each.sendall(b"POST /jobs HTTP/1.1\r\nHost: x\r\n")
        answer = daemon.ask(token="secret")
        assert answer.status == 201
        slow[0].settimeout(PATIENCE)
        assert slow[0].recv(4096)[:12] in (b"", b"HTTP/1.1 408"), "it is cut off"
        # A byte now and then does not keep it.
        dripping = socket.create_connection(("127.0.0.1", daemon.port))
        dripping.sendall(b"GET /jobs HTTP/1.1\r\n")

        def is_cut():
            try:
                dripping.send(b"a")
                dripping.settimeout(0.2)
                return dripping.recv(1) == b""
            except TimeoutError:
                return False
            except OSError:
                return True
        wait_for(is_cut, "it is cut off, however busy")
        assert daemon.jobs("secret")[0]["bound"][0]["connected"], "who holds a job is not"
        for each in slow + [dripping]:
            each.close()


def half_open_connections_leave_room():
    """Connections without a request, from one network and from many, do not keep a tenant out."""
    for networks in 1, 100:
        with Daemon([OWN], connections=64).start() as daemon:
            held = [daemon.ask(rank=rank, token="secret", source=f"127.9.9.{rank + 1}", ranks=8) for rank in range(8)]
            assert [answer.status for answer in held] == [201] + [200] * 7
            crowd = []
            for i in range(200):
                crowd.append(socket.create_connection(("127.0.0.1", daemon.port), PATIENCE,
                                                      (f"127.0.{i % networks}.1", 0)))
                crowd[-1].sendall(b"POST /jobs HTTP/1.1\r\n")
            began = time.monotonic()
            answer = daemon.ask("b", token="secret", ranks=1)
            assert answer.status == 201, answer.line
            # Less than what a connection without a request may stay for.
            assert time.monotonic() - began < 15
            assert all(rank["connected"] for rank in daemon.jobs("secret")[0]["bound"])
            for each in crowd:
                each.close()


def full_disk():
    """A rank that cannot be written down is refused for that reason."""
    with Daemon([OWN]).start() as daemon:
        assert daemon.ask(token="secret").status == 201
        inside = set(os.listdir(daemon.state))
        os.mkdir(os.path.join(daemon.state, "new"))
        expect(daemon.ask(rank=1, token="secret", source="127.0.1.9"), 507, "journal")
        expect(daemon.ask("other", token="secret"), 507, "journal")
        os.rmdir(os.path.join(daemon.state, "new"))
        assert set(os.listdir(daemon.state)) == inside
        assert daemon.ask(rank=1, token="secret", source="127.0.1.9").status == 200


def sentences_are_utf8():
    """A quotation in a refusal may be cut, but not within a character."""
    with Daemon([OWN]).start() as daemon:
        for length in range(1, 500):
            answer = daemon.request("POST", "/jobs", {"name": "a", "rank": 0, "ranks": 1, "x" * (length % 4) + "\u20ac" * length: 1},
                                    "secret")
            assert answer.status == 400
            assert "\ufffd" not in answer.line.decode()
            answer.close()


def head():
    """The headers of what GET would get."""
    with Daemon([tenant("lab", anonymous=True, operator=True)]).start() as daemon:
        for path, kind in ("/jobs", "application/json"), ("/metrics", "text/plain"), ("/events", "text/event-stream"):
            answer = daemon.request("HEAD", path)
            if path != "/metrics":
                assert answer.status == 200, (path, answer.status)
                assert answer.response.getheader("Content-Type").startswith(kind)
            assert not answer.line, (path, answer.line)
            answer.close()
        expect(daemon.request("PUT", "/jobs"), 405)


def who_waits_for_a_busy_daemon_is_not_slow():
    with Daemon([OWN]).start() as daemon:
        body = json.dumps({"name": "a", "rank": 0, "ranks": 2})
        head = (f"POST /jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n"
                f"Content-Length: {len(body)}\r\n\r\n")
        with socket.create_connection(("127.0.0.1", daemon.port), PATIENCE) as client:
            client.sendall(head.encode())
            daemon.jobs("secret")
            daemon.process.send_signal(signal.SIGSTOP)
            client.sendall(body.encode())
            # Longer than a request may take.
            time.sleep(17)
            daemon.process.send_signal(signal.SIGCONT)
            assert client.recv(4096).startswith(b"HTTP/1.1 201 ")


def wrong_requests():
    good = {"name": "a", "rank": 0, "ranks": 2}
    wrong = {
        "": "", "{": "", "[]": "object", "null": "object", "1": "object", '"a"': "object",
        json.dumps(good) + "x": "", "{'name': 1}": "", '{"name": "\xff"}': "",
        "[" * 2000: "", '{"a":' * 500: "", "\0": "",
    }
    members = [
        ({"name": ""}, "name"), ({"name": "a/b"}, "name"), ({"name": "../x"}, "name"),
        ({"name": "a" * 65}, "name"), ({"name": ".a"}, "name"), ({"name": "a\0b"}, "zero"),
        ({"name": 7}, "string"), ({"name": 'a"b'}, "name"), ({"name": "\u00e4"}, "name"),
        ({"rank": 2}, "0 to 1"), ({"rank": -1}, "0 to 1"), ({"rank": "0"}, "integer"),
        ({"rank": 0.0}, "integer"), ({"rank": None}, "integer"), ({"ranks": 0}, "1 to 256"),
        ({"ranks": 257}, "1 to 256"), ({"ranks": 1 << 70}, "1 to 256"), ({"grads": 0}, "2048"),
        ({"grads": 2049}, "2048"), ({"blocks": 3}, "power"), ({"blocks": 131072}, "65536"),
        ({"type": "float80"}, "int32"), ({"type": "float64", "grads": 1025}, "1024"), ({"operation": "avg"}, "sum"), ({"policy": "x"}, "wait"),
        ({"quorum": 1}, "partial"), ({"quorum": 3, "policy": "partial"}, "1 to 2"),
        ({"timeout_us": 99}, "100"), ({"port": 0}, "65535"), ({"port": 65536}, "65535"),
        ({"group": "x"}, "multicast"), ({"group": "02:00:00:00:00:01"}, "multicast"),
        ({"group": "239.1.1.1", "port": 7}, "port"), ({"rate": 0}, "rate"), ({"user": 1}, "user"),
    ]
    with Daemon([OWN]).start() as daemon:
        for text, word in wrong.items():
            expect(daemon.request("POST", "/jobs", text.encode("latin-1"), "secret"), 400, word)
        for change, word in members:
            expect(daemon.request("POST", "/jobs", {**good, **change}, "secret"), 400, word)
        for member in good:
            body = {key: value for key, value in good.items() if key != member}
            expect(daemon.request("POST", "/jobs", body, "secret"), 400, f"'{member}' is missing")
        expect(daemon.request("POST", "/jobs", " " * 5000, "secret"), 413)
        expect(daemon.request("PUT", "/jobs", token="secret"), 405)
        expect(daemon.request("GET", "/", token="secret"), 404)
        expect(daemon.request("DELETE", "/jobs/" + "a" * 500, token="secret"), 414)
        assert gone(daemon) and daemon.process.poll() is None


def noise_does_not_end_it():
    source = random.Random(17)
    seed = json.dumps({"name": "a", "rank": 0, "ranks": 2, "type": "float32"}).encode()
    with Daemon([OWN]).start() as daemon:
        for _ in range(300):
            body = bytearray(seed)
            for _ in range(source.randint(1, 6)):
                body[source.randrange(len(body))] = source.randrange(256)
            answer = daemon.request("POST", "/jobs", bytes(body), "secret")
            assert answer.status in (200, 201, 400, 409, 429), answer.status
            answer.close()
        for _ in range(100):
            raw = socket.create_connection(("127.0.0.1", daemon.port))
            raw.sendall(bytes(source.randrange(256) for _ in range(source.randint(1, 200))))
            raw.close()
        assert daemon.ask("last", token="secret").status in (201, 429)


def configuration_is_read_again():
    with Daemon([OWN]).start() as daemon:
        answer = daemon.ask(token="secret")
        daemon.conf["tenants"] = [tenant("own", "fresh")]
        daemon.write_conf()
        daemon.process.send_signal(signal.SIGHUP)
        wait_for(lambda: daemon.request("GET", "/jobs", token="secret").status == 401,
                 "the old token is refused")
        assert daemon.jobs("fresh")[0]["name"] == "a"
        daemon.conf["tenants"] = []
        daemon.write_conf()
        daemon.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "stays as it was" in daemon.said(), "what is wrong is told")
        assert daemon.jobs("fresh")
        answer.close()
        daemon.stop()


def unit_reloads_the_configuration():
    """The commands of the unit: what a start and a reload copy, and that a wrong configuration changes nothing."""
    with open(os.path.join(ROOT, "userspace", "weird", "weird.service.in"), encoding="ascii") as file:
        unit = file.read()
    assert "LoadCredential" not in unit and "StartLimitIntervalSec=0" in unit

    def commands(key):
        return re.findall(rf"^{key}=\+?(.*)$", unit, re.MULTILINE)

    def run(command, daemon, folder):
        command = command.replace("@PREFIX@/sbin/weird", daemon.program).replace("/run/weird", f"{folder}/run")
        command = command.replace("/etc/weir/weird.json", f"{daemon.work}/conf.json").replace(
            "$MAINPID", str(daemon.process.pid))
        return subprocess.run(["bash", "-c", command], check=False, env={**os.environ, "STATE_DIRECTORY": daemon.state},
                              stderr=subprocess.DEVNULL).returncode

    class Unit(Daemon):
        def write_conf(self):
            super().write_conf()
            for command in commands("ExecStartPre"):
                assert not run(command, self, self.work)
            return os.path.join(self.work, "run", "weird.json")

    with Unit([OWN]) as daemon:
        daemon.process = subprocess.Popen(["true"])
        daemon.start()
        assert daemon.request("GET", "/jobs", token="secret").status == 200
        daemon.conf["tenants"] = [tenant("own", "fresh")]
        Daemon.write_conf(daemon)
        assert not any(run(command, daemon, daemon.work) for command in commands("ExecReload"))
        wait_for(lambda: daemon.request("GET", "/jobs", token="secret").status == 401, "the token is revoked")
        daemon.conf["tenants"] = []
        Daemon.write_conf(daemon)
        assert run(commands("ExecReload")[0], daemon, daemon.work)
        assert daemon.request("GET", "/jobs", token="fresh").status == 200
        staged = os.path.join(daemon.work, "run")
        assert os.stat(os.path.join(staged, "weird.json")).st_mode & 0o777 == 0o600
        # The files for TLS are copied, too; only the owner of the state directory can read the copies.
        daemon.stop()
        made = make_certificates(daemon.work)
        daemon.conf = {"tenants": [tenant("own", "fresh", certificates=["worker"])], "tls": {
            "certificate": made["box.pem"], "key": made["box.key"], "authority": made["ca.pem"]}}
        daemon.start()
        assert tls_status(daemon.port, made, "worker") == 200
        owner = 65534 if os.geteuid() == 0 else os.geteuid()
        os.chown(daemon.state, owner, -1)
        assert not run(commands("ExecStartPre")[0], daemon, daemon.work)
        for name in "weird.json", "certificate.pem", "key.pem", "authority.pem":
            copy = os.stat(os.path.join(staged, name))
            assert copy.st_mode & 0o777 == 0o600 and copy.st_uid == owner, name
        with open(os.path.join(staged, "weird.json"), encoding="ascii") as file:
            assert json.load(file)["tls"]["key"] == os.path.join(staged, "key.pem")
        for command in commands("ExecStopPost"):
            run(command, daemon, daemon.work)
        assert not os.path.exists(staged), "no key stays behind"


def wrong_configurations():
    cases = [
        ({"tenants": []}, "tenants"), ({"tenants": [{"name": "a b"}]}, "name"),
        ({"tenants": [OWN, OWN]}, "two tenants"), ({"tenant": []}, "tenant"),
        ({"tenants": [tenant("a", anonymous=True), tenant("b", anonymous=True)]}, "anonymous"),
        ({"tenants": [tenant("a", prefixes=["10.0.0.0/33"])]}, "10.0.0.0/33"),
        ({"tenants": [tenant("a", prefixes=["10.0.0.0/-1"])]}, "prefixes"),
        ({"tenants": [tenant("a", prefixes=["x"])]}, "prefixes"),
        ({"tenants": [{"name": "a", "tokens": [{"sha256": "00"}]}]}, "64"),
        ({"tenants": [tenant("a", "x", expires="tomorrow")]}, "expires"),
        ({"tenants": [OWN], "jobs": {"first": 9, "last": 8}}, "last"),
        ({"tenants": [OWN], "address": "box"}, "address"),
        ({"tenants": [OWN], "grace": "1"}, "grace"),
        ({"tenants": [OWN], "tls": {"certificate": "x"}}, "key"),
    ]
    with Daemon([OWN]) as daemon:
        for conf, word in cases:
            daemon.conf = conf
            done = subprocess.run([daemon.program, "--config", daemon.write_conf(), "--check"],
                                  stderr=subprocess.PIPE, check=False)
            assert done.returncode == 1 and word.encode() in done.stderr, (conf, done.stderr)
        daemon.conf = {"tenants": [OWN]}
        subprocess.run([daemon.program, "--config", daemon.write_conf(), "--check"], check=True)


def new_tokens_fit():
    with Daemon([OWN]) as daemon:
        said = subprocess.run([daemon.program, "--token"], stdout=subprocess.PIPE, check=True)
        words = said.stdout.decode().split()
        assert words[0] == "token" and words[2] == "sha256"
        assert token_hash(words[1]) == words[3] and len(words[1]) == 64


def only_what_it_needs():
    """No capability is left but the one, and no way to another."""
    with Daemon([OWN]).start() as daemon:
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        for name in ("CapPrm", "CapEff", "CapInh", "CapAmb"):
            assert int(status[name], 16) & ~(1 << 12) == 0, (name, status[name])
        assert status["NoNewPrivs"] == "1"


def fits_openapi(schema, value):
    with open(os.path.join(ROOT, "userspace", "weird", "openapi.yaml"), encoding="ascii") as file:
        spec = yaml.safe_load(file)
    jsonschema.validate(value, {**spec, "$ref": f"#/components/schemas/{schema}"})


def answers_are_as_openapi_has_them():
    every = {"type": "float16", "operation": "min", "order": "fixed", "policy": "exclude",
             "grads": 100, "blocks": 32, "timeout_us": 200000, "quorum": 1, "rate": 1000000}
    allowed = tenant("own", "secret", groups=["239.0.0.0/8"])
    with Daemon([allowed]).start() as daemon:
        for number, more in enumerate(({}, every, {"group": "239.1.1.1"}, {"port": 4242})):
            ask = {"name": f"job{number}", "rank": 1, "ranks": 2, **more}
            fits_openapi("Ask", ask)
            answer = daemon.request("POST", "/jobs", ask, "secret")
            fits_openapi("Place", answer.body)
        for job in daemon.jobs("secret"):
            fits_openapi("Job", job)
        fits_openapi("Refusal", daemon.ask(token="guess").body)


def stand_in(directory, operation, answers):
    """Have the netlink stand-in of the tool's tests give these answers to the real daemon."""
    subprocess.run([os.path.join(ROOT, "selftests", "cli", "stand-in"), "answer", directory,
                    operation], input=json.dumps(answers).encode(), check=True)


def metrics_and_their_dashboard():
    refused = {"contributions": 70000000000, "refusal": [{"reason": 9, "packets": 4},
                                                        {"reason": 20, "packets": 1}]}
    with Daemon([OWN], program="weird", metrics=["127.0.0.1"]) as daemon:
        work = os.path.join(daemon.work, "stand-in")
        os.mkdir(work)
        stand_in(work, "stats-get", [{"jobs": 1, "ports": 1, "memory": 5, "memory-used": 6,
                                      "memory-limit": 7, "stats": {"blocks": 3}}])
        stand_in(work, "job-get", [])
        stand_in(work, "source-get", [
            {"job": 3, "id": 1, "address": "10.0.0.1", "state": 2, "missing": 8,
             "lateness": [1, 2, 0, 4] + [0] * 19 + [5], "stats": refused}])
        stand_in(work, "port-get", [{"ifindex": 2, "ifname": "eth0", "mode": 1, "stats": refused}])
        stand_in(work, "trim-get", [
            {"ifindex": 2, "ifname": "eth0", "hook": 1, "data-depth": 9,
             "stats": {"trim": 11, "tx-trim": 12, "dropped-trim": 13, "data-max": 14}}])
        daemon.start(LD_PRELOAD=os.path.join(ROOT, "build", "cli", "stand-in.so"),
                     WEIR_STAND_IN=work)
        answer = daemon.request("GET", "/metrics")
        samples, kinds = read((answer.line + answer.response.read()).decode(), prometheus)
        dashboard = json.loads(subprocess.run([daemon.program, "--dashboard"], check=True,
                                              stdout=subprocess.PIPE).stdout)
        assert daemon.request("GET", "/metrics", source="127.0.0.2").status == 401
    late = 'weir_source_lateness_seconds_bucket{job="3",source="1",le="%s"}'
    expected = {
        "weir_jobs": 1, "weir_memory_limit_bytes": 7, "weir_blocks_total": 3,
        'weir_source_state{job="3",source="1"}': 2,
        'weir_source_contributions_total{job="3",source="1"}': 70000000000,
        'weir_source_refused_packets_total{job="3",source="1",reason="spoofed"}': 4,
        'weir_port_refused_packets_total{port="eth0",reason="duplicate"}': 1,
        'weir_port_trim_packets_total{port="eth0"}': 11,
        'weir_port_tx_trim_packets_total{port="eth0"}': 12,
        'weir_port_dropped_trim_packets_total{port="eth0"}': 13,
        'weir_trim_data_depth_packets{port="eth0"}': 9,
        late % "0.000002": 1, late % "0.000004": 3, late % "0.000008": 3, late % "0.000016": 7,
        late % "8.388608": 7, late % "+Inf": 12,
        'weir_source_lateness_seconds_count{job="3",source="1"}': 12,
    }
    wanted, _ = read("".join("%s %s\n" % pair for pair in expected.items()), prometheus)
    for key, value in wanted.items():
        assert samples.get(key) == value, (key, samples.get(key))
    shown = {panel["title"] for panel in dashboard["panels"] if panel["type"] != "row"}
    named = {name + "_total" * (kind == "counter") for name, kind in kinds.items()}
    assert shown == named, shown ^ named
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places), "no panel lies on another"


def completion_knows_every_option():
    with Daemon([OWN], program="weird") as daemon:
        options = set(re.findall(r"^  (--[a-z]+)", subprocess.run(
            [daemon.program, "--help"], check=True, stdout=subprocess.PIPE).stdout.decode(),
            re.MULTILINE))
        script = (f". {ROOT}/userspace/completion/weird; COMP_WORDS=({daemon.program} --); "
                  "COMP_CWORD=1; _weird; echo ${COMPREPLY[@]}")
        said = subprocess.run(["bash", "-c", script], check=True, stdout=subprocess.PIPE).stdout
        assert set(said.decode().split()) == options and len(options) == 9, (said, options)
        with open(os.path.join(ROOT, "userspace", "man", "weird.8"), encoding="ascii") as file:
            manual = file.read()
        for option in options:
            assert "Fl -" + option[2:] in manual, option


TESTS = [
    a_job_by_asking, address_that_was_called_is_the_jobs, worker_that_comes_back,
    packets_keep_a_job_without_connections, ranks_that_leave_take_the_job_at_once,
    tenant_ends_its_job, names_are_a_tenants_own, ranks_that_disagree,
    run_of_another_size_takes_the_place_of_one_that_is_over,
    run_that_may_still_be_there_keeps_its_place, others_hear_of_a_rank_that_is_refused, two_ranks_of_one_address,
    who_may_not, anonymous_tenant_needs_no_token, strangers_are_not_the_anonymous_tenant, quotas, ids_go_round_and_run_out,
    an_administrators_jobs, restart_of_the_daemon, restart_of_the_module, upgrade_beside_the_daemon,
    another_daemon_of_the_same_journal, killed_at_each_step,
    two_hundred_jobs_of_sixteen_tenants_at_once, slow_clients_are_not_waited_for, half_open_connections_leave_room,
    full_disk, sentences_are_utf8, head,
    who_waits_for_a_busy_daemon_is_not_slow, wrong_requests,
    noise_does_not_end_it, configuration_is_read_again, unit_reloads_the_configuration, wrong_configurations, new_tokens_fit,
    only_what_it_needs, answers_are_as_openapi_has_them, metrics_and_their_dashboard,
    completion_knows_every_option,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    sys.exit(ktap.run(chosen))
