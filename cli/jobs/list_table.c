/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables with a header: the output of sacct, whose separator is '|', and CSV. */
#include <string.h>
#include <strings.h>

#include "lib/base/number.h"

#include "list_reader.h"

enum list_column {
	COLUMN_OTHER,
	COLUMN_RAW_ID,
	COLUMN_ID,
	COLUMN_NAME,
	COLUMN_USER,
	COLUMN_ACCOUNT,
	COLUMN_STATE,
	COLUMN_CLUSTER,
	COLUMN_HOSTS,
	COLUMN_START,
	COLUMN_END,
	COLUMN_NODES,
	COLUMN_CPUS,
	COLUMN_TASKS,
	LIST_COLUMNS
};

static const struct {
	const char *name;
	enum list_column column;
} names[] = {{"JobIDRaw", COLUMN_RAW_ID}, {"JobID", COLUMN_ID},       {"job", COLUMN_ID},
	     {"id", COLUMN_ID},           {"job_id", COLUMN_ID},      {"JobName", COLUMN_NAME},
	     {"name", COLUMN_NAME},       {"User", COLUMN_USER},      {"Account", COLUMN_ACCOUNT},
	     {"project", COLUMN_ACCOUNT}, {"State", COLUMN_STATE},    {"Cluster", COLUMN_CLUSTER},
	     {"NodeList", COLUMN_HOSTS},  {"hosts", COLUMN_HOSTS},    {"Start", COLUMN_START},
	     {"End", COLUMN_END},         {"NNodes", COLUMN_NODES},   {"AllocNodes", COLUMN_NODES},
	     {"nodes", COLUMN_NODES},     {"AllocCPUS", COLUMN_CPUS}, {"NCPUS", COLUMN_CPUS},
	     {"cpus", COLUMN_CPUS},       {"NTasks", COLUMN_TASKS},   {"processes", COLUMN_TASKS}};

static enum list_column column_of(struct iot_text name)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i].name) == name.size &&
		    strncasecmp(names[i].name, name.data, name.size) == 0)
			return names[i].column;
	return COLUMN_OTHER;
}

/*
 * Takes the next field of a line, with quotes around it in CSV. Returns false after the last one.
 */
static bool next_field(const struct list_reader *r, struct iot_text *line, struct iot_text *field)
{
	if (line->data == NULL)
		return false;
	const char *begin = line->data, *end = begin + line->size;
	if (!r->is_sacct && begin < end && *begin == '"') {
		const char *quote = memchr(begin + 1, '"', (size_t)(end - begin - 1));
		if (quote != NULL && (quote + 1 == end || quote[1] == r->separator)) {
			*field = (struct iot_text){begin + 1, (size_t)(quote - begin - 1)};
			*line = quote + 1 == end
				    ? (struct iot_text){NULL, 0}
				    : (struct iot_text){quote + 2, (size_t)(end - quote - 2)};
			return true;
		}
	}
	const char *at = memchr(begin, r->separator, line->size);
	*field = (struct iot_text){begin, (size_t)((at != NULL ? at : end) - begin)};
	line->data = at != NULL ? at + 1 : NULL;
	line->size = at != NULL ? (size_t)(end - at - 1) : 0;
	return true;
}

/* `sacct --parsable` ends each line with a separator. */
static struct iot_text without_last(const struct list_reader *r, struct iot_text line)
{
	if (r->is_sacct && line.size > 0 && line.data[line.size - 1] == r->separator)
		line.size--;
	return line;
}

const char *list_table_header(struct list_reader *r, struct iot_text line)
{
	unsigned found[LIST_COLUMNS] = {0};
	struct iot_text field;
	r->separator = memchr(line.data, '|', line.size) != NULL    ? '|'
		       : memchr(line.data, '\t', line.size) != NULL ? '\t'
								    : ',';
	r->is_sacct = r->separator == '|';
	line = without_last(r, line);
	while (next_field(r, &line, &field)) {
		if (r->columns == LIST_COLUMNS_MAX)
			return "at most 256 columns";
		const enum list_column c = column_of(field);
		found[c]++;
		r->column[r->columns++] = (unsigned char)c;
	}
	r->knows_raw_ids = found[COLUMN_RAW_ID] > 0;
	if (found[COLUMN_RAW_ID] + found[COLUMN_ID] == 0)
		return "a column JobIDRaw, JobID or job";
	if (found[COLUMN_START] == 0)
		return "a column Start";
	return found[COLUMN_END] == 0 ? "a column End" : NULL;
}

/* Stores the fields by column, of which the last one of a name counts. Returns whether the line has
 * as many as the header. */
static bool split(const struct list_reader *r, struct iot_text line,
		  struct iot_text field[LIST_COLUMNS])
{
	size_t n = 0;
	line = without_last(r, line);
	for (struct iot_text one; next_field(r, &line, &one); n++) {
		if (n == r->columns)
			return false;
		if (field[r->column[n]].size == 0)
			field[r->column[n]] = one;
	}
	return n == r->columns;
}

/* A number, or 0 if the field is empty. Returns false if it is not a number. */
static bool number_of(struct iot_text text, uint64_t *value)
{
	*value = 0;
	return text.size == 0 || text_equals(text, "Unknown") ||
	       number_decimal(text.data, text.size, value);
}

/* A step of sacct belongs to the last job, whose processes are the tasks of its largest step. */
static void add_step(struct list_reader *r, struct iot_text id, struct iot_text tasks)
{
	const size_t base = (size_t)((const char *)memchr(id.data, '.', id.size) - id.data);
	uint64_t n;
	r->list->steps++;
	if (r->last_id == NULL || !number_of(tasks, &n) ||
	    !text_equals((struct iot_text){id.data, base}, r->last_id))
		return;
	struct listed_job *job = &r->list->job[r->list->count - 1];
	if (n > job->processes)
		job->processes = n;
}

static struct iot_text known(struct iot_text text)
{
	static const char *const none[] = {"Unknown", "None assigned", "(null)", "None"};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		if (text_equals(text, none[i]))
			return (struct iot_text){NULL, 0};
	return text;
}

void list_table_line(struct list_reader *r, struct iot_text line)
{
	struct iot_text field[LIST_COLUMNS] = {{NULL, 0}}, *f = field;
	for (size_t i = 0; i < LIST_COLUMNS; i++)
		f[i].data = "";
	struct listed_job job = {.run = 1};
	if (!split(r, line, f)) {
		list_drop(r, JOB_DROP_WIDTH);
		return;
	}
	const struct iot_text id = f[r->knows_raw_ids ? COLUMN_RAW_ID : COLUMN_ID];
	if (r->is_sacct && memchr(id.data, '.', id.size) != NULL) {
		add_step(r, id, f[COLUMN_TASKS]);
		return;
	}
	r->last_id = NULL;
	const enum list_time start = list_time_parse(r, f[COLUMN_START], &job.start_ns);
	const enum list_time end = list_time_parse(r, f[COLUMN_END], &job.end_ns);
	if (start == LIST_TIME_WRONG || end == LIST_TIME_WRONG)
		list_drop(r, JOB_DROP_TIME);
	else if (!number_of(f[COLUMN_NODES], &job.nodes) || !number_of(f[COLUMN_CPUS], &job.cpus) ||
		 !number_of(f[COLUMN_TASKS], &job.processes))
		list_drop(r, JOB_DROP_NUMBER);
	else
		list_add(r, &job,
			 (struct iot_text[LISTED_TEXTS]){
			     [LISTED_ID] = id,
			     [LISTED_NAME] = r->knows_raw_ids && f[COLUMN_ID].size > 0
						 ? f[COLUMN_ID]
						 : f[COLUMN_NAME],
			     [LISTED_USER] = known(f[COLUMN_USER]),
			     [LISTED_ACCOUNT] = known(f[COLUMN_ACCOUNT]),
			     [LISTED_STATE] = known(f[COLUMN_STATE]),
			     [LISTED_CLUSTER] = known(f[COLUMN_CLUSTER]),
			     [LISTED_HOSTS] = known(f[COLUMN_HOSTS])});
}
