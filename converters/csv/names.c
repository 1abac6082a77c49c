/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers texts, and emits the definitions of processes and files: before their first record, and
 * where a row has another path, object, rank or name than the last row of the same id.
 */
#include "csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "lib/base/hash.h"
#include "lib/base/text.h"

enum { DISK_TEXT = 64 };

/* Texts */

static bool within_limit(struct csv_source *c)
{
	const struct csv_names *n = &c->names;
	size_t bytes =
	    n->bytes + idmap_bytes(&n->processes) + n->process_capacity * sizeof *n->process;
	for (size_t i = 0; i < 2; i++)
		bytes += idmap_bytes(&n->files[i]) + n->file_capacity[i] * sizeof *n->file[i];
	for (size_t i = 0; i < CSV_TEXTS; i++)
		bytes += idmap_bytes(&n->hashes[i]) + n->text_capacity[i] * sizeof *n->text[i];
	if (bytes <= CSV_NAMES_MAX)
		return true;
	error_set(&c->src->error, IOT_ELIMIT,
		  "line %ju: the names of processes and files exceed %d MiB",
		  (uintmax_t)c->src->report.lines, CSV_NAMES_MAX >> 20);
	return false;
}

static bool out_of_memory(struct csv_source *c)
{
	error_no_memory(&c->src->error);
	return false;
}

/* Stores the text of a new number. */
static bool store_text(struct csv_source *c, enum csv_texts of, size_t number, struct iot_text text)
{
	struct csv_names *n = &c->names;
	struct iot_text **texts = &n->text[of];
	if (!array_reserve_index(texts, &n->text_capacity[of], number, sizeof **texts))
		return out_of_memory(c);
	char *copy = malloc(text.size + 1);
	if (copy == NULL)
		return out_of_memory(c);
	memcpy(copy, text.data, text.size);
	(*texts)[number] = (struct iot_text){copy, text.size};
	n->bytes += text.size + 1;
	return within_limit(c);
}

uint32_t csv_names_number(struct csv_source *c, enum csv_texts of, struct iot_text text)
{
	struct csv_names *n = &c->names;
	if (n->seed == 0)
		n->seed = hash_seed() | 1;
	uint64_t hash = XXH3_64bits_withSeed(text.data, text.size, n->seed);
	for (;; hash = hash_mix(n->seed, hash)) {
		const size_t known = n->hashes[of].count,
			     number = idmap_number(&n->hashes[of], hash);
		if (number == SIZE_MAX)
			return out_of_memory(c);
		if (number == known && !store_text(c, of, number, text))
			return 0;
		if (text_same(n->text[of][number], text))
			return (uint32_t)number + 1;
	}
}

/* Sets *number to the number of a text of the row, or to 0 without one. */
static bool number_of(struct csv_source *c, enum csv_texts of, enum csv_field field,
		      uint32_t *number)
{
	*number = 0;
	if ((c->row.known & CSV_BIT(field)) == 0)
		return true;
	*number = csv_names_number(c, of, c->row.text[field]);
	return *number > 0;
}

static struct iot_text text_of(const struct csv_source *c, enum csv_texts of, uint32_t number)
{
	return number > 0 ? c->names.text[of][number - 1] : (struct iot_text){NULL, 0};
}

/* Processes */

struct csv_process *csv_names_process(struct csv_source *c, uint32_t process)
{
	struct csv_names *n = &c->names;
	const size_t known = n->processes.count;
	const size_t i = idmap_number(&n->processes, process);
	if (!array_reserve_index(&n->process, &n->process_capacity, i, sizeof *n->process)) {
		(void)out_of_memory(c);
		return NULL;
	}
	return n->processes.count == known || within_limit(c) ? &n->process[i] : NULL;
}

static bool emit_process(struct csv_source *c, uint32_t process, const struct csv_process *p,
			 int64_t key_ns)
{
	struct iot_builder b;
	if (!emit_begin(&c->emit, &b, "process"))
		return out_of_memory(c);
	iot_directive_number(&b, "id", process);
	if (p->command.data != NULL)
		emit_text(&b, "name", p->command);
	if (p->host.data != NULL)
		emit_text(&b, "host", p->host);
	if (p->rank.data != NULL)
		emit_text(&b, "rank", p->rank);
	emit_end(&c->emit, &b, key_ns);
	return c->emit.status == IOT_OK || out_of_memory(c);
}

/* Returns true if the row has the same text as before, or none as before. */
static bool is_same(const struct csv_source *c, enum csv_field field, struct iot_text before)
{
	const bool known = (c->row.known & CSV_BIT(field)) != 0;
	return known ? before.data != NULL && text_same(c->row.text[field], before)
		     : before.data == NULL;
}

static bool store_name(struct csv_source *c, enum csv_field field, struct iot_text *text)
{
	uint32_t number;
	if (!number_of(c, CSV_OF_PROCESSES, field, &number))
		return false;
	*text = text_of(c, CSV_OF_PROCESSES, number);
	return true;
}

bool csv_names_define_process(struct csv_source *c, const struct iot_record *rec)
{
	const enum csv_field name = c->named_process ? CSV_PROCESS : CSV_COMMAND;
	const uint32_t of_processes = CSV_BIT(CSV_HOST) | CSV_BIT(CSV_RANK) | CSV_BIT(name);
	if ((c->layout.used & of_processes) == 0)
		return true;
	struct csv_process *p = csv_names_process(c, rec->process);
	if (p == NULL)
		return false;
	if (is_same(c, CSV_HOST, p->host) && is_same(c, name, p->command) &&
	    is_same(c, CSV_RANK, p->rank))
		return true;
	return store_name(c, CSV_HOST, &p->host) && store_name(c, name, &p->command) &&
	       store_name(c, CSV_RANK, &p->rank) && emit_process(c, rec->process, p, rec->start_ns);
}

/* Files */

static bool emit_file(struct csv_source *c, const struct iot_record *rec, const struct csv_file *f)
{
	struct iot_builder b;
	if (!emit_begin(&c->emit, &b, "file"))
		return out_of_memory(c);
	iot_directive_number(&b, "process", rec->process);
	iot_directive_number(&b, "id", rec->file);
	if (f->object > 0)
		iot_directive_number(&b, "object", f->object);
	if (f->path.data != NULL)
		emit_text(&b, "path", f->path);
	if ((rec->type & IOT_LOGICAL) == 0)
		emit_string(&b, "kind", "disk");
	emit_end(&c->emit, &b, rec->start_ns);
	return c->emit.status == IOT_OK || out_of_memory(c);
}

bool csv_names_one_object(const struct csv_source *c)
{
	const uint32_t clients = CSV_BIT(CSV_PROCESS) | CSV_BIT(CSV_HOST),
		       stores = CSV_BIT(CSV_FILE) | CSV_BIT(CSV_DISK) | CSV_BIT(CSV_PATH) |
				CSV_BIT(CSV_OBJECT) | CSV_BIT(CSV_OFFSET);
	return (c->layout.used & CSV_BIT(CSV_ID)) != 0 && (c->layout.used & clients) != 0 &&
	       (c->layout.used & stores) == 0;
}

/* The object of a disk: equal numbers are one disk, unless they are on different hosts. */
static uint32_t disk_object(struct csv_source *c, const struct iot_record *rec)
{
	char text[DISK_TEXT];
	const bool hosts = (c->row.known & CSV_BIT(CSV_HOST)) != 0;
	const int n = snprintf(text, sizeof text, "\t%u\t%u", hosts ? rec->process : 0, rec->file);
	return csv_names_number(c, CSV_OF_FILES, (struct iot_text){text, (size_t)n});
}

/* Sets the path and the object that the row states, or that follow from it. */
static bool describe_file(struct csv_source *c, const struct iot_record *rec, struct csv_file *f)
{
	const struct csv_row *row = &c->row;
	const bool disk = (rec->type & IOT_LOGICAL) == 0;
	const enum csv_field field = disk && c->named_disk ? CSV_DISK : CSV_PATH;
	uint32_t number = 0;
	if ((row->known & CSV_BIT(field)) != 0 && row->text[field].size > CSV_PATH_MAX)
		report_add(&c->src->report, "unnamed.files", 1);
	else if (!number_of(c, CSV_OF_FILES, field, &number))
		return false;
	*f = (struct csv_file){
	    .path = text_of(c, CSV_OF_FILES, number), .object = number, .defined = true};
	if ((c->layout.used & CSV_BIT(CSV_OBJECT)) != 0)
		f->object = rec->object;
	else if (disk && number == 0 && c->layout.preset != NULL && !c->layout.own)
		f->object = disk_object(c, rec);
	else if (csv_names_one_object(c))
		f->object = 1;
	return c->src->error.status == IOT_OK;
}

static bool is_described(const struct csv_source *c, const struct iot_record *rec,
			 const struct csv_file *f)
{
	const struct csv_row *row = &c->row;
	const bool disk = (rec->type & IOT_LOGICAL) == 0;
	const enum csv_field field = disk && c->named_disk ? CSV_DISK : CSV_PATH;
	const bool named = (row->known & CSV_BIT(field)) != 0;
	return f->defined &&
	       (named ? f->path.data != NULL && text_same(f->path, row->text[field])
		      : f->path.data == NULL) &&
	       ((c->layout.used & CSV_BIT(CSV_OBJECT)) == 0 || f->object == rec->object);
}

static bool define_file(struct csv_source *c, const struct iot_record *rec)
{
	struct csv_names *n = &c->names;
	const bool logical = (rec->type & IOT_LOGICAL) != 0;
	const size_t known = n->files[logical].count;
	const size_t i = idmap_number(&n->files[logical], idmap_pair(rec->process, rec->file));
	struct csv_file now;
	if (!array_reserve_index(&n->file[logical], &n->file_capacity[logical], i,
				 sizeof *n->file[logical]))
		return out_of_memory(c);
	if (is_described(c, rec, &n->file[logical][i]))
		return true;
	if (n->files[logical].count != known && !within_limit(c))
		return false;
	if (!describe_file(c, rec, &now))
		return false;
	struct csv_file *f = &n->file[logical][i];
	const bool blank = logical && !f->defined && now.path.data == NULL && now.object == 0;
	*f = now;
	return blank || emit_file(c, rec, f);
}

void csv_names_close(struct csv_source *c, uint32_t process, uint32_t file)
{
	const size_t i = idmap_find(&c->names.files[1], idmap_pair(process, file));
	if (i < c->names.file_capacity[1])
		c->names.file[1][i].defined = false;
}

bool csv_names_define(struct csv_source *c, const struct iot_record *rec)
{
	const uint32_t of_files = CSV_BIT(CSV_PATH) | CSV_BIT(CSV_OBJECT);
	if (!csv_names_define_process(c, rec))
		return false;
	const bool described = (c->layout.used & of_files) != 0 || csv_names_one_object(c) ||
			       (rec->type & IOT_LOGICAL) == 0;
	return !described || define_file(c, rec);
}

void csv_names_free(struct csv_names *n)
{
	for (size_t of = 0; of < CSV_TEXTS; of++) {
		for (size_t i = 0; i < n->hashes[of].count && i < n->text_capacity[of]; i++)
			free((char *)n->text[of][i].data);
		free(n->text[of]);
		idmap_free(&n->hashes[of]);
	}
	idmap_free(&n->processes);
	free(n->process);
	for (size_t i = 0; i < 2; i++) {
		idmap_free(&n->files[i]);
		free(n->file[i]);
	}
}
