/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a stream of procstat packets, the same for the same options, and reports what is wrong with
 * it:
 *
 *	packet_make [--records=N] [--processes=P] [--files=F] [--flush=N] [--no-marks] [--tick=PS]
 *	            [--seed=S] [--drop=PPM] [--duplicate=PPM] [--damage=PPM] [--garbage=PPM]
 *	            [--shuffle=PACKETS] [--truth=FILE] >packets.bin
 *
 * The last file of each process is a quiet one: an I/O now and then, that is sent at a flush only.
 * PPM: packets out of a million; never a process's exit, whose loss would leave no trace. The truth
 * has lines "lost PROCESS PACKETS", "damaged BYTES" and "duplicates PACKETS".
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/packets/packet.h"

enum { FILES_MAX = 64, PROCESSES_MAX = 4096, SHUFFLE_MAX = 4096, QUIET = 4096, MILLION = 1000000 };

struct batch {
	uint32_t words, entries;
	uint64_t offset, length; /* of the last entry */
	unsigned char bytes[PACKET_MAX];
};

struct process {
	uint32_t number;
	uint64_t cpu, sequence, since, lost;
	struct batch *batch;
};

struct settings {
	uint64_t records, processes, files, flush, seed, tick, drop, duplicate, damage, garbage,
	    shuffle;
	int no_marks;
	const char *truth;
};

struct made {
	struct settings set;
	struct process process[PROCESSES_MAX];
	uint64_t now, random, chance;
	uint64_t damaged, duplicates;
	struct {
		size_t size;
		unsigned char bytes[PACKET_MAX];
	} held[SHUFFLE_MAX];
	size_t holding;
};

/* Numbers */

static uint64_t step(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static bool happens(struct made *m, uint64_t ppm)
{
	return ppm > 0 && step(&m->chance) % MILLION < ppm;
}

/* Output: shuffled in blocks, so that no packet moves by more than two of them */

static void put(const void *data, size_t size)
{
	if (fwrite(data, 1, size, stdout) != size) {
		perror("packet_make");
		exit(EXIT_FAILURE);
	}
}

static void put_held(struct made *m)
{
	for (size_t left = m->holding; left > 0; left--) {
		size_t i = step(&m->chance) % left;
		put(m->held[i].bytes, m->held[i].size);
		m->held[i] = m->held[left - 1];
	}
	m->holding = 0;
}

static void emit(struct made *m, const unsigned char *data, size_t size)
{
	if (m->set.shuffle == 0) {
		put(data, size);
		return;
	}
	m->held[m->holding].size = size;
	memcpy(m->held[m->holding++].bytes, data, size);
	if (m->holding == m->set.shuffle)
		put_held(m);
}

static void emit_garbage(struct made *m)
{
	unsigned char noise[256];
	size_t size = 1 + step(&m->chance) % sizeof(noise);
	for (size_t i = 0; i < size; i++)
		noise[i] = (unsigned char)step(&m->chance);
	m->damaged += size;
	put(noise, size);
}

/* The bits that change are never in the magic, so that the place of damage is clear. */
static void emit_damaged(struct made *m, const unsigned char *data, size_t size)
{
	unsigned char spoilt[PACKET_MAX];
	size_t at = PACKET_WORD_SIZE + step(&m->chance) % (size - PACKET_WORD_SIZE);
	memcpy(spoilt, data, size);
	spoilt[at] ^= (unsigned char)(1 << step(&m->chance) % 8);
	m->damaged += size;
	emit(m, spoilt, size);
}

/* Packets */

static void send(struct made *m, struct process *who, unsigned kind, uint32_t file,
		 unsigned char *data, uint32_t words, uint32_t entries)
{
	struct packet p = {.kind = kind,
			   .words = words,
			   .process = who->number,
			   .file = file,
			   .tick_ps = (uint32_t)m->set.tick,
			   .entries = entries,
			   .sequence = who->sequence++,
			   .wall = m->now,
			   .cpu = who->cpu};
	size_t size = packet_size(&p);
	packet_seal(data, &p);
	bool always = kind == PACKET_EXIT;
	if (happens(m, m->set.garbage) && m->set.shuffle == 0)
		emit_garbage(m);
	if (!always && happens(m, m->set.drop)) {
		who->lost++;
	} else if (!always && happens(m, m->set.damage)) {
		who->lost++;
		emit_damaged(m, data, size);
	} else {
		emit(m, data, size);
		if (happens(m, m->set.duplicate)) {
			m->duplicates++;
			emit(m, data, size);
		}
	}
}

static unsigned char *payload(unsigned char *data)
{
	return data + PACKET_WORD_SIZE * PACKET_HEADER;
}

static void send_start(struct made *m, struct process *who)
{
	unsigned char data[PACKET_MAX];
	packet_word_put(payload(data), 1);
	packet_word_put(payload(data) + 8, UINT64_C(1700000000000000000));
	memcpy(payload(data) + 16, "maker\0\0", 8);
	send(m, who, PACKET_START, 0, data, 3, 0);
}

static void send_open(struct made *m, struct process *who, uint32_t file)
{
	unsigned char data[PACKET_MAX] = {0};
	char path[64];
	int n = snprintf(path, sizeof(path), "/data/%u/file.%u", who->number, file);
	uint32_t words = ((uint32_t)n + 7) / 8;
	packet_word_put(payload(data), m->now);
	packet_word_put(payload(data) + 8, 5);
	packet_word_put(payload(data) + 16, 2);
	memcpy(payload(data) + 24, path, (size_t)n);
	send(m, who, PACKET_OPEN, file, data, 3 + words, 0);
}

static void send_close(struct made *m, struct process *who, uint32_t file)
{
	unsigned char data[PACKET_MAX];
	packet_word_put(payload(data), m->now);
	packet_word_put(payload(data) + 8, 1);
	send(m, who, PACKET_CLOSE, file, data, 2, 0);
}

static void send_word(struct made *m, struct process *who, unsigned kind, uint64_t word)
{
	unsigned char data[PACKET_MAX];
	packet_word_put(payload(data), word);
	send(m, who, kind, 0, data, 1, 0);
}

/* I/Os */

static void send_batch(struct made *m, struct process *who, uint32_t file)
{
	struct batch *b = &who->batch[file];
	if (b->entries > 0)
		send(m, who, PACKET_DATA, file + 1, b->bytes, b->words, b->entries);
	b->words = b->entries = 0;
}

static void flush(struct made *m, struct process *who)
{
	for (uint32_t f = 0; f < m->set.files; f++)
		send_batch(m, who, f);
	who->since = 0;
	if (!m->set.no_marks)
		send_word(m, who, PACKET_WATERMARK, m->now);
}

static void append(struct made *m, struct process *who, uint32_t file, uint64_t random)
{
	struct batch *b = &who->batch[file];
	if (b->words + PACKET_ENTRY_MAX > PACKET_PAYLOAD_MAX)
		send_batch(m, who, file);
	bool first = b->entries == 0, seek = (random & 7) == 0, other = (random & 0x38) == 0;
	uint64_t length = first || other ? (random >> 6 & 0xffff) : b->length,
		 offset = first || seek ? random >> 24 & 0xffffffff : b->offset + b->length;
	uint64_t head = (uint64_t)(0x80 | (random >> 22 & 1) << 6) << 56 | (random >> 40 & 0xfff);
	unsigned char *at = payload(b->bytes) + PACKET_WORD_SIZE * (size_t)b->words;
	packet_word_put(at, head | (first || seek ? PACKET_ENTRY_OFFSET : 0) |
				(first || other ? PACKET_ENTRY_LENGTH : 0));
	packet_word_put(at + 8, m->now);
	packet_word_put(at + 16, who->cpu);
	at += 24;
	b->words += 3;
	if (first || seek) {
		packet_word_put(at, offset);
		at += 8;
		b->words++;
	}
	if (first || other) {
		packet_word_put(at, length);
		b->words++;
	}
	b->offset = offset;
	b->length = length;
	b->entries++;
}

static void one(struct made *m)
{
	uint64_t random = step(&m->random);
	struct process *who = &m->process[(random >> 8 & 0xffffffff) * m->set.processes >> 32];
	uint32_t active = (uint32_t)m->set.files - 1, file = active;
	m->now += random >> 50 & 0x3f;
	who->cpu += random >> 56 & 0x3;
	if (active > 0 && (random >> 32 & (QUIET - 1)) != 0)
		file = (uint32_t)(random >> 44) % active;
	append(m, who, file, random);
	if (++who->since >= m->set.flush)
		flush(m, who);
}

static void begin(struct made *m)
{
	m->now = 1000;
	m->random = m->set.seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	m->chance = m->random ^ UINT64_C(0x5555555555555554);
	for (uint32_t i = 0; i < m->set.processes; i++) {
		struct process *who = &m->process[i];
		who->number = 100 + i;
		who->batch = calloc(m->set.files, sizeof(*who->batch));
		if (who->batch == NULL)
			exit(EXIT_FAILURE);
		send_start(m, who);
		for (uint32_t f = 0; f < m->set.files; f++)
			send_open(m, who, f + 1);
	}
}

static void end(struct made *m)
{
	for (uint32_t i = 0; i < m->set.processes; i++) {
		struct process *who = &m->process[i];
		flush(m, who);
		for (uint32_t f = 0; f < m->set.files; f++)
			send_close(m, who, f + 1);
		send_word(m, who, PACKET_EXIT, 0);
		free(who->batch);
	}
	put_held(m);
}

static bool report(const struct made *m)
{
	FILE *f = m->set.truth != NULL ? fopen(m->set.truth, "w") : NULL;
	if (f == NULL)
		return m->set.truth == NULL;
	for (size_t i = 0; i < m->set.processes; i++)
		if (m->process[i].lost > 0)
			fprintf(f, "lost %u %ju\n", m->process[i].number,
				(uintmax_t)m->process[i].lost);
	fprintf(f, "damaged %ju\nduplicates %ju\n", (uintmax_t)m->damaged,
		(uintmax_t)m->duplicates);
	return fclose(f) == 0;
}

/* Options */

static bool parse(struct settings *s, int argc, char **argv)
{
	const struct option options[] = {
	    {"records", 1, NULL, 0},   {"processes", 1, NULL, 1}, {"files", 1, NULL, 2},
	    {"flush", 1, NULL, 3},     {"seed", 1, NULL, 4},      {"tick", 1, NULL, 5},
	    {"drop", 1, NULL, 6},      {"duplicate", 1, NULL, 7}, {"damage", 1, NULL, 8},
	    {"garbage", 1, NULL, 9},   {"shuffle", 1, NULL, 10},  {"truth", 1, NULL, 11},
	    {"no-marks", 0, NULL, 12}, {NULL, 0, NULL, 0}};
	uint64_t *number[] = {&s->records, &s->processes, &s->files,  &s->flush,
			      &s->seed,    &s->tick,      &s->drop,   &s->duplicate,
			      &s->damage,  &s->garbage,   &s->shuffle};
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 12)
			s->no_marks = 1;
		else if (c == 11)
			s->truth = optarg;
		else if (c >= 0 && c < 11)
			*number[c] = strtoull(optarg, NULL, 10);
		else
			return false;
	}
	return optind == argc && s->processes >= 1 && s->processes <= PROCESSES_MAX &&
	       s->files >= 1 && s->files <= FILES_MAX && s->shuffle <= SHUFFLE_MAX &&
	       s->flush >= 1 && s->tick >= 1 && s->tick <= UINT32_MAX;
}

int main(int argc, char **argv)
{
	static struct made m = {.set = {.records = 1000,
					.processes = 4,
					.files = 4,
					.flush = 100000,
					.seed = 1,
					.tick = PACKET_TICK_PS_PER_NS}};
	if (!parse(&m.set, argc, argv)) {
		fprintf(stderr, "packet_make: see the head of tests/tools/packet_make.c\n");
		return 2;
	}
	begin(&m);
	for (uint64_t i = 0; i < m.set.records; i++)
		one(&m);
	end(&m);
	if (fflush(stdout) != 0 || !report(&m)) {
		perror("packet_make");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
