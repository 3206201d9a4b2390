// SPDX-License-Identifier: GPL-2.0
/* The wire formats: a line each. */
#include <linux/kernel.h>

#include "agg/format/format.h"

static const struct weir_format_ops *const weir_formats[] = {
	&weir_format_trio,
	&weir_format_lab,
	&weir_format_lab_ethernet,
	&weir_format_panama,
	&weir_format_kv,
	&weir_format_switchml,
};

/**
 * weir_format_find() - a wire format
 * @id: enum weir_format
 *
 * Any context. Return: the format, or NULL where there is none.
 */
const struct weir_format_ops *weir_format_find(u32 id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(weir_formats); i++)
		if (weir_formats[i]->id == id)
			return weir_formats[i];
	return NULL;
}
