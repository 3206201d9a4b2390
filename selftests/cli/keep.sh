#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# State that the tool keeps: `weir save`, `weir restore`, and jobs that live through `weir upgrade`. To
# be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(cd "$here/../.." && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=tool.sh
. "$here/tool.sh"
# shellcheck source=ranks.sh
. "$here/ranks.sh"

work=$(mktemp -d) || exit 1
at_exit rm -rf "$work"

ktap_header
if [[ ! -e /sys/module/weir ]]; then
	ktap_skip "what the tool keeps" "the module is not loaded"
	ktap_end
fi
star_create 2 || ktap_fail "networks are made"
net=$(ns_name router)

weir() { "$tool" -n "$net" "$@"; }
state() { weir save; }
# As refuse, without words that are split: same_as FILE: the namespace is as it says.
same_as() { diff "$1" <(weir save); }

# Something of all that there is.
setup() {
	weir trim-default set size 200 dscp 45 trimmed-dscp 5,6 rule dscp=af11 limit 20 headers 500 &&
		weir job add id 7 sources 4 blocks 64 grads 256 address 10.77.1.254 group 239.1.2.3 policy partial \
			timeout 5ms quorum 75% dead-after 1s timers 16 rate packets 1000 burst 100 bytes 80mbit burst 100000b &&
		weir source add job 7 id 0 address 10.77.1.1 &&
		weir source add job 7 id 3 address 10.77.2.1 port 13000 dev w2 vlan 7 rate packets 10 burst 5 &&
		weir job add id 20 sources 2 blocks 2 grads 32 address 10.0.0.0 format lab timeout 5s &&
		weir job add id 21 sources 1 blocks 4 grads 32 address ff:ff:ff:ff:ff:ff format lab-ethernet dtype float32 &&
		weir source add job 21 id 0 address 02:00:00:00:0a:01 dev w1 vlan untagged &&
		weir job add id 255 op max dtype bfloat16 order fixed port 12345 address fd77:1::254 grads 8 blocks 2 sources 256 &&
		weir source add job 255 id 255 address fd77:2::1 &&
		weir job add id 30 sources 2 ranks 8 blocks 2 grads 32 address 10.77.1.254 parent 10.77.1.1 source 3 parent-port 13000 parent-dev w2 parent-vlan 9 &&
		weir port attach dev w1 mode tc && weir port attach dev w2 mode xdp udp 12000 udp 14000 &&
		weir trim set dev w1 hook qdisc rule dscp=af11,proto=udp,src=10.0.0.0/8 rule vlan=5,from=w2 \
			disable-trim port=4791 size 256 trimmed-dscp none limit 18kb limit 2ms share 20% victim coin full return return-dscp 7 edge on &&
		tc -n "$net" qdisc replace dev w2 root fq_codel &&
		weir trim set dev w2 hook qdisc child keep tc 3 tc-dscp 0:0,3:24 priority 2 queue 0 length keep port-limit 100kb header-time 5ms
}
# The default goes last, where policies make sense without it.
empty() {
	weir trim flush && { weir trim-default del 2>/dev/null || [[ $? == 1 ]]; } && weir port flush && weir job flush && [[ $(weir save) == *"end of 0 commands" ]]
}
saves() {
	setup && weir save >"$work/all" && [[ $(grep -c '^weir ' "$work/all") == 14 ]] && cat "$work/all" &&
		grep -qx 'weir port attach dev w2 mode xdp udp 12000 udp 14000' "$work/all" &&
		grep -q '^weir trim set dev w2 hook qdisc .* child keep$' "$work/all" &&
		json "length == 14 and all(startswith(\"weir \"))" save
}
# The qdisc that was kept is back at the device's root when its policy goes, so it is there again.
goes_round() {
	empty && weir restore "$work/all" && same_as "$work/all" && [[ -z $(weir restore --diff "$work/all") ]] &&
		weir restore -f "$work/all" && same_as "$work/all"
}
# The commands are a shell's, too.
is_a_script() {
	empty && (PATH=$work/bin:$PATH; mkdir "$work/bin" && printf '#!/bin/sh\nexec "%s" -n "%s" "$@"\n' "$tool" "$net" >"$work/bin/weir" &&
		chmod +x "$work/bin/weir" && bash -e "$work/all") && same_as "$work/all"
}
steps() {
	weir job set id 7 timeout 9ms rate none && weir source del job 7 id 0 && weir port detach dev w1 &&
		weir job add id 9 sources 1 blocks 1 grads 1 address 10.77.1.254 && weir trim set dev w1 size 300 headers 5 || return
	weir restore --diff "$work/all" >"$work/steps" || return
	cat "$work/steps"
	[[ $(wc -l <"$work/steps") == 5 ]] && grep -qx 'weir job del id 9' "$work/steps" &&
		grep -qx 'weir job set id 7 timeout 5ms rate packets 1000 burst 100 bytes 80mbit burst 100000b' "$work/steps" &&
		grep -q '^weir source add job 7 id 0 ' "$work/steps" && grep -q '^weir port attach dev w1 ' "$work/steps" &&
		grep -q '^weir trim replace dev w1 ' "$work/steps" && weir restore "$work/all" && same_as "$work/all"
}
# Settings that a file written by hand does not name stay, if the object is there.
by_hand() {
	cat >"$work/hand" <<-'END'
		# by hand
		job add id 7 sources 4 blocks 64 grads 256 \
		    address 10.77.1.254
	END
	weir restore --diff "$work/hand" >"$work/steps" || return
	cat "$work/steps"
	grep -qx 'weir job set id 7 group none rate none' "$work/steps" && grep -qx 'weir job del id 21' "$work/steps" &&
		weir restore "$work/hand" && weir save | grep -q '^weir job add id 7 .* timeout 5ms ' &&
		weir restore "$work/all" && same_as "$work/all"
}
anew() {
	sed 's/^\(weir job add id 7 .*\) grads 256 /\1 grads 128 /' "$work/all" >"$work/other" &&
		weir restore --diff "$work/other" >"$work/steps" || return
	cat "$work/steps"
	[[ $(paste -sd '|' "$work/steps") == 'weir job del id 7|weir job add id 7 '*'|weir source add job 7 id 0 '*'|weir source add job 7 id 3 '* ]] &&
		weir restore "$work/other" && same_as "$work/other" && weir restore "$work/all"
}
# The last step is refused: what was done before it is undone.
nothing() {
	(grep -v '^#\|job 20\|id 20 ' "$work/all"; echo 'weir source add job 7 id 1 address 10.77.1.1') >"$work/bad"
	weir restore "$work/bad" 2>"$work/said"
	(($? == 1)) && grep -q 'source 0 of job 7 has this address' "$work/said" &&
		grep -q 'nothing is changed' "$work/said" && same_as "$work/all" && return
	cat "$work/said"
	return 1
}
mistakes() {
	printf '%s\n' '# one' 'weir job add id 8' >"$work/bad" && refused 2 "$work/bad line 2: job add lacks the key sources" weir restore "$work/bad" &&
		printf '%s\n' 'weir job flush' >"$work/bad" && refused 2 "line 1: .job flush. makes nothing" weir restore "$work/bad" &&
		printf '%s\n' 'port attach dev w1' 'port attach dev w1 mode tc' >"$work/bad" &&
		refused 2 "lines [12] and [12] are both about port dev w1" weir restore "$work/bad" &&
		refused 1 "cannot open $work/none: No such file" weir restore "$work/none" &&
		refused 2 "restore has no option --all" weir restore --all "$work/bad"
}
later() {
	(grep -v '^#' "$work/all"; echo 'weir port attach dev later mode tc udp 12000'
		echo 'weir source add job 7 id 1 address 10.77.2.9 dev later') >"$work/more" || return
	weir restore "$work/more" 2>"$work/said" || { cat "$work/said"; return 1; }
	[[ $(grep -c 'there is no device later yet' "$work/said") == 2 ]] && same_as "$work/all" || return
	ip -n "$net" link add later type veth peer name later-too && weir restore dev later "$work/more" &&
		weir save | grep -qx 'weir port attach dev later mode tc udp 12000' &&
		weir save | grep -q '^weir source add job 7 id 1 .* dev later$' &&
		[[ -z $(weir restore --diff "$work/more") && -z $(weir restore --diff dev later "$work/more") ]] &&
		weir source del job 7 id 1 && ip -n "$net" link del later && same_as "$work/all"
}
# Names that mean something to a shell, to the file, to JSON, or as a word of the tool.
# shellcheck disable=SC1003,SC2016,SC2088 # backslashes at the end, nothing is to be expanded
odd_names() {
	local name odd='$(id>x)' program=$work/$'a\n\'b #\\.o'
	local names=("$odd" '#c' "a'b" 'a"b' 'a,b\' any $'\xff\xfe' '*' "\$'x'" '~' 'p;q')
	empty && cp "$root/build/bpf/users.bpf.o" "$program" || return
	for name in "${names[@]}"; do
		ip -n "$net" link add name "$name" type dummy && weir port attach dev "$name" mode tc udp 12000 || return
	done
	weir job add id 7 sources 2 blocks 4 grads 32 address 10.77.1.254 && weir source add job 7 id 0 address 10.77.1.1 dev "$odd" &&
		weir source add job 7 id 1 address 10.77.1.2 dev ./any && weir chain add dev w2 prio 9 program "$program" section users_pass &&
		weir trim set dev w1 hook qdisc dscp 45 rule 'from=a\,b\\' rule dscp=af11,from=any && weir save -o "$work/odd" && cat "$work/odd" || return
	[[ $(wc -l <"$work/odd") == $((${#names[@]} + 7)) && ! -e x ]] && weir save | diff "$work/odd" - || return
	weir -j port show | gojq -e "length == ${#names[@]}" >/dev/null && weir -j save | gojq -e length >/dev/null && weir metrics >"$work/metrics" &&
		iconv -f UTF-8 -t UTF-8 "$work/metrics" >/dev/null && grep -qF "port=\"\$'\\\\xff\\\\xfe'\"" "$work/metrics" || return
	weir flush all && weir restore "$work/odd" && same_as "$work/odd" && [[ -z $(weir restore --diff "$work/odd") ]] || return
	weir flush all && (cd "$work" && bash -ec 'PATH=$1:$PATH; . "$2"' - "$work/bin" "$work/odd") && same_as "$work/odd" && [[ ! -e $work/x ]] || return
	# As in the name of a unit, where systemd writes others for such characters.
	weir port detach dev '#c' && weir restore dev '\x23c' "$work/odd" && diff <(sort "$work/odd") <(weir save | sort) || return
	for name in "${names[@]}"; do
		ip -n "$net" link del "$name" || return
	done
	weir chain flush && empty && weir restore "$work/all" && same_as "$work/all"
}
# A path that is longer than a request may be is refused, and nothing of the stack is written over.
long_path() {
	local deep=$work/deep i
	(mkdir "$deep" && cd "$deep" && for ((i = 0; i < 16; i++)); do
		mkdir "$(printf '%0240d' 0)" && cd -P "$(printf '%0240d' 0)" || exit
	done
	cp "$root/build/bpf/users.bpf.o" "$(printf '%0205d' 1)" && ln -s "$PWD" "$work/short") || return
	refused 2 "full path of the file has 40[0-9]* bytes, and 1000 at most" weir chain add dev w2 prio 3 program "$work/short/$(printf '%0205d' 1)" section users_pass
}
# A file is replaced as a whole, with its mode; what is no file is left alone.
save_to_file() {
	echo old >"$work/real" && chmod 600 "$work/real" && ln -s real "$work/link" && weir save -o "$work/link" && diff "$work/real" "$work/all" &&
		[[ -L $work/link && $(stat -c %a "$work/real") == 600 ]] && refused 1 "/dev/null is not a regular file" weir save -o /dev/null &&
		[[ -c /dev/null ]] && refused 1 "cannot write $work/none/x: No such file" weir save -o "$work/none/x" && [[ $(ls "$work"/real*) == "$work/real" ]]
}
# Two at once are one after the other, whatever each of them wants.
two_restores() {
	local i one two
	sed 's/^\(weir job add id 7 .*\) grads 256 /\1 grads 128 /' "$work/all" >"$work/other" || return
	for ((i = 0; i < 5; i++)); do
		weir restore "$work/all" &
		one=$!
		weir restore "$work/other" &
		two=$!
		wait "$one" && wait "$two" && { diff -q "$work/all" <(weir save) || same_as "$work/other"; } || return
	done
	weir restore "$work/all" && same_as "$work/all"
}
# A program's jobs are its own: neither saved, nor removed by a restore that goes through or back.
of_programs() {
	weir job add id 40 sources 1 blocks 2 grads 32 address 10.77.1.254 owner weird && weir source add job 40 id 0 address 10.77.1.9 &&
		weir job add id 41 sources 1 blocks 128 grads 256 address 10.77.1.254 format switchml owner switchml && weir job show id 40 | grep -q '^job 40 owner weird ' &&
		json '.[0].owner == "weird"' job show id 40 && json '.[0].owner == "admin"' job show id 7 && same_as "$work/all" || return
	[[ -z $(weir restore --diff "$work/all") ]] && weir job del id 20 && weir restore "$work/all" && same_as "$work/all" && weir -j job show >"$work/jobs" || return
	(grep -v '^#\|job 20\|id 20 ' "$work/all"; echo 'weir job add id 40 sources 1 blocks 1 grads 1 address 10.77.1.254') >"$work/bad"
	! weir restore "$work/bad" 2>"$work/said" && grep -q 'nothing is changed' "$work/said" && same_as "$work/all" &&
		weir -j job show | gojq -e 'map(select(.owner != "admin") | .id) == [40, 41]' >/dev/null && weir source show job 40 | grep -q 10.77.1.9 &&
		weir job del id 40 && weir job del id 41 && same_as "$work/all"
}
ktap_run "save" saves
ktap_run "restore makes the same" goes_round
ktap_run "what is saved is a script" is_a_script
ktap_run "restore --diff, and no more than that is done" steps
ktap_run "a file by hand" by_hand
ktap_run "a job that is made anew has its sources" anew
ktap_run "restore: all or nothing" nothing
ktap_run "save -o replaces a file" save_to_file
ktap_run "names with any bytes" odd_names
ktap_run "a path longer than a request" long_path
ktap_run "two restores at once" two_restores
ktap_run "jobs of programs" of_programs
ktap_run "restore: mistakes are told before anything is done" mistakes
ktap_run "restore: devices that come later" later
# The journal is a socket that takes datagrams.
journal() {
	mkdir -p /run/systemd/journal && /usr/bin/python3 - "$work/journal" <<-'END' &
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind("/run/systemd/journal/socket")
		with open(sys.argv[1], "ab", buffering=0) as out:
		    while True:
		        out.write(s.recv(65536) + b"\n")
	END
	at_exit kill_quietly "$!"
	poll 60 test -S /run/systemd/journal/socket
}
kill_quietly() { kill "$1" 2>/dev/null || true; }
entry() { weir job set id 7 timeout 5ms && grep -q "$1" "$work/journal"; }
monitors() {
	local pid
	"$tool" -n "$net" monitor --journal >"$work/said" 2>&1 &
	pid=$!
	poll 60 entry '^WEIR_EVENT=job$' && grep -q '^MESSAGE=job job 7 format trio ' "$work/journal" && grep -qx 'PRIORITY=6' "$work/journal" &&
		grep -qx 'SYSLOG_IDENTIFIER=weir' "$work/journal" && refused 2 "monitor takes --journal" weir monitor --jounral
	set -- $?
	kill "$pid"
	return "$1"
}
# By a user without rights, as a gatherer is.
metrics() {
	weir metrics >"$work/metrics" && [[ $(tail -n 1 "$work/metrics") == "# EOF" ]] && grep -qx '# TYPE weir_job_blocks counter' "$work/metrics" &&
		grep -qx 'weir_job_blocks_total{job="7"} 0' "$work/metrics" && grep -q '^weir_port_trim_packets_total{port="w1"} ' "$work/metrics" || return
	weir metrics format prometheus >"$work/metrics" && ! grep -q EOF "$work/metrics" && grep -qx '# TYPE weir_job_blocks_total counter' "$work/metrics" &&
		in_router setpriv --reuid 65534 --clear-groups --bounding-set=-all --inh-caps=-all "$tool" metrics | grep -qx 'weir_job_blocks_total{job="7"} 0'
}
journal || ktap_fail "there is a journal"
ktap_run "monitor writes to the journal" monitors
ktap_run "metrics" metrics
flushes() { weir flush all && [[ $(weir save) == *"end of 0 commands" ]] && weir restore "$work/all" && same_as "$work/all"; }
ktap_run "flush all" flushes
ktap_run "all is taken away" empty

# Other modules under a job that runs. The numbers are summed up to the last, and rightly.
module=build/kmod-$(uname -r)
upgrades() {
	weir job add id 7 sources 2 blocks 1024 grads 256 address 10.77.1.254 && weir source add job 7 id 0 address 10.77.1.1 &&
		weir source add job 7 id 1 address 10.77.2.1 && weir port attach dev w1 && weir port attach dev w2 &&
		"$tool" -n "$(ns_name w2)" job add id 3 sources 1 blocks 1 grads 1 address 10.77.2.1 &&
		weir job add id 42 sources 1 blocks 1 grads 1 address 10.77.1.254 owner weird || return
	in_router ip link add c1 type dummy && in_router ip link set c1 up && in_router tc qdisc add dev c1 root handle 1: prio &&
		weir trim-acl set name keep prio 2 disable-trim proto=tcp,port=22,from=c1 && weir trim-acl set name keep prio 1 pass dscp=af11 &&
		weir trim set dev c1 hook qdisc dscp 48 rule any acl keep class 1:2,limit=20kb class 1:1 && weir save >"$work/before" || return
	ranks_begin "$root/build" "$root/build"
	poll 60 is_more_than 500 blocks weir || return
	"$tool" -j upgrade "$root/$module" >"$work/upgrade" || { cat "$work/perf"*; return 1; }
	# Some was summed before, and some is after.
	poll 60 is_more_than 500 blocks weir || { cat "$work/perf"* "$work/upgrade"; weir doctor; return 1; }
	same_as "$work/before" && json '.[0].owner == "weird"' job show id 42 && weir job del id 42 && [[ $("$tool" -n "$(ns_name w2)" save) == *"job add id 3 "* ]] &&
		weir trim del dev c1 && weir trim-acl del name keep && in_router ip link del c1 && gojq -e '.commands == 10 and .failed == 0 and ."gap-ms" > 0' "$work/upgrade" >/dev/null || return
	ranks_end_right
}
# A command that cannot be run again: known before, nothing is changed; else it is named, and the others are made.
upgrade_in_part() {
	local stamp
	echo 10.9.0.0/16 >"$work/set" && weir filter add dev w1 prio 5 set "$work/set" action drop && weir filter add dev w1 prio 6 rule proto=udp,port=9 action drop &&
		weir save >"$work/before" && stamp=$(stat -c %Y-%i /sys/module/weir) && rm "$work/set" || return
	refused 1 "nothing is changed: $net: .weir filter add dev w1 prio 5 .* could not be made again, as $work/set cannot be opened" "$tool" upgrade "$root/$module" &&
		same_as "$work/before" && [[ $(stat -c %Y-%i /sys/module/weir) == "$stamp" ]] && weir filter del dev w1 prio 5 || return
	weir job add id 43 sources 1 ranks 2 blocks 2 grads 32 address 10.77.1.254 parent 10.77.1.88 source 0 &&
		in_router ip address add 10.77.1.88/32 dev lo && weir save >"$work/before" || return
	"$tool" upgrade "$root/$module" 2>"$work/said"
	[[ $? == 1 ]] && grep -q "$net: not made again: .weir job add id 43 " "$work/said" && grep -q "1 of [0-9]* commands failed" "$work/said" &&
		diff <(grep -v '^#\|id 43 ' "$work/before") <(weir save | grep -v '^#') && weir filter show | grep -q 'prio 6 .*drop'
	set -- $?
	(($1 == 0)) || cat "$work/said"
	in_router ip address del 10.77.1.88/32 dev lo && weir filter flush && return "$1"
}
unnamed() {
	local pid
	mkfifo "$work/end"
	# shellcheck disable=SC2016 # expanded there
	unshare -n bash -c '"$1" job add id 1 sources 1 blocks 1 grads 1 address 10.0.0.1 && : >"$2/there" && read -r _ <"$2/end"' - "$tool" "$work" &
	pid=$!
	poll 60 test -e "$work/there" && refused 1 "jobs in network namespaces without a name" "$tool" upgrade "$root/$module" &&
		refused 1 "is no weir module for this kernel" "$tool" upgrade "$tool" &&
		refused 1 "cannot open /none: No such file" "$tool" upgrade /none &&
		refused 1 "cannot run /none: No such file" "$tool" upgrade -f /none &&
		refused 2 "name the directory of the new ones" "$tool" upgrade -f "$tool" "$root/$module/weir.ko"
	set -- $?
	echo >"$work/end"
	wait "$pid"
	return "$1"
}
# By a tool that is run instead of this one's netlink; it is the same here.
by_a_tool() {
	weir save >"$work/before" && "$tool" -j upgrade -f "$tool" "$root/$module" >"$work/upgraded" &&
		gojq -e '.failed == 0' "$work/upgraded" >/dev/null && same_as "$work/before" || return
	# One that fails when ports and policies are gone: they come back.
	cat >"$work/tool" <<-END
		#!/bin/bash
		[[ \$1 != flow ]] || { echo "flow: broken" >&2; exit 1; }
		exec "$tool" "\$@"
	END
	chmod +x "$work/tool"
	"$tool" upgrade -f "$work/tool" "$root/$module" 2>"$work/said" && return 1
	grep -q '^flow: broken$' "$work/said" && grep -q '/tool flow flush. failed' "$work/said" && same_as "$work/before" && return
	cat "$work/said"
	return 1
}
ktap_run "upgrade under a job that runs" upgrades
if [[ -s $work/upgrade && -s $work/perf0 && -s $work/perf1 ]]; then
	ktap_note "figure upgrade_gap_ms $(gojq '."gap-ms"' "$work/upgrade")"
	ktap_note "figure upgrade_wrong_sums $(gojq -s 'map(.results[].wrong) | add' "$work"/perf[01])"
fi
ktap_run "upgrade: what cannot be made again" upgrade_in_part
ktap_run "upgrade: what it refuses" unnamed
by_a_tool_with_all() { weir restore "$work/all" && by_a_tool && empty; }
ktap_run "upgrade: by the tool of the loaded modules" by_a_tool_with_all

# doctor, of a kernel that takes signed modules alone.
locked() {
	local lockdown=/sys/kernel/security/lockdown
	[[ -e $lockdown ]] || mount -t securityfs securityfs /sys/kernel/security
	[[ -e $lockdown ]] || { echo "the kernel cannot be locked down"; return 4; }
	"$tool" -j doctor | gojq -e '.checks | any(.check == "signature" and .status == "ok")' >/dev/null || return
	weir flush all && modules_go 60 && echo integrity >"$lockdown" || return
	"$tool" -j doctor >"$work/doctor"
	gojq -e '.checks | any(.check == "signature" and .status == "fail" and (.found | test("locked down .integrity")) and (.fix | test("mokutil")))' \
		"$work/doctor" >/dev/null || { cat "$work/doctor"; return 1; }
	! insmod "$root/$module/weir_core.ko" 2>/dev/null
}
ktap_run "doctor knows of a kernel that refuses modules" locked
ktap_end
