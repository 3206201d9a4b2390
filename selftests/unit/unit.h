/* SPDX-License-Identifier: GPL-2.0 */
/* The suites, of which each file has one, and what several of them use. */
#ifndef UNIT_H
#define UNIT_H

#include <stdlib.h>

#include "ktap.h"

#define SUITE(name) extern const struct ktap_test name##_tests[]; \
	extern const size_t name##_count

SUITE(reduce);
SUITE(pool);
SUITE(payload);
SUITE(headers);
SUITE(order);
SUITE(retention);
SUITE(block);
SUITE(model);
SUITE(pair);
SUITE(switchml);
SUITE(rate);
SUITE(lateness);
SUITE(scan);
SUITE(straggler);
SUITE(control);
SUITE(join);
SUITE(level);
SUITE(job);
SUITE(contribute);
SUITE(merged);
SUITE(format);
SUITE(kv);
SUITE(lab);
SUITE(panama);
SUITE(ecn);
SUITE(share);
SUITE(bands);
SUITE(trim_config);
SUITE(trim_acl);
SUITE(trim_pool);
SUITE(filter);
SUITE(sources);

#define SUITE_END(name) \
	const size_t name##_count = sizeof(name##_tests) / sizeof(name##_tests[0])

/* A number below @sides. */
static inline unsigned int dice(unsigned int sides)
{
	return random() % sides;
}

#endif /* UNIT_H */
