# SPDX-License-Identifier: GPL-2.0
"""Numbers of system calls that no library has, on the machine that runs this."""
import platform

# bpf, delete_module, finit_module
BPF, DELETE_MODULE, FINIT_MODULE = {"x86_64": (321, 176, 313), "aarch64": (280, 106, 273)}[platform.machine()]
