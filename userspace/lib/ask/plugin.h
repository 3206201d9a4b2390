/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between libweir and libweir-ask, which asks weird(8) by HTTP. It is a library of its own, that
 * libweir loads when a program names a box to ask: so programs that know their job need neither
 * libcurl nor what that needs, and can be linked statically.
 */
#ifndef WEIR_ASK_PLUGIN_H
#define WEIR_ASK_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define ASK_LIBRARY	"libweir-ask.so.0"
#define ASK_TEXT	64
#define ASK_SENTENCE	384

/**
 * struct ask_request - what is asked for
 * @url: of the daemon, "http://10.0.0.254:12080"
 * @token: NULL is none
 * @certificate: file of the client's certificate; NULL is none. @key is its key
 * @authority: file of those who may have signed the daemon's; NULL is the system's
 * @interface: as of CURLOPT_INTERFACE: where to come from; NULL lets the routing table choose
 * @name: of the job
 * @type: and @operation, @group: words; NULL leaves them out
 * @query: further members, "policy=partial&timeout_us=5000"; NULL is none
 * @rank: and @ranks, @grads: as in struct weir_options
 * @port: this worker's UDP port; 0 is the job's
 * @timeout_ms: for the answer to come
 */
struct ask_request {
	const char *url;
	const char *token;
	const char *certificate;
	const char *key;
	const char *authority;
	const char *interface;
	const char *name;
	const char *type;
	const char *operation;
	const char *group;
	const char *query;
	uint32_t rank;
	uint32_t ranks;
	uint32_t grads;
	uint32_t port;
	uint32_t timeout_ms;
};

/**
 * struct ask_answer - what came back
 * @error: the reason if there is no job
 */
struct ask_answer {
	uint32_t job;
	uint32_t port;
	uint32_t bind_port;
	uint32_t grads;
	uint32_t window;
	char address[ASK_TEXT];
	char bind_address[ASK_TEXT];
	char error[ASK_SENTENCE];
};

struct ask_hold;

/**
 * struct ask_calls - the functions of the library
 * @open: returns 0 and a hold on the job, or a negative errno with @answer->error
 * @is_held: returns nonzero if the daemon is still there, and has the rank
 * @is_vain: returns nonzero, and the reason, if the daemon has said that not all ranks can come
 * @drop: frees the hold, and the rank may come back
 * @close: the same, and the rank leaves the job
 */
struct ask_calls {
	int (*open)(struct ask_hold **hold, const struct ask_request *request,
		    struct ask_answer *answer);
	int (*is_held)(struct ask_hold *hold);
	int (*is_vain)(struct ask_hold *hold, char why[ASK_SENTENCE]);
	void (*drop)(struct ask_hold *hold);
	void (*close)(struct ask_hold *hold);
};

/* The one symbol of the library. */
#define ASK_SYMBOL "weir_ask_calls"
extern const struct ask_calls weir_ask_calls;

#endif
