# SPDX-License-Identifier: GPL-2.0
"""The program that mpirun starts on a host: its mappers, or a reducer. Its arguments say all."""
import os
import signal
import sys

import arguments
import mapper
import reducer
from report import tell
from wrong import Wrong

HERE = os.path.dirname(os.path.realpath(__file__))


def find_weir():
    """The tool that was installed, or built, with this."""
    for path in "../../../sbin/weir", "../bin/weir":
        path = os.path.normpath(os.path.join(HERE, path))
        if os.access(path, os.X_OK):
            return path
    return "weir"


def main():
    spec = arguments.spec(sys.argv[1:])
    spec["weir"] = find_weir()
    # mpirun ends those whose neighbour has failed so: files are removed on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        (mapper if "ranges" in spec else reducer).run(spec)
    except (Wrong, OSError) as error:
        tell("failed", sentence=str(error) if isinstance(error, Wrong) else f"{spec['host']}: {error}")
        sys.exit(1)


if __name__ == "__main__":
    main()
