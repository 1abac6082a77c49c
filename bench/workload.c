/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes think, do an I/O, and think again; a heap of their next starts merges them. All times
 * are whole microseconds, the tick of the traces. The logarithm of the exponential distribution is
 * a table of 4,096 quantiles.
 */
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTILES = 4096, FILE_SIZE = 1 << 30 };

#define SCATTERED_SIZE ((uint64_t)1 << 40)

struct file {
	uint64_t next, size;
	bool writing;
};

struct process {
	uint64_t start_us, cpu_us; /* of its next I/O */
	uint32_t id, last;
};

struct workload {
	uint64_t random;
	size_t processes, files; /* files of each process */
	bool sequential, scattered;
	struct process *heap;
	struct file *file; /* [process id][file] */
	double quantile[QUANTILES];
};

static uint64_t next_random(struct workload *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random * 0x2545f4914f6cdd1dU >> 11;
}

static bool chance(struct workload *w, unsigned percent)
{
	return next_random(w) % 100 < percent;
}

static uint64_t exponential_us(struct workload *w, double mean_us)
{
	return (uint64_t)(mean_us * w->quantile[next_random(w) % QUANTILES]);
}

static uint64_t new_size(struct workload *w)
{
	return (uint64_t)4096 << next_random(w) % 9;
}

static bool allocate(struct workload *w)
{
	w->heap = calloc(w->processes, sizeof *w->heap);
	w->file = calloc(w->processes * w->files, sizeof *w->file);
	return w->heap != NULL && w->file != NULL;
}

struct workload *workload_new(const char *name, uint64_t seed)
{
	struct workload *w = calloc(1, sizeof *w);
	if (w == NULL)
		return NULL;
	w->random = seed * 2 + 1;
	w->sequential = strcmp(name, "sequential") == 0;
	w->scattered = strcmp(name, "scattered") == 0;
	const bool wide = strcmp(name, "wide") == 0, one = w->sequential || w->scattered;
	w->processes = one ? 1 : wide ? 4096 : 8;
	w->files = one ? 1 : wide ? 64 : 4;
	if ((!one && !wide && strcmp(name, "mixed") != 0) || !allocate(w)) {
		workload_free(w);
		return NULL;
	}
	for (int i = 0; i < QUANTILES; i++)
		w->quantile[i] = -log(1 - (i + 0.5) / QUANTILES);
	for (size_t i = 0; i < w->processes * w->files; i++)
		w->file[i] = (struct file){0, new_size(w), chance(w, 33)};
	for (size_t i = 0; i < w->processes; i++)
		w->heap[i].id = (uint32_t)i;
	return w;
}

void workload_free(struct workload *w)
{
	if (w == NULL)
		return;
	free(w->heap);
	free(w->file);
	free(w);
}

static void sift_down(struct process *heap, size_t n)
{
	const struct process top = heap[0];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && heap[child + 1].start_us < heap[child].start_us)
			child++;
		if (top.start_us <= heap[child].start_us)
			break;
		heap[i] = heap[child];
	}
	heap[i] = top;
}

static void scatter(struct workload *w, struct file *f, struct iot_record *rec)
{
	rec->length = 4096;
	rec->offset = next_random(w) % (SCATTERED_SIZE / 4096) * 4096;
	f->writing = true;
}

static void place(struct workload *w, struct file *f, struct iot_record *rec)
{
	const unsigned kind = w->sequential ? 0 : (unsigned)(next_random(w) % 100);
	rec->length = f->size;
	rec->offset = f->next;
	if (kind >= 85) {
		rec->length = new_size(w);
		rec->offset = next_random(w) % FILE_SIZE / 4096 * 4096;
		if (chance(w, 5)) {
			rec->length += next_random(w) % 4095;
			rec->offset += next_random(w) % 4095;
		}
		f->size = rec->length;
	} else if (kind >= 70) {
		rec->offset += 3 * f->size;
	}
	if (rec->offset + rec->length > FILE_SIZE)
		rec->offset = 0;
	f->next = rec->offset + rec->length;
}

static void next(struct workload *w, struct iot_record *rec)
{
	struct process *p = &w->heap[0];
	if (!chance(w, 85))
		p->last = (uint32_t)(next_random(w) % w->files);
	struct file *f = &w->file[p->id * w->files + p->last];
	memset(rec, 0, sizeof *rec);
	if (w->scattered)
		scatter(w, f, rec);
	else
		place(w, f, rec);
	const uint64_t took_us = 20 + exponential_us(w, 60) + rec->length / 2000;
	const uint64_t think_us = exponential_us(w, 120);
	rec->type = (uint8_t)(IOT_LOGICAL | (f->writing ? IOT_WRITE : 0));
	rec->process = p->id + 1;
	rec->file = p->id * (uint32_t)w->files + p->last + 1;
	rec->start_ns = (int64_t)(p->start_us * 1000);
	rec->duration_ns = took_us * 1000;
	rec->cpu_ns = (int64_t)(p->cpu_us * 1000);
	p->start_us += took_us + think_us;
	p->cpu_us += think_us;
	sift_down(w->heap, w->processes);
}

void workload_next(struct workload *w, struct iot_record *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		next(w, &out[i]);
}
