#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare what train.py has printed: of the workers of one run, or of two runs."""

import json
import sys


def read(path):
    with open(path) as file:
        return json.loads(file.readlines()[-1])


def workers(epochs, paths):
    results = [read(path) for path in paths]
    same = len({each["digest"] for each in results}) == 1
    print(f"{results[0]['seconds'] / epochs:.2f} s an epoch, accuracy "
          f"{results[0]['accuracy']:.4f}, parameters of {len(results)} workers: "
          f"{'the same bit for bit' if same else 'DIFFERENT'}")
    return 0 if same else 1


def both(gloo, weir):
    gloo, weir = read(gloo), read(weir)
    print(f"ddp_iteration_over_gloo {weir['seconds'] / gloo['seconds']:.3f}")
    apart = abs(weir["accuracy"] - gloo["accuracy"])
    print(f"accuracies are {apart:.4f} apart")
    return 0 if apart <= 0.02 else 1


if sys.argv[1] == "--both":
    sys.exit(both(*sys.argv[2:]))
sys.exit(workers(int(sys.argv[1]), sys.argv[2:]))
