// SPDX-License-Identifier: GPL-2.0
#include "kv/words.h"

#include <weir.h>


static const struct name dtypes[] = {
	{ WEIR_DTYPE_INT32, "int32", NULL }, { WEIR_DTYPE_FLOAT32, "float32", NULL },
	{ WEIR_DTYPE_INT64, "int64", NULL },
};

const struct names kv_dtype_names = { "data type", 3, dtypes };
