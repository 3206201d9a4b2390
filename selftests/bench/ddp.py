#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One worker of the part "ddp": trains by DistributedDataParallel as it is told.

Reads lines: a backend begins a run of that, and prints "ready" behind the warm-up; "go N"
trains N batches, and prints seconds a batch and a digest of the parameters; "end" ends the run.
Torch is loaded once for all runs, as that takes longer than they do.
"""

import hashlib
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torch"))

import torch
import torch.distributed as dist

import digits

# 1.1 million parameters: 64 inputs, twice as many neurons as these, 10 answers.
WIDTH = 1024
BATCH, WARMUP = 1, 3


class Run:
    def __init__(self, backend, pixels, answers):
        if backend == "weir":
            import weir.torch   # registers it
        # Each run meets at a port of its own.
        os.environ["MASTER_PORT"] = str(int(os.environ["MASTER_PORT"]) + 1)
        dist.init_process_group(backend)
        torch.manual_seed(1)
        self.model = torch.nn.parallel.DistributedDataParallel(digits.perceptron(WIDTH))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.pixels, self.answers, self.next = pixels, answers, dist.get_rank()
        self.train(WARMUP)

    def train(self, batches):
        for _ in range(batches):
            mine = torch.arange(self.next, self.next + BATCH * dist.get_world_size(),
                                dist.get_world_size()) % len(self.pixels)
            self.next += BATCH * dist.get_world_size()
            self.optimizer.zero_grad()
            torch.nn.functional.cross_entropy(self.model(self.pixels[mine]),
                                              self.answers[mine]).backward()
            self.optimizer.step()

    def digest(self):
        whole = hashlib.sha256()
        for parameter in self.model.parameters():
            whole.update(parameter.detach().numpy().tobytes())
        return whole.hexdigest()[:16]


def main():
    torch.set_num_threads(1)
    (pixels, answers), _ = digits.load()
    run = None
    for line in map(str.strip, sys.stdin):
        if line == "end":
            dist.destroy_process_group()
            print("ended", flush=True)
        elif line.startswith("go "):
            iterations = int(line.split()[1])
            began = time.monotonic()
            run.train(iterations)
            print("%.6f" % ((time.monotonic() - began) / iterations), run.digest(), flush=True)
        else:
            run = Run(line, pixels, answers)
            print("ready", flush=True)


main()
