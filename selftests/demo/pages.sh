#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The commands of README.md and of the pages of docs/ that users copy. Each block below a comment
#
#	<!-- run: box -->	or "worker N", "guest N", or "another box"
#
# is run by a shell on that machine, in the order of the page. Blocks of workers and guests run at
# once; the next block of the box waits for them. Each page has a network of its own, and so has
# another box. A block below
#
#	<!-- output -->
#
# is what the block before it prints: each of its lines must be there, with any numbers. To be run
# in the virtual machine, whose module is unloaded first: README begins with loading it.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"
cd "$root" || exit 1

# blocks PAGE: one file for each block, and a line "HOST FILE" for each, with "output" as the host of
# what the block before it prints.
blocks() {
	awk -v to="$work/$(basename "$1" .md)" '
		/^<!-- (run: .*|output) -->$/ { sub(/^<!-- (run: )?/, ""); sub(/ -->$/, ""); host = $0; open = 0; next }
		host != "" && /^    / { if (!open) { file = sprintf("%s-%02d", to, ++n); print file, host; open = 1 }
			for (; blank > 0; blank--) print "" >file
			print substr($0, 5) >file; next }
		host != "" && open && /^$/ { blank++; next }
		{ blank = 0 }
		host != "" && open { close(file); host = ""; open = 0 }' "$1"
}

# lines FILE: its commands, one after another, each ended by a zero byte: what a backslash, a loop or
# a here document continues belongs to it.
lines() {
	awk '{ line = line (line == "" ? "" : "\n") $0 }
		here != "" { if ($0 == here) { here = ""; printf "%s%c", line, 0; line = "" } next }
		/^[[:space:]]*(#|$)/ { if (line == $0) line = ""; }
		match($0, /<<.[A-Z]+/) { here = substr($0, RSTART + 3, RLENGTH - 3); next }
		/\\$/ { next }
		line != "" { depth += gsub(/(^|[ ;])do( |$)/, "&"); depth -= gsub(/(^|[ ;])done( |$)/, "&") }
		line != "" && !depth { printf "%s%c", line, 0; line = "" }' "$1"
}

# Networks. A box has the devices of all pages, each with a host behind it.
box() {
	local device n=0
	ns_create "box$boxes" || return
	for device in eth0 eth1 eth2 eth3 w1 w2 vnet0 vnet1; do
		ns_create "$device-$boxes" && ns_link "box$boxes" "$device" "$device-$boxes" eth0 || return
		# XDP forwards whole checksums alone, as a card has them.
		in_ns "$device-$boxes" ethtool -K eth0 tx off >/dev/null || return
		n=$((n + 1))
	done
}
place() {
	case $1 in
	worker*) echo "eth$((${1#worker } + 1))-$boxes" ;;
	guest*) echo "vnet${1#guest }-$boxes" ;;
	*) echo "box$boxes" ;;
	esac
}

# A command that goes on until it is interrupted has to print something first; a service goes on.
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
	elif [[ $line == weird\ --listen* ]]; then
		in_ns "$place" bash -c "exec ${line%%#*}" >"$work/weird" 2>&1 &
		services+=("$!")
		poll 60 in_ns "$place" bash -c ': </dev/tcp/::1/12080' 2>/dev/null
		status=$?
		said=$(<"$work/weird")
	else
		said=$(in_ns "$place" bash -c "sudo() { \"\$@\"; }; $line" 2>&1)
		status=$?
	fi
	((status == 0)) && { printf '%s\n' "$said" >>"$3.output"; return; }
	printf '%s: %s\nstatus %s\n%s\n' "$place" "$line" "$status" "$said"
	return 1
}
services=()
services_end() {
	local pid
	for pid in "${services[@]}"; do
		ns_term "$pid"
		wait "$pid" 2>/dev/null
	done
	services=()
}
at_exit services_end
# The commands of a block, one after another; how many failed is in FILE.failed.
block_run() {
	local place=$1 file=$2 line bad=0
	while IFS= read -r -d '' line; do
		command_run "$place" "$line" "$file" || bad=$((bad + 1))
	done < <(lines "$file")
	echo "$bad" >"$file.failed"
	((!bad))
}

# Blocks that workers and guests still run, and blocks that show what others are to print.
pending=() busy=() expected=()
wait_for_workers() {
	local entry name pid file
	for entry in "${pending[@]}"; do
		read -r pid file name <<<"$entry"
		wait "$pid"
		[[ -s $file.said ]] && ktap_note "$(<"$file.said")"
		settle "$file" "$name"
	done
	pending=() busy=()
	for entry in "${expected[@]}"; do
		read -r file name <<<"$entry"
		ktap_run "$page: prints $(head -n 1 "$file")" prints "$file" "$name.output"
	done
	expected=()
}
settle() {
	local bad
	bad=$(cat "$1.failed" 2>/dev/null) || bad=1
	failed=$((failed + bad))
	ktap_note "$SECONDS s"
	if ((bad)); then ktap_fail "$2"; else ktap_pass "$2"; fi
}

# Numbers other than zero, and blanks between words, may differ.
plain() { sed -E 's/[0-9]*[1-9][0-9]*(\.[0-9]+)?|0\.[0-9]+/N/g; s/[[:space:]]+/ /g; s/^ //; s/ $//' "$1"; }
prints() {
	local line bad=0
	while IFS= read -r line; do
		[[ -z $line || $line == ... ]] || grep -qxF -e "$line" <(plain "$2") && continue
		echo "not printed: $line"
		bad=1
	done < <(plain "$1")
	((!bad)) || cat "$2"
	return "$bad"
}

# run_page PAGE: the blocks of a page, on networks of their own.
run_page() {
	local host file last='' name page=$1
	boxes=$((boxes + 1))
	box || ktap_fail "$page: a network is made"
	while read -r file host; do
		name="$page: on $host: $(head -n 1 "$file")"
		if [[ $host == output ]]; then
			expected+=("$file $last")
			continue
		fi
		# A machine's earlier blocks are done when its next one begins.
		[[ ($host == worker* || $host == guest*) && " ${busy[*]} " != *" $host, "* ]] || wait_for_workers
		if [[ $host == another* ]]; then
			boxes=$((boxes + 1))
			box || ktap_fail "$page: another network is made"
		fi
		last=$file
		: >"$file.output"
		if [[ $host == worker* || $host == guest* ]]; then
			block_run "$(place "$host")" "$file" >"$file.said" 2>&1 &
			pending+=("$! $file $name") busy+=("$host,")
		else
			block_run "$(place "$host")" "$file" >"$file.said" 2>&1
			[[ -s $file.said ]] && ktap_note "$(<"$file.said")"
			settle "$file" "$name"
		fi
	done < <(blocks "$page")
	wait_for_workers
	services_end
}

# All blocks of README are extracted.
extracted() {
	local n
	n=$(grep -cE '^<!-- (run: .*|output) -->$' README.md) && ((n >= 3 && $(blocks README.md | wc -l) == n)) &&
		grep -hq 'sudo make install' "$work"/README-* && grep -hq 'grads 364 .*--verify' "$work"/README-*
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

# pages_tests PAGE...: the tests, of a report that has begun. They unload the module, and load it by
# README's words.
pages_tests() {
	local page
	boxes=0
	if ! modules_go 10; then
		ktap_skip "commands of pages" "the module is in use"
		return
	fi
	# Whoever runs this has built the tree. For make to find that out takes minutes in a
	# machine that is emulated, and where it was built with other flags, as make check does, all
	# would be compiled again there. So make is told.
	mkdir "$work/bin" && printf '#!/bin/sh\nexec %s -o all -o module -o tools "$@"\n' "$(command -v make)" >"$work/bin/make" &&
		chmod +x "$work/bin/make" || exit 1
	fewer_modules || exit 1
	# Programs that make install puts there come first from now on.
	PATH=$work/bin:/usr/local/sbin:/usr/local/bin:$PATH LD_LIBRARY_PATH=''
	export PATH LD_LIBRARY_PATH
	# With threads Open MPI 4 uses cmpxchg16b, which the emulated processor does not have.
	[[ ${WEIR_VM-} != tcg ]] || export WEIR_MPI_THREADS=0
	ktap_run "README's blocks are found" extracted
	for page in README.md "$@"; do
		run_page "$page"
	done
	ktap_note "figure readme_commands_failed $failed"
}

# Pages with commands that are run here; docs/how-to/sonic.md has a suite of its own.
pages() { grep -lE '^<!-- run: ' docs/tutorial/*.md docs/how-to/*.md | grep -vF how-to/sonic.md; }

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	(($#)) || mapfile -t pages < <(pages)
	ktap_header
	pages_tests "${@:-${pages[@]}}"
	ktap_end
fi
