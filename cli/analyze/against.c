/* SPDX-License-Identifier: BSD-2-Clause */
#include "against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/printable.h"

#include "shown.h"

enum { NAME_CAPACITY = 96, PATH_CAPACITY = 512 };

/* A value of both runs, or of one. */
struct value_pair {
	const struct iot_analyze_value *now, *before; /* NULL: the run does not have it */
};

/* A list of names; in TEXT_ONLY rows the key matters, too. */
struct named {
	const char *section, *name, *key;
};

static bool ends_in(const char *name, const char *suffix)
{
	const size_t n = strlen(name), k = strlen(suffix);
	return n >= k && strcmp(name + n - k, suffix) == 0;
}

/* Sections that repeat values of others. */
static bool is_copy(const struct iot_analyze_value *v)
{
	return strcmp(v->section, "map") == 0 || strcmp(v->section, "large") == 0;
}

/* Bins of histograms and lists, whose members are those of one run, and ids. */
static bool is_detail(const struct iot_analyze_value *v)
{
	static const char *const suffixes[] = {"_bins", "_bin_bytes", "_bits", "_log2"};
	static const char *const prefixes[] = {"read_common", "write_common", "top_",
					       "rate_cdf",    "profile",      "concurrency_ns"};
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && v->key[0] != '\0'; i++)
		if (ends_in(v->name, suffixes[i]))
			return true;
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strncmp(v->name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return strcmp(v->key, "process") == 0 || strcmp(v->name, "slowest_rank") == 0;
}

static bool is_compared(const struct iot_analyze_value *v)
{
	if (strcmp(v->section, "findings") == 0)
		return strcmp(v->name, "cost_share") == 0 && v->key[0] != '\0';
	return !is_copy(v) && !is_detail(v);
}

/* A table of the text has one line of each kind; others are in JSON and TSV. */
static bool is_main(const struct iot_analyze_value *v)
{
	static const struct named keyed[] = {{"findings", "cost_share", NULL},
					     {"metadata", "calls", NULL},
					     {"classes", "reason_bytes", NULL},
					     {"time", "intensity", "1048576"},
					     {"time", "burstiness", "1048576"},
					     {"time", "parallel_intensity_normalised", "1048576"},
					     {"time", "read_latency_ns", "mean"},
					     {"time", "write_latency_ns", "mean"},
					     {"time", "read_latency_ns", "max"},
					     {"time", "write_latency_ns", "max"},
					     {"time", "read_latency_quantile_ns", "0.5"},
					     {"time", "write_latency_quantile_ns", "0.5"},
					     {"time", "idle_without_io", "share"},
					     {"sizes", "read_size_quantile", "0.5"},
					     {"sizes", "write_size_quantile", "0.5"},
					     {"files", "class_files", NULL},
					     {"processes", "imbalance_bytes", "spread"},
					     {"processes", "imbalance_io_time", "spread"}};
	if (v->key[0] == '\0')
		return strcmp(v->section, "counters") != 0;
	for (size_t i = 0; i < sizeof keyed / sizeof keyed[0]; i++)
		if (strcmp(v->section, keyed[i].section) == 0 &&
		    strcmp(v->name, keyed[i].name) == 0 &&
		    (keyed[i].key == NULL || strcmp(v->key, keyed[i].key) == 0))
			return true;
	return false;
}

static bool is_known(const struct iot_analyze_value *v)
{
	return v != NULL && v->kind != IOT_VALUE_UNKNOWN;
}

static bool is_share(const struct iot_analyze_value *v)
{
	return v->kind == IOT_VALUE_REAL && v->unit[0] == '\0' && v->real >= 0 && v->real <= 1;
}

static bool same_text(const struct iot_analyze_value *a, const struct iot_analyze_value *b)
{
	return a->kind == b->kind && a->text.size == b->text.size &&
	       memcmp(a->text.data, b->text.data, a->text.size) == 0;
}

static bool differs(const struct value_pair *p)
{
	if (!is_known(p->now) || !is_known(p->before))
		return is_known(p->now) != is_known(p->before);
	if (p->now->kind == IOT_VALUE_TEXT || p->before->kind == IOT_VALUE_TEXT)
		return !same_text(p->now, p->before);
	const double now = shown_real(p->now), before = shown_real(p->before);
	if (is_share(p->now) && is_share(p->before) && fabs(now - before) < AGAINST_SHARE)
		return false;
	const double low = fabs(now) < fabs(before) ? fabs(now) : fabs(before),
		     high = fabs(now) < fabs(before) ? fabs(before) : fabs(now);
	return now != before && ((now < 0) != (before < 0) || high >= AGAINST_RATIO * low);
}

/* NAN if the ratio is not defined. */
static double ratio_of(const struct value_pair *p)
{
	if (!is_known(p->now) || !is_known(p->before) || p->now->kind == IOT_VALUE_TEXT ||
	    p->before->kind == IOT_VALUE_TEXT || shown_real(p->before) == 0)
		return NAN;
	return shown_real(p->now) / shown_real(p->before);
}

/* Iteration: values of this run in their order, then those that only the other one has. */

struct value_pairs {
	const struct iot_analyze *now, *before;
	size_t i;
	bool of_before;
};

static const struct iot_analyze_value *other(const struct iot_analyze *a,
					     const struct iot_analyze_value *v)
{
	return iot_analyze_find(a, v->section, v->name, v->key);
}

static bool has_section(const struct iot_analyze *a, const char *section)
{
	const struct iot_analyze_value *v;
	for (size_t i = 0; (v = iot_analyze_value(a, i)) != NULL; i++)
		if (strcmp(v->section, section) == 0)
			return true;
	return false;
}

/* Stores the pair of a value. Returns false if the other run has not computed the section. */
static bool make_pair(struct value_pair *p, const struct iot_analyze_value *v,
		      const struct iot_analyze *of_other)
{
	*p = (struct value_pair){v, other(of_other, v)};
	return p->before != NULL || has_section(of_other, v->section);
}

static bool next_pair(struct value_pairs *of, struct value_pair *p)
{
	const struct iot_analyze_value *v;
	while (!of->of_before) {
		v = iot_analyze_value(of->now, of->i++);
		if (v != NULL && is_compared(v) && make_pair(p, v, of->before))
			return true;
		of->of_before = v == NULL;
		of->i = v == NULL ? 0 : of->i;
	}
	while ((v = iot_analyze_value(of->before, of->i++)) != NULL)
		if (is_compared(v) && other(of->now, v) == NULL &&
		    has_section(of->now, v->section)) {
			*p = (struct value_pair){NULL, v};
			return true;
		}
	return false;
}

static const struct iot_analyze_value *either(const struct value_pair *p)
{
	return p->now != NULL ? p->now : p->before;
}

/* Forms */

static void text_field(struct output *out, const struct iot_analyze_value *v)
{
	char text[ANALYZE_TEXT_MAX], path[PATH_CAPACITY], field[SHOWN_FIELD];
	if (is_known(v) && v->kind == IOT_VALUE_TEXT)
		output_printf(out, " %15s",
			      printable(path, sizeof path, text, analyze_decode(text, v->text)));
	else if (is_known(v) && strcmp(v->unit, "ns") == 0)
		output_printf(out, " %15s", shown_time(field, v));
	else if (is_known(v) && v->kind == IOT_VALUE_REAL && strncmp(v->unit, "bytes", 5) != 0)
		output_printf(out, " %15.6g", v->real);
	else
		output_printf(
		    out, " %15s",
		    shown_value(field, v != NULL && v->unit[0] == 'b' ? SHOWN_BYTES : SHOWN_COUNT,
				v));
}

/* A finding that only one of the runs has. */
static void text_finding(struct output *out, const struct iot_analyze *a, const char *label,
			 const char *key)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, "findings", "sentence", key);
	char text[ANALYZE_TEXT_MAX], sentence[2 * PATH_CAPACITY];
	if (v != NULL && v->kind == IOT_VALUE_TEXT)
		output_printf(
		    out, "  %s: %s\n", label,
		    printable(sentence, sizeof sentence, text, analyze_decode(text, v->text)));
}

/* The rest of a unit whose number is shown with a unit of its own. */
static const char *unit_left(const char *unit)
{
	static const char per_second[] = "/s";
	if (strcmp(unit, "bytes/s") == 0)
		return per_second;
	return strcmp(unit, "bytes") == 0 || strcmp(unit, "ns") == 0 ? "" : unit;
}

static void text_row(struct output *out, const struct value_pair *p)
{
	const struct iot_analyze_value *v = either(p);
	char name[NAME_CAPACITY];
	snprintf(name, sizeof name, "%s%s%s", v->name, v->key[0] != '\0' ? " " : "", v->key);
	output_printf(out, "  %-32s", name);
	text_field(out, p->before);
	text_field(out, p->now);
	if (isnan(ratio_of(p)))
		output_printf(out, " %8s", "-");
	else
		output_printf(out, " %8.3g", ratio_of(p));
	const char *unit = unit_left(v->unit);
	output_printf(out, "%s%s\n", unit[0] != '\0' ? " " : "", unit);
}

/* A section at a time. */
static void print_text(struct output *out, const struct iot_analyze *now,
		       const struct iot_analyze *before, const char *path)
{
	struct value_pairs of = {.now = now, .before = before};
	struct value_pair p;
	char name[PATH_CAPACITY];
	const char *section = "";
	size_t compared = 0, different = 0, left_out = 0;
	output_printf(out, "compared with %s\n", printable(name, sizeof name, path, strlen(path)));
	output_printf(out, "%-34s %15s %15s %8s\n", "", "that run", "this run", "ratio");
	while (next_pair(&of, &p)) {
		compared++;
		if (!differs(&p))
			continue;
		different++;
		if (!is_main(either(&p))) {
			left_out++;
			continue;
		}
		if (strcmp(section, either(&p)->section) != 0)
			output_printf(out, "%s\n", either(&p)->section);
		section = either(&p)->section;
		if (strcmp(section, "findings") == 0 && p.before == NULL)
			text_finding(out, now, "new", p.now->key);
		else if (strcmp(section, "findings") == 0 && p.now == NULL)
			text_finding(out, before, "gone", p.before->key);
		else
			text_row(out, &p);
	}
	output_printf(out, "%zu of %zu values differ by 10 %% or more", different, compared);
	if (left_out > 0)
		output_printf(out, "; %zu of them in --json and --tsv only", left_out);
	output_text(out, "\n");
}

static void print_tsv(struct output *out, const struct iot_analyze *now,
		      const struct iot_analyze *before)
{
	struct value_pairs of = {.now = now, .before = before};
	struct value_pair p;
	char real[REAL_CAPACITY];
	output_text(out, "section\tname\tkey\tunit\tbefore\tnow\tratio\n");
	while (next_pair(&of, &p)) {
		const struct iot_analyze_value *v = either(&p);
		if (!differs(&p))
			continue;
		output_printf(out, "%s\t%s\t%s\t%s", v->section, v->name, v->key, v->unit);
		for (unsigned i = 0; i < 2; i++) {
			const struct iot_analyze_value *of_run = i == 0 ? p.before : p.now;
			output_text(out, "\t");
			if (of_run != NULL)
				analyze_tsv_value(out, of_run);
		}
		output_printf(out, "\t%s\n",
			      isnan(ratio_of(&p)) ? "" : printable_real(real, ratio_of(&p)));
	}
}

static void json_member(struct json *j, const char *name, const struct iot_analyze_value *v)
{
	if (v != NULL)
		analyze_json_value(j, name, v);
	else
		json_null(j, name);
}

static void print_json(struct output *out, const struct iot_analyze *now,
		       const struct iot_analyze *before, const char *path)
{
	struct value_pairs of = {.now = now, .before = before};
	struct json j = {.out = out, .pretty = true};
	struct value_pair p;
	size_t compared = 0;
	json_open(&j, NULL, '{');
	json_text(&j, "against", path, strlen(path));
	json_open(&j, "differences", '[');
	for (; next_pair(&of, &p); compared++) {
		const struct iot_analyze_value *v = either(&p);
		if (!differs(&p))
			continue;
		json_open(&j, NULL, '{');
		json_text(&j, "section", v->section, strlen(v->section));
		json_text(&j, "name", v->name, strlen(v->name));
		json_text(&j, "key", v->key, strlen(v->key));
		json_text(&j, "unit", v->unit, strlen(v->unit));
		json_member(&j, "before", p.before);
		json_member(&j, "now", p.now);
		if (isnan(ratio_of(&p)))
			json_null(&j, "ratio");
		else
			json_exact(&j, "ratio", ratio_of(&p));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_number(&j, "compared", compared);
	json_close(&j, '}');
}

void analyze_against_print(struct output *out, const struct iot_analyze *now,
			   const struct iot_analyze *before, const char *path,
			   enum analyze_form form)
{
	if (form == ANALYZE_JSON)
		print_json(out, now, before, path);
	else if (form == ANALYZE_TSV)
		print_tsv(out, now, before);
	else
		print_text(out, now, before, path);
}
