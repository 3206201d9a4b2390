// SPDX-License-Identifier: GPL-2.0
/* Keys of requests that follow from the specs in uapi/. Made by scripts/keys-regen; do not edit. */
#include <stddef.h>

#include <weir.h>
#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "grammar/grammar.h"

static const struct key job_keys = {
	"keys", "NUMBER", "of format kv, in place of blocks and grads, keys that the box holds at most",
	VALUE_NUMBER, .min = 1, .max = 67108864, .attr = WEIR_A_JOB_KEYS,
};

static const struct key job_key_memory = {
	"key-memory", "NUMBER", "bytes that the table of keys takes at most; by default what is enough for keys of up to 22 bytes, longer ones need more",
	VALUE_NUMBER, .attr = WEIR_A_JOB_KEY_MEMORY,
};

const struct verb_key job_add_attributes[] = {
	{ .key = &job_keys },
	{ .key = &job_key_memory },
	{ .key = NULL },
};

const struct verb_key job_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key source_add_attributes[] = {
	{ .key = NULL },
};

const struct verb_key source_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key trim_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key trim_pool_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key filter_add_attributes[] = {
	{ .key = NULL },
};

const struct verb_key filter_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key flow_set_attributes[] = {
	{ .key = NULL },
};

const struct verb_key order_add_attributes[] = {
	{ .key = NULL },
};
