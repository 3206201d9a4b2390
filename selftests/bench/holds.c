// SPDX-License-Identifier: GPL-2.0
/*
 * Says "ready", and when it is ended (SIGTERM) the longest that RTNL was held meanwhile, by whom, and
 * the longest softirq, with its vector: "rtnl NS NAME", a line for each caller of rtnl_unlock(), and
 * "softirq NS VECTOR", in which callbacks of RCU that are pending at the end count. To be run on one CPU.
 */
#include <arpa/inet.h>
#include <err.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/holds.skel.h"

/* The kernel's function at an address. */
static void print_function(uint64_t address)
{
	char line[512], name[256], best[256] = "?";
	FILE *file = fopen("/proc/kallsyms", "r");
	uint64_t at, found = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %255s", &at, name) != 2 || at > address || at < found)
			continue;
		found = at;
		strcpy(best, name);
	}
	if (file)
		fclose(file);
	printf("caller %s\n", best);
}

static void print(const struct holds_bpf *holds)
{
	const struct holds_bpf__bss *bss = holds->bss;
	unsigned int i;

	printf("rtnl %llu %.16s\n", (unsigned long long)bss->rtnl, bss->rtnl_name);
	for (i = 0; i < sizeof(bss->rtnl_stack) / sizeof(*bss->rtnl_stack) && bss->rtnl_stack[i]; i++)
		print_function(bss->rtnl_stack[i]);
	printf("softirq %llu %u\n", (unsigned long long)bss->softirq, bss->softirq_vector);
}

/*
 * Wait until pending callbacks of RCU have run: a packet socket that is closed waits for a grace period, whose
 * callback follows the others of this CPU.
 */
static void settle(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	if (fd < 0)
		err(1, "no packet socket");
	close(fd);
}

int main(void)
{
	struct holds_bpf *holds;
	sigset_t end;
	int signal;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	holds = holds_bpf__open_and_load();
	if (!holds || holds_bpf__attach(holds))
		err(1, "cannot trace the kernel");
	printf("ready\n");
	fflush(stdout);
	sigwait(&end, &signal);
	settle();
	holds_bpf__detach(holds);
	print(holds);
	holds_bpf__destroy(holds);
	return 0;
}
