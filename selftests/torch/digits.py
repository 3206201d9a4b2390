# SPDX-License-Identifier: GPL-2.0
"""Handwritten digits (1,797 of 8 by 8 pixels, see scripts/digits), and two networks that learn to read them."""

import gzip
import os

import numpy
import torch

TEST = 297


DIGITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/digits.csv.gz")


def load():
    """Pixels and digits to learn from, and to test with."""
    with gzip.open(DIGITS, "rt") as lines:
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
