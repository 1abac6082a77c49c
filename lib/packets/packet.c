/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks, parses and seals packets, and finds them in a damaged stream. */
#include "packet.h"

#include <zlib.h>

enum { CRC_AT = 60, HEADER_SIZE = PACKET_WORD_SIZE * PACKET_HEADER };

#define ENTRY_ZERO   (UINT64_C(0x3f) << 48)
#define OPEN_ZERO    (UINT64_C(0x3fff) << 48)
#define KIND_ZERO    UINT64_C(0x00ffffff00000000)
#define TYPE_COMMENT 0xff

/* Ticks */

__extension__ typedef unsigned __int128 wide;

int64_t packet_ticks_to_ns(uint64_t ticks, uint32_t tick_ps)
{
	uint64_t ps;
	if (!__builtin_mul_overflow(ticks, (uint64_t)tick_ps, &ps))
		return (int64_t)(ps / PACKET_TICK_PS_PER_NS);
	wide ns = (wide)ticks * tick_ps / PACKET_TICK_PS_PER_NS;
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

uint64_t packet_ticks_from_ns(uint64_t ns, uint32_t tick_ps)
{
	wide ticks = (wide)ns * PACKET_TICK_PS_PER_NS / tick_ps;
	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* Returns the last tick within 2^63-1 ns. */
static uint64_t last_tick(uint32_t tick_ps)
{
	return packet_ticks_from_ns(INT64_MAX, tick_ps);
}

/* Payloads */

bool packet_entry_next(struct packet_entries *e, struct packet_entry *entry)
{
	const struct packet *p = e->packet;
	if (e->taken == p->entries)
		return false;
	uint64_t head = packet_word(p, e->at);
	size_t at = e->at + 3;
	entry->start = packet_word(p, e->at + 1);
	entry->cpu = packet_word(p, e->at + 2);
	entry->elapsed = head & PACKET_ELAPSED_MAX;
	entry->type = (uint8_t)(head >> 56);
	if ((head & PACKET_ENTRY_OFFSET) != 0)
		entry->offset = packet_word(p, at++);
	else
		entry->offset += entry->length;
	if ((head & PACKET_ENTRY_LENGTH) != 0)
		entry->length = packet_word(p, at++);
	e->at = at;
	e->taken++;
	return true;
}

static bool has_whole_blocks(const struct packet_entry *e)
{
	return (e->type & 0x80) != 0 || (e->offset | e->length) % PACKET_PHYSICAL_UNIT == 0;
}

static const char *check_entry(const struct packet_entry *e, uint64_t last)
{
	if (e->type == TYPE_COMMENT)
		return "an entry of recordType 0xff";
	if (e->start > last || e->cpu > last || e->elapsed > last - e->start)
		return "an entry with a time beyond 2^63-1 nanoseconds";
	if (!has_whole_blocks(e))
		return "a physical entry that is not in blocks of 512 bytes";
	return NULL;
}

static const char *check_data(const struct packet *p)
{
	const uint64_t first = PACKET_ENTRY_OFFSET | PACKET_ENTRY_LENGTH;
	uint64_t last = last_tick(p->tick_ps);
	struct packet_entries all = {.packet = p};
	struct packet_entry e = {0};
	for (uint32_t i = 0; i < p->entries; i++) {
		if (all.at >= p->words)
			return "fewer entries than the header says";
		uint64_t head = packet_word(p, all.at);
		size_t size = 3 + (head >> 55 & 1) + (head >> 54 & 1);
		if (size > p->words - all.at)
			return "an entry that is cut off by the end of its packet";
		if ((head & ENTRY_ZERO) != 0)
			return "an entry with bits set that have to be zero";
		if (i == 0 && (head & first) != first)
			return "a first entry without offset and length";
		uint64_t after = e.offset;
		if ((head & PACKET_ENTRY_OFFSET) == 0 &&
		    __builtin_add_overflow(e.offset, e.length, &after))
			return "an entry beyond offset 2^64-1";
		(void)packet_entry_next(&all, &e);
		const char *why = check_entry(&e, last);
		if (why != NULL)
			return why;
	}
	return all.at == p->words ? NULL : "more words than the entries take";
}

static const char *check_open(const struct packet *p)
{
	uint64_t last = last_tick(p->tick_ps);
	if (p->words < PACKET_OPEN_WORDS)
		return "an open packet that is too short";
	uint64_t start = packet_word(p, 0), how = packet_word(p, 1);
	if ((how & OPEN_ZERO & ~(PACKET_OPEN_CREATED | PACKET_OPEN_CUT)) != 0)
		return "an open packet with bits set that have to be zero";
	if (start > last || (how & PACKET_ELAPSED_MAX) > last - start)
		return "an open packet with a time beyond 2^63-1 nanoseconds";
	return NULL;
}

static const char *check_close(const struct packet *p)
{
	uint64_t last = last_tick(p->tick_ps);
	if (p->words != 2)
		return "a close packet that has not two words";
	if (packet_word(p, 0) > last || packet_word(p, 1) > last - packet_word(p, 0))
		return "a close packet with a time beyond 2^63-1 nanoseconds";
	return NULL;
}

static const char *check_start(const struct packet *p)
{
	if (p->words < PACKET_START_WORDS)
		return "a start packet that is too short";
	if (packet_word(p, 0) > UINT32_MAX)
		return "a start packet whose parent is not a 32-bit number";
	return NULL;
}

static const char *check_payload(const struct packet *p)
{
	bool has_file = p->kind >= PACKET_DATA && p->kind <= PACKET_CLOSE;
	bool known = p->kind >= PACKET_DATA && p->kind <= PACKET_WATERMARK;
	if (known && ((!has_file && p->file != 0) || (p->kind != PACKET_DATA && p->entries != 0)))
		return "a header with a number where there has to be 0";
	switch (p->kind) {
	case PACKET_DATA:
		return check_data(p);
	case PACKET_OPEN:
		return check_open(p);
	case PACKET_CLOSE:
		return check_close(p);
	case PACKET_START:
		return check_start(p);
	case PACKET_EXIT:
	case PACKET_WATERMARK:
		return p->words == 1 ? NULL : "an exit or mark that has not one word";
	default:
		return NULL;
	}
}

size_t packet_text(const struct packet *p, size_t words)
{
	size_t size = PACKET_WORD_SIZE * (p->words - words);
	const unsigned char *text = p->payload + PACKET_WORD_SIZE * words;
	const unsigned char *zero = size > 0 ? memchr(text, 0, size) : NULL;
	return zero != NULL ? (size_t)(zero - text) : size;
}

/* Complete packets */

static uint32_t crc_of(const unsigned char *data, size_t size)
{
	static const unsigned char zero[4] = {0};
	uLong crc = crc32(0, data, CRC_AT);
	crc = crc32(crc, zero, sizeof(zero));
	if (size > HEADER_SIZE)
		crc = crc32(crc, data + HEADER_SIZE, (uInt)(size - HEADER_SIZE));
	return (uint32_t)crc;
}

static const char *check_header(const unsigned char *data, uint32_t tick_ps, struct packet *p)
{
	uint64_t kind = packet_word_get(data + 8), who = packet_word_get(data + 16),
		 tick = packet_word_get(data + 32), crc = packet_word_get(data + 56);
	*p = (struct packet){.kind = (unsigned)(kind >> 56),
			     .words = (uint32_t)kind,
			     .process = (uint32_t)(who >> 32),
			     .file = (uint32_t)who,
			     .sequence = packet_word_get(data + 24),
			     .tick_ps = (uint32_t)(tick >> 32),
			     .entries = (uint32_t)tick,
			     .wall = packet_word_get(data + 40),
			     .cpu = packet_word_get(data + 48),
			     .crc = (uint32_t)crc,
			     .payload = data + HEADER_SIZE};
	if ((kind & KIND_ZERO) != 0 || crc >> 32 != 0)
		return "a header with bits set that have to be zero";
	if (p->words > PACKET_PAYLOAD_MAX)
		return "a payload of more than 504 words";
	if (p->tick_ps == 0)
		return "a tick of 0 picoseconds";
	if (tick_ps != 0 && p->tick_ps != tick_ps)
		return "another tick than the stream's";
	if (p->sequence == UINT64_MAX)
		return "a sequence number of 2^64-1";
	if (p->wall > last_tick(p->tick_ps))
		return "a clock beyond 2^63-1 nanoseconds";
	return NULL;
}

static bool may_be_magic(const unsigned char *data, size_t have)
{
	unsigned char magic[PACKET_WORD_SIZE];
	packet_word_put(magic, PACKET_MAGIC);
	return memcmp(data, magic, have < PACKET_WORD_SIZE ? have : PACKET_WORD_SIZE) == 0;
}

int packet_check(const unsigned char *data, size_t have, uint32_t tick_ps, struct packet *p,
		 const char **why)
{
	*why = "no packet begins here";
	if (!may_be_magic(data, have))
		return PACKET_BAD;
	if (have < HEADER_SIZE)
		return PACKET_SHORT;
	*why = check_header(data, tick_ps, p);
	if (*why != NULL)
		return PACKET_BAD;
	if (have < packet_size(p))
		return PACKET_SHORT;
	if (crc_of(data, packet_size(p)) != p->crc)
		*why = "a CRC that does not match";
	else
		*why = check_payload(p);
	return *why == NULL ? PACKET_GOOD : PACKET_BAD;
}

void packet_seal(unsigned char *data, const struct packet *p)
{
	const uint64_t word[PACKET_HEADER] = {
	    PACKET_MAGIC,
	    (uint64_t)p->kind << 56 | p->words,
	    (uint64_t)p->process << 32 | p->file,
	    p->sequence,
	    (uint64_t)p->tick_ps << 32 | p->entries,
	    p->wall,
	    p->cpu,
	};
	for (size_t i = 0; i < PACKET_HEADER; i++)
		packet_word_put(data + PACKET_WORD_SIZE * i, word[i]);
	packet_word_put(data + HEADER_SIZE - PACKET_WORD_SIZE, crc_of(data, packet_size(p)));
}

/* Streams */

/*
 * Returns the distance from an invalid position, data[0], to the next possible start of a packet.
 */
static size_t to_next_magic(const unsigned char *data, size_t have, bool end)
{
	unsigned char magic[PACKET_WORD_SIZE];
	packet_word_put(magic, PACKET_MAGIC);
	size_t from = have >= PACKET_WORD_SIZE && may_be_magic(data, have) ? PACKET_WORD_SIZE : 1;
	const unsigned char *found = memmem(data + from, have - from, magic, PACKET_WORD_SIZE);
	if (found != NULL)
		return (size_t)(found - data);
	size_t keep = have - from < PACKET_WORD_SIZE - 1 ? have - from : PACKET_WORD_SIZE - 1;
	while (keep > 0 && (end || memcmp(data + have - keep, magic, keep) != 0))
		keep--;
	return have - keep;
}

bool packet_find(struct packet_scan *scan, const unsigned char *data, size_t have, bool end,
		 size_t *used, struct packet *p)
{
	*used = 0;
	while (*used < have) {
		const char *why;
		size_t left = have - *used;
		int found = packet_check(data + *used, left, scan->tick_ps, p, &why);
		if (found == PACKET_SHORT && !end)
			return false;
		if (found == PACKET_GOOD) {
			*used += packet_size(p);
			return true;
		}
		if (scan->bad == 0)
			scan->why = found == PACKET_SHORT ? "a packet that is cut off" : why;
		size_t step = to_next_magic(data + *used, left, end);
		scan->bad += step;
		*used += step;
	}
	return false;
}
