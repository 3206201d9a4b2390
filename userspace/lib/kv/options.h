/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a stream, checked. */
#ifndef WEIR_KV_OPTIONS_H
#define WEIR_KV_OPTIONS_H

struct weir_kv_options;
struct weir_stream;

/* Read into stream->config. Return 0 or a negative errno, with its sentence. */
int kv_options_sender(struct weir_stream *stream, const struct weir_kv_options *options);
int kv_options_receiver(struct weir_stream *stream, const struct weir_kv_options *options);

#endif
