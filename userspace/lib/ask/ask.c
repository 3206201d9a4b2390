// SPDX-License-Identifier: BSD-2-Clause
#include "ask/ask.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>

#include "ask/environment.h"
#include "ask/plugin.h"
#include "ask/url.h"
#include "base/address.h"
#include "comm/comm.h"
#include "comm/error.h"
#include "number/number.h"
#include "packet/wire.h"

#define GRADS_DEFAULT	1024
#define TIMEOUT_MS	30000
#define RENEW_MS	1000
#define LOOK_NS		(5 * 1000000000ull)
#define RETRY_NS	(30 * 1000000000ull)
#define TOKEN_MAX	256
#define INTERFACE	128

/**
 * struct asked - what was asked for, and what came of it
 * @request: for asking again; its strings are those below, or the environment's
 * @look: time of the next check that the daemon is still there
 * @owner: the process that asked: a child of it has the connection, and must not speak on it
 */
struct asked {
	const struct ask_calls *calls;
	struct ask_hold *hold;
	struct ask_request request;
	struct ask_answer answer;
	struct url url;
	char token[TOKEN_MAX];
	char interface[INTERFACE];
	char group[ASK_TEXT];
	uint64_t look;
	pid_t owner;
};

/* Beside this library first, so that a tree that was built but not installed works. */
static void *load(void)
{
	char path[512];
	Dl_info self;
	char *slash;
	void *library;

	if (dladdr((void *)load, &self) && self.dli_fname) {
		snprintf(path, sizeof(path), "%s", self.dli_fname);
		slash = strrchr(path, '/');
		if (slash && (size_t)(slash + 1 - path) + sizeof(ASK_LIBRARY) < sizeof(path)) {
			strcpy(slash + 1, ASK_LIBRARY);
			library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (library)
				return library;
		}
	}
	return dlopen(ASK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

/* It stays: libraries that it needs may have threads, or be in use elsewhere. */
static int find_calls(struct weir *comm, struct asked *asked)
{
	void *library = load();

	asked->calls = library ? dlsym(library, ASK_SYMBOL) : NULL;
	if (asked->calls)
		return 0;
	return error_refuse(comm, -ELIBACC, "a box can be asked for a job with %s alone: %s",
			    ASK_LIBRARY, dlerror());
}

/* A file keeps the token from those who see the environment. */
static const char *read_token(char token[static TOKEN_MAX])
{
	const char *path = getenv("WEIR_TOKEN_FILE"), *own = getenv("WEIR_TOKEN");
	FILE *file;

	if (own && *own)
		return own;
	file = path ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	if (!fgets(token, TOKEN_MAX, file))
		*token = '\0';
	fclose(file);
	token[strcspn(token, "\r\n")] = '\0';
	return *token ? token : NULL;
}

/* Each of several trees has a job of its own. */
static int name_tree(struct weir *comm, struct url *url, unsigned int trees)
{
	char name[URL_NAME];
	int length = snprintf(name, sizeof(name), "%s.tree%u", url->name, comm->config.tree);

	if (trees < 2)
		return 0;
	if (length >= URL_NAME)
		return error_refuse(comm, -EINVAL,
				    "the job's name, %s, is too long for one of %u trees: .tree%u follows it",
				    url->name, trees, comm->config.tree);
	memcpy(url->name, name, (size_t)length + 1);
	return 0;
}

static int read_url(struct weir *comm, struct asked *asked, const char *box, unsigned int trees)
{
	if (!url_read(&asked->url, box))
		return error_refuse(comm, -EINVAL,
				    "box is '%s': it must be as weird://10.0.0.254[:PORT][/NAME]",
				    box);
	if (*asked->url.name || environment_name(asked->url.name, URL_NAME))
		return name_tree(comm, &asked->url, trees);
	return error_refuse(comm, -EINVAL,
			    "the job has no name: give one behind the box, %s/NAME, or in "
			    "WEIR_JOB, the same on every rank",
			    box);
}

/*
 * Open a socket to the box as the communicator will, and read the path's MTU, 0 if it is unknown,
 * and the local port. Return the socket or -1.
 */
static int probe(const struct weir_options *o, const char *host, unsigned int *mtu,
		 uint16_t *port)
{
	struct address box = {}, local = { .length = sizeof(local.v6) };
	socklen_t length = sizeof(*mtu);
	int fd;

	if (!address_parse(&box, host, o->port ? o->port : WEIR_PORT_DEFAULT))
		return -1;
	fd = socket(box.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, &box.any, box.length) ||
	    getsockname(fd, &local.any, &local.length) ||
	    getsockopt(fd, box.any.sa_family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
		       box.any.sa_family == AF_INET ? IP_MTU : IPV6_MTU, mtu, &length))
		*mtu = 0;
	*port = local.length ? address_port(&local) : 0;
	return fd;
}

/* The host of "http://10.0.0.254:12080" or "http://[fd00::1]:12080". */
static void host_of(const struct url *url, char host[static ADDRESS_TEXT])
{
	const char *from = strstr(url->http, "//") + 2, *end = strrchr(from, ':');
	size_t length;

	if (*from == '[') {
		from++;
		end = strchr(from, ']');
	}
	length = end ? (size_t)(end - from) : strlen(from);
	if (length >= ADDRESS_TEXT)
		length = 0;
	memcpy(host, from, length);
	host[length] = '\0';
}

/* As many as a packet carries to the box, and a result that names the ranks that it has. */
static uint32_t fitting_grads(const struct weir_options *o, unsigned int mtu)
{
	unsigned int size = number_size(o->type ? o->type : WEIR_INT32);
	unsigned int fixed = 60 + WIRE_HEADER + WIRE_TRAILER(o->ranks);

	if (mtu < fixed + size)
		return GRADS_DEFAULT;
	return (mtu - fixed) / size < GRADS_DEFAULT ? (mtu - fixed) / size : GRADS_DEFAULT;
}

static void from_where(struct asked *asked, const struct weir_options *o)
{
	if (o->bind_address)
		snprintf(asked->interface, INTERFACE, "host!%s", o->bind_address);
	else if (o->interface)
		snprintf(asked->interface, INTERFACE, "if!%s", o->interface);
	else
		return;
	asked->request.interface = asked->interface;
}

static void set_request(struct asked *asked, const struct weir_options *o, unsigned int mtu,
			uint16_t port)
{
	struct ask_request *request = &asked->request;

	request->url = asked->url.http;
	request->name = asked->url.name;
	request->query = *asked->url.query ? asked->url.query : NULL;
	request->token = read_token(asked->token);
	request->certificate = getenv("WEIR_CERTIFICATE");
	request->key = getenv("WEIR_KEY");
	request->authority = getenv("WEIR_AUTHORITY");
	request->type = o->type ? number_name(o->type) : NULL;
	request->operation = o->operation ? operation_name(o->operation) : NULL;
	request->rank = o->rank;
	request->ranks = o->ranks;
	request->grads = o->grads ? o->grads : fitting_grads(o, mtu);
	request->timeout_ms = o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
	if (o->group) {
		snprintf(asked->group, ASK_TEXT, "%s", o->group);
		request->group = asked->group;
	} else {
		request->port = o->bind_port ? o->bind_port : port;
	}
	from_where(asked, o);
}

/*
 * The box knows a rank by the address that its connection comes from. If addresses are
 * translated on the way, that is not one of this machine.
 */
static int check_own(struct weir *comm, const struct asked *asked)
{
	const struct ask_answer *answer = &asked->answer;
	struct address own = {};
	int fd, err = 0;

	if (!address_parse(&own, answer->bind_address, 0))
		return 0;
	fd = socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	if (bind(fd, &own.any, own.length) && errno == EADDRNOTAVAIL)
		err = -EADDRNOTAVAIL;
	close(fd);
	if (!err)
		return 0;
	return error_refuse(comm, err,
			    "%s sees rank %u of job %s at %s, which is not an address of this "
			    "machine: addresses are translated between them, and a box needs "
			    "workers' own; give a container its host's network, or route to its "
			    "address without translation",
			    asked->url.http, asked->request.rank, asked->url.name,
			    answer->bind_address);
}

static void take_answer(const struct asked *asked, struct weir_options *o)
{
	const struct ask_answer *answer = &asked->answer;

	o->address = answer->address;
	o->bind_address = answer->bind_address;
	o->port = (uint16_t)answer->port;
	o->bind_port = (uint16_t)answer->bind_port;
	o->job = (uint8_t)answer->job;
	o->grads = (uint16_t)answer->grads;
}

/* The port is kept until the box has it, as other ranks of this host look for theirs. */
static int ask(struct weir *comm, struct asked *asked, struct weir_options *o)
{
	char host[ADDRESS_TEXT];
	unsigned int mtu = 0;
	uint16_t port = 0;
	int fd, err;

	host_of(&asked->url, host);
	fd = probe(o, host, &mtu, &port);
	set_request(asked, o, mtu, port);
	err = asked->calls->open(&asked->hold, &asked->request, &asked->answer);
	if (fd >= 0)
		close(fd);
	if (err)
		return error_refuse(comm, err, "%s gives rank %u no place in job %s: %s",
				    asked->url.http, o->rank, asked->url.name,
				    asked->answer.error);
	asked->look = rtt_now() + LOOK_NS;
	asked->owner = getpid();
	take_answer(asked, o);
	return check_own(comm, asked);
}

const char *ask_box(const struct weir_options *options)
{
	const char *box = options->box;

	if (!box && !options->address)
		box = getenv("WEIR_BOX");
	return box && *box ? box : NULL;
}

int ask_job(struct weir *comm, struct weir_options *options)
{
	const char *box = ask_box(options);
	int err;

	if (!box)
		return 0;
	if (options->address)
		return error_refuse(comm, -EINVAL,
				    "box and address are both given: a box that is asked says the "
				    "address");
	comm->asked = calloc(1, sizeof(*comm->asked));
	if (!comm->asked)
		return error_refuse(comm, -ENOMEM, "no memory to ask for a job");
	err = read_url(comm, comm->asked, box, options->trees);
	if (!err)
		err = find_calls(comm, comm->asked);
	return err ?: ask(comm, comm->asked, options);
}

/* The old hold goes with its connection, which is closed; its rank does not leave. */
static int again(struct weir *comm, struct asked *asked)
{
	struct ask_answer answer;
	struct ask_hold *hold;

	asked->request.timeout_ms = RENEW_MS;
	if (asked->calls->open(&hold, &asked->request, &answer)) {
		asked->look = rtt_now() + RETRY_NS;
		return 0;
	}
	asked->calls->drop(asked->hold);
	asked->hold = hold;
	if (answer.job == asked->answer.job && answer.port == asked->answer.port)
		return 0;
	asked->calls->close(hold);
	asked->hold = NULL;
	return error_fail(comm, -ESTALE,
			  "job %s ended while this rank was silent, and is another now: all ranks "
			  "must close and open again",
			  asked->url.name);
}

int ask_renew(struct weir *comm)
{
	struct asked *asked = comm->asked;
	uint64_t now;

	if (!asked || !asked->hold)
		return 0;
	now = rtt_now();
	if (now < asked->look)
		return 0;
	asked->look = now + LOOK_NS;
	return asked->calls->is_held(asked->hold) ? 0 : again(comm, asked);
}

int ask_heed(struct weir *comm)
{
	struct asked *asked = comm->asked;
	char why[ASK_SENTENCE];

	if (!asked || !asked->hold || !asked->calls->is_vain(asked->hold, why))
		return 0;
	return error_fail(comm, -ECONNREFUSED, "job %s cannot begin: %s", asked->url.name, why);
}

void ask_leave(struct weir *comm)
{
	struct asked *asked = comm->asked;

	if (!asked)
		return;
	if (asked->hold && asked->owner == getpid())
		asked->calls->close(asked->hold);
	free(asked);
}
