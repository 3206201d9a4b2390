# SPDX-License-Identifier: GPL-2.0
"""A reducer end: `weir kv get`, whose lines become a file when they are all there."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import maps
from children import failed_by_stream
from report import tell
from wrong import failed


def get_command(spec):
    words = {"job": spec["job"], "sources": spec["sources"], "address": spec["address"], "port": spec["port"],
             "op": spec["operation"], "dtype": spec["type"]}
    return [spec["weir"], "kv", "get", *(str(word) for pair in words.items() for word in pair)]


def device_to(address):
    """The device that leads to those who send; None where that cannot be told."""
    try:
        return json.loads(subprocess.run(["ip", "-j", "route", "get", address], capture_output=True,
                                         check=True).stdout)[0]["dev"]
    except (OSError, subprocess.CalledProcessError, ValueError, LookupError):
        return None


def received(device):
    """Bytes that have come in by a device of this network namespace."""
    with open("/proc/self/net/dev", encoding="ascii") as file:
        for line in file:
            name, _, numbers = line.partition(":")
            if name.strip() == device:
                return int(numbers.split()[0])
    return None


def number(line):
    """The value of a line."""
    return float(line.rpartition(b"\t")[2])


def printed(lines, step):
    """Lines as a reader wants them."""
    if step.ranked:
        lines = sorted(lines, key=lambda line: (-number(line), line))
    if not step.print_key:
        return lines
    parts = (line.partition(b"\t") for line in lines)
    return (step.print_key(key) + tab + value for key, tab, value in parts)


def check_place(name):
    """Finds out at the beginning that a file cannot be written."""
    if name:
        tempfile.TemporaryFile(dir=os.path.dirname(name)).close()


class Output:
    """A file that has its name when it is whole; without a name what is printed then."""

    def __init__(self, name):
        self.name = name
        if name:
            self.part = f"{name}.part-{os.getpid()}"
            self.file = open(self.part, "wb")
        else:
            self.file = tempfile.TemporaryFile()

    def whole(self):
        self.file.flush()
        if self.name:
            os.fsync(self.file.fileno())
            os.rename(self.part, self.name)
        else:
            self.file.seek(0)
            shutil.copyfileobj(self.file, sys.stdout.buffer)
            sys.stdout.buffer.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        if self.name and os.path.exists(self.part):
            os.unlink(self.part)


def write_lines(lines, step, name, is_right):
    """Returns how many lines there are. @is_right is asked before they become the file."""
    count = 0
    # The first one comes when all mappers have ended.
    lines.peek()
    with Output(name) as output:
        for line in printed(lines, step):
            output.file.write(line)
            count += 1
        is_right()
        output.whole()
    return count


def reduce_all(spec):
    device = device_to(spec["from"])
    before = received(device)
    with subprocess.Popen(get_command(spec), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as get:
        def is_right():
            if get.wait():
                raise failed_by_stream(f"{spec['host']}, reducer {spec['reducer']}", get)

        try:
            keys = write_lines(get.stdout, maps.STEPS[spec["map"]], spec["output"], is_right)
        finally:
            get.kill()
    words = {} if before is None else {"device": device, "link": received(device) - before}
    tell("reduced", reducer=spec["reducer"], host=spec["host"], keys=keys, **words)


def run(spec):
    try:
        check_place(spec["output"])
        reduce_all(spec)
    except OSError as error:
        raise failed(f"{spec['host']}, reducer {spec['reducer']}: cannot write "
                     f"{spec['output'] or 'its output'}: {error.strerror}") from None
