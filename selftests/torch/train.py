#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A training run as a user has it: the backend is one word, the hook one line.

Prints a line of JSON: the accuracy, a digest of the parameters, seconds.
"""

import argparse
import hashlib
import json
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

import digits


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", default="gloo")
    parser.add_argument("--hook", action="store_true")
    parser.add_argument("--network", choices=("perceptron", "convolutional"), default="perceptron")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--dtype", default="float32", help="of the network")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--rate", type=float, default=0.1)
    # The tests change the world meanwhile.
    parser.add_argument("--pause", type=int, default=-1, metavar="EPOCH",
                        help="before that one, say so and wait for a line on the input")
    parser.add_argument("--pausing", type=int, metavar="RANK", help="this one alone does")
    parser.add_argument("--bind", metavar="PREFIX",
                        help="the ranks' addresses are it and their numbers, from 1")
    parser.add_argument("--checkpoint", metavar="FILE",
                        help="written after each epoch; where it is there, training goes on from it")
    parser.add_argument("--kill", type=int, default=-1, metavar="EPOCH",
                        help="the last rank is killed in it, the first time that it gets there")
    return parser.parse_args()


def network(wanted):
    torch.manual_seed(1)
    if wanted.network == "convolutional":
        return digits.convolutional()
    return digits.perceptron(wanted.width)


def save(wanted, epoch, model, optimizer, order):
    if dist.get_rank() == 0:
        torch.save({"epoch": epoch, "model": model.state_dict(), "order": order.get_state(),
                    "optimizer": optimizer.state_dict()}, wanted.checkpoint + ".new")
        os.replace(wanted.checkpoint + ".new", wanted.checkpoint)
    dist.barrier()


def restore(wanted, model, optimizer, order):
    """The epoch to go on with."""
    if not wanted.checkpoint or not os.path.exists(wanted.checkpoint):
        return 0
    saved = torch.load(wanted.checkpoint)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    order.set_state(saved["order"])
    return saved["epoch"] + 1


def pause(wanted):
    if wanted.pausing in (None, dist.get_rank()):
        print("paused", flush=True)
        sys.stdin.readline()


def is_killed(wanted, epoch):
    return (epoch == wanted.kill and dist.get_rank() == dist.get_world_size() - 1 and
            os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0")


def learn(model, pixels, answers, wanted):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    optimizer = torch.optim.SGD(model.parameters(), lr=wanted.rate, momentum=0.9)
    order = torch.Generator().manual_seed(2)
    for epoch in range(restore(wanted, model, optimizer, order), wanted.epochs):
        if epoch == wanted.pause:
            pause(wanted)
        batches = torch.randperm(len(pixels), generator=order).split(wanted.batch * ranks)
        for number, batch in enumerate(batches):
            if number == len(batches) // 2 and is_killed(wanted, epoch):
                os.kill(os.getpid(), signal.SIGKILL)
            mine = batch[rank::ranks]
            optimizer.zero_grad()
            output = model(pixels[mine]).float()
            torch.nn.functional.cross_entropy(output, answers[mine]).backward()
            optimizer.step()
        if wanted.checkpoint:
            save(wanted, epoch, model, optimizer, order)


def digest(model):
    whole = hashlib.sha256()
    for parameter in model.parameters():
        whole.update(parameter.detach().float().numpy().tobytes())
    return whole.hexdigest()


def main():
    wanted = arguments()
    torch.set_num_threads(1)
    if wanted.bind:
        os.environ["WEIR_BIND"] = wanted.bind + str(int(os.environ["RANK"]) + 1)
    if wanted.hook or wanted.backend == "weir":
        import weir.torch
    dist.init_process_group(wanted.backend)
    dtype = getattr(torch, wanted.dtype)
    (pixels, answers), test = digits.load()
    model = network(wanted).to(dtype)
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    if wanted.hook:
        parallel.register_comm_hook(weir.torch.state(), weir.torch.allreduce_hook)
    began = time.monotonic()
    learn(parallel, pixels.to(dtype), answers, wanted)
    print(json.dumps({"seconds": time.monotonic() - began, "digest": digest(model),
                      "accuracy": digits.accuracy(model, test[0].to(dtype), test[1])}))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
