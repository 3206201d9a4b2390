# SPDX-License-Identifier: BSD-2-Clause
"""Connections between the ranks' processes, which close when one ends.

A box cannot tell a rank that has ended from one that is late. Each rank has a TCP connection to rank 0,
which reports to the others when one closes. Nothing else is sent but a secret from the store, by which
each side knows the other. A rank that cannot connect does without: the group's timeout ends its waits.
"""

import json
import os
import secrets
import select
import socket
import weakref

# For each address of rank 0 that is tried.
_CONNECT_SECONDS = 2

# The secret, a blank, the rank in six digits and a line feed; the answer is the secret backwards.
_HELLO = 40

# Bytes of which no sense was made, at most.
_MOST = 4096

# Connections of which rank 0 does not know the rank yet.
_UNKNOWN = 64


def _addresses(port):
    """Return addresses at which others may reach this host: as Gloo, which ranks need too, finds its own."""
    names = [os.environ.get("MASTER_ADDR"), socket.gethostname()]
    found = []
    for name in filter(None, names):
        try:
            found += [info[4][0] for info in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)]
        except OSError:
            pass
    return list(dict.fromkeys(found))


class _Connection:
    def __init__(self, end, rank):
        self.socket = end
        self.rank = rank
        self.read = b""

    def receive(self):
        """Read what has come; return False when the other end has closed."""
        try:
            data = self.socket.recv(_MOST)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.read += data
        return bool(data) and len(self.read) <= _MOST


_watches = weakref.WeakSet()


# A child of a rank, a data loader's say, may outlive it, and must not hold its connections open.
def _close_in_child():
    for each in list(_watches):
        each.close()


os.register_at_fork(after_in_child=_close_in_child)


class Watch:
    """One rank's connections. All its functions return without waiting."""

    def __init__(self, rank, ranks, secret, listener=None, connection=None):
        self._rank = rank
        self._awaited = ranks - 1
        self._secret = secret
        self._listener = listener
        self._connections = [connection] if connection else []
        self._gone = []
        _watches.add(self)

    def fds(self):
        """File descriptors that become readable when look() has something to do."""
        ends = [each.socket for each in self._connections] + ([self._listener] if self._listener else [])
        return [each.fileno() for each in ends]

    def look(self):
        """Return a rank whose process has ended, or None."""
        if self._listener:
            self._accept()
        for each in list(self._connections):
            is_open = each.receive()
            if self._rank == 0:
                self._read_hello(each)
            else:
                self._read_reports(each)
            if not is_open:
                self._drop(each)
        if self._listener and not self._awaited:
            self._close_listener()
        return self._gone[0] if self._gone else None

    def _accept(self):
        while select.select([self._listener], [], [], 0)[0]:
            end = self._listener.accept()[0]
            end.setblocking(False)
            self._connections.append(_Connection(end, None))
        unknown = [each for each in self._connections if each.rank is None]
        for each in unknown[:-_UNKNOWN]:
            self._drop(each)

    def _read_hello(self, connection):
        """A rank has named itself, or a stranger has connected."""
        if connection.rank is not None or len(connection.read) < _HELLO:
            return
        secret, _, rank = connection.read.decode("ascii", "replace").partition(" ")
        if secrets.compare_digest(secret.encode(), self._secret.encode()) and rank.strip().isdigit():
            connection.rank = int(rank)
            self._awaited -= 1
            self._send(connection, self._secret[::-1])
            for gone in self._gone:
                self._send(connection, gone)

    def _read_reports(self, connection):
        *lines, connection.read = connection.read.split(b"\n")
        if lines and connection.rank is None and lines.pop(0) == self._secret[::-1].encode():
            connection.rank = 0
        if connection.rank is not None:
            self._gone += [int(line) for line in lines]

    def _drop(self, connection):
        self._connections.remove(connection)
        connection.socket.close()
        if connection.rank is None:
            return
        self._gone.append(connection.rank)
        for each in self._connections:
            if each.rank is not None:
                self._send(each, connection.rank)

    @staticmethod
    def _send(connection, word):
        try:
            connection.socket.send(f"{word}\n".encode())
        except OSError:
            # The end of that rank is noticed by itself.
            pass

    def _close_listener(self):
        self._listener.close()
        self._listener = None

    def close(self):
        for each in self._connections:
            each.socket.close()
        self._connections = []
        if self._listener:
            self._close_listener()


def _listen(store, ranks):
    secret = secrets.token_hex(16)
    try:
        listener = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    except (OSError, ValueError):
        listener = socket.create_server(("", 0))
    listener.setblocking(False)
    port = listener.getsockname()[1]
    store.set("watch", json.dumps({"port": port, "addresses": _addresses(port), "secret": secret}))
    return Watch(0, ranks, secret, listener=listener)


def _connect(store, rank, ranks):
    there = json.loads(store.get("watch"))
    for address in there["addresses"]:
        try:
            end = socket.create_connection((address, there["port"]), _CONNECT_SECONDS)
        except OSError:
            continue
        end.sendall(f"{there['secret']} {rank:6}\n".encode())
        end.setblocking(False)
        return Watch(rank, ranks, there["secret"], connection=_Connection(end, None))
    return Watch(rank, ranks, there["secret"])


def begin(store, rank, ranks):
    """Called by all ranks."""
    return _listen(store, ranks) if rank == 0 else _connect(store, rank, ranks)
