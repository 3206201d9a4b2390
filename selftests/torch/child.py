# SPDX-License-Identifier: GPL-2.0
"""Python programs in processes of their own that do not import anew what this one has: of torch
that is two seconds of a processor for each."""

import atexit
import concurrent.futures
import contextlib
import os
import runpy
import signal
import sys
import traceback


def become(path, arguments, environment):
    """Runs a program as python would; its exit status."""
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        # As the interpreter has it.
        sys.last_type, sys.last_value, sys.last_traceback = sys.exc_info()
        traceback.print_exc()
        return 1
    return 0


class Child:
    """A program that runs; its standard input, output and error are text."""

    def __init__(self, path, arguments, environment):
        (read, self_in), (self_out, write), (self_error, error) = (os.pipe() for _ in range(3))
        sys.stdout.flush()
        self._pid = os.fork()
        if not self._pid:
            self._start((read, write, error), path, arguments, environment)
        for each in (read, write, error):
            os.close(each)
        self.stdin, self.stdout, self.stderr = open(self_in, "w"), open(self_out), open(self_error)
        self.returncode = None

    @staticmethod
    def _start(ends, path, arguments, environment):
        """Never returns: what waits for an end above, as a test with its box, is not this process's."""
        status = 1
        try:
            for number, each in enumerate(ends):
                os.dup2(each, number)
            # Nobody else's pipe stays open by this process.
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
            status = become(path, arguments, environment)
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)

    def communicate(self, words="", timeout=None):
        """Waits for its end, after some last words; what it has said on the output and on the error output."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.write(words)
            self.stdin.close()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            reads = [pool.submit(each.read) for each in (self.stdout, self.stderr)]
            try:
                said = [each.result(timeout) for each in reads]
            except TimeoutError:
                self.kill()
                raise
        self._wait()
        return said

    def _wait(self):
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def go_on(self):
        """After a SIGSTOP, which it may be about to send itself."""
        os.waitpid(self._pid, os.WUNTRACED)
        os.kill(self._pid, signal.SIGCONT)

    def kill(self):
        if self.returncode is None:
            os.kill(self._pid, signal.SIGKILL)
            self._wait()
