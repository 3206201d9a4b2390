// SPDX-License-Identifier: BSD-2-Clause
#include "join/said.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <weir.h>

#include "comm/comm.h"
#include "comm/error.h"

void said_put(const struct weir *comm, const struct said *said, uint8_t packet[WIRE_JOIN])
{
	const struct config *config = &comm->config;

	wire_put_header(packet, &(struct wire_header) {
		.block = (uint32_t)said->first,
		.job = config->job,
		.flags = WEIR_TRIO_CONTROL,
		.source = config->source,
		.ranks = 1,
	});
	wire_put_join(packet, &(struct wire_join) {
		.nonce = said->nonce,
		.ranks = config->ranks,
		.grads = config->grads,
		.cookie = said->cookie,
		.dtype = (uint8_t)config->type,
		.op = (uint8_t)config->operation,
		.format = WEIR_FORMAT_TRIO,
		.features = WEIR_JOIN_LITTLE,
		.member = (uint16_t)(config->rank + 1),
	});
}

bool said_is_answer(const struct weir *comm, const struct wire_header *header, size_t length)
{
	return length == WIRE_JOIN && header->job == comm->config.job &&
	       (header->flags & WEIR_TRIO_NOTICE) == WEIR_TRIO_CONTROL;
}

int said_number(struct weir *comm, uint32_t *nonce)
{
	if (getrandom(nonce, sizeof(*nonce), 0) == (ssize_t)sizeof(*nonce))
		return 0;
	return error_fail(comm, -errno, "no random number: %s", strerror(errno));
}
