# SPDX-License-Identifier: GPL-2.0
"""Sentences on processes that have ended."""
import signal

from wrong import failed


def ended(status):
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def failed_by_stream(who, process):
    """@process is weir, which says why as the last line of its error output."""
    said = process.stderr.read().decode(errors="replace").strip().splitlines()
    return failed(f"{who}: {said[-1] if said else 'weir ' + ended(process.returncode)}")
