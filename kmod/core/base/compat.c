// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that older kernels lack and that do not fit into compat.h. Kernels that
 * have them do not build these.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "core/base/compat.h"

#ifndef NETLINK_MAX_FMTMSG_LEN
#define WEIR_COMPAT_SENTENCES	64

/**
 * weir_compat_sentence() - a sentence about a wrong request, with numbers in it
 * @format: as for printf()
 *
 * Older kernels copy the sentence only when the request is over. By the time a buffer
 * is used again, that request has long had its answer.
 *
 * Return: the sentence.
 */
const char *weir_compat_sentence(const char *format, ...)
{
	static char place[WEIR_COMPAT_SENTENCES][128];
	static atomic_t next = ATOMIC_INIT(0);
	va_list args;
	char *text;

	text = place[(u32)atomic_inc_return(&next) % WEIR_COMPAT_SENTENCES];
	va_start(args, format);
	vsnprintf(text, sizeof(place[0]), format, args);
	va_end(args);
	return text;
}
#endif

#ifndef WEIR_HAVE_NLA_UINT
/**
 * weir_compat_uint() - is an attribute an integer of either length?
 * @attr: the attribute
 * @extack: gets a sentence where it is not
 *
 * Return: 0 or -ERANGE.
 */
int weir_compat_uint(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (nla_len(attr) == sizeof(u32) || nla_len(attr) == sizeof(u64))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "invalid attribute length");
	return -ERANGE;
}
#endif
