# SPDX-License-Identifier: BSD-2-Clause
"""Runs the callbacks of futures, apart from the thread that makes progress.

A callback may itself wait for an allreduce, as those of torch's PowerSGD hook do. Each job therefore gets
an idle thread, or a new one when all are blocked.
"""

import queue
import threading

_jobs = queue.SimpleQueue()
_lock = threading.Lock()
_idle = 0


def run(function, *arguments):
    """Has a thread call the function soon. It must not raise."""
    global _idle
    with _lock:
        start = _idle == 0
        if not start:
            _idle -= 1
    _jobs.put((function, arguments))
    if start:
        threading.Thread(target=_serve, name="weir-callbacks", daemon=True).start()


def _serve():
    global _idle
    while True:
        function, arguments = _jobs.get()
        function(*arguments)
        # The frame would keep vectors alive until the next job.
        del function, arguments
        with _lock:
            _idle += 1
