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

#define PACKET_MAGIC UINT64_C(0x494f54504b543031) /* "IOTPKT01" */

enum {
	PACKET_WORD_SIZE = 8,
	PACKET_HEADER = 8,         /* words */
	PACKET_PAYLOAD_MAX = 504,  /* words */
	PACKET_MAX = 4096,         /* bytes */
	PACKET_ENTRY_MAX = 5,      /* words of a data packet's entry, at least 3 */
	PACKET_ENTRIES_MAX = 167,  /* of a packet: the first one has 5 words */
	PACKET_OPEN_WORDS = 3,     /* before the path */
	PACKET_START_WORDS = 2,    /* before the name */
	PACKET_PHYSICAL_UNIT = 512 /* bytes, of offsets and lengths of physical records */
};

enum packet_kind {
	PACKET_DATA = 1,
	PACKET_OPEN,
	PACKET_CLOSE,
	PACKET_START,
	PACKET_EXIT,
	PACKET_MARK,
};

#define PACKET_ENTRY_OFFSET   (UINT64_C(1) << 55)
#define PACKET_ENTRY_LENGTH   (UINT64_C(1) << 54)
#define PACKET_OPEN_CREATED   (UINT64_C(1) << 63)
#define PACKET_OPEN_CUT       (UINT64_C(1) << 62)
#define PACKET_ELAPSED_MAX    ((UINT64_C(1) << 48) - 1) /* saturating */
#define PACKET_TICK_PS_PER_NS 1000

static inline uint64_t packet_word_get(const unsigned char *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof(word));
	return be64toh(word);
}

static inline void packet_word_put(unsigned char *at, uint64_t word)
{
	word = htobe64(word);
	memcpy(at, &word, sizeof(word));
}

/* A packet whose header has been read; payload points behind it. */
struct packet {
	unsigned kind; /* enum packet_kind, or one that is not known */
	uint32_t words, process, file, tick_ps, entries, crc;
	uint64_t sequence, wall, cpu; /* in ticks */
	const unsigned char *payload;
};

static inline size_t packet_size(const struct packet *p)
{
	return PACKET_WORD_SIZE * (PACKET_HEADER + (size_t)p->words);
}

static inline uint64_t packet_word(const struct packet *p, size_t i)
{
	return packet_word_get(p->payload + PACKET_WORD_SIZE * i);
}

/* Bytes behind `words` words of the payload, without the zeros that pad them. */
size_t packet_text(const struct packet *p, size_t words);

/* Ticks to nanoseconds and back, downwards; what is too large becomes the largest. */
int64_t packet_ticks_to_ns(uint64_t ticks, uint32_t tick_ps);
uint64_t packet_ticks_from_ns(uint64_t ns, uint32_t tick_ps);

enum { PACKET_BAD = -1, PACKET_SHORT = 0, PACKET_GOOD = 1 };

/*
 * Is there a packet at data[0 .. have)? GOOD: *p is it, and all of it adds up: lengths, reserved
 * bits, CRC, entries, times that are within 2^63-1 ns. SHORT: perhaps, with more bytes. BAD: no,
 * *why says what is wrong. tick_ps: what it has to be; 0: anything.
 */
int packet_check(const unsigned char *data, size_t have, uint32_t tick_ps, struct packet *p,
		 const char **why);

/* Writes header and CRC of a packet whose payload of p->words words is in place behind it. */
void packet_seal(unsigned char *data, const struct packet *p);

/*
 * The entries of a data packet that was checked, one after the other. Begin with all zero but for
 * the packet; false: there are no more.
 */
struct packet_entry {
	uint64_t start, cpu, elapsed; /* ticks */
	uint64_t offset, length;      /* bytes */
	uint8_t type;
};

struct packet_entries {
	const struct packet *packet;
	uint32_t taken;
	size_t at; /* words */
};

bool packet_entry_next(struct packet_entries *e, struct packet_entry *entry);

/*
 * A stream that may be damaged: what stands before the next good packet is looked through byte by
 * byte and counted. Begin with all zero.
 */
struct packet_scan {
	uint32_t tick_ps; /* what the packets must have; 0: anything */
	uint64_t bad;     /* bytes looked through in vain since the last packet */
	const char *why;  /* what was wrong with the first of them */
};

/*
 * Looks at data[0 .. have); `end`: nothing follows. *used bytes need not be shown again. True: *p
 * is the packet that ends there, and scan->bad and why tell of what was before it; the caller sets
 * bad to 0. False: no packet in it yet.
 */
bool packet_find(struct packet_scan *scan, const unsigned char *data, size_t have, bool end,
		 size_t *used, struct packet *p);

#endif
