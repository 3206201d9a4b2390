#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One rank of a group: what allreduces of all kinds of tensors give, as a line of JSON.

Each cell is a kind of tensor, a type of elements, an operation, a size and a way to wait. Its outcome has
digests of the tensor, of what it was made from, and of the gradient, or the exception's name. "expected" has
digests of the tensors that Gloo does not sum, but weir does, computed here. Elements are small integers, of
which every order of summation gives the same. The test gives WEIR_MIN_BYTES such that small tensors go by
Gloo.
"""

import argparse
import datetime
import itertools
import json
import time
import zlib

import torch
import torch.distributed as dist

import ending
import weir.torch   # noqa: F401

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64")
OPERATIONS = ("SUM", "AVG", "MIN", "MAX", "PRODUCT", "PREMUL_SUM", "BAND")
SIZES = {"small": 60, "large": 2400}
WAITS = ("sync", "wait", "timeout", "future", "poll", "result")


def elements(count, dtype, rank=None):
    """From 1 to 3, by rank."""
    rank = RANK if rank is None else rank
    return ((torch.arange(count) * 7 + rank) % 3 + 1).to(getattr(torch, dtype))


def contiguous(x):
    return x, x


def matrix(x):
    return x.view(-1, 12), x


def transposed(x):
    # Values at the same places on all ranks: Gloo itself sums memory, whatever the strides.
    return x.view(-1, 12).t(), x


def channels_last(x):
    base = x.view(1, 3, 2, -1).contiguous(memory_format=torch.channels_last)
    return base, base


def leaf(x):
    x.requires_grad_()
    return x, x


def non_leaf(x):
    x.requires_grad_()
    return x * 1, x


def view_of_leaf(x):
    parameter = torch.nn.Parameter(x)
    return parameter.detach().view(-1), parameter


def of_a_parameter(x):
    parameter = torch.nn.Parameter(x)
    return parameter, parameter


def tail(x):
    base = torch.cat([x[:4], x])
    return base[4:], base


def scalar(x):
    x = x[:1].view(())
    return x, x


def empty(x):
    return x[:0], x


def inference(x):
    with torch.inference_mode():
        made = x.clone()
    return made, made


KINDS = (contiguous, matrix, transposed, channels_last, leaf, non_leaf, view_of_leaf, of_a_parameter, tail,
         scalar, empty, inference)
FLOATS_ONLY = {leaf, non_leaf, view_of_leaf, of_a_parameter}


def operation(name):
    if name == "PREMUL_SUM":
        return dist._make_nccl_premul_sum(2.0)
    return getattr(dist.ReduceOp, name)


def reduce(tensor, op, wait):
    """The tensors that the work itself gives, or nothing."""
    if wait == "sync":
        dist.all_reduce(tensor, op=op)
        return []
    work = dist.all_reduce(tensor, op=op, async_op=True)
    if wait == "wait":
        assert work.wait() is True
        assert work.is_completed()
    elif wait == "timeout":
        assert work.wait(datetime.timedelta(seconds=60)) is True
    elif wait == "future":
        return work.get_future().wait()
    elif wait == "poll":
        while not work.is_completed():
            time.sleep(0)
        work.wait()
    else:
        work.wait()
        return work.result()
    return []


def gradient(tensor, source):
    """Return the gradient that backward() gives to the source, if the tensor was made from it."""
    if not tensor.requires_grad or tensor.is_leaf:
        return None
    tensor.sum().backward()
    return source.grad


def outcome(kind, dtype, op, size, wait):
    try:
        tensor, source = kind(elements(SIZES[size], dtype))
        given = reduce(tensor, operation(op), wait)
        assert all(each.data_ptr() == tensor.data_ptr() for each in given)
        return [digest(tensor), digest(source), digest(gradient(tensor, source))]
    except Exception as error:
        return type(error).__name__


def digest(tensor):
    """Of the elements in the order of their indices."""
    if tensor is None:
        return None
    return zlib.crc32(tensor.detach().clone().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes())


def expected(kind, dtype, op, size):
    """The digest of a mean, or of a reduction of bfloat16; None for what Gloo does."""
    if op != "AVG" and (dtype != "bfloat16" or op not in ("SUM", "MIN", "MAX")) or dtype == "bool":
        return None
    wide = "float64" if dtype in ("float16", "bfloat16", "float32") else dtype
    every = torch.stack([kind(elements(SIZES[size], wide, rank))[0].detach()
                         for rank in range(dist.get_world_size())])
    if op in ("MIN", "MAX"):
        result = every.amin(0) if op == "MIN" else every.amax(0)
    else:
        result = every.sum(0)
        if op == "AVG":
            result = result / len(every)
    return digest(result.to(getattr(torch, dtype)))


def cells():
    """All types with all operations; all kinds and waits with some."""
    for dtype, op, size in itertools.product(DTYPES, OPERATIONS, SIZES):
        yield contiguous, dtype, op, size, "sync"
    for dtype, size, wait in itertools.product(DTYPES, SIZES, WAITS[1:]):
        yield contiguous, dtype, "SUM", size, wait
    for kind, size, wait in itertools.product(KINDS[1:], SIZES, WAITS):
        for op in "SUM", "AVG", "MAX":
            yield kind, "float32", op, size, wait
        for dtype in DTYPES[1:]:
            if kind not in FLOATS_ONLY or dtype.startswith(("float", "bfloat")):
                yield kind, dtype, "SUM", size, wait


def in_a_function():
    """An allreduce inside an autograd.Function, as tensor parallelism has it."""
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.clone()
            dist.all_reduce(y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            gradient = gradient.clone()
            dist.all_reduce(gradient)
            return gradient

    outcomes = {}
    for size, count in SIZES.items():
        x = elements(count, "float32").requires_grad_()
        y = Sum.apply(x)
        (y * y).sum().backward()
        outcomes[f"in_a_function {size}"] = [digest(y), digest(x.grad)]
    return outcomes


def under_no_grad():
    outcomes = {}
    for size, count in SIZES.items():
        x = elements(count, "float32").requires_grad_()
        with torch.no_grad():
            y = x * 2
            dist.all_reduce(y)
            dist.all_reduce(x)
        outcomes[f"under_no_grad {size}"] = [digest(x), digest(y), y.requires_grad]
    return outcomes


def saved_for_backward():
    """Versions of tensors do not change, so autograd does not complain."""
    outcomes = {}
    for size, count in SIZES.items():
        x = elements(count, "float32").requires_grad_()
        y = x * x
        z = (y * y).sum()
        dist.all_reduce(y)
        z.backward()
        outcomes[f"saved_for_backward {size}"] = [digest(y), digest(x.grad)]
    return outcomes


def callbacks():
    """A callback that waits for another allreduce, as torch's PowerSGD hook has it."""
    outcomes = {}
    for size, count in SIZES.items():
        def square(done):
            again = done.value()[0] * 1
            return dist.all_reduce(again, async_op=True).get_future().wait()[0]

        first = dist.all_reduce(elements(count, "float32"), async_op=True).get_future()
        outcomes[f"callback {size}"] = digest(first.then(square).wait())
    return outcomes


def early_result():
    """Before all have called there is none."""
    outcomes = {}
    for size, count in SIZES.items():
        dist.barrier()
        if RANK == 0:
            work = dist.all_reduce(elements(count, "float32"), async_op=True)
            try:
                work.result()
                outcomes[f"early_result {size}"] = "a result"
            except RuntimeError as error:
                outcomes[f"early_result {size}"] = type(error).__name__
            try:
                work.wait(datetime.timedelta(seconds=0.2))
                outcomes[f"short_wait {size}"] = "done"
            except RuntimeError as error:
                outcomes[f"short_wait {size}"] = type(error).__name__
            store.set(f"looked {size}", "")
            work.wait()
        else:
            store.wait([f"looked {size}"])
            dist.all_reduce(elements(count, "float32"))
    return outcomes


parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="weir")
parser.add_argument("--fast", action="store_true", help="fewer ways to wait")
arguments = parser.parse_args()
dist.init_process_group(arguments.backend)
RANK = dist.get_rank()
store = dist.PrefixStore("conformance", dist.distributed_c10d._get_default_store())
if arguments.fast:
    WAITS = ("sync", "future")
outcomes, models = {}, {}
for kind, dtype, op, size, wait in cells():
    name = " ".join([kind.__name__, dtype, op, size, wait])
    outcomes[name] = outcome(kind, dtype, op, size, wait)
    models[name] = expected(kind, dtype, op, size)
for check in in_a_function, under_no_grad, saved_for_backward, callbacks, early_result:
    outcomes |= check()
print(json.dumps({"outcomes": outcomes, "expected": models}), flush=True)
ending.leave()
