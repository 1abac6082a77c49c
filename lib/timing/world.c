/* SPDX-License-Identifier: BSD-2-Clause */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/text.h"
#include "world_files.h"

#define BLOCKS_MAX (UINT64_C(1) << 40) /* of an object */

void world_init(struct world *w, const struct world_options *o)
{
	*w = (struct world){.options = *o,
			    .breakdown = {.by = o->by, .physical = o->physical},
			    .last_ns = INT64_MIN};
}

void world_free(struct world *w)
{
	for (size_t i = 0; i < w->program_count; i++) {
		free(w->programs[i].steps);
		free(w->programs[i].rows);
	}
	breakdown_free(&w->breakdown);
	free(w->programs);
	free(w->streams);
	free(w->objects);
	free(w->object_of_id);
	free(w->object_of_file);
	free(w->object_of_disk);
	free(w->object_of_path);
	free(w->files);
	idmap_free(&w->process_ids);
	idmap_free(&w->stream_ids);
	idmap_free(&w->object_ids);
	idmap_free(&w->file_ids);
	idmap_free(&w->disk_ids);
	idmap_free(&w->path_ids);
	memset(w, 0, sizeof *w);
}

/* Returns NULL if out of memory. */
static struct program *program_of(struct world *w, uint32_t process)
{
	const size_t number = w->options.arrivals ? 0 : idmap_number(&w->process_ids, process);
	if (!array_reserve_index(&w->programs, &w->program_capacity, number, sizeof *w->programs))
		return NULL;
	if (number >= w->program_count) {
		w->program_count = number + 1;
		w->programs[number] = (struct program){.process = process};
	}
	return &w->programs[number];
}

/* Returns STREAM_NONE if out of memory. */
static uint32_t stream_of(struct world *w, uint32_t process, uint32_t object)
{
	const size_t program = idmap_number(&w->process_ids, process);
	if (program == SIZE_MAX)
		return STREAM_NONE;
	const size_t number = idmap_number(&w->stream_ids, idmap_pair((uint32_t)program, object));
	if (!array_reserve_index(&w->streams, &w->stream_capacity, number, sizeof *w->streams))
		return STREAM_NONE;
	if (number >= w->stream_count)
		w->stream_count = number + 1;
	w->streams[number] = (struct world_stream){object, (uint32_t)program};
	return (uint32_t)number;
}

static int add_row(struct world *w, struct program *p, size_t row)
{
	const size_t before = p->row_capacity;
	if (!array_reserve(&p->rows, &p->row_capacity, p->count + 1, sizeof *p->rows))
		return error_no_memory(&w->error);
	w->step_bytes += (p->row_capacity - before) * sizeof *p->rows;
	p->rows[p->count] = row < ROW_NONE ? (uint32_t)row : ROW_NONE;
	return IOT_OK;
}

/* row: ROW_NONE or more if it has none. */
static int add_step(struct world *w, struct program *p, const struct step *step, size_t row)
{
	const size_t before = p->capacity;
	if (!array_reserve(&p->steps, &p->capacity, p->count + 1, sizeof *step))
		return error_no_memory(&w->error);
	if (w->options.by != BREAKDOWN_NONE && add_row(w, p, row) != IOT_OK)
		return w->error.status;
	w->step_bytes += (p->capacity - before) * sizeof *step;
	p->steps[p->count++] = *step;
	return IOT_OK;
}

/* Computation */

static uint64_t wall_think(const struct program *p, int64_t start_ns)
{
	return p->started && start_ns > p->end_ns ? (uint64_t)(start_ns - p->end_ns) : 0;
}

static uint64_t cpu_think(struct world *w, const struct program *p, int64_t cpu_ns)
{
	if (cpu_ns < p->cpu_ns)
		w->counts.cpu_backwards++;
	return cpu_ns > p->cpu_ns ? (uint64_t)cpu_ns - (uint64_t)p->cpu_ns : 0;
}

/* The computation of a process before a record. */
static uint64_t think_of(struct world *w, const struct program *p, const struct iot_record *rec)
{
	const bool has_cpu = p->has_cpu && (rec->flags & IOT_CPU_UNKNOWN) == 0;
	const bool has_wall = (rec->flags & IOT_START_UNKNOWN) == 0;
	const enum world_think think = w->options.think;
	if (think == THINK_NONE || !p->started)
		return 0;
	if (think != THINK_WALL && has_cpu)
		return cpu_think(w, p, rec->cpu_ns);
	if (think == THINK_CPU || !has_wall) {
		w->counts.no_think++;
		return 0;
	}
	w->counts.from_wall++;
	return wall_think(p, rec->start_ns);
}

static void advance(struct program *p, const struct iot_record *rec)
{
	p->has_cpu = (rec->flags & IOT_CPU_UNKNOWN) == 0;
	p->cpu_ns = rec->cpu_ns;
	const int64_t end_ns = rec->start_ns + (int64_t)rec->duration_ns;
	if ((rec->flags & IOT_START_UNKNOWN) == 0 && (!p->started || end_ns > p->end_ns))
		p->end_ns = end_ns;
	p->started = true;
}

/* Records */

static bool is_step(struct world *w, const struct iot_record *rec)
{
	const bool physical = (rec->type & IOT_LOGICAL) == 0;
	if (physical != w->options.physical)
		w->counts.other_layer++;
	else if (!physical && (rec->type & IOT_DATA_KIND) == IOT_READ_AHEAD)
		w->counts.read_ahead++;
	else
		return true;
	return false;
}

static int check_size(struct world *w, const struct step *step)
{
	if (step->length > w->options.request_max)
		return error_set(&w->error, IOT_ELIMIT,
				 "record %ju has a length of %ju bytes, more than the limit of %ju",
				 (uintmax_t)w->counts.records, (uintmax_t)step->length,
				 (uintmax_t)w->options.request_max);
	if ((step->offset + step->length) / w->options.block >= BLOCKS_MAX)
		return error_set(&w->error, IOT_ELIMIT,
				 "record %ju ends at %ju, after the 2^40 blocks of %ju bytes that "
				 "an object can have",
				 (uintmax_t)w->counts.records,
				 (uintmax_t)(step->offset + step->length),
				 (uintmax_t)w->options.block);
	return IOT_OK;
}

/* Sets offset and length in bytes; saturates, which check_size then rejects. */
static void set_range(struct world *w, struct step *step, const struct iot_record *rec)
{
	const uint64_t unit = w->options.physical ? IOT_BLOCK_SIZE : 1;
	if (__builtin_mul_overflow(rec->length, unit, &step->length))
		step->length = UINT64_MAX;
	if (__builtin_mul_overflow(rec->offset, unit, &step->offset) ||
	    step->offset > UINT64_MAX - step->length)
		step->offset = UINT64_MAX - step->length;
}

/* A record with an unknown offset: a call, or blocks after all earlier ones of its kind. */
static bool place_unknown(struct world *w, struct step *step, uint32_t *object)
{
	const uint64_t block = w->options.block;
	w->counts.unknown++;
	w->counts.unknown_bytes += step->length;
	if (w->options.unknown == UNKNOWN_SKIP) {
		step->kind = STEP_CALL;
		return true;
	}
	*object = world_fresh_object(w);
	step->offset = w->fresh_end;
	w->fresh_end += (step->length / block + 1) * block;
	return *object != OBJECT_NONE;
}

static void count_bytes(struct world *w, const struct step *step, uint32_t object)
{
	struct world_object *o = &w->objects[object];
	if (step->offset + step->length > o->size)
		o->size = step->offset + step->length;
	if (step->kind == STEP_WRITE)
		w->counts.written_bytes += step->length;
	else
		w->counts.read_bytes += step->length;
}

/* Returns SIZE_MAX if out of memory. */
static size_t row_of_record(struct world *w, const struct iot_record *rec, uint32_t object)
{
	struct breakdown_name name = {.file = rec->file};
	if (w->fresh_object != 0 && object == w->fresh_object - 1)
		name.file = 0;
	else if (!w->options.physical && rec->object != 0)
		name = (struct breakdown_name){.object = rec->object};
	else if (!w->options.physical)
		name.process = rec->process;
	return breakdown_row(&w->breakdown, rec, object, name);
}

static int add_record(struct world *w, const struct iot_record *rec)
{
	struct program *p = program_of(w, rec->process);
	struct step step = {.kind = (rec->type & IOT_WRITE) != 0 ? STEP_WRITE : STEP_READ,
			    .async = (rec->type & IOT_ASYNC) != 0};
	uint32_t object = world_object_of_record(w, rec);
	w->counts.records++;
	if (p == NULL || object == OBJECT_NONE)
		return error_no_memory(&w->error);
	set_range(w, &step, rec);
	if ((rec->flags & IOT_OFFSET_UNKNOWN) != 0 && !place_unknown(w, &step, &object))
		return error_no_memory(&w->error);
	if (check_size(w, &step) != IOT_OK)
		return w->error.status;
	step.stream = stream_of(w, rec->process, object);
	if (step.stream == STREAM_NONE)
		return error_no_memory(&w->error);
	if (step.kind != STEP_CALL)
		count_bytes(w, &step, object);
	step.direct =
	    w->options.physical || w->objects[object].direct || world_file_is_direct(w, rec);
	step.delay_ns = w->options.arrivals ? (uint64_t)rec->start_ns : think_of(w, p, rec);
	advance(p, rec);
	const size_t row = w->options.by != BREAKDOWN_NONE ? row_of_record(w, rec, object) : 0;
	return row != SIZE_MAX ? add_step(w, p, &step, row) : error_no_memory(&w->error);
}

static void check_order(struct world *w, const struct iot_record *rec)
{
	if (rec->start_ns < w->last_ns)
		w->counts.out_of_order++;
	else
		w->last_ns = rec->start_ns;
}

/* Operations */

static bool succeeded(const struct iot_event *ev)
{
	const struct iot_text result = iot_directive_get(ev, "result");
	return result.data == NULL || text_equals(result, "0");
}

static void set_truncate(struct world *w, const struct iot_event *ev, struct step *step)
{
	const struct iot_text size = iot_directive_get(ev, "size");
	uint64_t bytes;
	if (size.data == NULL || !number_decimal(size.data, size.size, &bytes)) {
		w->counts.sizeless++;
		return;
	}
	step->kind = STEP_DROP;
	step->offset = bytes;
}

/* Sets the kind of a step for an operation that succeeded; *object is the one it affects. */
static void set_operation(struct world *w, const struct iot_event *ev, struct step *step,
			  uint32_t *object)
{
	const struct iot_text name = iot_directive_get(ev, "name");
	*object = world_object_of_operation(w, ev);
	if (text_equals(name, "close"))
		step->kind = world_file_closed(w, ev, object) ? STEP_DROP : STEP_CALL;
	else if (*object == OBJECT_NONE)
		return;
	else if (text_equals(name, "unlink"))
		step->kind = world_unlinked(w, ev, *object) ? STEP_DROP : STEP_CALL;
	else if (text_equals(name, "truncate") || text_equals(name, "ftruncate"))
		set_truncate(w, ev, step);
	else if (text_equals(name, "fsync") || text_equals(name, "fdatasync"))
		step->kind = STEP_FSYNC;
}

static uint64_t operation_delay(struct world *w, struct program *p, const struct iot_event *ev)
{
	const struct iot_record *rec = &ev->rec;
	if (w->options.arrivals)
		return (uint64_t)rec->start_ns;
	if ((ev->has & IOT_HAS_TIME) == 0)
		return 0;
	const bool by_wall = w->options.think == THINK_WALL ||
			     (w->options.think == THINK_AUTO && p->started && !p->has_cpu);
	const uint64_t think = by_wall ? wall_think(p, rec->start_ns) : 0;
	const int64_t end_ns = rec->start_ns + (int64_t)rec->duration_ns;
	if (p->started && end_ns > p->end_ns)
		p->end_ns = end_ns;
	return think;
}

static bool follow_names(struct world *w, const struct iot_event *ev)
{
	const struct iot_text name = iot_directive_get(ev, "name");
	if (text_equals(name, "rename"))
		return world_renamed(w, ev);
	return !text_equals(name, "exchange") || world_exchanged(w, ev);
}

static int add_operation(struct world *w, const struct iot_event *ev)
{
	struct step step = {.kind = STEP_CALL, .stream = STREAM_NONE};
	uint32_t object = OBJECT_NONE;
	if ((ev->has & IOT_HAS_PROCESS) == 0 || w->options.physical)
		return IOT_OK;
	if (text_equals(iot_directive_get(ev, "name"), "open") && !world_file_opened(w, ev))
		return error_no_memory(&w->error);
	if (succeeded(ev) && !follow_names(w, ev))
		return error_no_memory(&w->error);
	if (succeeded(ev))
		set_operation(w, ev, &step, &object);
	struct program *p = program_of(w, ev->rec.process);
	if (p == NULL)
		return error_no_memory(&w->error);
	step.delay_ns = operation_delay(w, p, ev);
	if (step.kind != STEP_CALL) {
		step.stream = stream_of(w, ev->rec.process, object);
		if (step.stream == STREAM_NONE)
			return error_no_memory(&w->error);
	}
	w->counts.operations++;
	return add_step(
	    w, p, &step,
	    breakdown_find(&w->breakdown, &ev->rec, object != OBJECT_NONE ? object : SIZE_MAX));
}

static int add_event(struct world *w, const struct iot_event *ev)
{
	if (ev->kind == IOT_RECORD) {
		check_order(w, &ev->rec);
		return is_step(w, &ev->rec) ? add_record(w, &ev->rec) : IOT_OK;
	}
	if (ev->kind == IOT_OP)
		return add_operation(w, ev);
	if (ev->kind == IOT_PROCESS && !breakdown_process(&w->breakdown, ev))
		return error_no_memory(&w->error);
	if (ev->kind == IOT_FILE && !world_file_defined(w, ev))
		return error_no_memory(&w->error);
	return IOT_OK;
}

uint64_t world_bytes(const struct world *w)
{
	const struct idmap *const maps[] = {&w->process_ids, &w->stream_ids, &w->object_ids,
					    &w->file_ids,    &w->disk_ids,   &w->path_ids};
	uint64_t bytes =
	    w->step_bytes + breakdown_bytes(&w->breakdown) +
	    w->program_capacity * sizeof *w->programs + w->stream_capacity * sizeof *w->streams +
	    w->object_capacity * sizeof *w->objects + w->files_capacity * sizeof *w->files;
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		bytes += idmap_bytes(maps[i]);
	return bytes + (w->id_capacity + w->file_capacity + w->disk_capacity + w->path_capacity) *
			   sizeof(uint32_t);
}

/* Returns false if out of memory, or of the limit. */
static bool add_blocks(struct idmap *blocks, const struct world *w, const struct step *s,
		       uint64_t memory)
{
	const uint64_t unit = w->options.block, object = w->streams[s->stream].object;
	if (s->length == 0)
		return true;
	for (uint64_t b = s->offset / unit; b <= (s->offset + s->length - 1) / unit; b++)
		if (idmap_number(blocks, object << 40 | b) == SIZE_MAX ||
		    3 * idmap_bytes(blocks) > 2 * memory)
			return false;
	return true;
}

uint64_t world_distinct(const struct world *w, uint64_t memory)
{
	struct idmap blocks = {0};
	bool known = true;
	for (size_t i = 0; i < w->program_count && known; i++)
		for (size_t j = 0; j < w->programs[i].count && known; j++) {
			const struct step *s = &w->programs[i].steps[j];
			known =
			    s->kind > STEP_WRITE || s->direct || add_blocks(&blocks, w, s, memory);
		}
	const uint64_t count = known ? blocks.count : UINT64_MAX;
	idmap_free(&blocks);
	return count;
}

static int check_memory(struct world *w)
{
	if (world_bytes(w) <= w->options.memory_max)
		return w->error.status;
	return error_set(
	    &w->error, IOT_ELIMIT,
	    "the programs of the first %ju records need %ju bytes of memory, more than "
	    "the limit of %ju",
	    (uintmax_t)w->counts.records, (uintmax_t)world_bytes(w),
	    (uintmax_t)w->options.memory_max);
}

int world_events(struct world *w, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n && w->error.status == IOT_OK; i++)
		(void)add_event(w, &ev[i]);
	return check_memory(w);
}

/* Arrivals */

static int check_arrivals(struct world *w)
{
	if (w->counts.out_of_order == 0)
		return IOT_OK;
	return error_set(&w->error, IOT_EFORMAT,
			 "%ju records start before the previous one; 'iotrace reorder' sorts them",
			 (uintmax_t)w->counts.out_of_order);
}

/*
 * The first record arrives at time 0. An operation without a time arrives with the previous step.
 */
int world_finish(struct world *w)
{
	if (w->error.status != IOT_OK || !w->options.arrivals || w->program_count == 0)
		return w->error.status;
	struct program *p = &w->programs[0];
	const uint64_t first_ns = p->count > 0 ? p->steps[0].delay_ns : 0;
	for (size_t i = 0; i < p->count; i++) {
		struct step *s = &p->steps[i];
		s->delay_ns = s->delay_ns > first_ns ? s->delay_ns - first_ns : 0;
		if (i > 0 && s->delay_ns < s[-1].delay_ns)
			s->delay_ns = s[-1].delay_ns;
	}
	return check_arrivals(w);
}
