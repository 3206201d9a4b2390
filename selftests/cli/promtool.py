#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Check the page of `weir metrics` with promtool, which comes with Prometheus. Debian's package starts a
daemon, so that tests do not install it."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import ktap  # noqa: E402
from metric_pages import page  # noqa: E402


def promtool_finds_nothing():
    done = subprocess.run(["promtool", "check", "metrics"], input=page("prometheus").encode(), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert not done.returncode and not done.stdout, done.stdout.decode()


if not shutil.which("promtool"):
    ktap.skip_all("no promtool: install prometheus")
sys.exit(ktap.run([promtool_finds_nothing]))
