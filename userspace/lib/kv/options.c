// SPDX-License-Identifier: BSD-2-Clause
#include "kv/options.h"

#include <errno.h>

#include <weir.h>

#include "base/sized.h"
#include "flow/rtt.h"
#include "kv/stream.h"

#define TIMEOUT_DEFAULT	30000

/* The size of the first version's structure: no caller has less. */
#define SIZE_MIN	sizeof(struct weir_kv_options)

_Static_assert(WEIR_KV_KEY_BYTES == WEIR_KV_KEY_MAX, "keys are as long as on the wire");

static int copy(struct weir_stream *stream, struct weir_kv_options *mine,
		const struct weir_kv_options *options)
{
	int err;

	if (!options)
		return kv_refuse(stream, -EINVAL, "the stream was given no options");
	err = sized_in(mine, sizeof(*mine), options, SIZE_MIN);
	if (err == -E2BIG)
		return kv_refuse(stream, err,
				 "the options have members that libweir %s does not know",
				 weir_version());
	if (err)
		return kv_refuse(stream, err,
				 "the options' size is %zu: set it to sizeof(struct weir_kv_options)",
				 options->size);
	return 0;
}

static int read_numbers(struct weir_stream *stream, const struct weir_kv_options *o)
{
	struct kv_config *config = &stream->config;

	if (o->job > WEIR_JOB_ID_MAX)
		return kv_refuse(stream, -EINVAL, "job is %u: it must be 0 to %u", o->job,
				 WEIR_JOB_ID_MAX);
	if (o->type && o->type != WEIR_INT32 && o->type != WEIR_FLOAT32 && o->type != WEIR_INT64)
		return kv_refuse(stream, -EINVAL,
				 "type is %u: it must be WEIR_INT32, WEIR_INT64 or WEIR_FLOAT32, or 0",
				 o->type);
	if (o->operation > WEIR_MAX)
		return kv_refuse(stream, -EINVAL,
				 "operation is %u: it must be an enum weir_operation, or 0",
				 o->operation);
	config->numbers.type = o->type ? o->type : WEIR_INT32;
	config->numbers.operation = o->operation ? o->operation : WEIR_SUM;
	config->job = o->job;
	config->port = o->port ? o->port : WEIR_PORT_KV;
	return 0;
}

static int read_address(struct weir_stream *stream, struct address *address, const char *name,
			const char *text, uint16_t port)
{
	if (!address_parse(address, text, port))
		return kv_refuse(stream, -EINVAL,
				 "%s is '%s': it must be an IPv4 or IPv6 address in numbers", name,
				 text);
	if (address_is_multicast(address))
		return kv_refuse(stream, -EINVAL,
				 "%s %s is a multicast group: give a host's own", name, text);
	return 0;
}

static int read_own(struct weir_stream *stream, const char *text)
{
	struct kv_config *config = &stream->config;
	int err;

	if (!text)
		return 0;
	err = read_address(stream, &config->own, "bind_address", text, 0);
	if (!err && config->own.any.sa_family != config->peer.any.sa_family)
		return kv_refuse(stream, -EINVAL,
				 "bind_address %s and address %s are of different families", text,
				 config->text);
	return err;
}

int kv_options_sender(struct weir_stream *stream, const struct weir_kv_options *options)
{
	struct kv_config *config = &stream->config;
	struct weir_kv_options mine;
	int err = copy(stream, &mine, options) ?: read_numbers(stream, &mine);

	if (err)
		return err;
	if (mine.sources)
		return kv_refuse(stream, -EINVAL, "sources is the reducer's: a mapper leaves it 0");
	if (mine.source >= WEIR_SOURCES_MAX)
		return kv_refuse(stream, -EINVAL, "source is %u: it must be 0 to %u", mine.source,
				 WEIR_SOURCES_MAX - 1);
	if (!mine.address)
		return kv_refuse(stream, -EINVAL,
				 "address is missing: say where the box or the reducer is");
	err = read_address(stream, &config->peer, "address", mine.address, config->port);
	if (err)
		return err;
	address_format(&config->peer, config->text);
	config->source = mine.source;
	config->local_keys = mine.local_keys;
	config->timeout = (mine.timeout_ms ? mine.timeout_ms : TIMEOUT_DEFAULT) * NSEC_PER_MSEC;
	return read_own(stream, mine.bind_address);
}

int kv_options_receiver(struct weir_stream *stream, const struct weir_kv_options *options)
{
	struct kv_config *config = &stream->config;
	struct weir_kv_options mine;
	int err = copy(stream, &mine, options) ?: read_numbers(stream, &mine);

	if (err)
		return err;
	if (!mine.sources || mine.sources > WEIR_SOURCES_MAX)
		return kv_refuse(stream, -EINVAL, "sources is %u: it must be 1 to %u", mine.sources,
				 WEIR_SOURCES_MAX);
	if (mine.source || mine.local_keys || mine.timeout_ms || mine.bind_address)
		return kv_refuse(stream, -EINVAL,
				 "source, local_keys, timeout_ms and bind_address are a mapper's: a reducer leaves them 0");
	config->sources = mine.sources;
	return mine.address ? read_address(stream, &config->peer, "address", mine.address,
					   config->port) : 0;
}
