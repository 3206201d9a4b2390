// SPDX-License-Identifier: GPL-2.0
#include "kv/words.h"

#include <weir.h>

#include "base/tool.h"
#include "grammar/args.h"

static const struct name dtypes[] = {
	{ WEIR_DTYPE_INT32, "int32", NULL }, { WEIR_DTYPE_FLOAT32, "float32", NULL },
	{ WEIR_DTYPE_INT64, "int64", NULL },
};

const struct names kv_dtype_names = { "data type", 3, dtypes };

static int parse_file(struct value *value)
{
	if (*value->word)
		return WEIR_OK;
	return usage(value->key->name, "file takes the name of a file, not an empty word");
}

const struct syntax kv_file_syntax = { .parse = parse_file };
