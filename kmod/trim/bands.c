// SPDX-License-Identifier: GPL-2.0
/*
 * The bands of a port: when one is full, which packet is trimmed then, and which band is
 * next. Of a packet only the length matters here.
 *
 * The next packet is chosen in two steps. Headers and whole packets share the link as the
 * policy says. Of the whole packets, those of the other band get half of the bytes, and
 * the data band gets the other half less the bytes of headers: traffic that is not to be
 * trimmed pays nothing for trimming. This is deficit round robin with a deficit that is
 * paid after the packet: a band that sent a long packet waits until the other one has sent as
 * much, also if it is empty meanwhile; and a band that is empty saves up no credit.
 */
#include <linux/compiler.h>

#include <uapi/weir_trim_nl.h>

#include "trim/bands.h"

/* Headers go first, so the lead of their side has to end somewhere: at two merged packets. */
#define WEIR_BANDS_LEAD_MAX	(2 * 65536)

/**
 * weir_bands_data_full() - test whether the data band has no room for a packet
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
 * weir_bands_header_full() - test whether the header band has no room for a packet
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
 * weir_bands_swap() - test whether the data band's tail is trimmed instead of an arriving packet
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
 * weir_bands_other_full() - test whether the other band has no room for a packet
 * @bands: the bands
 * @limits: their limits
 * @usual: packets that the device's queue has as a rule, its txqueuelen
 * @more: packets that may wait beyond the limit
 */
bool weir_bands_other_full(const struct weir_bands *bands,
			   const struct weir_bands_limits *limits, u32 usual,
			   u32 more)
{
	u32 limit = limits->others ?: usual ?: 1;

	return bands->packets[WEIR_BAND_OTHER] >= (u64)limit + more;
}

static bool weir_bands_whole(const struct weir_bands *bands)
{
	return bands->packets[WEIR_BAND_DATA] || bands->packets[WEIR_BAND_OTHER];
}

static enum weir_band_id weir_bands_next_whole(const struct weir_bands *bands)
{
	if (!bands->packets[WEIR_BAND_OTHER])
		return WEIR_BAND_DATA;
	if (!bands->packets[WEIR_BAND_DATA])
		return WEIR_BAND_OTHER;
	return bands->lead > 0 ? WEIR_BAND_OTHER : WEIR_BAND_DATA;
}

/**
 * weir_bands_next() - choose the band of the next packet to send
 * @bands: the bands; if all are empty the answer is the data band
 * @limits: their shares of the link
 */
enum weir_band_id weir_bands_next(const struct weir_bands *bands,
				  const struct weir_bands_limits *limits)
{
	if (!bands->packets[WEIR_BAND_HEADER])
		return weir_bands_next_whole(bands);
	if (!weir_bands_whole(bands))
		return WEIR_BAND_HEADER;
	if (limits->share == WEIR_TRIM_SHARE_RATIO &&
	    bands->turn >= limits->share_value)
		return weir_bands_next_whole(bands);
	if (limits->share == WEIR_TRIM_SHARE_BYTES && bands->ahead > 0)
		return weir_bands_next_whole(bands);
	return WEIR_BAND_HEADER;
}

static s64 weir_bands_within(s64 lead, s64 least, s64 most)
{
	return lead < least ? least : lead > most ? most : lead;
}

/* Called before the packet is taken off its band. */
static void weir_bands_pay(struct weir_bands *bands, enum weir_band_id band,
			   u32 len)
{
	bool trims = bands->packets[WEIR_BAND_DATA] ||
		     bands->packets[WEIR_BAND_HEADER];

	if (band == WEIR_BAND_OTHER)
		bands->lead = weir_bands_within(bands->lead - len,
						trims ? -WEIR_BANDS_LEAD_MAX : 0,
						WEIR_BANDS_LEAD_MAX);
	else
		bands->lead = weir_bands_within(bands->lead + len,
						-WEIR_BANDS_LEAD_MAX,
						bands->packets[WEIR_BAND_OTHER] ?
						WEIR_BANDS_LEAD_MAX : 0);
}

/**
 * weir_bands_sent() - a packet goes
 * @bands: the bands
 * @limits: their shares of the link
 * @band: the band that it waited in
 * @len: its bytes
 */
void weir_bands_sent(struct weir_bands *bands,
		     const struct weir_bands_limits *limits,
		     enum weir_band_id band, u32 len)
{
	bool both = bands->packets[WEIR_BAND_HEADER] && weir_bands_whole(bands);

	/* The last packet that waits, as most are: no band has a rival. */
	if (weir_bands_packets(bands) == 1) {
		weir_bands_sent_alone(bands, band, len);
		return;
	}
	weir_bands_pay(bands, band, len);
	weir_bands_del(bands, band, len);
	if (!both || limits->share != WEIR_TRIM_SHARE_RATIO ||
	    band != WEIR_BAND_HEADER)
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
