// SPDX-License-Identifier: GPL-2.0
/*
 * The defaults of trimming policies: a setting that was not given for a port is its
 * namespace's, and one that was not given there is weir's own. A change of a policy
 * keeps the settings that were given before.
 */
#include <linux/bits.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <uapi/weir.h>

#include "trim/trim_default.h"

#define SAID(attr)	BIT_ULL(WEIR_A_TRIM_##attr)
#define SAYS_MARK	(SAID(DSCP) | SAID(TC))
#define SAYS_LIMIT	(SAID(LIMIT) | SAID(LIMIT_BYTES) | SAID(LIMIT_TIME) | \
			 SAID(LIMIT_DYNAMIC))
/* Only weir qdiscs share a pool, so a port alone can have such a limit. */
#define SAYS_ALONE	SAID(LIMIT_DYNAMIC)
#define AT(field)	offsetof(struct weir_trim_config, field)
#define SIZE(field)	sizeof_field(struct weir_trim_config, field)

/**
 * struct weir_trim_default_field - a field that is inherited as a whole
 * @attrs: a port that has one of these does not inherit the field
 * @at: its offset in a policy
 * @size: its length in bytes
 * @has: WEIR_TRIM_HAS_*, 0 where it is always there
 */
struct weir_trim_default_field {
	u64	attrs;
	u32	at;
	u32	size;
	u32	has;
};

static const struct weir_trim_default_field weir_trim_default_fields[] = {
	{ SAID(SIZE), AT(size), SIZE(size), 0 },
	{ SAYS_MARK, AT(dscp), SIZE(dscp), WEIR_TRIM_HAS_DSCP },
	{ SAYS_MARK, AT(tc), SIZE(tc), WEIR_TRIM_HAS_TC },
	{ SAID(TC_DSCP), AT(tc_dscp), SIZE(tc_dscp), WEIR_TRIM_HAS_TC_DSCP },
	{ SAID(TRIMMED_DSCPS), AT(trimmed_dscps), SIZE(trimmed_dscps), 0 },
	{ SAID(CONTROL_DSCPS), AT(control_dscps), SIZE(control_dscps), 0 },
	{ SAID(LENGTH), AT(length), SIZE(length), 0 },
	{ SAID(RULE), AT(rules), SIZE(rules), 0 },
	{ SAID(RULE), AT(rule), SIZE(rule), 0 },
	{ SAYS_LIMIT, AT(limit), SIZE(limit), 0 },
	{ SAYS_LIMIT, AT(limit_bytes), SIZE(limit_bytes), 0 },
	{ SAYS_LIMIT, AT(limit_time), SIZE(limit_time), 0 },
	{ SAID(HEADERS), AT(headers), SIZE(headers), 0 },
	{ SAID(HEADER_TIME), AT(header_time), SIZE(header_time), 0 },
	{ SAID(OTHER_LIMIT), AT(other_limit), SIZE(other_limit), 0 },
};

#define WEIR_TRIM_DEFAULT_END \
	(weir_trim_default_fields + ARRAY_SIZE(weir_trim_default_fields))

/**
 * weir_trim_default_attrs() - the attributes that can be inherited
 *
 * Return: bit i is WEIR_A_TRIM_i.
 */
u64 weir_trim_default_attrs(void)
{
	const struct weir_trim_default_field *f = weir_trim_default_fields;
	u64 attrs = 0;

	for (; f < WEIR_TRIM_DEFAULT_END; f++)
		attrs |= f->attrs;
	return attrs & ~SAYS_ALONE;
}

static void weir_trim_default_copy(struct weir_trim_config *config,
				   const struct weir_trim_config *from,
				   const struct weir_trim_default_field *f)
{
	memcpy((void *)config + f->at, (const void *)from + f->at, f->size);
	config->has = (config->has & ~f->has) | (from->has & f->has);
}

/**
 * weir_trim_default_own() - more attributes are given for a port
 * @config: its policy
 * @attrs: those, as in @config->said
 * @plain: a policy without any attribute given
 *
 * Fields that go together with them are no longer inherited, and get weir's own
 * defaults.
 */
void weir_trim_default_own(struct weir_trim_config *config, u64 attrs,
			   const struct weir_trim_config *plain)
{
	const struct weir_trim_default_field *f = weir_trim_default_fields;

	for (; f < WEIR_TRIM_DEFAULT_END; f++)
		if (attrs & f->attrs && !(config->said & f->attrs))
			weir_trim_default_copy(config, plain, f);
	config->said |= attrs;
}

/**
 * weir_trim_default_apply() - have a policy inherit the fields not given for its port
 * @config: the policy
 * @def: the default
 */
void weir_trim_default_apply(struct weir_trim_config *config,
			     const struct weir_trim_config *def)
{
	const struct weir_trim_default_field *f = weir_trim_default_fields;

	for (; f < WEIR_TRIM_DEFAULT_END; f++)
		if (!(config->said & f->attrs))
			weir_trim_default_copy(config, def, f);
}
