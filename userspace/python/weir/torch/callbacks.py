# SPDX-License-Identifier: BSD-2-Clause
"""Runs the callbacks of futures, apart from the thread that makes progress.

A callback may itself wait for an allreduce, as those of torch's PowerSGD hook do. Each job therefore gets
an idle thread, or a new one when all are blocked.
"""

import atexit
import queue
import threading

# For callbacks to return when the interpreter ends: it must not end in the middle of torch's C++ code.
_EXIT_SECONDS = 5

_jobs = queue.SimpleQueue()
_changed = threading.Condition()
_threads = 0
_unfinished = 0


def run(function, *arguments):
    """Have a thread call the function soon. It must not raise."""
    global _threads, _unfinished
    with _changed:
        _unfinished += 1
        start = _unfinished > _threads
        _threads += start
    _jobs.put((function, arguments))
    if start:
        threading.Thread(target=_serve, name="weir-callbacks", daemon=True).start()


def _serve():
    global _unfinished
    while True:
        function, arguments = _jobs.get()
        function(*arguments)
        # The frame would keep vectors alive until the next job.
        del function, arguments
        with _changed:
            _unfinished -= 1
            _changed.notify_all()


@atexit.register
def _finish():
    with _changed:
        _changed.wait_for(lambda: not _unfinished, _EXIT_SECONDS)
