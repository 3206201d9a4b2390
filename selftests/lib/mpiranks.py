# SPDX-License-Identifier: GPL-2.0
"""How mpirun starts the tests' ranks, beside a reference box."""

# The tests run as root and on few processors, and their network has no device but lo.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}   # Open MPI 5

# Each rank has an address of its own, and a file for its output: mpirun mixes them within lines.
WORKER = """
rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
export WEIR_BIND=127.77.1.$((rank + 1)) LD_PRELOAD=$PRELOAD
exec "$@" >"$OUTPUT/$rank"
"""
# The same with errors in that file, too.
WORKER_AND_ERRORS = WORKER.rstrip() + " 2>&1"
