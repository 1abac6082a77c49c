/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets that a traced program sends and `iotrace procstat` collects: a header of 8 words
 * followed by up to 504 payload words, all of 64 bits, big-endian.
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
	PACKET_ENTRY_MAX = 5,      /* maximum words of a data packet's entry; the minimum is 3 */
	PACKET_ENTRIES_MAX = 167,  /* maximum entries of a packet: the first one has 5 words */
	PACKET_OPEN_WORDS = 3,     /* before the path */
	PACKET_START_WORDS = 2,    /* before the name */
	PACKET_PHYSICAL_UNIT = 512 /* bytes per unit of offsets and lengths of physical records */
};

enum packet_kind {
	PACKET_DATA = 1,
	PACKET_OPEN,
	PACKET_CLOSE,
	PACKET_START,
	PACKET_EXIT,
	PACKET_WATERMARK,
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

/* A packet whose header has been parsed; payload points to the bytes after the header. */
struct packet {
	unsigned kind; /* enum packet_kind, or an unknown kind */
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

/*
 * Returns the number of text bytes after the first `words` words of the payload, without zero
 * padding.
 */
size_t packet_text(const struct packet *p, size_t words);

/* Convert ticks to nanoseconds and back, rounding down and saturating. */
int64_t packet_ticks_to_ns(uint64_t ticks, uint32_t tick_ps);
uint64_t packet_ticks_from_ns(uint64_t ns, uint32_t tick_ps);

enum { PACKET_BAD = -1, PACKET_SHORT = 0, PACKET_GOOD = 1 };

/*
 * Checks for a packet at data[0 .. have). Returns PACKET_GOOD, with *p set, if it is complete and
 * valid: lengths, reserved bits, CRC, entries, times within 2^63-1 ns; PACKET_SHORT if more bytes
 * are needed to decide; PACKET_BAD, with the reason in *why, if it is invalid. tick_ps: the
 * required tick; 0: any.
 */
int packet_check(const unsigned char *data, size_t have, uint32_t tick_ps, struct packet *p,
		 const char **why);

/* Writes header and CRC of a packet whose payload of p->words words follows the header in place. */
void packet_seal(unsigned char *data, const struct packet *p);

/*
 * Iterates over the entries of a checked data packet. Initialize to zero except for the packet;
 * next returns false at the end.
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
 * State of a scan of a possibly damaged stream: bytes before the next good packet are searched one
 * by one and counted. Initialize to zero.
 */
struct packet_scan {
	uint32_t tick_ps; /* the required tick of the packets; 0: any */
	uint64_t bad;     /* bytes skipped since the last packet */
	const char *why;  /* the error in the first of them */
};

/*
 * Scans data[0 .. have); `end`: no more bytes follow. *used bytes need not be passed again. Returns
 * true if *p is a packet, which ends at *used; scan->bad and scan->why then describe the bytes
 * skipped before it, and the caller sets bad to 0. Returns false if the data contains no complete
 * packet yet.
 */
bool packet_find(struct packet_scan *scan, const unsigned char *data, size_t have, bool end,
		 size_t *used, struct packet *p);

#endif
