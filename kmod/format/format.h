/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FORMAT_H
#define _WEIR_FORMAT_H

#include <linux/types.h>

struct weir_result;

/* Bytes of the longest head that a result has in any format. */
#define WEIR_HEAD_MAX	16

/**
 * struct weir_format_ops - a wire format, as far as the box speaks it
 * @id: enum weir_format
 * @result: writes what stands before the gradients of a job's result, WEIR_HEAD_MAX bytes at
 *	most, and returns how many
 *
 * How contributions are read is the business of the programs that hand them over, see
 * bpf/lib/weir_format.h.
 */
struct weir_format_ops {
	u8		id;
	unsigned int	(*result)(void *head, u8 job, const struct weir_result *res);
};

extern const struct weir_format_ops weir_format_trio;

const struct weir_format_ops *weir_format_find(u32 id);

#endif /* _WEIR_FORMAT_H */
