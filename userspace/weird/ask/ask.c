// SPDX-License-Identifier: GPL-2.0
#include "ask/ask.h"

#include <string.h>

#include <weir.h>

#include "base/fields.h"
#include "grammar/names.h"

#define GRADS_DEFAULT	1024
#define BLOCKS_DEFAULT	4096
#define TIMEOUT_MIN	100

static const char *const members[] = {
	"name", "rank", "ranks", "port", "type", "operation", "order", "policy", "grads",
	"blocks", "timeout_us", "quorum", "rate", "group", NULL,
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool ask_name_fits(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		if (i >= JOB_NAME_MAX || (!is_plain(name[i]) && (!i || !strchr("._:-", name[i]))))
			return false;
	}
	return i > 0;
}

static void read_name(struct ask *ask, const struct fields *fields)
{
	const char *name = field_text(fields, "name");

	if (!name)
		return;
	if (ask_name_fits(name))
		strcpy(ask->name, name);
	else
		refuse(fields->refusal, 400,
		       "'name' must be 1 to %d letters, digits and . _ : -, no sign first",
		       JOB_NAME_MAX);
}

static void read_group(struct spec *spec, const struct fields *fields)
{
	const char *text = field_text(fields, "group");

	if (!text || (addr_parse(&spec->group, text) && !addr_is_link(&spec->group)))
		return;
	spec->group.len = 0;
	refuse(fields->refusal, 400, "'group' is '%.46s': it must be a multicast address", text);
}

/* Only a policy that does not wait needs a timeout. */
static void read_policy(struct spec *spec, const struct fields *fields)
{
	bool waits;

	spec->policy = field_word(fields, "policy", &policy_names, WEIR_POLICY_WAIT);
	waits = spec->policy == WEIR_POLICY_WAIT;
	spec->timeout = field_number(fields, "timeout_us", TIMEOUT_MIN, UINT32_MAX,
				     waits ? 0 : WEIR_TIMEOUT_DEFAULT);
	spec->quorum = field_number(fields, "quorum", 1, spec->ranks, 0);
	if (waits && spec->quorum)
		refuse(fields->refusal, 400, "'quorum' needs the policy partial or exclude");
}

static uint32_t grads_max(uint32_t dtype)
{
	return dtype == WEIR_DTYPE_INT64 || dtype == WEIR_DTYPE_FLOAT64 ? WEIR_GRADS_MAX / 2 :
									 WEIR_GRADS_MAX;
}

static void read_spec(struct spec *spec, const struct fields *fields)
{
	spec->ranks = field_number(fields, "ranks", 1, WEIR_SOURCES_MAX, 1);
	spec->dtype = field_word(fields, "type", &dtype_names, WEIR_DTYPE_INT32);
	spec->op = field_word(fields, "operation", &op_names, WEIR_OP_SUM);
	spec->order = field_word(fields, "order", &order_names, WEIR_ORDER_ARRIVAL);
	spec->grads = field_number(fields, "grads", 1, grads_max(spec->dtype), GRADS_DEFAULT);
	spec->blocks = field_number(fields, "blocks", 1, WEIR_BLOCKS_MAX, BLOCKS_DEFAULT);
	if (spec->blocks & (spec->blocks - 1))
		refuse(fields->refusal, 400, "'blocks' is %u: it must be a power of two",
		       spec->blocks);
	spec->rate = field_number(fields, "rate", 1, INT64_MAX, 0);
	read_policy(spec, fields);
	read_group(spec, fields);
}

bool ask_take(struct ask *ask, struct json_object *object, struct refusal *refusal)
{
	struct fields fields;

	memset(ask, 0, sizeof(*ask));
	if (!fields_begin(&fields, object, members, refusal))
		return false;
	field_required(&fields, "name");
	field_required(&fields, "rank");
	field_required(&fields, "ranks");
	read_name(ask, &fields);
	read_spec(&ask->spec, &fields);
	ask->rank = field_number(&fields, "rank", 0, ask->spec.ranks - 1, 0);
	ask->port = field_number(&fields, "port", 1, UINT16_MAX, 0);
	if (ask->port && ask->spec.group.len)
		refuse(refusal, 400,
		       "results of a job with a group go to the job's port: leave 'port' out");
	return !refusal->status;
}

bool ask_read(struct ask *ask, const char *text, size_t size, struct refusal *refusal)
{
	struct json_object *object = fields_parse(text, size, refusal);
	bool good = !refusal->status && ask_take(ask, object, refusal);

	json_object_put(object);
	return good;
}

static bool same_number(struct refusal *refusal, const char *name, uint64_t job, uint64_t asked)
{
	return job == asked ||
	       refuse(refusal, 409, "the job has %s %ju, and this rank asks for %ju", name,
		      (uintmax_t)job, (uintmax_t)asked);
}

static bool same_word(struct refusal *refusal, const char *name, const struct names *words,
		      uint32_t job, uint32_t asked)
{
	return job == asked ||
	       refuse(refusal, 409, "the job has %s %s, and this rank asks for %s", name,
		      names_word(words, job), names_word(words, asked));
}

bool spec_same(const struct spec *job, const struct spec *asked, struct refusal *refusal)
{
	return same_number(refusal, "ranks", job->ranks, asked->ranks) &&
	       same_word(refusal, "type", &dtype_names, job->dtype, asked->dtype) &&
	       same_word(refusal, "operation", &op_names, job->op, asked->op) &&
	       same_word(refusal, "order", &order_names, job->order, asked->order) &&
	       same_word(refusal, "policy", &policy_names, job->policy, asked->policy) &&
	       same_number(refusal, "grads", job->grads, asked->grads) &&
	       same_number(refusal, "blocks", job->blocks, asked->blocks) &&
	       same_number(refusal, "timeout_us", job->timeout, asked->timeout) &&
	       same_number(refusal, "quorum", job->quorum, asked->quorum) &&
	       same_number(refusal, "rate", job->rate, asked->rate) &&
	       (addr_equal(&job->group, &asked->group) ||
		refuse(refusal, 409, "the job has another group"));
}

static void put_number(struct json_object *to, const char *name, uint64_t number)
{
	json_object_object_add(to, name, json_object_new_int64((int64_t)number));
}

static void put_text(struct json_object *to, const char *name, const char *text)
{
	json_object_object_add(to, name, json_object_new_string(text));
}

void spec_write(const struct spec *spec, struct json_object *to)
{
	char text[ADDR_TEXT];

	put_number(to, "ranks", spec->ranks);
	put_text(to, "type", names_word(&dtype_names, spec->dtype));
	put_text(to, "operation", names_word(&op_names, spec->op));
	put_text(to, "order", names_word(&order_names, spec->order));
	put_text(to, "policy", names_word(&policy_names, spec->policy));
	put_number(to, "grads", spec->grads);
	put_number(to, "blocks", spec->blocks);
	if (spec->timeout)
		put_number(to, "timeout_us", spec->timeout);
	if (spec->quorum)
		put_number(to, "quorum", spec->quorum);
	if (spec->rate)
		put_number(to, "rate", spec->rate);
	if (spec->group.len)
		put_text(to, "group", addr_text(&spec->group, text));
}
