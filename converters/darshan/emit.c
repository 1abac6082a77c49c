/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives of the Darshan converter. The caller supplies the sort key of untimed ones:
 * definitions precede the first record that needs them, counters follow the last record of the job.
 */
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

static void put_text(struct iot_builder *b, const char *key, struct iot_text text)
{
	if (text.size > 0)
		emit_text(b, key, text);
}

static void put_moment(struct iot_builder *b, const char *key, int64_t s, int64_t ns)
{
	char text[48];
	int n = ns >= 0 ? snprintf(text, sizeof text, "%lld.%09lld", (long long)s, (long long)ns)
			: snprintf(text, sizeof text, "%lld", (long long)s);
	iot_directive_text(b, key, text, (size_t)n);
}

/* %trace, %process, %file */

static void put_job(struct darshan *d, struct iot_builder *b)
{
	const struct darshan_job *job = &d->log.job;
	put_text(b, "command", job->command);
	if (!job->known)
		return;
	darshan_signed(b, "job", job->id);
	darshan_signed(b, "uid", job->uid);
	darshan_signed(b, "ranks", job->processes);
	put_moment(b, "job-start", job->start_s, job->start_ns);
	put_moment(b, "job-end", job->end_s, job->end_ns);
	put_text(b, "metadata", job->metadata);
	put_text(b, "mounts", job->mounts);
}

/* "POSIX:4,STDIO:2", with versions: shows whether DXT is present, and which other modules. */
static void put_modules(const struct darshan *d, struct iot_builder *b)
{
	char list[DARSHAN_REGIONS * 24];
	size_t n = 0;
	for (size_t i = 0; i < d->log.places && n < sizeof list; i++) {
		const struct darshan_place *p = &d->log.place[i];
		if (p->module == DARSHAN_NULL)
			continue;
		int more = snprintf(list + n, sizeof list - n, "%s%s:%u", n > 0 ? "," : "",
				    darshan_module_name(p->module), p->version);
		n += more > 0 ? (size_t)more : 0;
	}
	if (d->text == NULL && n > 0 && n < sizeof list)
		iot_directive_text(b, "modules", list, n);
}

/* form: "log", or the tool that printed the text. */
void darshan_emit_trace(struct darshan *d, const char *form)
{
	static const char layers[][12] = {"", "posix", "mpiio", "posix,mpiio"};
	/* Times of different ranks are not comparable: each rank counts from its own start. */
	static const char skew[] = "each-rank-from-its-own-start";
	struct iot_builder b;
	char version[32];
	if (!emit_begin(&d->emit, &b, "trace"))
		return;
	iot_directive_text(&b, "source", "darshan", strlen("darshan"));
	emit_string(&b, "form", form);
	int n = snprintf(version, sizeof version, "%u.%02u", d->log.major, d->log.minor);
	iot_directive_text(&b, "log-format", version, (size_t)n);
	put_job(d, &b);
	put_modules(d, &b);
	if (d->log.start_ns > 0)
		iot_directive_number(&b, "epoch", 0);
	iot_directive_text(&b, "lacks", "cpu", 3);
	emit_string(&b, "layer", layers[d->layers]);
	iot_directive_text(&b, "clocks", skew, sizeof skew - 1);
	bool exact = d->log.job.start_ns >= 0;
	const char *precision = d->text != NULL ? "100us" : "238ns";
	emit_string(&b, "precision", precision);
	iot_directive_text(&b, "epoch-precision", exact ? "1ns" : "1s", exact ? 3 : 2);
	emit_end(&d->emit, &b, d->base_ns);
}

/* Returns the name of the program: the last component of the command's first word. */
static struct iot_text program(struct iot_text command)
{
	const char *end = command.size > 0 ? memchr(command.data, ' ', command.size) : NULL;
	size_t size = end != NULL ? (size_t)(end - command.data) : command.size;
	size_t at = size;
	while (at > 0 && command.data[at - 1] != '/')
		at--;
	return (struct iot_text){command.data != NULL ? command.data + at : NULL, size - at};
}

/*
 * Repeats the definition if it is needed earlier than it was emitted; the later one is then
 * redundant.
 */
void darshan_emit_process(struct darshan *d, uint32_t process, int64_t place_ns)
{
	uint32_t at = darshan_find(&d->process_ids, process, 0);
	struct iot_builder b;
	if (at == 0)
		return;
	struct darshan_process *p = &d->process[at - 1];
	if (place_ns >= p->reported_ns || !emit_begin(&d->emit, &b, "process"))
		return;
	p->reported_ns = place_ns;
	iot_directive_number(&b, "id", process);
	iot_directive_number(&b, "rank", (uint64_t)p->rank);
	put_text(&b, "name", program(d->log.job.command));
	if (p->host[0] != '\0')
		emit_string(&b, "host", p->host);
	if (d->process_base > 0) {
		put_text(&b, "command", d->log.job.command);
		if (d->log.job.known)
			darshan_signed(&b, "job", d->log.job.id);
	}
	emit_end(&d->emit, &b, place_ns);
}

void darshan_emit_file(struct darshan *d, uint32_t file, uint32_t process, int64_t place_ns)
{
	const struct darshan_file *f = &d->file[file - 1];
	struct iot_text path = darshan_name(d, f->id), type, point;
	struct iot_builder b;
	if (!emit_begin(&d->emit, &b, "file"))
		return;
	iot_directive_number(&b, "process", process);
	iot_directive_number(&b, "id", file);
	iot_directive_number(&b, "object", f->object);
	put_text(&b, "path", path);
	iot_directive_number(&b, "source-id", f->id);
	iot_directive_text(&b, "layer", f->layer == DARSHAN_LAYER_POSIX ? "posix" : "mpiio", 5);
	if (path.size > 0 && darshan_mount(&d->log.job, path, &type, &point)) {
		put_text(&b, "fs", type);
		put_text(&b, "mount", point);
	}
	emit_end(&d->emit, &b, place_ns);
}

/* Damage */

void darshan_emit_lost(struct darshan *d, const char *why)
{
	struct iot_builder b;
	if (!emit_begin(&d->emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)d->end_ns);
	iot_directive_text(&b, "why", why, strnlen(why, DARSHAN_NAME_MAX));
	emit_end(&d->emit, &b, d->end_ns);
}

static const char *where(const struct darshan *d, char *text, size_t capacity)
{
	const char *path = input_name(d->src->input, d->member);
	char shown[256];
	escape_text(shown, sizeof shown, path, strlen(path));
	if (d->place == NULL)
		snprintf(text, capacity, "%s", shown);
	else if (d->place->module == DARSHAN_NULL)
		snprintf(text, capacity, "%s: names", shown);
	else
		snprintf(text, capacity, "%s: module %s", shown,
			 darshan_module_name(d->place->module));
	return text;
}

/*
 * If the region itself ended early, its reason replaces the given one. The first damage is reported
 * by the final error of the conversion, the others by a note and %lost.
 */
void darshan_damage(struct darshan *d, int status, const char *format, ...)
{
	char why[512], place[512];
	struct error e = {.status = IOT_OK};
	va_list args;
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	if (d->region.status == IOT_ENOMEM) {
		darshan_no_memory(d);
		return;
	}
	d->damaged = true;
	darshan_count(d, "damaged.places", 1);
	where(d, place, sizeof place);
	if (d->region.status != IOT_OK)
		error_set(&e, d->region.status, "%s: %s (%s)", place, d->region.why, why);
	else
		error_set(&e, status, "%s: %s", place, why);
	if (d->fault.status == IOT_OK) {
		d->fault = e;
		return;
	}
	darshan_emit_lost(d, e.text);
	report_note(&d->src->report, "%.240s", e.text);
}
