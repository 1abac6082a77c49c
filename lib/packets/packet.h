/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Procstat packets, as they stand in a stream: a header of 8 words and at most 504 words behind it,
 * all of 64 bits, big-endian.
 *
 *	word 0   magic                     4  tick in picoseconds : entries
 *	     1   kind : 0 : payload words  5  wall clock, ticks
 *	     2   processId : fileId        6  CPU clock, ticks
 *	     3   sequence number           7  0 : CRC-32 of the packet without it
 */
#ifndef LIB_PACKETS_PACKET_H
#define LIB_PACKETS_PACKET_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IOT_PACKET_MAGIC UINT64_C(0x494f54504b543031) /* "IOTPKT01" */

enum {
	IOT_WORD = 8,
	IOT_PACKET_HEADER = 8,  /* words */
	IOT_PAYLOAD_MAX = 504,  /* words */
	IOT_PACKET_MAX = 4096,  /* bytes */
	IOT_ENTRY_MAX = 5,      /* words of a data packet's entry, at least 3 */
	IOT_ENTRIES_MAX = 167,  /* of a packet: the first one has 5 words */
	IOT_OPEN_WORDS = 3,     /* before the path */
	IOT_START_WORDS = 2,    /* before the name */
	IOT_PHYSICAL_UNIT = 512 /* bytes, of offsets and lengths of physical records */
};

enum iot_packet_kind {
	IOT_PACKET_DATA = 1,
	IOT_PACKET_OPEN,
	IOT_PACKET_CLOSE,
	IOT_PACKET_START,
	IOT_PACKET_EXIT,
	IOT_PACKET_MARK,
};

#define IOT_ENTRY_OFFSET   (UINT64_C(1) << 55)
#define IOT_ENTRY_LENGTH   (UINT64_C(1) << 54)
#define IOT_OPEN_CREATED   (UINT64_C(1) << 63)
#define IOT_OPEN_CUT       (UINT64_C(1) << 62)
#define IOT_ELAPSED_MAX    ((UINT64_C(1) << 48) - 1) /* saturating */
#define IOT_TICK_PS_PER_NS 1000

static inline uint64_t iot_word_get(const unsigned char *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof(word));
	return be64toh(word);
}

static inline void iot_word_put(unsigned char *at, uint64_t word)
{
	word = htobe64(word);
	memcpy(at, &word, sizeof(word));
}

/* A packet whose header has been read; payload points behind it. */
struct iot_packet {
	unsigned kind; /* enum iot_packet_kind, or one that is not known */
	uint32_t words, process, file, tick_ps, entries, crc;
	uint64_t sequence, wall, cpu; /* in ticks */
	const unsigned char *payload;
};

static inline size_t iot_packet_size(const struct iot_packet *p)
{
	return IOT_WORD * (IOT_PACKET_HEADER + (size_t)p->words);
}

static inline uint64_t iot_packet_word(const struct iot_packet *p, size_t i)
{
	return iot_word_get(p->payload + IOT_WORD * i);
}

/* Bytes behind `words` words of the payload, without the zeros that pad them. */
size_t iot_packet_text(const struct iot_packet *p, size_t words);

/* Ticks to nanoseconds and back, downwards; what is too large becomes the largest. */
int64_t iot_ticks_to_ns(uint64_t ticks, uint32_t tick_ps);
uint64_t iot_ticks_from_ns(uint64_t ns, uint32_t tick_ps);

enum { IOT_PACKET_BAD = -1, IOT_PACKET_SHORT = 0, IOT_PACKET_GOOD = 1 };

/*
 * Is there a packet at data[0 .. have)? GOOD: *p is it, and all of it adds up: lengths, reserved
 * bits, CRC, entries, times that are within 2^63-1 ns. SHORT: perhaps, with more bytes. BAD: no,
 * *why says what is wrong. tick_ps: what it has to be; 0: anything.
 */
int iot_packet_check(const unsigned char *data, size_t have, uint32_t tick_ps, struct iot_packet *p,
		     const char **why);

/* Writes header and CRC of a packet whose payload of p->words words is in place behind it. */
void iot_packet_seal(unsigned char *data, const struct iot_packet *p);

/*
 * The entries of a data packet that was checked, one after the other. Begin with all zero but for
 * the packet; false: there are no more.
 */
struct iot_entry {
	uint64_t start, cpu, elapsed; /* ticks */
	uint64_t offset, length;      /* bytes */
	uint8_t type;
};

struct iot_entries {
	const struct iot_packet *packet;
	uint32_t taken;
	size_t at; /* words */
};

bool iot_entry_next(struct iot_entries *e, struct iot_entry *entry);

/*
 * A stream that may be damaged: what stands before the next good packet is looked through byte by
 * byte and counted. Begin with all zero.
 */
struct iot_packet_scan {
	uint32_t tick_ps; /* what the packets must have; 0: anything */
	uint64_t bad;     /* bytes looked through in vain since the last packet */
	const char *why;  /* what was wrong with the first of them */
};

/*
 * Looks at data[0 .. have); `end`: nothing follows. *used bytes need not be shown again. True: *p
 * is the packet that ends there, and scan->bad and why tell of what was before it; the caller sets
 * bad to 0. False: no packet in it yet.
 */
bool iot_packet_find(struct iot_packet_scan *scan, const unsigned char *data, size_t have, bool end,
		     size_t *used, struct iot_packet *p);

#endif
