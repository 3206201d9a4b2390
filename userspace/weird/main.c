// SPDX-License-Identifier: GPL-2.0
/* weird: gives jobs of this box to workers that ask for them. */
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/privilege.h"
#include "box/hear.h"
#include "conf/conf.h"
#include "conf/stage.h"
#include "http/events.h"
#include "http/lease.h"
#include "http/server.h"
#include "jobs/jobs.h"
#include "metrics/metrics.h"

#define STATE_DEFAULT "/var/lib/weird"

struct options {
	const char *listen;
	const char *config;
	const char *state;
	const char *stage;
	bool check;
};

static const char usage[] =
	"usage: weird --listen ADDRESS:PORT --config FILE [--state DIRECTORY]\n"
	"       weird --config FILE --check | --stage DIR\n"
	"       weird --token | --dashboard\n"
	"\n"
	"Gives jobs of this box to workers that ask for them. See weird(8).\n"
	"\n"
	"  --listen A:P     where workers call; [A]:P of IPv6\n"
	"  --config FILE    tenants and what they may have; read again on SIGHUP\n"
	"  --state DIR      the journal (default: $STATE_DIRECTORY, or " STATE_DEFAULT ")\n"
	"  --check          only see whether the configuration is right\n"
	"  --stage DIR      copy the configuration, and the files for TLS that it names, to where\n"
	"                   the owner of --state alone can read them\n"
	"  --token          print a new token, and its hash for the configuration\n"
	"  --dashboard      print a dashboard of the metrics for Grafana\n"
	"  --version        the version\n"
	"  --help           this text\n";

static struct conf conf;
static struct jobs jobs;
static struct server server;
static struct options options;

__attribute__((noreturn))
static void wrong(const char *text)
{
	fprintf(stderr, "weird: %s (see weird --help)\n", text);
	exit(2);
}

static void read_options(int argc, char **argv)
{
	static const struct option words[] = {
		{ "listen", required_argument, NULL, 'l' },
		{ "config", required_argument, NULL, 'c' },
		{ "state", required_argument, NULL, 's' },
		{ "check", no_argument, NULL, 'C' },
		{ "stage", required_argument, NULL, 'g' },
		{ "token", no_argument, NULL, 't' },
		{ "dashboard", no_argument, NULL, 'd' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int word;

	options.state = getenv("STATE_DIRECTORY") ?: STATE_DEFAULT;
	while ((word = getopt_long(argc, argv, "", words, NULL)) != -1) {
		switch (word) {
		case 'l':
			options.listen = optarg;
			break;
		case 'c':
			options.config = optarg;
			break;
		case 's':
			options.state = optarg;
			break;
		case 'C':
			options.check = true;
			break;
		case 'g':
			options.stage = optarg;
			break;
		case 't':
			exit(token_print());
		case 'd':
			exit(metrics_dashboard());
		case 'V':
			puts(WEIR_VERSION);
			exit(0);
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			exit(2);
		}
	}
	if (optind < argc)
		wrong("there are no arguments but options");
	if (!options.config || (!options.listen && !options.check && !options.stage))
		wrong("--listen and --config are needed");
}

/* "10.0.0.254:12080" or "[fd00::1]:12080" */
static struct addrinfo *read_listen(const char *text)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	char *copy = strdup(text), *host = copy, *colon = copy ? strrchr(copy, ':') : NULL;
	struct addrinfo *found = NULL;

	if (!colon)
		wrong("--listen must be ADDRESS:PORT");
	*colon = '\0';
	if (*host == '[' && colon > host && colon[-1] == ']') {
		colon[-1] = '\0';
		host++;
	}
	if (getaddrinfo(host, colon + 1, &hints, &found))
		wrong("--listen must be ADDRESS:PORT, both in numbers");
	free(copy);
	return found;
}

/* Read the configuration again. If it is wrong, report why, and leave the configuration as it was. */
static void reload(void)
{
	struct refusal refusal = {};
	struct conf next;

	if (!conf_read(&next, options.config, &refusal)) {
		log_line("%s: %s; the configuration stays as it was", options.config,
			 refusal.text);
		return;
	}
	if (!next.tls != !conf.tls || tls_asks_clients(next.tls) != tls_asks_clients(conf.tls)) {
		log_line("%s: whether there is TLS, and whether clients show certificates, takes a restart to change; the configuration stays as it was",
			 options.config);
		conf_free(&next);
		return;
	}
	tls_use(next.tls);
	conf_free(&conf);
	conf = next;
	log_line("the configuration has been read again");
}

static void on_signal(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			reload();
		else
			exit(0);
	}
}

static void watch_signals(void)
{
	static struct watch watch = { .ready = on_signal };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	watch.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch.fd < 0)
		log_die("no signals: %s", strerror(errno));
	watch_add(&watch, EPOLLIN);
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void on_removed(uint32_t id)
{
	jobs_check(&jobs, id);
}

static void on_again(void)
{
	jobs_restore(&jobs);
}

static const struct hearer hearer = {
	.removed = on_removed,
	.again = on_again,
	.event = events_tell,
};

static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void start(const struct addrinfo *listen)
{
	struct refusal refusal = {};

	raise_limit();
	watch_init();
	watch_signals();
	jobs.conf = &conf;
	jobs.lease_end = lease_end;
	jobs.lease_tell = lease_tell;
	jobs.lease_is_cut = lease_is_cut;
	server.conf = &conf;
	server.jobs = &jobs;
	if (!jobs_open(&jobs, options.state, &refusal))
		log_die("%s", refusal.text);
	tls_use(conf.tls);
	hear_open(&hearer);
	jobs_restore(&jobs);
	if (!server_open(&server, listen->ai_addr, &refusal))
		log_die("%s: %s", options.listen, refusal.text);
	privilege_drop();
	log_line("listens at %s", options.listen);
}

int main(int argc, char **argv)
{
	struct refusal refusal = {};

	read_options(argc, argv);
	if (options.stage) {
		if (!stage(options.config, options.stage, options.state, &refusal))
			log_die("%s: %s", options.config, refusal.text);
		return 0;
	}
	if (!conf_read(&conf, options.config, &refusal))
		log_die("%s: %s", options.config, refusal.text);
	if (options.check)
		return 0;
	start(read_listen(options.listen));
	for (;;) {
		int wait = sooner(jobs_tick(&jobs), hear_tick());

		watch_wait(sooner(wait, server_run(&server)));
	}
}
