/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include "cli/print/json.h"
#include "lib/result/columns.h"
#include "source_lists.h"
#include "unseen.h"

struct trace_view {
	const struct checked_trace *trace;
	struct unseen_view unseen;
	struct iot_table counts, found[CHECK_SEVERITIES];
};

struct log_view {
	const struct checked_log *log;
	struct iot_table counts, errors, warnings;
};

static const struct iot_column count_columns[] = COLUMN_LIST(COLUMN(code), COLUMN(findings));

/* A trace */

static void set_count(struct iot_row *to, void *source)
{
	const struct checked_trace *t = source;
	const unsigned kind = (unsigned)to->number;
	row_word(to, &metrics.code, iot_finding_name(kind));
	row_number(to, &metrics.findings, iot_verifier_count(t->verifier, kind));
}

static size_t kinds(void)
{
	unsigned n = 0;
	while (iot_finding_name(n) != NULL)
		n++;
	return n;
}

static void set_finding(struct iot_row *to, void *source)
{
	const struct finding_list *list = source;
	const struct kept_finding *f = &list->finding[to->number];
	row_word(to, &metrics.code, iot_finding_name(f->kind));
	row_number(to, &metrics.line, f->line);
	row_number(to, &metrics.column, f->column);
	row_word(to, &metrics.text, f->text);
}

static void set_trace(struct iot_row *to, void *source)
{
	const struct trace_view *view = source;
	const struct checked_trace *t = view->trace;
	const struct iot_verifier *v = t->verifier;
	row_word(to, &metrics.path, t->path);
	row_word(to, &metrics.state, t->state);
	row_number(to, &metrics.records, iot_verifier_fact(v, IOT_VERIFIED_RECORDS));
	row_number(to, &metrics.comments, iot_verifier_fact(v, IOT_VERIFIED_COMMENTS));
	row_number(to, &metrics.lines, iot_verifier_fact(v, IOT_VERIFIED_LINES));
	row_number(to, &metrics.complete,
		   iot_verifier_fact(v, IOT_VERIFIED_COMPLETE) != 0 && !unseen_any(t->unseen) &&
		       t->gaps == 0);
	unseen_view_set(to, &view->unseen);
	row_table(to, &metrics.counts, &view->counts);
	for (int i = 0; i < CHECK_SEVERITIES; i++)
		row_table(to, &metrics.finding_list, &view->found[i]);
}

void check_print_trace(struct output *o, const struct checked_trace *t)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(path), COLUMN(state), COLUMN(records), COLUMN(comments), COLUMN(lines),
	    COLUMN(complete), COLUMN(unseen), COLUMN(counts), COLUMN_AS(finding_list, "error_list"),
	    COLUMN_AS(finding_list, "warning_list"), COLUMN_AS(finding_list, "note_list"));
	static const struct iot_column found[] =
	    COLUMN_LIST(COLUMN(code), COLUMN(line), COLUMN(column), COLUMN(text));
	struct trace_view view = {
	    .trace = t,
	    .counts = TABLE_MAP(count_columns, kinds(), set_count, (void *)t),
	};
	for (int i = 0; i < CHECK_SEVERITIES; i++)
		view.found[i] = (struct iot_table)TABLE_ROWS(found, t->found[i].count, set_finding,
							     (void *)&t->found[i]);
	unseen_view(&view.unseen, t->unseen);
	const struct iot_table table = TABLE_RECORD(columns, set_trace, &view);
	print_json_compact(o, &table);
}

/* A log */

static void set_log_count(struct iot_row *to, void *source)
{
	const struct checked_log *l = source;
	const struct iot_source_count *count = iot_source_count(l->source, to->number);
	row_word(to, &metrics.code, count->name);
	row_number(to, &metrics.findings, count->value);
}

static void set_error(struct iot_row *to, void *source)
{
	row_word(to, &metrics.text, ((const struct checked_log *)source)->error);
}

static void set_log(struct iot_row *to, void *source)
{
	const struct log_view *view = source;
	const struct checked_log *l = view->log;
	row_word(to, &metrics.path, l->path);
	row_word(to, &metrics.format, iot_source_name(l->source));
	row_word(to, &metrics.state, l->state);
	row_number(to, &metrics.records, l->records);
	row_number(to, &metrics.comments, l->comments);
	row_number(to, &metrics.lines, iot_source_fact(l->source, IOT_SOURCE_LINES));
	row_number(to, &metrics.unparsed, iot_source_fact(l->source, IOT_SOURCE_UNPARSED));
	row_number(to, &metrics.complete, l->complete);
	row_table(to, &metrics.counts, &view->counts);
	row_table(to, &metrics.finding_list, &view->errors);
	row_table(to, &metrics.finding_list, &view->warnings);
}

void check_print_log(struct output *o, const struct checked_log *l)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(path), COLUMN(format), COLUMN(state), COLUMN(records), COLUMN(comments),
	    COLUMN(lines), COLUMN(unparsed), COLUMN(complete), COLUMN(counts),
	    COLUMN_AS(finding_list, "error_list"), COLUMN_AS(finding_list, "warning_list"));
	static const struct iot_column text[] = COLUMN_LIST(COLUMN(text));
	struct log_view view = {
	    .log = l,
	    .counts = TABLE_MAP(count_columns, source_counts(l->source), set_log_count, (void *)l),
	    .errors = TABLE_LIST(text, l->error[0] != '\0', set_error, (void *)l),
	    .warnings = source_notes_table(l->source),
	};
	const struct iot_table table = TABLE_RECORD(columns, set_log, &view);
	print_json_compact(o, &table);
}
