# SPDX-License-Identifier: BSD-2-Clause
"""Tensors and operations that a job can take, and means of what has been summed.

All ranks have to decide alike. So the decisions are made on what c10d demands to be equal on all ranks:
type and number of elements, kind of device, and operation; not on strides, say.
"""

import torch
import torch.distributed as dist

# c10d's operations, those of the job, and whether the sum is divided by the number of ranks.
_OPERATIONS = ((dist.ReduceOp.SUM, "sum", False), (dist.ReduceOp.AVG, "sum", True),
               (dist.ReduceOp.MIN, "min", False), (dist.ReduceOp.MAX, "max", False))

_FLOATS = {torch.float32, torch.float16, torch.bfloat16}

# Types that only a job of exactly the same takes.
_ALONE = {"int64": torch.int64, "float64": torch.float64}

_TENSORS = {torch.Tensor, torch.nn.Parameter}


def operation(asked):
    """The job's name of an operation of c10d, and whether it is the mean; (None, False) has no name."""
    return next(((name, mean) for each, name, mean in _OPERATIONS if asked == each), (None, False))


def is_plain(tensor):
    """Return whether the tensor is dense: elements at strides, without a meaning of its own."""
    return type(tensor) in _TENSORS and tensor.layout == torch.strided


def is_on_host(tensor):
    return tensor.device.type == "cpu"


def dtypes_of(job_type):
    """The types of elements that a job of such a type takes."""
    if job_type in _ALONE:
        return {_ALONE[job_type]}
    return _FLOATS | ({torch.int32} if job_type == "int32" else set())


def dtype_of(job_type):
    """The type of elements that a job sums as they are."""
    return getattr(torch, job_type)


def size(tensor):
    """In bytes."""
    return tensor.numel() * tensor.element_size()


def flat(tensor):
    """The elements in one dimension, without autograd: a view where they lie one after another, else a
    copy."""
    return tensor.detach().reshape(-1)


def deliver(source, tensor):
    """Copies a flat result into a tensor of any strides.

    As Gloo does, without autograd's notice: leaves that require gradients and tensors of inference mode
    are taken, and versions do not change.
    """
    with torch.inference_mode():
        tensor.data.copy_(source.view(tensor.shape))


def divide(tensor, ranks):
    """Makes the mean of a sum, in place; integers are rounded toward zero, as NCCL's are."""
    if tensor.is_floating_point() or tensor.is_complex():
        tensor.div_(ranks)
    else:
        tensor.div_(ranks, rounding_mode="trunc")


def widen(tensor):
    """A contiguous copy that Gloo can sum, in 32 bits for floats of 16, whose mean may fit where the sum
    does not."""
    if tensor.is_floating_point() and tensor.element_size() == 2:
        return tensor.float().contiguous()
    return tensor.clone(memory_format=torch.contiguous_format)
