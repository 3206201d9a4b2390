#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# docs/how-to/add-an-attribute.md, followed on a copy of the tree: how many files an attribute of a job takes
# that are changed by hand, and that the module, the tool and what is saved have it then.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$root/selftests/lib/ktap.sh"
# shellcheck source=../lib/recipe.sh
. "$root/selftests/lib/recipe.sh"
# shellcheck source=../lib/figures.sh
. "$root/selftests/lib/figures.sh"
cd "$root" || exit 1
release=$(scripts/kernel-release) || exit 1

generated="uapi/weir.h kmod/agg/netlink/gen.[ch] userspace/weir/grammar/attributes.c"
touches() {
	local file pattern count=0
	while read -r file; do
		for pattern in $generated; do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $file == $pattern ]] && continue 2
		done
		echo "$file"
		((++count))
	done < <(recipe_changed)
	figures_keep attribute_touches "$count" && ((count <= 3))
}
works() { "$recipe_tree/selftests/vm/run" --kernel "$release" -- selftests/attribute/guest.sh; }

# Of other objects: their entries in the specs alone are enough for the tool.
objects() {
	"$recipe_tree/selftests/attribute/objects" "$recipe_tree" &&
		make -C "$recipe_tree" -s WERROR=1 build/bin/weir build/cli/stand-in.so &&
		"$recipe_tree/selftests/attribute/objects.sh"
}

ktap_header
recipe_begin docs/how-to/add-an-attribute.md selftests/attribute/add weight
ktap_run "three files are changed by hand" touches
recipe_entries 8 uapi/weir.yaml
recipe_entries 2 kmod/agg/job/job.h
recipe_entries 2 kmod/agg/netlink/job.c
ktap_run "all builds without a warning" recipe_builds module build/bin/weir
ktap_run "the attribute works" works
ktap_run "an attribute of each other object is sent, completed, shown and saved" objects
ktap_end
