// SPDX-License-Identifier: GPL-2.0
/* Report why a request was refused, in one sentence that names the object and the fix. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "request/request.h"

/* Describe an error number of the kernel, for errors that it gave no sentence with. */
static const char *words_for(int err)
{
	switch (err) {
	case EEXIST:
		return "it is there already";
	case ENOENT:
		return "there is no such thing";
	case ENODEV:
		return "there is no such device";
	case EOPNOTSUPP:
		return "the loaded weir module cannot do this";
	case ENOMEM:
		return "the kernel has no memory for it";
	case EDQUOT:
		return "the memory limit leaves no room for it; `weir stats` shows the limit";
	case ENOBUFS:
		return "the kernel has no room in a buffer; try again";
	default:
		return strerror(err);
	}
}

/* The key that carries an attribute, given or not. */
static const struct key *key_of(const struct args *args, uint16_t attr)
{
	const struct verb_key *entry;

	if (!attr)
		return NULL;
	for_each_key(entry, args->verb) {
		if (entry->key->attr == attr)
			return entry->key;
	}
	return NULL;
}

/* Return true if the key identifies the object of the request: every sentence names it. */
static bool identifies(const struct key *key)
{
	return !strcmp(key->name, "id") || !strcmp(key->name, "job") ||
	       !strcmp(key->name, "dev");
}

/* "source add job 7 id 0" */
static void subject(const struct args *args, char *buffer, size_t size)
{
	size_t i, used;

	used = snprintf(buffer, size, "%s%s%s", args->object->name,
			*args->verb->name ? " " : "", args->verb->name);
	for (i = 0; i < args->count && used < size; i++) {
		const struct value *value = &args->value[i];

		if (!identifies(value->key))
			continue;
		used += snprintf(buffer + used, size - used, " %s %s",
				 value->key->name, value->word);
	}
}

int request_refused(const struct weir *weir, const struct args *args)
{
	const struct nl_error *error = &weir->nl.error;
	const struct key *missing = key_of(args, error->missing);
	const struct key *key = key_of(args, error->attr);
	const struct value *value = args_by_attr(args, error->attr);
	struct problem problem = { .status = WEIR_REFUSED, .err = error->err };
	const char *text = *error->text ? error->text : words_for(error->err);
	char about[128];

	subject(args, about, sizeof(about));
	if (error->err == EPERM && !*error->text)
		return tell(&problem, "%s: not permitted: this takes CAP_NET_ADMIN; run it as root",
			    about);
	if (missing) {
		problem.key = missing->name;
		/* The kernel's own sentence says what is missing. */
		if (*error->text)
			return tell(&problem, "%s: %s", about, text);
		return tell(&problem, "%s: the kernel misses the key %s (%s)", about,
			    missing->name, text);
	}
	if (!key || !value)
		return tell(&problem, "%s: %s", about, text);
	problem.key = key->name;
	if (error->ranged)
		return tell(&problem, "%s: %s %s is out of range: the kernel takes %ju to %ju",
			    about, key->name, value->word, (uintmax_t)error->min,
			    (uintmax_t)error->max);
	if (identifies(key))
		return tell(&problem, "%s: %s", about, text);
	return tell(&problem, "%s: %s %s: %s", about, key->name, value->word, text);
}
