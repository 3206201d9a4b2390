# SPDX-License-Identifier: GPL-2.0
"""The end of a rank that does not destroy its group: Gloo of PyTorch 2.6 hangs now and then as it does that."""

import os
import sys

import torch.distributed as dist


def leave():
    """Ends the process when all ranks have come so far."""
    store = dist.PrefixStore("ending", dist.distributed_c10d._get_default_store())
    rank, ranks = dist.get_rank(), dist.get_world_size()
    store.set(f"here {rank}", "")
    store.wait([f"here {each}" for each in range(ranks)])
    store.set(f"leaves {rank}", "")
    # The store is rank 0's.
    if rank == 0:
        store.wait([f"leaves {each}" for each in range(ranks)])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
