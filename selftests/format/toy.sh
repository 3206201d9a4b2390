#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/how-to/add-a-format.md, followed on a copy of the tree: its module, programs and tool build without
# a warning and sum packets of the new format.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$root/selftests/lib/ktap.sh"
# shellcheck source=../lib/recipe.sh
. "$root/selftests/lib/recipe.sh"
cd "$root" || exit 1
release=$(scripts/kernel-release) || exit 1

# The suite says what of it fails.
sums() { "$recipe_tree/selftests/vm/run" --kernel "$release" -- selftests/format/guest.sh; }

ktap_header
recipe_begin docs/how-to/add-a-format.md selftests/format/add toy
recipe_entries 2 uapi/weir.yaml
recipe_entries 4 bpf/lib/format/weir_datagram.h
recipe_entries 1 kmod/agg/format/format.h
recipe_entries 1 kmod/agg/format/formats.c
recipe_entries 1 kmod/agg/Kbuild
ktap_run "all builds without a warning" recipe_builds module bpf build/bin/weir
ktap_run "packets are summed" sums
ktap_end
