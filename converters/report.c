/* SPDX-License-Identifier: BSD-2-Clause */
/* What every converter needs: its settings, its report, and to be found by name or by evidence. */
#include "converter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_add(struct report *r, const char *name, uint64_t n)
{
	size_t i = 0;
	while (i < r->counts && strcmp(r->count[i].name, name) != 0)
		i++;
	if (i == REPORT_COUNTS)
		return;
	if (i == r->counts)
		r->count[r->counts++] = (struct report_count){.name = name};
	r->count[i].value += n;
}

static struct report_count *find_count(const struct report *r, const char *name)
{
	for (size_t i = 0; i < r->counts; i++)
		if (strcmp(r->count[i].name, name) == 0)
			return (struct report_count *)&r->count[i];
	return NULL;
}

uint64_t report_get(const struct report *r, const char *name)
{
	const struct report_count *k = find_count(r, name);
	return k != NULL ? k->value : 0;
}

void report_noted(struct report *r, const char *name)
{
	struct report_count *k = find_count(r, name);
	if (k != NULL)
		k->noted = true;
}

void report_unparsed(struct report *r, const char *member, uint64_t line, const char *text,
		     size_t size)
{
	r->unparsed++;
	if (r->examples == REPORT_EXAMPLES)
		return;
	struct report_example *e = &r->example[r->examples++];
	e->line = line;
	escape_text(e->member, sizeof(e->member), member, strlen(member));
	escape_text(e->text, sizeof(e->text), text, size);
}

void report_differs(struct report *r, const char *where, const char *what, uint64_t source_says,
		    uint64_t converted)
{
	r->differences_found++;
	if (r->differences == REPORT_DIFFERENCES)
		return;
	struct report_difference *d = &r->difference[r->differences++];
	escape_text(d->where, sizeof(d->where), where, strlen(where));
	escape_text(d->what, sizeof(d->what), what, strlen(what));
	d->source_says = source_says;
	d->converted = converted;
}

void report_note(struct report *r, const char *format, ...)
{
	va_list args;
	r->notes_made++;
	if (r->notes == REPORT_NOTES)
		return;
	va_start(args, format);
	(void)vsnprintf(r->note[r->notes++], sizeof(r->note[0]), format, args);
	va_end(args);
}

bool op_renames(struct iot_text name)
{
	static const char *const names[] = {"create", "close", "unlink",  "rmdir", "rename",
					    "link",   "mkdir", "symlink", "mknod"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name.size == strlen(names[i]) && memcmp(name.data, names[i], name.size) == 0)
			return true;
	return false;
}

void source_ignored(struct source_state *src, size_t count, size_t first)
{
	char shown[128];
	if (count == 0)
		return;
	const char *name = input_name(src->input, first);
	escape_text(shown, sizeof shown, name, strlen(name));
	report_add(&src->report, "ignored.files", count);
	if (count == 1)
		report_note(&src->report, "%s: not of %s, and left out", shown,
			    src->converter->name);
	else
		report_note(&src->report, "%s and %zu more: not of %s, and left out", shown,
			    count - 1, src->converter->name);
}

const char *source_setting(const struct source_state *src, const char *name)
{
	for (size_t i = src->setting_count; i-- > 0;)
		if (strcmp(src->settings[i].name, name) == 0)
			return src->settings[i].value;
	return NULL;
}

const struct converter *converter_find(const char *name)
{
	for (size_t i = 0; converters[i] != NULL; i++)
		if (strcmp(converters[i]->name, name) == 0)
			return converters[i];
	return NULL;
}

/* Nobody bids: is it because there is nothing to see, or because of what is wrong with it? */
static bool refuse_blank(struct input *in, struct error *error)
{
	char name[256];
	size_t size;
	(void)input_head(in, 0, &size);
	if (size > 0 || input_count(in) > 1)
		return false;
	struct bufreader *w = input_open(in, 0, error);
	if (w == NULL)
		return true;
	(void)bufreader_peek(w, 1, &size);
	if (bufreader_status(w) != IOT_OK)
		*error = *bufreader_error(w);
	else
		error_set(
		    error, IOT_EFORMAT, "%s: empty; name the format with --from",
		    escape_text(name, sizeof(name), input_name(in, 0), strlen(input_name(in, 0))));
	bufreader_free(w);
	return true;
}

bool input_is_trace(struct input *in, size_t member)
{
	static const char HEX[] = "ff %iotrace ", DEC[] = "255 %iotrace ";
	size_t size;
	const char *head = input_head(in, member, &size);
	return (size >= sizeof(HEX) && memcmp(head, HEX, sizeof(HEX) - 1) == 0) ||
	       (size >= sizeof(DEC) && memcmp(head, DEC, sizeof(DEC) - 1) == 0);
}

static void refuse_unknown(struct input *in, struct error *error)
{
	char names[512] = "", first[256] = "";
	size_t n = 0;
	for (size_t i = 0; converters[i] != NULL; i++) {
		const char *name = converters[i]->name;
		size_t size = strlen(name);
		if (n + size + 3 > sizeof(names))
			break;
		if (n > 0)
			names[n++] = ',', names[n++] = ' ';
		memcpy(names + n, name, size + 1);
		n += size;
	}
	if (refuse_blank(in, error))
		return;
	escape_text(first, sizeof(first), input_name(in, 0), strlen(input_name(in, 0)));
	if (input_is_trace(in, 0)) {
		error_set(error, IOT_EFORMAT,
			  "%s: a trace already, with nothing to convert; see iotrace cat", first);
		return;
	}
	error_set(error, IOT_EFORMAT,
		  "%s: not a format known here (%s); name the format with --from", first, names);
}

const struct converter *converter_sniff(struct input *in, struct error *error)
{
	const struct converter *best = NULL, *second = NULL;
	int best_bid = 0;
	for (size_t i = 0; converters[i] != NULL; i++) {
		int bid = converters[i]->sniff(in);
		if (bid > best_bid) {
			best = converters[i];
			best_bid = bid;
			second = NULL;
		} else if (bid == best_bid && bid > 0 && second == NULL) {
			second = converters[i];
		}
	}
	if (input_unseen(in)->status != IOT_OK) {
		*error = *input_unseen(in);
		return NULL;
	}
	if (best == NULL) {
		refuse_unknown(in, error);
		return NULL;
	}
	if (second == NULL)
		return best;
	error_set(error, IOT_EUSAGE,
		  "this may be %s as well as %s: name the format with --from %s or --from %s",
		  best->name, second->name, best->name, second->name);
	return NULL;
}
