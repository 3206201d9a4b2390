#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/how-to/add-a-type.md, followed on a copy of the tree: its module and tool build without a warning,
# and the generic tests of types pass with the new one.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$root/selftests/lib/ktap.sh"
# shellcheck source=../lib/recipe.sh
. "$root/selftests/lib/recipe.sh"
cd "$root" || exit 1

any_bits() { "$recipe_tree/build/bin/test-unit" reduce_in_pieces | grep -qx 'ok 1 reduce_in_pieces'; }
# The tool takes the word from the spec.
is_a_word() { "$recipe_tree/build/bin/weir" help job | grep -q '^  uint32 '; }

ktap_header
recipe_begin docs/how-to/add-a-type.md selftests/type/add uint32
recipe_entries 2 uapi/weir.yaml
recipe_entries 3 kmod/agg/type/reduce_ops.h
recipe_entries 3 kmod/agg/type/types.c
recipe_entries 3 kmod/agg/Kbuild
recipe_entries 1 selftests/unit/test_reduce.c
ktap_run "all builds without a warning" recipe_builds module build/bin/weir build/bin/test-unit
ktap_run "any bits give the same sums in pieces and by vectors" any_bits
ktap_run "the tool knows it" is_a_word
ktap_end
