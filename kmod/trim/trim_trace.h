/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of the weir qdisc: events/weir under tracefs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM weir

#if !defined(_WEIR_TRIM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _WEIR_TRIM_TRACE_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <trim/weir_trim_class.h>

#include "trim/bands.h"

#define WEIR_TRIM_CLASS_NAMES			\
	{ WEIR_TRIM_OTHER, "other" },		\
	{ WEIR_TRIM_DATA, "data" },		\
	{ WEIR_TRIM_HEADER, "header" },		\
	{ WEIR_TRIM_RETURNED, "returned" },	\
	{ WEIR_TRIM_UNTRUSTED, "untrusted" },	\
	{ WEIR_TRIM_CONTROL, "control" }

TRACE_DEFINE_ENUM(WEIR_TRIM_OTHER);
TRACE_DEFINE_ENUM(WEIR_TRIM_DATA);
TRACE_DEFINE_ENUM(WEIR_TRIM_HEADER);
TRACE_DEFINE_ENUM(WEIR_TRIM_RETURNED);
TRACE_DEFINE_ENUM(WEIR_TRIM_UNTRUSTED);
TRACE_DEFINE_ENUM(WEIR_TRIM_CONTROL);

TRACE_EVENT(weir_trim,
	TP_PROTO(const struct net_device *dev, const struct weir_bands *bands,
		 u32 len, u32 kept, int class),
	TP_ARGS(dev, bands, len, kept, class),
	TP_STRUCT__entry(
		__array(char, name, IFNAMSIZ)
		__field(u32, len)
		__field(u32, kept)
		__field(int, class)
		__field(u32, packets)
		__field(u32, bytes)
		__field(u32, headers)
	),
	TP_fast_assign(
		memcpy(__entry->name, dev->name, IFNAMSIZ);
		__entry->len = len;
		__entry->kept = kept;
		__entry->class = class;
		__entry->packets = bands->packets[WEIR_BAND_DATA];
		__entry->bytes = bands->bytes[WEIR_BAND_DATA];
		__entry->headers = bands->packets[WEIR_BAND_HEADER];
	),
	TP_printk("dev=%s len=%u kept=%u class=%s packets=%u bytes=%u headers=%u",
		  __entry->name, __entry->len, __entry->kept,
		  __print_symbolic(__entry->class, WEIR_TRIM_CLASS_NAMES),
		  __entry->packets, __entry->bytes, __entry->headers)
);

TRACE_EVENT(weir_trim_dropped,
	TP_PROTO(const struct net_device *dev, u32 len, int class),
	TP_ARGS(dev, len, class),
	TP_STRUCT__entry(
		__array(char, name, IFNAMSIZ)
		__field(u32, len)
		__field(int, class)
	),
	TP_fast_assign(
		memcpy(__entry->name, dev->name, IFNAMSIZ);
		__entry->len = len;
		__entry->class = class;
	),
	TP_printk("dev=%s len=%u class=%s", __entry->name, __entry->len,
		  __print_symbolic(__entry->class, WEIR_TRIM_CLASS_NAMES))
);

#endif /* _WEIR_TRIM_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trim/trim_trace
#include <trace/define_trace.h>
