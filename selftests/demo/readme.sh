#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# README's commands, as they are written there: each block below a comment
#
#	<!-- run: box -->	or "worker N", or "another box"
#
# is run by a shell on that machine, in their order. Blocks of workers run at once; the next
# of the box waits for them. Another box is a new network, with nothing set up. To be run in
# the virtual machine, whose module is unloaded first: README begins with loading it.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
cd "$root" || exit 1

# blocks: one file a block, and their machines in order.
blocks() {
	awk -v to="$work" '
		/^<!-- run: .* -->$/ { sub(/^<!-- run: /, ""); sub(/ -->$/, ""); host = $0; open = 0; next }
		host != "" && /^    / { if (!open) { file = sprintf("%s/block%02d", to, ++n); print host; open = 1 }
			print substr($0, 5) >file; next }
		host != "" && open && !/^$/ { close(file); host = ""; open = 0 }' README.md
}

# lines FILE: its commands, one a line: what a backslash or a loop goes on with belongs to it.
lines() {
	awk '{ line = line (line == "" ? "" : "\n") $0 } /^[[:space:]]*(#|$)/ { if (line == $0) line = ""; }
		/\\$/ { next }
		line != "" { depth += gsub(/(^|[ ;])do( |$)/, "&"); depth -= gsub(/(^|[ ;])done( |$)/, "&") }
		line != "" && !depth { printf "%s%c", line, 0; line = "" }' "$1"
}

# Networks. A box has the devices of all of README's examples, each with a host behind it.
box() {
	local device n=0
	boxes=$((boxes + 1))
	ns_create "box$boxes" || return
	for device in eth0 eth1 eth2 w1 w2 vnet0 vnet1; do
		ns_create "$device-$boxes" && ns_link "box$boxes" "$device" "$device-$boxes" eth0 || return
		# XDP forwards whole checksums alone, as a card has them.
		in_ns "$device-$boxes" ethtool -K eth0 tx off >/dev/null || return
		n=$((n + 1))
	done
}
place() {
	case $1 in
	worker*) echo "eth$((${1#worker } + 1))-$boxes" ;;
	*) echo "box$boxes" ;;
	esac
}

# What goes on until it is interrupted has to say something first; a service goes on.
failed=0
goes_on() { [[ $1 =~ ^weir\ (top|monitor) ]]; }
watch_it() {
	local words text='weir top' stirs=''
	read -r -a words <<<"${1%%#*}"
	# Whoever watches events hears of some.
	if [[ ${words[1]} == monitor ]]; then
		text='generation'
		(while weir -n "$(ns_name "$2")" job set id 7 quorum all && [[ -e $work ]]; do sleep 1; done) >/dev/null 2>&1 &
		stirs=$!
	fi
	in_ns "$2" "$here/../cli/in-terminal" 24 100 wait "$text" signal INT -- "${words[@]}"
	set -- $?
	[[ -z $stirs ]] || kill "$stirs"
	# The interrupt is the only end that it has.
	[[ $1 == 0 || (-n $stirs && $1 == 254) ]]
}
command_run() {
	local place=$1 line=$2 said status
	if goes_on "$line"; then
		said=$(watch_it "$line" "$place" 2>&1)
		status=$?
	elif [[ $line == weird\ * ]]; then
		in_ns "$place" bash -c "${line%%#*}" >"$work/weird" 2>&1 &
		at_exit kill_quietly "$!"
		poll 60 in_ns "$place" bash -c ': </dev/tcp/::1/12080' 2>/dev/null
		status=$?
		said=$(<"$work/weird")
	else
		said=$(in_ns "$place" bash -c "sudo() { \"\$@\"; }; $line" 2>&1)
		status=$?
	fi
	((status == 0)) && return
	printf '%s: %s\nstatus %s\n%s\n' "$place" "$line" "$status" "$said"
	return 1
}
kill_quietly() { kill "$1" 2>/dev/null || true; }

# The commands of a block, one after another; how many failed is in FILE.failed.
block_run() {
	local place=$1 file=$2 line bad=0
	while IFS= read -r -d '' line; do
		command_run "$place" "$line" || bad=$((bad + 1))
	done < <(lines "$file")
	echo "$bad" >"$file.failed"
	((!bad))
}

pending=()
wait_for_workers() {
	local entry name pid file
	for entry in "${pending[@]}"; do
		read -r pid file name <<<"$entry"
		wait "$pid"
		[[ -s $file.said ]] && ktap_note "$(<"$file.said")"
		settle "$file" "$name"
	done
	pending=()
}
settle() {
	local bad
	bad=$(cat "$1.failed" 2>/dev/null) || bad=1
	failed=$((failed + bad))
	ktap_note "$SECONDS s"
	if ((bad)); then ktap_fail "$2"; else ktap_pass "$2"; fi
}

run_all() {
	local host file n=0 name
	while IFS= read -r host; do
		n=$((n + 1))
		file=$(printf '%s/block%02d' "$work" "$n")
		name="block $n, on $host: $(head -n 1 "$file")"
		[[ $host == worker* ]] || wait_for_workers
		if ((boxes == 0)) || [[ $host == another* ]]; then
			box || ktap_fail "network $boxes is made"
		fi
		if [[ $host == worker* ]]; then
			block_run "$(place "$host")" "$file" >"$file.said" 2>&1 &
			pending+=("$! $file $name")
		else
			block_run "$(place "$host")" "$file" >"$file.said" 2>&1
			[[ -s $file.said ]] && ktap_note "$(<"$file.said")"
			settle "$file" "$name"
		fi
	done <"$work/hosts"
	wait_for_workers
}

# Each format of README has a block, and what is extracted is what is there.
extracted() {
	local n
	n=$(grep -c '^<!-- run: ' README.md) && ((n >= 10 && $(wc -l <"$work/hosts") == n)) &&
		grep -hq 'sudo make install' "$work"/block* && grep -hq 'grads 364 .*--verify' "$work"/block*
}

# To make an index of four thousand modules takes an emulated machine minutes: this one has those
# of networks alone.
fewer_modules() {
	local at all=$work/modules part file
	at=/lib/modules/$(uname -r)
	mkdir "$all" && mount --bind "$at" "$all" && mount -t tmpfs modules "$at" || return
	cp "$all"/modules.* "$at/" || return
	for file in build source; do
		[[ ! -e $all/$file ]] || ln -s "$(readlink -f "$all/$file")" "$at/$file" || return
	done
	mkdir -p "$at/kernel/drivers/net" && cp -s "$all"/kernel/drivers/net/*.ko* "$at/kernel/drivers/net/" || return
	for part in net lib crypto; do
		cp -rs "$all/kernel/$part" "$at/kernel/" || return
	done
	at_exit umount "$at" "$all"
}

# The tests, of a report that has begun. They unload the module, and load it by README's words.
readme_tests() {
	boxes=0
	if ! modules_go 1; then
		ktap_skip "README's commands" "the module is in use"
		return
	fi
	# Whoever runs this has built the tree. For make to find that out takes minutes in a
	# machine that is emulated, and where it was built with other flags, as make check does, all
	# would be compiled again there. So make is told.
	mkdir "$work/bin" && printf '#!/bin/sh\nexec %s -o all -o module -o tools "$@"\n' "$(command -v make)" >"$work/bin/make" &&
		chmod +x "$work/bin/make" || exit 1
	fewer_modules || exit 1
	# What make install puts there comes first from now on.
	PATH=$work/bin:/usr/local/sbin:/usr/local/bin:$PATH LD_LIBRARY_PATH=''
	export PATH LD_LIBRARY_PATH
	blocks >"$work/hosts"
	ktap_run "README's blocks are found" extracted
	run_all
	ktap_note "figure readme_commands_failed $failed"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	ktap_header
	readme_tests
	ktap_end
fi
