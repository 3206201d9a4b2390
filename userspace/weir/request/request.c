// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <string.h>

#include "base/device.h"
#include "base/tool.h"
#include "grammar/commands.h"
#include "request/request.h"

static int put(struct nlmsghdr *message, const struct value *value)
{
	const struct key *key = value->key;
	unsigned int ifindex;
	int status;

	switch (key->type) {
	case VALUE_RATE:
		rate_put(message, key->attr, &value->rate);
		return WEIR_OK;
	case VALUE_ADDRESS:
		nl_put(message, key->attr, value->addr.len, value->addr.bytes);
		return WEIR_OK;
	case VALUE_DEVICE:
		ifindex = 0;
		status = value->none ? WEIR_OK : device_find(value->word, &ifindex);
		if (!status)
			nl_put_u32(message, key->attr, ifindex);
		return status;
	case VALUE_BITRATE:
		nl_put_u64(message, key->attr, value->number);
		return WEIR_OK;
	case VALUE_TEXT:
		nl_put_text(message, key->attr, value->word);
		return WEIR_OK;
	case VALUE_OWN:
		return key->syntax->put(message, value);
	case VALUE_NUMBER:
	case VALUE_TIME:
	case VALUE_SHARE:
	case VALUE_NAME:
		nl_put_u32(message, key->attr, value->number);
		return WEIR_OK;
	}
	return WEIR_OK;
}

int request_put(struct nlmsghdr *message, const struct args *args)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		const struct value *value = &args->value[i];
		int status;

		/* A new object has no address to take away. */
		if (!value->key->attr ||
		    (value->none && value->key->type == VALUE_ADDRESS && !value->addr.len))
			continue;
		status = put(message, value);
		if (status)
			return status;
	}
	return WEIR_OK;
}

int request_put_attributes(struct nlmsghdr *message, const struct args *args)
{
	const struct verb_key *entry;
	int status = WEIR_OK;
	size_t i;

	for (entry = args->verb->attributes; entry && entry->key; entry++) {
		for (i = 0; !status && i < args->count; i++) {
			if (args->value[i].key == entry->key)
				status = put(message, &args->value[i]);
		}
	}
	return status;
}

int request_send(struct weir *weir, char *buffer, const struct args *args,
		 struct nl_replies *replies)
{
	if (nl_talk(&weir->nl, buffer, replies) < 0)
		return request_refused(weir, args);
	return WEIR_OK;
}

int request_show(struct weir *weir, const struct args *args, bool one,
		 struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	int status;

	message = weir_begin(weir, buffer, args->verb->command, one ? 0 : NLM_F_DUMP);
	status = request_put(message, args);
	return status ?: request_send(weir, buffer, args, replies);
}

int request_dump(struct weir *weir, uint8_t command, const char *what, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	int err;

	weir_begin(weir, buffer, command, NLM_F_DUMP);
	err = nl_talk(&weir->nl, buffer, replies);
	return err ? refused(err, "the module does not list its %s: %s", what, strerror(-err)) : WEIR_OK;
}

int request_list(uint8_t command, const char *what, struct nl_replies *replies)
{
	struct weir weir;
	int status;

	status = weir_open_any(&weir);
	if (status)
		return status;
	status = request_dump(&weir, command, what, replies);
	weir_close(&weir);
	return status;
}

/* For verbs whose request has only their keys. */
int request_run(const struct args *args)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	struct weir weir;
	int status;

	status = weir_open(&weir, args->verb->command);
	if (status)
		return status;
	message = weir_begin(&weir, buffer, args->verb->command, 0);
	status = request_put(message, args);
	if (!status)
		status = request_send(&weir, buffer, args, NULL);
	weir_close(&weir);
	return status;
}
