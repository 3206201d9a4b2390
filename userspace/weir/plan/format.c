// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>

#include <weir.h>
#include <weir_wire.h>

#include "plan/format.h"

static const struct plan_format formats[] = {
	{ "trio", WEIR_PORT_DEFAULT, .levels = true, .ranks = true, .ports = true },
	{ "lab", WEIR_PORT_LAB, .trees = 1 },
	{ "lab-ethernet", 0, .trees = 1 },
	{ "switchml", WEIR_PORT_SWITCHML, .trees = 1 },
	{ "panama", WEIR_PORT_PANAMA, .levels = true, .trees = WEIR_PANAMA_TREES },
	{ "kv", WEIR_PORT_KV, .levels = true, .keys = true, .trees = 1 },
};

const struct plan_format *plan_format_named(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!word || !strcmp(word, formats[i].word))
			return &formats[i];
	}
	return NULL;
}
