/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of directives, %trace, and what is lost. */
#include "darshan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MIN = 15, DIGITS_MAX = 17 };

void darshan_no_memory(struct darshan *d)
{
	if (d->status != IOT_OK)
		return;
	d->status =
	    error_set(&d->src->error, IOT_ENOMEM, "out of memory, or too many names for it");
}

void darshan_count(struct darshan *d, const char *name, uint64_t n)
{
	report_add(&d->src->report, name, n);
}

void darshan_note(struct darshan *d, size_t member, const char *format, ...)
{
	const char *path = input_name(d->src->input, member);
	char shown[160], text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	report_note(&d->src->report, "%s: %s", escape_text(shown, sizeof shown, path, strlen(path)),
		    text);
}

/* Values */

void darshan_signed(struct iot_builder *b, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%lld", (long long)value);
	iot_directive_text(b, key, text, (size_t)n);
}

/* Writes the shortest decimal that reads back as the same number. */
void darshan_double(struct iot_builder *b, const char *key, double value)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%.*g", DIGITS_MIN, value);
	for (int digits = DIGITS_MIN + 1; digits <= DIGITS_MAX; digits++) {
		double back = strtod(text, NULL);
		if (back == value || value != value)
			break;
		n = snprintf(text, sizeof text, "%.*g", digits, value);
	}
	iot_directive_text(b, key, text, (size_t)n);
}

void darshan_text_value(struct iot_builder *b, const char *key, struct iot_text text)
{
	if (text.size > 0)
		emit_text(b, key, text);
}

static void append_moment(struct iot_builder *b, const char *key, int64_t s, int64_t ns)
{
	char text[48];
	int n = ns >= 0 ? snprintf(text, sizeof text, "%lld.%09lld", (long long)s, (long long)ns)
			: snprintf(text, sizeof text, "%lld", (long long)s);
	iot_directive_text(b, key, text, (size_t)n);
}

/* %trace */

static void append_job(struct darshan *d, struct iot_builder *b)
{
	const struct darshan_job *job = &d->log.job;
	darshan_text_value(b, "command", job->command);
	if (!job->known)
		return;
	darshan_signed(b, "job", job->id);
	darshan_signed(b, "uid", job->uid);
	darshan_signed(b, "ranks", job->processes);
	append_moment(b, "job-start", job->start_s, job->start_ns);
	append_moment(b, "job-end", job->end_s, job->end_ns);
	darshan_text_value(b, "metadata", job->metadata);
	darshan_text_value(b, "mounts", job->mounts);
}

/* "POSIX:4,STDIO:2", with versions: shows whether DXT is present, and which other modules. */
static void append_modules(const struct darshan *d, struct iot_builder *b)
{
	char list[DARSHAN_REGIONS * 24];
	size_t n = 0;
	for (size_t i = 0; i < d->log.entries && n < sizeof list; i++) {
		const struct darshan_map_entry *p = &d->log.map[i];
		if (p->module == DARSHAN_NULL)
			continue;
		int more = snprintf(list + n, sizeof list - n, "%s%s:%u", n > 0 ? "," : "",
				    darshan_module_name(p->module), p->version);
		n += more > 0 ? (size_t)more : 0;
	}
	if (d->text == NULL && n > 0 && n < sizeof list)
		emit_string(b, "modules", list);
}

void darshan_emit_trace(struct darshan *d)
{
	static const char layers[][12] = {"", "posix", "mpiio", "posix,mpiio"};
	struct iot_builder b;
	char version[32];
	if (!emit_begin(&d->emit, &b, "trace"))
		return;
	const bool exact = d->log.job.start_ns >= 0;
	emit_string(&b, "source", "darshan");
	emit_string(&b, "form", d->text != NULL ? "text" : "log");
	snprintf(version, sizeof version, "%u.%02u", d->log.major, d->log.minor);
	emit_string(&b, "log-format", version);
	append_job(d, &b);
	append_modules(d, &b);
	if (d->log.start_ns > 0)
		iot_directive_number(&b, "epoch", 0);
	emit_string(&b, "lacks", "cpu,asynchronous,results");
	emit_string(&b, "layer", layers[d->layers]);
	/* Times of different ranks are not comparable. */
	emit_string(&b, "clocks", "each-rank-from-its-own-start");
	emit_string(&b, "precision", d->text != NULL ? "100us" : "238ns");
	emit_string(&b, "epoch-precision", exact ? "1ns" : "1s");
	emit_end(&d->emit, &b, d->clock.base_ns);
}

/* Damage */

void darshan_emit_lost(struct darshan *d, const char *why)
{
	struct iot_builder b;
	if (!emit_begin(&d->emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)d->clock.end_ns);
	iot_directive_text(&b, "why", why, strnlen(why, DARSHAN_NAME_MAX));
	emit_end(&d->emit, &b, d->clock.end_ns);
}

static void describe_location(const struct darshan *d, char *out, size_t capacity)
{
	const struct darshan_map_entry *entry = d->current.entry;
	const char *path = input_name(d->src->input, d->members.current);
	char shown[256];
	escape_text(shown, sizeof shown, path, strlen(path));
	if (entry == NULL)
		snprintf(out, capacity, "%s", shown);
	else if (entry->module == DARSHAN_NULL)
		snprintf(out, capacity, "%s: names", shown);
	else
		snprintf(out, capacity, "%s: module %s", shown, darshan_module_name(entry->module));
}

/* The first damage is the final error of the conversion, the others become notes. */
bool darshan_add_damage(struct darshan *d, const struct error *e)
{
	darshan_count(d, "damaged.places", 1);
	if (d->damage.status == IOT_OK) {
		d->damage = *e;
		return false;
	}
	report_note(&d->src->report, "%.240s", e->text);
	return true;
}

/* If the region itself ended early, its reason replaces the given one. */
int darshan_damage(struct darshan *d, int status, const char *format, ...)
{
	const struct darshan_end *end = &d->current.region.end;
	char why[512], location[512];
	struct error e = {.status = IOT_OK};
	va_list args;
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	if (end->status == IOT_ENOMEM) {
		darshan_no_memory(d);
		return 0;
	}
	d->current.damaged = true;
	describe_location(d, location, sizeof location);
	if (end->status != IOT_OK)
		error_set(&e, end->status, "%s: %s (%s)", location, end->why, why);
	else
		error_set(&e, status, "%s: %s", location, why);
	if (darshan_add_damage(d, &e))
		darshan_emit_lost(d, e.text);
	return 0;
}

unsigned char *darshan_bytes(struct darshan *d, size_t size, const char *what)
{
	size_t have;
	unsigned char *p = darshan_region_peek(&d->current.region, size, &have);
	if (have >= size)
		return p;
	if (have > 0)
		darshan_damage(d, IOT_EFORMAT, "ends inside %s", what);
	return NULL;
}

unsigned char *darshan_record_head(struct darshan *d, size_t size, const char *what)
{
	unsigned char *p = darshan_bytes(d, size, what);
	const bool padded = d->log.compression == DARSHAN_UNCOMPRESSED;
	return p != NULL && padded && darshan_all_zero(p, size) ? NULL : p;
}

void darshan_count_rank(struct darshan *d, int64_t rank)
{
	if (d->log.job.known && rank >= d->log.job.processes)
		darshan_count(d, "ranks.beyond_job", 1);
}

int darshan_skip_module(struct darshan *d)
{
	const struct darshan_map_entry *entry = d->current.entry;
	const char *name = darshan_module_name(entry->module);
	struct iot_builder b;
	darshan_count(d, "skipped.modules", 1);
	darshan_count(d, "skipped.bytes", entry->size);
	darshan_note(d, d->members.current,
		     "module %s (id %u), version %u, is not understood: %llu bytes skipped", name,
		     entry->id, entry->version, (unsigned long long)entry->size);
	if (!emit_begin(&d->emit, &b, "counter"))
		return 0;
	emit_string(&b, "source", name);
	iot_directive_number(&b, "module", entry->id);
	iot_directive_number(&b, "version", entry->version);
	iot_directive_number(&b, "bytes-skipped", entry->size);
	emit_end(&d->emit, &b, d->clock.end_ns);
	return 0;
}
