/* SPDX-License-Identifier: BSD-2-Clause */
/* What every converter needs: its settings, its report, and to be found by name or by evidence. */
#include "converter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void iot_report_add(struct iot_report *r, const char *name, uint64_t n)
{
	size_t i = 0;
	while (i < r->counts && strcmp(r->count[i].name, name) != 0)
		i++;
	if (i == IOT_REPORT_COUNTS)
		return;
	if (i == r->counts)
		r->count[r->counts++] = (struct iot_report_count){.name = name};
	r->count[i].value += n;
}

static struct iot_report_count *find_count(const struct iot_report *r, const char *name)
{
	for (size_t i = 0; i < r->counts; i++)
		if (strcmp(r->count[i].name, name) == 0)
			return (struct iot_report_count *)&r->count[i];
	return NULL;
}

uint64_t iot_report_get(const struct iot_report *r, const char *name)
{
	const struct iot_report_count *k = find_count(r, name);
	return k != NULL ? k->value : 0;
}

void iot_report_noted(struct iot_report *r, const char *name)
{
	struct iot_report_count *k = find_count(r, name);
	if (k != NULL)
		k->noted = true;
}

void iot_report_unparsed(struct iot_report *r, const char *member, uint64_t line, const char *text,
			 size_t size)
{
	r->unparsed++;
	if (r->examples == IOT_REPORT_EXAMPLES)
		return;
	struct iot_report_example *e = &r->example[r->examples++];
	e->line = line;
	iot_escape(e->member, sizeof(e->member), member, strlen(member));
	iot_escape(e->text, sizeof(e->text), text, size);
}

void iot_report_differs(struct iot_report *r, const char *where, const char *what,
			uint64_t source_says, uint64_t converted)
{
	r->differences_found++;
	if (r->differences == IOT_REPORT_DIFFERENCES)
		return;
	struct iot_report_difference *d = &r->difference[r->differences++];
	iot_escape(d->where, sizeof(d->where), where, strlen(where));
	iot_escape(d->what, sizeof(d->what), what, strlen(what));
	d->source_says = source_says;
	d->converted = converted;
}

void iot_report_note(struct iot_report *r, const char *format, ...)
{
	va_list args;
	r->notes_made++;
	if (r->notes == IOT_REPORT_NOTES)
		return;
	va_start(args, format);
	(void)vsnprintf(r->note[r->notes++], sizeof(r->note[0]), format, args);
	va_end(args);
}

bool iot_op_changes_names(struct iot_text name)
{
	static const char *const names[] = {"create", "close", "unlink",  "rmdir", "rename",
					    "link",   "mkdir", "symlink", "mknod"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (name.size == strlen(names[i]) && memcmp(name.data, names[i], name.size) == 0)
			return true;
	return false;
}

void iot_source_ignored(struct iot_source *src, size_t count, size_t first)
{
	char shown[128];
	if (count == 0)
		return;
	const char *name = iot_input_name(src->input, first);
	iot_escape(shown, sizeof shown, name, strlen(name));
	iot_report_add(&src->report, "ignored.files", count);
	if (count == 1)
		iot_report_note(&src->report, "%s: not of %s, and left out", shown,
				src->converter->name);
	else
		iot_report_note(&src->report, "%s and %zu more: not of %s, and left out", shown,
				count - 1, src->converter->name);
}

const char *iot_source_setting(const struct iot_source *src, const char *name)
{
	for (size_t i = src->setting_count; i-- > 0;)
		if (strcmp(src->settings[i].name, name) == 0)
			return src->settings[i].value;
	return NULL;
}

const struct iot_converter *iot_converter_find(const char *name)
{
	for (size_t i = 0; iot_converters[i] != NULL; i++)
		if (strcmp(iot_converters[i]->name, name) == 0)
			return iot_converters[i];
	return NULL;
}

/* Nobody bids: is it because there is nothing to see, or because of what is wrong with it? */
static bool refuse_blank(struct iot_input *in, struct iot_error *error)
{
	char name[256];
	size_t size;
	(void)iot_input_head(in, 0, &size);
	if (size > 0 || iot_input_count(in) > 1)
		return false;
	struct iot_window *w = iot_input_open(in, 0, error);
	if (w == NULL)
		return true;
	(void)iot_window_ahead(w, 1, &size);
	if (iot_window_status(w) != IOT_OK)
		*error = *iot_window_error(w);
	else
		iot_error_set(error, IOT_EFORMAT, "%s: empty; name the format with --from",
			      iot_escape(name, sizeof(name), iot_input_name(in, 0),
					 strlen(iot_input_name(in, 0))));
	iot_window_free(w);
	return true;
}

bool iot_input_is_trace(struct iot_input *in, size_t member)
{
	static const char HEX[] = "ff %iotrace ", DEC[] = "255 %iotrace ";
	size_t size;
	const char *head = iot_input_head(in, member, &size);
	return (size >= sizeof(HEX) && memcmp(head, HEX, sizeof(HEX) - 1) == 0) ||
	       (size >= sizeof(DEC) && memcmp(head, DEC, sizeof(DEC) - 1) == 0);
}

static void refuse_unknown(struct iot_input *in, struct iot_error *error)
{
	char names[512] = "", first[256] = "";
	size_t n = 0;
	for (size_t i = 0; iot_converters[i] != NULL; i++) {
		const char *name = iot_converters[i]->name;
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
	iot_escape(first, sizeof(first), iot_input_name(in, 0), strlen(iot_input_name(in, 0)));
	if (iot_input_is_trace(in, 0)) {
		iot_error_set(error, IOT_EFORMAT,
			      "%s: a trace already, with nothing to convert; see iotrace cat",
			      first);
		return;
	}
	iot_error_set(error, IOT_EFORMAT,
		      "%s: not a format known here (%s); name the format with --from", first,
		      names);
}

const struct iot_converter *iot_converter_sniff(struct iot_input *in, struct iot_error *error)
{
	const struct iot_converter *best = NULL, *second = NULL;
	int best_bid = 0;
	for (size_t i = 0; iot_converters[i] != NULL; i++) {
		int bid = iot_converters[i]->sniff(in);
		if (bid > best_bid) {
			best = iot_converters[i];
			best_bid = bid;
			second = NULL;
		} else if (bid == best_bid && bid > 0 && second == NULL) {
			second = iot_converters[i];
		}
	}
	if (iot_input_unseen(in)->status != IOT_OK) {
		*error = *iot_input_unseen(in);
		return NULL;
	}
	if (best == NULL) {
		refuse_unknown(in, error);
		return NULL;
	}
	if (second == NULL)
		return best;
	iot_error_set(error, IOT_EUSAGE,
		      "this may be %s as well as %s: name the format with --from %s or --from %s",
		      best->name, second->name, best->name, second->name);
	return NULL;
}
