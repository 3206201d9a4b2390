// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

bool named_is_asked(const char *box)
{
	return strstr(box, "://");
}

/* Return the length of scheme://HOST in scheme://HOST[/NAME][?WISHES]. */
static size_t host_length(const char *box)
{
	size_t scheme = (size_t)(strstr(box, "://") - box) + 3;

	return scheme + strcspn(box + scheme, "/?");
}

static const char *wishes(const char *box)
{
	const char *found = strchr(box, '?');

	return found ? found : "";
}

static int copy(char name[NAMED_LENGTH], const char *from, size_t length)
{
	if (length >= NAMED_LENGTH)
		return -1;
	memcpy(name, from, length);
	name[length] = '\0';
	return 0;
}

static void draw(char name[NAMED_LENGTH])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint64_t)time(NULL);
	snprintf(name, NAMED_LENGTH, "mpi-%016llx", (unsigned long long)number);
}

int named_run(const char *box, char name[NAMED_LENGTH])
{
	const char *rest = box + host_length(box), *own = getenv("WEIR_JOB");
	size_t length = *rest == '/' ? strcspn(rest + 1, "?") : 0;

	if (length)
		return copy(name, rest + 1, length);
	if (own && *own)
		return copy(name, own, strlen(own));
	draw(name);
	return 0;
}

int named_url(const char *box, const char *run, enum weir_type type, enum weir_operation operation,
	      char url[NAMED_URL])
{
	int length = snprintf(url, NAMED_URL, "%.*s/%s-%s-%s%s", (int)host_length(box), box, run,
			      named_type(type), named_operation(operation), wishes(box));

	return length < NAMED_URL ? 0 : -1;
}

const char *named_type(enum weir_type type)
{
	static const char *const names[] = {
		[WEIR_INT32] = "int32",
		[WEIR_FLOAT32] = "float32",
		[WEIR_INT64] = "int64",
		[WEIR_FLOAT64] = "float64",
	};

	return names[type];
}

const char *named_operation(enum weir_operation operation)
{
	return operation == WEIR_MIN ? "min" : operation == WEIR_MAX ? "max" : "sum";
}
