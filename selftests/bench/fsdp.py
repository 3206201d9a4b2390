#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The ranks of the part "fsdp": training with parameters that are sharded, or its collectives alone.

A step has the collectives of FullyShardedDataParallel on an accelerator. Forward, each layer's parameters
are gathered. Backward, from the last layer to the first, they are gathered again, and gradients are
reduced and scattered. The next layer's all-gather starts when the one before has completed
(BACKWARD_PRE), so it overlaps the reduce-scatter of the layer before. The only computation is the update
of the shards. All values are integers, so that sums are exact and can be compared.

With --train it is FullyShardedDataParallel itself. On the CPU it waits for each collective, and none
overlap.

Each rank is a process in its own network namespace, forked after torch has been loaded, which takes
longer than the measurement. Each prints seconds a step and the bytes that it sent and received, as JSON.
"""

import argparse
import copy
import json
import math
import os
import sys
import time

for place in "torch", "lib":
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", place))

import torch
import torch.distributed as dist

import ending
import linkbytes


class Collectives:
    """Layers of float32, each of which is sharded among the ranks."""

    def __init__(self, layers, parameters):
        self.rank, self.ranks, self.steps = dist.get_rank(), dist.get_world_size(), 0
        # Parameters of the layer in use and of the next one.
        self.whole = [torch.empty(parameters) for _ in range(2)]
        self.gradients = [self.pattern(parameters, layer) + self.rank for layer in range(layers)]
        self.shards = [self.mine(self.expected(layer)).clone() for layer in range(layers)]
        self.sums = [torch.empty_like(shard) for shard in self.shards]

    @staticmethod
    def pattern(parameters, layer):
        return (torch.arange(parameters) % 7 + layer).float()

    def mine(self, whole):
        """Return this rank's shard."""
        return whole.chunk(self.ranks)[self.rank]

    def expected(self, layer, steps=0):
        """Return the layer's parameters after this number of steps."""
        pattern = self.pattern(len(self.whole[0]), layer)
        return 3 * pattern - steps * (self.ranks * pattern + sum(range(self.ranks)))

    def gather(self, layer):
        return dist.all_gather_into_tensor(self.whole[layer % 2], self.shards[layer], async_op=True)

    def scatter(self, layer):
        return dist.reduce_scatter_tensor(self.sums[layer], self.gradients[layer], async_op=True)

    def layers(self, order):
        """Yield each layer when its parameters are there and the all-gather of the next one has started."""
        order = list(order)
        gathering = self.gather(order[0])
        for layer, following in zip(order, [*order[1:], None]):
            gathering.wait()
            if following is not None:
                gathering = self.gather(following)
            yield layer

    def step(self):
        layers = range(len(self.shards))
        for _ in self.layers(layers):
            pass
        scattering = None
        for layer in self.layers(reversed(layers)):
            if scattering:
                scattering.wait()
            scattering = self.scatter(layer)
        scattering.wait()
        for shard, gradients in zip(self.shards, self.sums):
            shard -= gradients
        self.steps += 1

    def check(self):
        for layer, shard in enumerate(self.shards):
            assert torch.equal(shard, self.mine(self.expected(layer, self.steps))), f"shard of layer {layer}"
        for layer, whole in enumerate(self.whole):
            assert torch.equal(whole, self.expected(layer, self.steps - 1)), f"parameters of layer {layer}"


class Training:
    """A perceptron with a unit of FullyShardedDataParallel for each layer."""

    def __init__(self, layers, parameters):
        from torch.distributed import fsdp
        self.fsdp, self.steps, self.size = fsdp, 0, math.isqrt(parameters)
        torch.manual_seed(1)
        network = torch.nn.Sequential(*(torch.nn.Linear(self.size, self.size, bias=False)
                                        for _ in range(layers)))
        self.alone = copy.deepcopy(network)
        self.network = fsdp.FullyShardedDataParallel(
            network, device_id=torch.device("cpu"), use_orig_params=True,
            auto_wrap_policy=fsdp.wrap.ModuleWrapPolicy({torch.nn.Linear}))
        self.optimizer = self.optimize(self.network)

    @staticmethod
    def optimize(network):
        return torch.optim.SGD(network.parameters(), lr=0.1)

    def loss(self, network, rank):
        return network(torch.full((1, self.size), rank + 1.0)).mean()

    def step(self):
        self.optimizer.zero_grad()
        self.loss(self.network, dist.get_rank()).backward()
        self.optimizer.step()
        self.steps += 1

    def check(self):
        """Compare the parameters with those of one process that takes the samples of all ranks."""
        ranks = dist.get_world_size()
        optimizer = self.optimize(self.alone)
        for _ in range(self.steps):
            optimizer.zero_grad()
            (sum(self.loss(self.alone, rank) for rank in range(ranks)) / ranks).backward()
            optimizer.step()
        with self.fsdp.FullyShardedDataParallel.summon_full_params(self.network):
            for ours, expected in zip(self.network.parameters(), self.alone.parameters()):
                torch.testing.assert_close(ours.data, expected.data)


def measure(model, steps):
    """Return the means of a step after one that is not measured."""
    model.step()
    dist.barrier()
    before, began = linkbytes.moved(), time.monotonic()
    for _ in range(steps):
        model.step()
    took, after = time.monotonic() - began, linkbytes.moved()
    received, sent = ((b - a) // steps for a, b in zip(before, after))
    return {"seconds": took / steps, "received": received, "sent": sent}


def run(options, rank):
    with open(os.path.join("/run/netns", options.namespaces[rank]), encoding="ascii") as f:
        os.setns(f.fileno(), os.CLONE_NEWNET)
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(len(options.namespaces))}
    if options.backend == "weir":
        import weir.torch   # registers it
    dist.init_process_group(options.backend)
    model = (Training if options.train else Collectives)(options.layers, options.parameters)
    result = measure(model, options.steps)
    model.check()
    print(json.dumps(result), flush=True)
    ending.leave()


def start(options, rank):
    """Run the rank in a process of its own; return its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        run(options, rank)
    except BaseException:   # pylint: disable=broad-except
        sys.excepthook(*sys.exc_info())
    os._exit(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=("gloo", "weir"), required=True)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--parameters", type=int, default=1 << 18, help="of a layer")
    parser.add_argument("--train", action="store_true", help="by FullyShardedDataParallel")
    parser.add_argument("namespaces", nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(1)
    pids = [start(options, rank) for rank in range(len(options.namespaces))]
    return int(any([os.waitpid(pid, 0)[1] for pid in pids]))


sys.exit(main())
