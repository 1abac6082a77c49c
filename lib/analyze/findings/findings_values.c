/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"

#include <stddef.h>
#include <string.h>

#include "lib/result/names.h"

static void share_values(const struct finding *at, const struct finding *end, struct values *v)
{
	for (const struct finding *i = at; i < end; i++)
		if (i->threshold > 0)
			values_real(v, NAME_OF(value), i->code, "", i->value);
	for (const struct finding *i = at; i < end; i++)
		if (i->threshold > 0)
			values_real(v, NAME_OF(threshold), i->code, "", i->threshold);
	for (const struct finding *i = at; i < end; i++) {
		values_real(v, NAME_OF(cost_share), i->code, "", i->saves);
		values_note(v, i->saves_time ? "of the run time" : "of the bytes");
	}
}

/* Adds the counts of findings, except those that are 0. */
static void count_values(const struct finding *at, const struct finding *end, struct values *v)
{
	static const struct {
		const char *name;
		size_t offset;
	} counts[] = {{"calls", offsetof(struct finding, calls)},
		      {"failed", offsetof(struct finding, failed)},
		      {"requests", offsetof(struct finding, requests)},
		      {"files", offsetof(struct finding, files)}};
	for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
		for (const struct finding *i = at; i < end; i++) {
			const uint64_t *n = (const void *)((const char *)i + counts[k].offset);
			if (*n > 0)
				values_number(v, counts[k].name, i->code, "", *n);
		}
}

static void evidence_values(const struct finding *at, const struct finding *end, struct values *v)
{
	for (const struct finding *i = at; i < end; i++)
		if (i->cause != NULL)
			values_word(v, NAME_OF(cause), i->code, i->cause);
	for (const struct finding *i = at; i < end; i++)
		if (i->saves_time)
			values_number(v, NAME_OF(cost_ns), i->code, "ns",
				      (uint64_t)(i->seconds * 1e9));
	for (const struct finding *i = at; i < end; i++)
		if (i->operation != NULL)
			values_word(v, NAME_OF(operation), i->code, i->operation);
	for (const struct finding *i = at; i < end; i++)
		if (i->place.data != NULL)
			values_text(v, NAME_OF(directory), i->code, i->place);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_rank)
			values_number(v, NAME_OF(rank), i->code, "", i->rank);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_count)
			values_number(v, NAME_OF(count), i->code, "", i->count);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_bytes)
			values_number(v, NAME_OF(bytes), i->code, "bytes", i->bytes);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file)
			values_text(v, NAME_OF(file), i->code,
				    (struct iot_text){i->key, strlen(i->key)});
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file && i->file.name.data != NULL)
			values_text(v, NAME_OF(path), i->code, i->file.name);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_process)
			values_number(v, NAME_OF(process), i->code, "", i->process);
}

void findings_values(const struct findings *f, struct values *v)
{
	const struct finding *at = f->list, *all = at != NULL ? at + f->count : at, *end = all;
	while (end > at && end[-1].trivial)
		end--;
	v->section = SECTION_OF(findings);
	v->failed |= f->failed;
	values_number(v, NAME_OF(found), NULL, "", (uint64_t)(end - at));
	values_number(v, NAME_OF(trivial), NULL, "", (uint64_t)(all - end));
	share_values(at, end, v);
	evidence_values(at, end, v);
	count_values(at, end, v);
	for (const struct finding *i = at; i < end; i++)
		values_text(v, NAME_OF(sentence), i->code,
			    (struct iot_text){i->sentence, strlen(i->sentence)});
	for (const struct finding *i = at; i < end; i++)
		values_text(v, NAME_OF(remedy), i->code,
			    (struct iot_text){i->remedy, strlen(i->remedy)});
	for (const struct finding *i = end; i < all; i++) {
		values_real(v, NAME_OF(trivial_cost_share), i->code, "", i->saves);
		values_note(v, i->saves_time ? "of the run time" : "of the bytes");
	}
}
