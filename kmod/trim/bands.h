/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BANDS_H
#define _WEIR_BANDS_H

#include <linux/types.h>

/**
 * enum weir_band_id - the bands of a port
 * @WEIR_BAND_DATA: whole packets that may be trimmed
 * @WEIR_BAND_HEADER: trimmed packets
 * @WEIR_BAND_OTHER: packets that are never trimmed
 * @WEIR_BANDS: number of bands
 */
enum weir_band_id {
	WEIR_BAND_DATA,
	WEIR_BAND_HEADER,
	WEIR_BAND_OTHER,
	WEIR_BANDS,
};

/**
 * struct weir_bands_limits - how bands are bounded and share the link
 * @bytes: of the data band, 0 for no limit
 * @port_bytes: of the data bands of all qdiscs of a port, 0 for no limit; only a
 *	caller that sees all qdiscs enforces it
 * @time: ns that the head of the data band may have waited, 0 for no limit
 * @header_time: ns that the head of the header band may have waited, 0 for no
 *	limit
 * @packets: of the data band, 0 for no limit
 * @headers: packets of the header band
 * @others: packets of the other band, 0 for the device's txqueuelen
 * @share: enum weir_trim_share
 * @share_value: headers a packet, or percent of the bytes
 * @victim: enum weir_trim_victim
 * @alpha: of the data band, 256ths of what is free in the port's pool, 0 for no limit; only a
 *	caller that knows the pool enforces it
 */
struct weir_bands_limits {
	u64	bytes;
	u64	port_bytes;
	u64	time;
	u64	header_time;
	u32	packets;
	u32	headers;
	u32	others;
	u32	share;
	u32	share_value;
	u32	victim;
	u32	alpha;
};

/**
 * struct weir_bands - how much waits at a port, and which band is next
 * @bytes: that wait, a band
 * @ahead: if bands share by bytes, bytes that headers are ahead of their
 *	percentage, in hundredths of a byte
 * @lead: bytes by which the data and header bands together are ahead of the other band
 * @packets: that wait, a band
 * @turn: if bands share by packets, headers that were sent while a whole packet
 *	waited
 *
 * The owner of the packets keeps them and serialises all calls.
 */
struct weir_bands {
	u64	bytes[WEIR_BANDS];
	s64	ahead;
	s64	lead;
	u32	packets[WEIR_BANDS];
	u32	turn;
};

/* Packets that wait, in all bands. */
static inline u32 weir_bands_packets(const struct weir_bands *bands)
{
	return bands->packets[WEIR_BAND_DATA] + bands->packets[WEIR_BAND_HEADER] +
	       bands->packets[WEIR_BAND_OTHER];
}

/**
 * weir_bands_add() - a packet waits
 * @bands: the bands
 * @band: the band
 * @len: its bytes
 *
 * Readers outside of the qdisc read the backlog without the qdisc's lock.
 */
static inline void weir_bands_add(struct weir_bands *bands,
				  enum weir_band_id band, u32 len)
{
	WRITE_ONCE(bands->bytes[band], bands->bytes[band] + len);
	WRITE_ONCE(bands->packets[band], bands->packets[band] + 1);
}

/**
 * weir_bands_del() - a packet waits no more
 * @bands: the bands
 * @band: the band that it waited in
 * @len: its bytes
 */
static inline void weir_bands_del(struct weir_bands *bands,
				  enum weir_band_id band, u32 len)
{
	WRITE_ONCE(bands->bytes[band], bands->bytes[band] - len);
	WRITE_ONCE(bands->packets[band], bands->packets[band] - 1);
}

/**
 * weir_bands_sent_alone() - a packet goes, and no packet of another band waits
 * @bands: the bands
 * @band: the band that it waited in
 * @len: its bytes
 *
 * A band saves up no credit while its rivals are empty.
 */
static inline void weir_bands_sent_alone(struct weir_bands *bands,
					 enum weir_band_id band, u32 len)
{
	weir_bands_del(bands, band, len);
	bands->lead = 0;
	bands->turn = 0;
	bands->ahead = 0;
}

bool weir_bands_data_full(const struct weir_bands *bands,
			  const struct weir_bands_limits *limits, u32 len,
			  u64 waited);
bool weir_bands_header_full(const struct weir_bands *bands,
			    const struct weir_bands_limits *limits, u64 waited);
bool weir_bands_other_full(const struct weir_bands *bands,
			   const struct weir_bands_limits *limits, u32 usual,
			   u32 more);
bool weir_bands_swap(const struct weir_bands *bands,
		     const struct weir_bands_limits *limits, u32 len, u32 tail,
		     u32 coin);
enum weir_band_id weir_bands_next(const struct weir_bands *bands,
				  const struct weir_bands_limits *limits);
void weir_bands_sent(struct weir_bands *bands,
		     const struct weir_bands_limits *limits,
		     enum weir_band_id band, u32 len);
void weir_bands_alone(struct weir_bands *bands);

#endif /* _WEIR_BANDS_H */
