# SPDX-License-Identifier: GPL-2.0
"""mpirun starts the ends on their hosts, and ends them all when one fails."""
import base64
import os
import signal
import subprocess

import arguments
import report
from watch import count
from wrong import failed

HERE = os.path.dirname(os.path.realpath(__file__))
# Seconds in which mpirun has to end the others.
GRACE = 10


def is_mpich(mpirun):
    try:
        said = subprocess.run([mpirun, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False).stdout
    except OSError as error:
        raise failed(f"cannot run {mpirun}: {error.strerror}: install openmpi-bin or mpich") from None
    return "HYDRA" in said


def command(mpirun, ends):
    """Of Open MPI each part names its host; of MPICH a list does, in the order of the parts."""
    words = [mpirun, "-hosts", ",".join(host for host, _ in ends)] if is_mpich(mpirun) else \
        [mpirun, "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
    listed = len(words) == 3
    for number, (host, spec) in enumerate(ends):
        words += [] if number == 0 else [":"]
        words += ["-np", "1"] if listed else ["--host", host, "-np", "1"]
        words += ["/usr/bin/python3", os.path.join(HERE, "end.py"), *arguments.words(spec)]
    return words


class Run:
    """mpirun, and what ends report."""

    def __init__(self, words, watch):
        self.watch, self.sentence = watch, None
        try:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except OSError as error:
            raise failed(f"cannot run {words[0]}: {error.strerror}") from None
        for number in signal.SIGTERM, signal.SIGINT:
            signal.signal(number, lambda number, _: self.fail(f"was ended by {signal.Signals(number).name}"))

    def take(self, line):
        said, told = report.read(line)
        if said:
            self.watch.aside(said)
        if not told:
            return
        if told["weir-mapreduce"] == "failed":
            self.fail(told["sentence"])
        elif told["weir-mapreduce"] == "said":
            self.watch.said(told["split"], base64.b64decode(told["base64"]))
        else:
            self.watch.take(told)

    def fail(self, sentence):
        """The first one is why, the others follow from it. MPICH waits for those that have not failed."""
        if self.sentence is None:
            self.sentence = sentence
            self.process.terminate()
            signal.signal(signal.SIGALRM, lambda *_: self.process.kill())
            signal.alarm(GRACE)

    def wait(self):
        for line in self.process.stderr:
            self.take(line)
        status = self.process.wait()
        signal.alarm(0)
        self.watch.done()
        if self.sentence:
            raise failed(self.sentence)
        if status < 0:
            raise failed(f"mpirun was ended by {signal.Signals(-status).name}")
        if status:
            raise failed(f"mpirun ended with status {status}")
        # MPICH's may say 0 of parts that were ended.
        if self.watch.missing():
            raise failed(f"mpirun ended without a report of {count(self.watch.missing(), 'reducer')}")
