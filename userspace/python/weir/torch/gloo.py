# SPDX-License-Identifier: BSD-2-Clause
"""Gloo's allreduce, extended to all that a box can do: means, bfloat16, and tensors of any strides.

Whether a tensor goes through the box depends on its size and on the box. A program must not see the
difference, except in time.
"""

import torch
import torch.distributed as dist

from . import numbers
from .work import StagedWork


def allreduce(gloo, ranks, tensors, opts, asked):
    """Start the allreduce of a process group's method of this name; return its work.

    asked       the operation, of opts or opts itself
    """
    operation, mean = numbers.operation(asked)
    if (operation is None or len(tensors) != 1 or not numbers.is_plain(tensors[0]) or
            not numbers.is_on_host(tensors[0])):
        return gloo.allreduce(tensors, opts)
    tensor = tensors[0]
    if not mean and tensor.dtype != torch.bfloat16 and tensor.is_contiguous():
        return gloo.allreduce(tensors, opts)
    flat = numbers.flat(tensor)
    wide = numbers.widen(flat) if mean or tensor.dtype == torch.bfloat16 else flat
    options = dist.AllreduceOptions()
    options.reduceOp = dist.ReduceOp.SUM if mean else asked
    if hasattr(opts, "timeout"):
        options.timeout = opts.timeout

    def finish():
        if mean:
            numbers.divide(wide, ranks)
        numbers.deliver(wide, tensor)

    return StagedWork(gloo.allreduce([wide], options), tensor, finish)
