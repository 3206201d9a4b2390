#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Jobs of weir-mapreduce through a box: that of docs/tutorial/mapreduce.md, and others. mpirun's hosts are
# namespaces. To be run in the virtual machine.
#
#	mapreduce.sh		all but
#	mapreduce.sh long	the tutorial's without a box, too, to which more bytes come
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

# The hosts of the tutorial are the first workers, and there is one more, on which the program is started.
boss=4
star_create "$boss" || exit 1
cp /usr/share/common-licenses/GPL-3 "$box_out/text"
LC_ALL=C tr -cs "[:alpha:]" "\n" <"$box_out/text" | tr "[:upper:]" "[:lower:]" | grep . | LC_ALL=C sort |
	uniq -c | awk '{ print $2 "\t" $1 }' >"$box_out/counted"
distinct=$(wc -l <"$box_out/counted")
all=$(awk '{ all += $2 } END { print all }' "$box_out/counted")

cat >"$box_out/agent" <<-END
	#!/bin/bash
	case \$1 in
	alder) i=1 ;;
	birch) i=2 ;;
	cedar) i=3 ;;
	*) exit 255 ;;
	esac
	host=\$1
	shift
	echo "agent: Warning: Permanently added '\$host' to the list of known hosts." >&2
	exec nsenter --net=/run/netns/$(ns_name w)\$i -- unshare --uts -- /bin/sh -c "hostname \$host; \$*"
END
chmod +x "$box_out/agent"

# mapreduce WORD...: on the host of its own.
mapreduce() {
	in_worker "$boss" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=rsh \
		OMPI_MCA_plm_rsh_agent="$box_out/agent" OMPI_MCA_plm_rsh_no_tree_spawn=1 \
		OMPI_MCA_orte_tmpdir_base="$box_out" OMPI_MCA_oob_tcp_if_include=eth0 TMPDIR="$box_out" \
		timeout 600 weir-mapreduce --mpirun mpirun.openmpi "$@"
}

# The box is told what the program says.
tell_box() {
	weir job flush && mapreduce --print "$1" >"$box_out/printed" &&
		grep ^weir "$box_out/printed" | in_router sh -e
}
set_up() {
	weir port flush && tell_box "$1" && box_attach "$boss" tc
}

# counted FILE...: together they are what sort and uniq have counted.
counted() { diff <(LC_ALL=C sort "$@") "$box_out/counted" | head -n 5 && ((PIPESTATUS[0] == 0)); }
# said FILTER: of the summary, the last line on standard error. mpirun's own warnings may come before it.
said() { tail -n 1 "$box_out/errors" | gojq -r "$1"; }
stat() { box_stat ".[].stats.\"$2\"" job show id "$1"; }

# run PROGRAM [WORD...]: its standard error is $box_out/errors.
run() {
	mapreduce --json "${@:2}" "$1" 2>"$box_out/errors" && return
	cat "$box_out/errors"
	return 1
}

# The tutorial's program, with the addresses and paths that there are here.
sed -n '/\$ cat words.mr$/,/\$ weir-mapreduce/p' "$root/docs/tutorial/mapreduce.md" | sed '1d; $d' |
	sed -E "s/10\.0\.([1-9])\.1/10.77.\1.1/; s/10\.0\.0\.254/$(box_addr)/; s,/data/,$box_out/," >"$box_out/words.mr"

tutorial() {
	local through
	grep -q "dataset text path $box_out/text" "$box_out/words.mr" && set_up "$box_out/words.mr" &&
		run "$box_out/words.mr" && counted "$box_out/counts" || return
	[[ $(said '[.mappers, .hosts, .reducers, .boxes, .pairs, .keys] | @text') == "[8,2,1,1,$all,$distinct]" ]] &&
		(($(stat 7 kv-hits) + $(stat 7 kv-misses) == all && $(stat 7 kv-misses) == distinct)) || return
	[[ $long == yes ]] || return 0
	through=$(said .bytes_to_reducers)
	run "$box_out/words.mr" --no-box && counted "$box_out/counts" || return
	[[ $(said .boxes) == 0 ]] && ((through > 10000 && 3 * through < $(said .bytes_to_reducers))) && return
	echo "$through bytes to the reducer with the box"
	cat "$box_out/errors"
	return 1
}
long=${1:+yes}
ktap_run "the program of the tutorial${long:+, with a box and without}" tutorial
[[ -z $long ]] || ktap_end

cat >"$box_out/net.plan" <<-END
	box b address $(box_addr)
	rate 1gbit
	worker alder address 10.77.1.1
	worker birch address 10.77.2.1
	worker cedar address 10.77.3.1
	link alder b
	link birch b
	link cedar b
END
cat >"$box_out/topology.mr" <<-END
	topology net.plan
	slots 2
	dataset text path $box_out/text mappers 3 shared yes hosts alder
	map wordcount
	reduce sum local-keys 100
	reducers 3 output $box_out/part hosts alder cedar
	job 20 keys $((distinct / 20)) port 13000
END

# A mapper is where the text is not, a host has mappers and two reducers, and the box has a twentieth of
# the words for each.
topology() {
	set_up "$box_out/topology.mr" && run "$box_out/topology.mr" && counted "$box_out"/part.[0-2] &&
		[[ $(said '[.mappers, .hosts, .reducers, .boxes] | @text') == "[3,2,3,1]" ]] &&
		(($(stat 20 kv-evictions) > 0 && $(stat 22 kv-evictions) > 0)) &&
		[[ $(box_stat '[.[].port] | sort | unique | @text' job show) == "[13000,13001]" ]] && return
	cat "$box_out/printed" "$box_out/errors"
	weir job show
	return 1
}
ktap_run "several reducers, and a topology" topology

cat >"$box_out/slow.mr" <<-END
	topology net.plan
	slots 1
	dataset text path $box_out/text mappers 2 hosts alder birch
	map run $box_out/slow
	reduce sum
	reducers 1 output $box_out/counts hosts cedar
	job 9 keys 100
END
cat >"$box_out/slow" <<-END
	#!/bin/bash
	if [[ \$(hostname) == birch ]]; then
		until [[ -e $box_out/go ]]; do
			read -rt 0.1 <>"$box_out/fifo"
		done
	fi
	LC_ALL=C tr -cs "[:alpha:]" "\n" | tr "[:upper:]" "[:lower:]" | grep .
END
chmod +x "$box_out/slow"
mkfifo "$box_out/fifo"

flowing() { rises_by 5 100 stat 9 contributions; }
# The one host's pairs are in the box when it is set up anew; the other one's map step waits.
anew() {
	local mapreduce
	rm -f "$box_out/counts"
	set_up "$box_out/slow.mr" || return
	run "$box_out/slow.mr" &
	mapreduce=$!
	flowing && tell_box "$box_out/slow.mr"
	: >"$box_out/go"
	wait "$mapreduce" && counted "$box_out/counts"
}
ktap_run "a box that is set up anew in the middle" anew

ktap_end
