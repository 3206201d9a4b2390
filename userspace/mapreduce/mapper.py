# SPDX-License-Identifier: GPL-2.0
"""The mapper end of a host: a process a split writes pairs into files, which `weir kv put` sends then.

The streams are one for each reducer, whatever the number of splits: a box tells hosts apart by their
addresses. They begin when all pairs are there, so that they can be sent again.
"""
import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import threading
import time
import traceback

import maps
from children import ended, failed_by_stream
from pairs import Pairs, new_file
from report import SAID_MAX, Now, tell, tell_said
from split import Split, in_ranges
from wrong import Wrong, failed


def name_of(spec, split):
    return f"{spec['host']}, split {split['index'] + 1} of {split['count']} of dataset {split['dataset']}"


class Mapper:
    """One split, in a process of its own."""

    def __init__(self, spec, split, files):
        self.spec, self.number, self.name = spec, split["number"], name_of(spec, split)
        self.path, self.now = split["path"], Now()
        try:
            self.split = Split(self.path, split["index"], split["count"])
        except OSError as error:
            raise failed(f"{self.name}: cannot read {self.path}: {error.strerror}") from None
        except ValueError as error:
            raise failed(f"{self.name}: {self.path}: a line {error}") from None
        self.pairs = Pairs(files, spec["type"])

    def told(self):
        tell("map", split=self.number, bytes=self.split.read, of=self.split.size, pairs=self.pairs.count,
             left_out=self.pairs.left_out)

    def lines(self):
        """Of the split; tells how far it is."""
        for number, line in enumerate(self.split):
            if not number % 256 and self.now:
                self.told()
            yield line

    def run(self):
        step = self.spec["map"]
        try:
            if step[0] == "run":
                self.run_command(step[1:])
            else:
                self.run_step(maps.STEPS[step[0]])
            self.pairs.flush()
        except OSError as error:
            raise failed(f"{self.name}: {error.strerror or error}") from None
        self.told()

    def run_step(self, step):
        try:
            for key, value in step.run(self.lines()):
                if step.leaves_out and len(key) > maps.KEY_MAX:
                    self.pairs.left_out += 1
                else:
                    self.pairs.put(key, value)
        except ValueError as error:
            raise failed(f"{self.name}: {self.path}: the line at byte {self.split.at}: "
                         f"{self.spec['map'][0]} {error}") from None

    def run_command(self, command):
        try:
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
        except OSError as error:
            raise failed(f"{self.name}: cannot run {command[0]}: {error.strerror}") from None
        relay = Relay(self.number, child)
        relay.start()
        try:
            feeder = Feeder(self.lines(), child.stdin)
            feeder.start()
            self.put_output(child.stdout, command[0])
            child.wait()
            feeder.join()
        finally:
            child.kill()
            relay.join()
            child.wait()
        if child.returncode:
            raise failed(f"{self.name}: {command[0]} {ended(child.returncode)}")
        if feeder.error:
            raise failed(f"{self.name}: {self.path}: {feeder.error}")

    def put_output(self, lines, command):
        for number, line in enumerate(lines, 1):
            key, tab, value = line.removesuffix(b"\n").removesuffix(b"\r").partition(b"\t")
            try:
                self.pairs.put(key, value if tab else None)
            except ValueError as error:
                raise failed(f"{self.name}: line {number} of what {command} prints {error}") from None


class Feeder(threading.Thread):
    """Gives lines to a command, which may end before it has read them all."""

    def __init__(self, lines, to):
        super().__init__(daemon=True)
        self.lines, self.to, self.error = lines, to, None

    def run(self):
        try:
            with self.to:
                for line in self.lines:
                    self.to.write(line)
        except BrokenPipeError:
            pass
        except (OSError, ValueError) as error:
            self.error = f"a line {error}"


class Relay(threading.Thread):
    """Reports what a command writes to its error output until it has ended. Its own children may go on."""

    def __init__(self, split, command):
        super().__init__(daemon=True)
        self.split, self.file, self.ended = split, command.stderr.fileno(), os.pidfd_open(command.pid)

    def run(self):
        left = fcntl.fcntl(self.file, fcntl.F_GETPIPE_SZ)
        poll = select.poll()
        poll.register(self.file)
        poll.register(self.ended)
        while left > 0:
            ready = dict(poll.poll())
            # Text in the pipe is the command's, however much its children add.
            said = os.read(self.file, min(left, SAID_MAX)) if self.file in ready else b""
            if not said:
                return
            tell_said(self.split, said)
            if self.ended in ready:
                left -= len(said)


def fork_mapper(spec, split, files):
    """Returns the process's number."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        Mapper(spec, split, files).run()
        status = 0
    except Wrong as wrong:
        tell("failed", sentence=str(wrong))
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def map_all(spec, files):
    """Runs the mappers; fails with the first that does, which has said why."""
    mappers = {fork_mapper(spec, split, files): split for split in in_ranges(spec["ranges"])}
    try:
        while mappers:
            pid, status = os.wait()
            split = mappers.pop(pid)
            if os.WIFSIGNALED(status):
                raise failed(f"{name_of(spec, split)} {ended(-os.WTERMSIG(status))}")
            if status:
                sys.exit(1)
    finally:
        # Each ends its command before it ends itself. A signal may have come right after os.wait().
        for call, word in (os.kill, signal.SIGTERM), (os.waitpid, 0):
            for pid in mappers:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    call(pid, word)


def put_command(spec, stream):
    words = {"job": stream["job"], "source": spec["source"], "to": stream["to"], "port": stream["port"],
             "op": spec["operation"], "dtype": spec["type"]}
    if spec["local_keys"]:
        words["local-keys"] = spec["local_keys"]
    return [spec["weir"], "kv", "put", *(str(word) for pair in words.items() for word in pair)]


def put_all(spec, files):
    """A stream to each reducer. A stream's process shares the place in its file with this one, which so
    sees how far it is."""
    of = sum(os.fstat(file.fileno()).st_size for file in files)
    for file in files:
        file.seek(0)
    puts = [subprocess.Popen(put_command(spec, stream), stdin=file, stderr=subprocess.PIPE)
            for stream, file in zip(spec["streams"], files)]
    now = Now()
    try:
        while any(put.poll() is None for put in puts) and not any(put.returncode for put in puts):
            if now:
                tell("put", host=spec["host"], bytes=sum(file.tell() for file in files), of=of)
            time.sleep(0.05)
        for number, put in enumerate(puts):
            if put.returncode:
                raise failed_by_stream(f"{spec['host']}, mapper, stream to reducer {number}", put)
    finally:
        for put in puts:
            put.kill()
            put.wait()
    tell("put", host=spec["host"], bytes=of, of=of)


def run(spec):
    files = [new_file() for _ in spec["streams"]]
    map_all(spec, files)
    put_all(spec, files)
