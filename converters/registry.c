/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formats that can be converted, found by name or by content. A new format is one more
 * declaration and one more entry; the order does not matter.
 */
#include "converter.h"

#include <string.h>

extern const struct converter converter_blktrace;
extern const struct converter converter_csv;
extern const struct converter converter_darshan;
extern const struct converter converter_dftracer;
extern const struct converter converter_diskstats;
extern const struct converter converter_fio;
extern const struct converter converter_iostat;
extern const struct converter converter_libcachesim;
extern const struct converter converter_lustre;
extern const struct converter converter_mmpmon;
extern const struct converter converter_mountstats;
extern const struct converter converter_perf;
extern const struct converter converter_procstat;
extern const struct converter converter_recorder;
extern const struct converter converter_sadf;
extern const struct converter converter_samplescsv;
extern const struct converter converter_strace;

const struct converter *const converters[] = {
    &converter_blktrace,   &converter_csv,         &converter_darshan,
    &converter_dftracer,   &converter_diskstats,   &converter_fio,
    &converter_iostat,     &converter_libcachesim, &converter_lustre,
    &converter_mmpmon,     &converter_mountstats,  &converter_perf,
    &converter_procstat,   &converter_recorder,    &converter_sadf,
    &converter_samplescsv, &converter_strace,      NULL,
};

const struct converter *converter_find(const char *name)
{
	for (size_t i = 0; converters[i] != NULL; i++)
		if (strcmp(converters[i]->name, name) == 0)
			return converters[i];
	return NULL;
}

/*
 * No converter recognizes the input: reports an unreadable or empty input instead, if that is the
 * reason. Returns true if it set *error.
 */
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
		    error, IOT_EFORMAT, "%s: empty",
		    escape_text(name, sizeof(name), input_name(in, 0), strlen(input_name(in, 0))));
	bufreader_free(w);
	return true;
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
			  "%s: a trace already; iotrace merge joins traces, named one by one",
			  first);
		return;
	}
	error_set(error, IOT_EFORMAT, "%s: not a format known here (%s)", first, names);
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
	error_set(error, IOT_EUSAGE, "this may be %s as well as %s", best->name, second->name);
	return NULL;
}
