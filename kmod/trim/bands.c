// SPDX-License-Identifier: GPL-2.0
/*
 * The two bands of a port: when one is full, which packet is trimmed then, and
 * which band is next. Of a packet only the length matters here.
 */
#include <linux/compiler.h>

#include <uapi/weir.h>

#include "trim/bands.h"

/**
 * weir_bands_add() - a packet waits
 * @bands: the bands
 * @band: where
 * @len: its bytes
 *
 * Readers outside of the qdisc read the backlog without the qdisc's lock.
 */
void weir_bands_add(struct weir_bands *bands, enum weir_band_id band, u32 len)
{
	WRITE_ONCE(bands->bytes[band], bands->bytes[band] + len);
	WRITE_ONCE(bands->packets[band], bands->packets[band] + 1);
}

/**
 * weir_bands_del() - a packet waits no more
 * @bands: the bands
 * @band: where it waited
 * @len: its bytes
 */
void weir_bands_del(struct weir_bands *bands, enum weir_band_id band, u32 len)
{
	WRITE_ONCE(bands->bytes[band], bands->bytes[band] - len);
	WRITE_ONCE(bands->packets[band], bands->packets[band] - 1);
}

/**
 * weir_bands_data_full() - has the data band no room for a packet?
 * @bands: the bands
 * @limits: their limits
 * @len: bytes of the packet
 * @waited: ns that the band's head has waited
 *
 * A band that is empty has room for one packet, however long it is.
 */
bool weir_bands_data_full(const struct weir_bands *bands,
			  const struct weir_bands_limits *limits, u32 len,
			  u64 waited)
{
	if (!bands->packets[WEIR_BAND_DATA])
		return false;
	return (limits->packets &&
		bands->packets[WEIR_BAND_DATA] >= limits->packets) ||
	       (limits->bytes &&
		bands->bytes[WEIR_BAND_DATA] + len > limits->bytes) ||
	       (limits->time && waited > limits->time);
}

/**
 * weir_bands_header_full() - has the header band no room for a packet?
 * @bands: the bands
 * @limits: their limits
 * @waited: ns that the band's head has waited
 */
bool weir_bands_header_full(const struct weir_bands *bands,
			    const struct weir_bands_limits *limits, u64 waited)
{
	if (!bands->packets[WEIR_BAND_HEADER])
		return false;
	return bands->packets[WEIR_BAND_HEADER] >= limits->headers ||
	       (limits->header_time && waited > limits->header_time);
}

/**
 * weir_bands_swap() - is the data band's tail trimmed instead of an arriving packet?
 * @bands: the bands, of which the data band is full
 * @limits: their limits
 * @len: bytes of the packet that arrives
 * @tail: bytes of the last eligible packet that waits, 0 where there is none
 * @coin: a random number
 *
 * Where the tail would not leave enough room, the arriving packet is trimmed
 * under any policy.
 */
bool weir_bands_swap(const struct weir_bands *bands,
		     const struct weir_bands_limits *limits, u32 len, u32 tail,
		     u32 coin)
{
	if (!tail || limits->victim == WEIR_TRIM_VICTIM_ARRIVING)
		return false;
	if (limits->bytes && bands->packets[WEIR_BAND_DATA] > 1 &&
	    bands->bytes[WEIR_BAND_DATA] - tail + len > limits->bytes)
		return false;
	return limits->victim == WEIR_TRIM_VICTIM_TAIL || coin & 1;
}

/**
 * weir_bands_next() - which band has the next packet to go?
 * @bands: the bands; where both are empty the answer is the data band
 * @limits: how they share
 */
enum weir_band_id weir_bands_next(const struct weir_bands *bands,
				  const struct weir_bands_limits *limits)
{
	if (!bands->packets[WEIR_BAND_HEADER])
		return WEIR_BAND_DATA;
	if (!bands->packets[WEIR_BAND_DATA])
		return WEIR_BAND_HEADER;
	if (limits->share == WEIR_TRIM_SHARE_RATIO)
		return bands->turn < limits->share_value ? WEIR_BAND_HEADER :
							   WEIR_BAND_DATA;
	if (limits->share == WEIR_TRIM_SHARE_BYTES)
		return bands->ahead <= 0 ? WEIR_BAND_HEADER : WEIR_BAND_DATA;
	return WEIR_BAND_HEADER;
}

/**
 * weir_bands_sent() - a packet goes
 * @bands: the bands
 * @limits: how they share
 * @band: where it waited
 * @len: its bytes
 *
 * A band saves up no credit while the other one is empty.
 */
void weir_bands_sent(struct weir_bands *bands,
		     const struct weir_bands_limits *limits,
		     enum weir_band_id band, u32 len)
{
	bool both = bands->packets[WEIR_BAND_HEADER] &&
		    bands->packets[WEIR_BAND_DATA];

	weir_bands_del(bands, band, len);
	if (!both || limits->share != WEIR_TRIM_SHARE_RATIO ||
	    band == WEIR_BAND_DATA)
		bands->turn = 0;
	else
		bands->turn++;

	if (!both || limits->share != WEIR_TRIM_SHARE_BYTES)
		bands->ahead = 0;
	else if (band == WEIR_BAND_HEADER)
		bands->ahead += (s64)len * (100 - limits->share_value);
	else
		bands->ahead -= (s64)len * limits->share_value;
}

/**
 * weir_bands_alone() - a packet went out of turn, as the other band gave none
 * @bands: the bands
 *
 * A band that holds its packets back counts as empty.
 */
void weir_bands_alone(struct weir_bands *bands)
{
	bands->turn = 0;
	bands->ahead = 0;
}
