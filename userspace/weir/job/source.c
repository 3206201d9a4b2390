// SPDX-License-Identifier: GPL-2.0
/* `weir source show`. */
#include <net/if.h>
#include <string.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/grammar.h"
#include "grammar/rate.h"
#include "job/lateness.h"
#include "netlink/genl.h"
#include "request/show.h"

/* The device by its name too, if it still has one. One called "any" is written ./any, as it is given. */
void show_device(const char *dev, const char *key, const struct nlattr *attr)
{
	unsigned int ifindex = nl_uint(attr);
	char name[IF_NAMESIZE];

	if (!ifindex)
		return;
	if (if_indextoname(ifindex, name))
		print_string(dev, !opt.json && !strcmp(name, "any") ? "./any" : name);
	else if (!opt.json)
		print_text("%s number %u, which is gone", dev, ifindex);
	if (opt.json)
		print_uint(key, ifindex);
}

void show_vlan(const char *key, const struct nlattr *attr)
{
	uint32_t vlan = nl_uint(attr);

	if (!attr)
		return;
	if (opt.json)
		print_uint(key, vlan);
	else if (vlan != VLAN_ANY)
		print_string(key, names_word(&vlan_names, vlan));
}

static void print_state(const struct nlattr *attr)
{
	uint32_t state = nl_uint(attr);

	if (attr)
		print_string_as(NULL, state_color(state), "state", names_word(&state_names, state));
}

static void print_lateness(const struct nlmsghdr *message)
{
	struct lateness lateness;

	lateness_read(&lateness, message);
	lateness_print(&lateness);
	if (opt.stats)
		lateness_draw(&lateness);
}

static void print_config(const struct nlattr **source)
{
	show_address(NULL, "address", source[WEIR_A_SOURCE_ADDRESS]);
	show_number("port", source[WEIR_A_SOURCE_PORT]);
	show_device("dev", "ifindex", source[WEIR_A_SOURCE_IFINDEX]);
	show_vlan("vlan", source[WEIR_A_SOURCE_VLAN]);
	rate_print(source[WEIR_A_SOURCE_RATE]);
	show_keys(source_add_attributes, source);
}

void source_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];

	weir_attributes(message, source, WEIR_A_SOURCE_MAX);
	print_uint_as("source job", COLOR_NAME, "job", nl_uint(source[WEIR_A_SOURCE_JOB]));
	print_uint_as(NULL, COLOR_NAME, "id", nl_uint(source[WEIR_A_SOURCE_ID]));
	print_config(source);
	if (!brief)
		print_line(4);
	print_state(source[WEIR_A_SOURCE_STATE]);
	show_number("missing", source[WEIR_A_SOURCE_MISSING]);
	if (brief && !opt.json)
		return;
	if (source[WEIR_A_SOURCE_LATENESS])
		print_lateness(message);
	if (source[WEIR_A_SOURCE_STATS])
		stats_print(source[WEIR_A_SOURCE_STATS]);
}

bool source_save(const struct nlmsghdr *message)
{
	const struct nlattr *source[WEIR_A_SOURCE_MAX + 1];
	unsigned int ifindex;
	char name[IF_NAMESIZE];

	weir_attributes(message, source, WEIR_A_SOURCE_MAX);
	ifindex = nl_uint(source[WEIR_A_SOURCE_IFINDEX]);
	if (ifindex && !if_indextoname(ifindex, name))
		return false;
	print_text("source add");
	show_number("job", source[WEIR_A_SOURCE_JOB]);
	show_number("id", source[WEIR_A_SOURCE_ID]);
	print_config(source);
	return true;
}

int source_show(const struct args *args)
{
	bool one = args_get(args, "id");

	if (one && !args_get(args, "job"))
		return usage("job", "source show id lacks the job that it belongs to: add `job NUMBER`");
	return show_run(args, one, source_print);
}
