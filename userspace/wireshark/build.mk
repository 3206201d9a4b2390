# SPDX-License-Identifier: GPL-2.0
# The dissector, which is a script.

INSTALL_WIRESHARK += userspace/wireshark/weir.lua
