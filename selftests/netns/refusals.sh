#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every way in which the netlink family refuses a request (refusals.py).
# To be run in the virtual machine.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=../lib/netns.sh
. "$here/../lib/netns.sh"

ns_create box && ip -n "$(ns_name box)" addr add 10.0.0.200/32 dev lo &&
	ip -n "$(ns_name box)" link add d0 mtu 100 type dummy &&
	ip -n "$(ns_name box)" link add d1 address 02:00:00:00:00:0a type dummy &&
	ip -n "$(ns_name box)" link add d2 type vxlan external gpe &&
	ip -n "$(ns_name box)" link add d3 numtxqueues 2 type veth peer d4 numrxqueues 2 &&
	in_ns box tc qdisc add dev d3 root handle 1: mq &&
	in_ns box tc qdisc add dev d3 parent 1:1 weir &&
	ip -n "$(ns_name box)" link add d5 mtu 100 type dummy &&
	ip -n "$(ns_name box)" link add d6 type vrf table 100 &&
	ip -n "$(ns_name box)" link add d7 type ifb &&
	in_ns box tc qdisc add dev d5 root handle 1: weir &&
	in_ns box tc qdisc add dev d5 parent 1:1 pfifo || exit 1
in_ns box /usr/bin/python3 "$here/refusals.py"
