# SPDX-License-Identifier: GPL-2.0
"""Handwritten digits (1,797 of 8 by 8 pixels, as the Debian package python3-sklearn ships them),
and two networks that learn to read them."""

import gzip
import importlib.util
import os

import numpy
import torch

TEST = 297


def _file():
    # Found without being imported: that takes seconds.
    package = importlib.util.find_spec("sklearn").submodule_search_locations[0]
    return os.path.join(package, "datasets/data/digits.csv.gz")


def load():
    """Pixels and digits to learn from, and to test with."""
    path = os.environ.get("WEIR_DIGITS") or _file()
    with gzip.open(path, "rt") as lines:
        table = numpy.loadtxt(lines, delimiter=",", dtype=numpy.float32)
    pixels = torch.from_numpy(table[:, :-1] / 16)
    digits = torch.from_numpy(table[:, -1].astype(numpy.int64))
    return (pixels[TEST:], digits[TEST:]), (pixels[:TEST], digits[:TEST])


def perceptron(width):
    return torch.nn.Sequential(
        torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Linear(width, width),
        torch.nn.ReLU(), torch.nn.Linear(width, 10))


def convolutional():
    return torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 8, 8)), torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(),
        torch.nn.Flatten(), torch.nn.Linear(512, 10))


def accuracy(model, pixels, digits):
    with torch.no_grad():
        return float((model(pixels).argmax(1) == digits).float().mean())
