#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# weird(8) beside the module: workers in namespaces ask for their jobs, and get sums; jobs end
# with their workers, and survive the daemon and the module. The daemon is nobody, with
# CAP_NET_ADMIN alone. To be run in the virtual machine: it unloads and loads the module.
#
#	weird.sh	all, with 40 jobs at once
#	weird.sh long	200 at once
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/ktap.sh
. "$here/../lib/ktap.sh"
# shellcheck source=../lib/module.sh
. "$here/../lib/module.sh"
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"
# shellcheck source=box.sh
. "$here/box.sh"

port=12080
state=$box_out/state
conf=$box_out/conf
# Half of the tenants will have as many jobs as they may have, the others one less.
tenants=16 jobs=40
[[ ${1-} != long ]] || jobs=200
most=$((jobs / tenants + 1))

hash_of() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }

# tenant NAME TOKEN [MEMBERS]
tenant() {
	printf '{"name": "%s", "tokens": [{"sha256": "%s"%s}], "prefixes": ["10.77.0.0/16"]%s}' \
		"$1" "$(hash_of "$2")" "${4:+, \"expires\": \"$4\"}" "${3:+, $3}"
}

# The first job ids are the administrator's.
write_conf() {
	local i list
	list=$(tenant own secret '"operator": true')
	list+=,$(tenant late old '"quota": {"jobs": 1}' 2020-01-01T00:00:00Z)
	list+=,$(tenant small little '"quota": {"jobs": 1, "memory": 2000000}')
	list+=,$(printf '{"name": "one", "tokens": [{"sha256": "%s"}], "prefixes": ["10.77.1.0/24"]}' \
		"$(hash_of first)")
	for ((i = 0; i < tenants; i++)); do
		list+=,$(tenant "t$i" "token$i" '"quota": {"jobs": '"$most"'}')
	done
	cat >"$conf" <<-END
		{"address": "$(box_addr)", "jobs": {"first": 10, "last": 255}, "grace": 3,
		 "restart_grace": 5, "tenants": [$list]}
	END
}

daemon_start() {
	nsenter --net="/run/netns/$(ns_name router)" -- \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all,+net_admin \
		--ambient-caps=-all,+net_admin --bounding-set=-all,+net_admin \
		"$(command -v weird)" --listen "[::]:$port" --config "$conf" --state "$state" \
		>>"$box_out/daemon" 2>&1 &
	echo $! >"$box_out/pid"
	poll 60 listens
}

daemon_pid() { cat "$box_out/pid"; }

listens() { in_router ss -ltn | grep -q ":$port "; }

daemon_kill() {
	local pid
	pid=$(daemon_pid)
	kill -KILL "$pid" && poll 60 process_is_gone "$pid"
}

url() { echo "weird://$(router_addr "$1"):$port/$2"; }

# perf WORKER RANK RANKS NAME [OPTION...]: in the background; box_wait waits for all. It runs
# as for_long says.
for_long=(--iterations 3)
perf() {
	local i=$1 rank=$2 ranks=$3 name=$4
	shift 4
	WEIR_TOKEN=${token:-secret} in_worker "$i" weir-perf --box "$(url "$i" "$name?blocks=64")" \
		--rank "$rank" --ranks "$ranks" --verify --min-bytes 40004 --max-bytes 40004 \
		"${for_long[@]}" --warmup 1 "$@" >"$box_out/$name.$rank" 2>&1 &
	box_pids+=($!)
}

perf_all() {
	local name=$1 i
	shift
	box_pids=()
	for ((i = 1; i <= 4; i++)); do
		perf "$i" $((i - 1)) 4 "$name" "$@"
	done
}

# ask WORKER NAME RANK RANKS [MEMBERS]: holds the place until end_asks; what came is in
# $box_out/ask.NAME.RANK. ask_at_once does not wait for it.
ask() { ask_at_once "$@" && poll 60 test -s "$box_out/ask.$2.$3"; }

ask_at_once() {
	rm -f "$box_out/ask.$2.$3"
	nsenter --net="/run/netns/$(ns_name "w$1")" -- curl -sN -m 600 \
		-H "Authorization: Bearer ${token:-secret}" \
		-d '{"name": "'"$2"'", "rank": '"$3"', "ranks": '"$4"', "blocks": 64'"${5:+, $5}"'}' \
		"http://$(router_addr "$1"):$port/jobs" >"$box_out/ask.$2.$3" 2>/dev/null &
	asks+=($!)
}

end_asks() {
	local pid
	for pid in "${asks[@]}"; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	asks=()
}
asks=()

# whole TEST: what it has asked for ends with it, however it ends.
whole() {
	local status
	"$@"
	status=$?
	end_asks
	return "$status"
}

field() { gojq -r ".$1 // empty" "$box_out/ask.$2.$3" | head -n 1; }

# get PATH: as the operator.
get() {
	in_worker 1 curl -sf -m 60 -H "Authorization: Bearer secret" \
		"http://$(router_addr 1):$port$1"
}

job_ids() { box_stat '[.[].id] | join(" ")' job show; }
jobs_are() { [[ $(job_ids) == "$1" ]]; }

allreduce() {
	perf_all "$@" && box_wait && poll 60 jobs_are ""
}

# Two daemons may be asked, or one of them twice: each tree has a job of its own, which ends with its workers.
two_trees() {
	local i name=treed box
	box_pids=()
	for ((i = 1; i <= 4; i++)); do
		box=$(url "$i" "$name?blocks=64")
		WEIR_TOKEN=secret in_worker "$i" weir-perf --box "$box,$box" --trees 2 --rank $((i - 1)) --ranks 4 \
			--verify --min-bytes 400K --max-bytes 400K --endless >"$box_out/$name.$i" 2>&1 &
		box_pids+=($!)
	done
	poll 60 both_trees_sum || { cat "$box_out/$name".*; box_end; return 1; }
	[[ $(get /jobs | gojq -r 'map(.name) | sort | join(" ")') == "treed.tree0 treed.tree1" ]] || return
	box_end
	box_wait && poll 60 jobs_are ""
}
both_trees_sum() { [[ $(box_stat '[.[].stats.blocks > 200] == [true, true]' job show) == true ]]; }

refusals() {
	local status=0
	token=guess ask 1 a 0 2; token=old ask 1 b 0 2; token=first ask 2 c 0 2
	[[ $(field error a 0) == *"no tenant has this token"* ]] || status=1
	[[ $(field error b 0) == *"has expired"* ]] || status=1
	[[ $(field error c 0) == *"may not bind ranks to 10.77.2.1"* ]] || status=1
	token=guess perf 1 0 2 d
	wait "$!" && status=1
	grep -q 'no tenant has this token' "$box_out/d.0" || status=1
	end_asks
	jobs_are "" && return "$status"
}

over_quota() {
	local status=0
	token=little ask 1 a 0 2 && token=little ask 1 b 0 2
	[[ $(field job a 0) ]] || status=1
	[[ $(field error b 0) == *"has 1 jobs, and may have 1"* ]] || status=1
	end_asks
	poll 60 jobs_are "" || status=1
	token=little ask 1 c 0 2 '"grads": 2048, "order": "fixed"'
	[[ $(field error c 0) == *"the job takes"* ]] || status=1
	end_asks
	jobs_are "" && return "$status"
}

ends_with_its_workers() {
	ask 1 held 0 2 && ask 2 held 1 2 || return
	[[ $(box_stat '[.[].address] | join(" ")' source show) == "10.77.1.1 10.77.2.1" ]] || return
	end_asks
	poll 60 jobs_are "" && [[ -z $(ls "$state") ]]
}

administrators_job_stays() {
	local id status=0
	box_job 3 2 blocks 64 grads 256 || return
	ask 1 own 0 2
	id=$(field job own 0)
	jobs_are "3 $id" || status=1
	weir job del id "$id"
	poll 60 grep -q 'administrator' "$box_out/ask.own.0" || status=1
	end_asks
	jobs_are 3 || status=1
	daemon_kill
	daemon_start
	jobs_are 3 || status=1
	weir job del id 3
	return "$status"
}

# The run goes on without the daemon, and the next one knows the job.
daemon_is_killed_in_a_run() {
	local id for_long=(--endless)
	perf_all long
	poll 60 all_bound || return
	daemon_kill
	id=$(job_ids)
	daemon_start || return
	jobs_are "$id" && [[ $(get /jobs | gojq -r '.[].name') == long ]] || return
	box_end && box_wait && poll 60 jobs_are ""
}
all_bound() { [[ $(box_stat '[.[].bound] | add' job show) == 4 ]]; }

# Not a job more than was asked for, and none is left, wherever the daemon dies.
daemon_is_killed_while_jobs_are_asked_for() {
	local i k
	for i in 1 2 3 4 5; do
		for k in 1 2 3 4; do
			ask_at_once "$k" "kill$i" $((k - 1)) 4
		done
		poll 60 some_job || return
		daemon_kill && daemon_start || return
		# A job may be over between the two lists.
		poll 60 lists_its_jobs || return
		end_asks
		poll 60 jobs_are "" && [[ -z $(ls "$state") ]] || return
	done
}
lists_its_jobs() { [[ $(get /jobs | gojq -r '[.[].job] | sort | join(" ")') == "$(job_ids)" ]]; }
some_job() { [[ -n $(job_ids) ]]; }

module_is_reloaded() {
	local i before
	ask 1 kept 0 2 && ask 2 kept 1 2 || return
	before=$(weir -j source show | gojq -c '[.[] | [.job, .id, .address]]')
	weir port flush && module_goes 60 || return
	poll 60 sources_are "$before" || return
	end_asks
	poll 60 jobs_are "" || return
	for ((i = 1; i <= 4; i++)); do
		weir port attach dev "w$i" || return
	done
	allreduce again
}
sources_are() { [[ $(weir -j source show | gojq -c '[.[] | [.job, .id, .address]]') == "$1" ]]; }

# The upgrade makes all jobs again, and the daemon makes its own as soon as the module is there.
upgraded() {
	local i before
	for ((i = 0; i < 12; i++)); do
		ask $((i % 4 + 1)) "up$((i / 2))" $((i % 2)) 2 || return
	done
	before=$(weir -j source show | gojq -c '[.[] | [.job, .id, .address]]')
	for ((i = 0; i < 6; i++)); do
		command weir -j upgrade "${WEIR_MODULE%/*}" | tee "$box_out/upgrade" | gojq -e '.commands > 12 and .failed == 0' ||
			{ cat "$box_out/upgrade"; return 1; }
		poll 60 sources_are "$before" && lists_its_jobs || return
	done
	end_asks
	poll 60 jobs_are ""
}

# All by one program, which has them under way at the same time.
many_jobs() {
	local i
	for ((i = 0; i < jobs; i++)); do
		((i)) && echo next
		cat <<-END
			url = "http://$(router_addr 1):$port/jobs"
			header = "Authorization: Bearer token$((i % tenants))"
			data = "{\"name\": \"job$i\", \"rank\": 0, \"ranks\": 2, \"blocks\": 16, \"grads\": 256}"
			output = "$box_out/many.$i"
			no-buffer
			max-time = 900
		END
	done >"$box_out/many"
	nsenter --net="/run/netns/$(ns_name w1)" -- curl -s -Z --parallel-immediate \
		--parallel-max "$jobs" -K "$box_out/many" >/dev/null 2>&1 &
	asks+=($!)
	poll 800 all_have_jobs && poll 60 all_have_answers || return
	[[ $(get /jobs | gojq 'length') == "$jobs" ]] || return
	token=token0 ask 2 more 0 2
	[[ $(field error more 0) == *"has $most jobs, and may have $most"* ]] || return
	token=token8 ask 2 more8 0 2
	[[ $(field job more8 0) ]] || return
	end_asks
	poll 120 jobs_are "" && [[ -z $(ls "$state") ]]
}
all_have_answers() {
	[[ $(cat "$box_out"/many.* | gojq -s 'map(.job) | unique | length') == "$jobs" ]]
}
all_have_jobs() { [[ $(box_stat 'length' job show) == "$jobs" ]]; }

slow_clients() {
	local status=0 i pid
	nsenter --net="/run/netns/$(ns_name w1)" -- bash -c '
		for ((i = 0; i < 40; i++)); do
			exec {fd}<>"/dev/tcp/$1/$2" && printf "POST /jobs HTTP/1.1\r\nHost: x" >&"$fd"
		done
		read -r' slow "$(router_addr 1)" "$port" <"$box_out/fifo" >/dev/null 2>&1 &
	pid=$!
	exec {hold}>"$box_out/fifo"
	poll 60 slow_ones || status=1
	allreduce beside || status=1
	# They are cut off though they hold on.
	poll 60 no_slow_ones || status=1
	exec {hold}>&-
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	return "$status"
}
connections() { in_router ss -Htn state established "sport = :$port" | wc -l; }
slow_ones() { (($(connections) >= 40)); }
no_slow_ones() { (($(connections) == 0)); }

metrics_and_events() {
	local pid status=0 for_long=(--endless)
	nsenter --net="/run/netns/$(ns_name w2)" -- curl -sN -H "Authorization: Bearer secret" \
		"http://$(router_addr 2):$port/events" >"$box_out/events" 2>/dev/null &
	pid=$!
	poll 60 grep -q ': weird' "$box_out/events" || status=1
	perf_all seen
	poll 60 measured || status=1
	box_end
	box_wait || status=1
	poll 60 grep -q '"event":"generation"' "$box_out/events" || status=1
	poll 60 grep -q '"event":"job-del"' "$box_out/events" || status=1
	events_of_all_modules || status=1
	kill "$pid"
	wait "$pid" 2>/dev/null
	poll 60 jobs_are "" && return "$status"
}
events_of_all_modules() {
	local event
	weir filter add dev w1 rule any action pass && weir filter flush &&
		weir trim set dev w1 hook none edge on && weir trim del dev w1 || return
	for event in filter filter-del trim trim-del; do
		poll 60 grep -q "\"event\":\"$event\"" "$box_out/events" || return
	done
}
has() { grep -q "^weir_$1" "$box_out/metrics"; }
measured() {
	get /metrics >"$box_out/metrics" &&
		has 'job_contributions_total{job="[0-9]*",tenant="own",name="seen"} [1-9]' &&
		has 'source_lateness_seconds_count{job="[0-9]*",source="3"} [1-9]' &&
		has 'port_contributions_total{port="w1"} [1-9]'
}

is_nobody() {
	[[ $(awk '/^(Uid|CapEff):/ { print $2 }' "/proc/$(daemon_pid)/status" | paste -sd ' ') == \
		"65534 0000000000001000" ]]
}

ktap_header
if ! box_up 4 1500 xdp; then
	ktap_fail "set up"
	ktap_end
fi
chmod 755 "$box_out"
mkdir "$state" && chown 65534 "$state"
mkfifo "$box_out/fifo"
write_conf
ktap_run "the daemon starts" daemon_start
if [[ ${1-} != long ]]; then
	ktap_run "it is nobody, with CAP_NET_ADMIN alone" is_nobody
	ktap_run "four workers ask for a job, and have its sums" allreduce ints
	ktap_run "of floats" allreduce floats --dtype float32
	ktap_run "a job of two trees" two_trees
ktap_run "foreign and expired tokens, and another's prefix" whole refusals
	ktap_run "more than a tenant's quota" whole over_quota
	ktap_run "a job ends with its workers" whole ends_with_its_workers
	ktap_run "an administrator's job stays, and he can end others" whole administrators_job_stays
	ktap_run "the daemon is killed in a run" daemon_is_killed_in_a_run
	ktap_run "the daemon is killed while jobs are asked for" whole daemon_is_killed_while_jobs_are_asked_for
	ktap_run "the module is reloaded" whole module_is_reloaded
	ktap_run "modules are upgraded beside the daemon" whole upgraded
	ktap_run "metrics and events" metrics_and_events
	ktap_run "slow clients" slow_clients
fi
ktap_run "$jobs jobs of $tenants tenants at once" whole many_jobs
daemon_kill
tail -n 30 "$box_out/daemon" | sed 's/^/# /'
box_down
ktap_end
