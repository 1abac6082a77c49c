/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace anonymize: traces without names, to be shared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sodium.h>

#include "lib/base/error.h"
#include "lib/io/atomic_file.h"

#include "cli/filter/anonymize.h"
#include "cli/ui/trace_in.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"

struct job {
	const struct iot_command *command;
	struct iot_read_options read;
	struct iot_write_options write;
	struct iot_anonymize_options anonymize;
	struct iot_anonymizer *state;
	const char *key, *map, *folder;
	struct iot_out map_out;
	bool new_key, verbose;
	bool written; /* a trace, so that its mapping is of use */
};

static const char notes[] =
    "Paths are replaced part by part, so the hierarchy stays; hosts, users, commands and names of\n"
    "processes by one word each; numbers of processes, files and objects are given anew. The same\n"
    "key gives the same names in every trace. Free comments, unknown directives and keys, "
    "source-id\n"
    "and epoch are left out. Sizes, offsets and times stay exact unless a grain is given: who "
    "knows\n"
    "the program may know it again by them.\n"
    "With -O a trace keeps the name of its file: name files so that they can be shared.\n";

static const char examples[] =
    "  iotrace anonymize --key my.key --new-key -o shared.iot.zst app.iot.zst\n"
    "  iotrace anonymize --key my.key --map private.tsv -O shared traces/*.iot.zst\n"
    "  iotrace anonymize --key my.key --keep /usr,/lib --keep-extension t.iot | less\n";

/* Directives one by one, because their texts live so long; records in runs between them. */
static int copy_batch(struct iot_anonymizer *a, struct iot_writer *w, struct iot_event *ev,
		      size_t n)
{
	size_t from = 0;
	int status = IOT_OK;
	for (size_t i = 0; i < n && status == IOT_OK; i++) {
		bool record = ev[i].kind == IOT_RECORD;
		if (!record) {
			status = iot_writer_events(w, ev + from, i - from);
			from = i + 1;
		}
		bool kept = iot_anonymize(a, &ev[i]);
		if (status == IOT_OK && kept && !record)
			status = iot_writer_events(w, &ev[i], 1);
		if (a->status != IOT_OK)
			return a->status;
	}
	return status == IOT_OK ? iot_writer_events(w, ev + from, n - from) : status;
}

static int copy(struct job *j, struct iot_in *in, struct iot_writer *w,
		const struct iot_write_options *write, struct iot_event *ev, size_t n)
{
	int status = IOT_OK;
	for (; n > 0 && status == IOT_OK; n = iot_in_events(in, ev, IOT_IN_BATCH))
		status = copy_batch(j->state, w, ev, n);
	status = iot_in_finish(in, w, write, status);
	j->written = j->written || iot_writer_fact(w, IOT_FACT_COMPLETE);
	return status;
}

static int write_trace(struct job *j, struct iot_in *in, const char *out)
{
	struct iot_event ev[IOT_IN_BATCH];
	struct iot_write_options write = j->write;
	struct iot_writer *w = iot_writer_new();
	if (w == NULL)
		return iot_no_memory();
	/* The first events come before the facts about framing are known. */
	size_t n = iot_in_events(in, ev, IOT_IN_BATCH);
	int status = iot_in_exit(in);
	if (n > 0 || status == IOT_EXIT_OK) {
		write.path = out;
		iot_in_keep_framing(in, &write);
		status = iot_write_open(w, &write, j->command);
		if (status == IOT_EXIT_OK)
			status = copy(j, in, w, &write, ev, n);
	}
	iot_writer_free(w);
	return status;
}

static void tell_counts(const struct job *j, const char *path)
{
	const struct iot_anonymizer *a = j->state;
	char shown[512];
	if (!j->verbose)
		return;
	iot_message("%s: processes: %zu, files: %zu, objects: %zu; left out: comments: %ju, "
		    "directives: %ju, keys: %ju",
		    iot_escape(shown, sizeof shown, path, strlen(path)), a->processes.count,
		    a->files.count + a->disks.count, a->objects.count, (uintmax_t)a->comments,
		    (uintmax_t)a->directives, (uintmax_t)a->keys);
}

static int anonymize_one(struct job *j, const char *path, const char *out)
{
	struct iot_in in;
	iot_in_catch_signals(path, &j->read, out);
	int status = iot_in_open(&in, path, &j->read, j->command);
	if (status == IOT_EXIT_OK) {
		iot_anonymizer_begin(j->state);
		status = write_trace(j, &in, out);
		iot_anonymizer_tell_numbers(j->state);
		tell_counts(j, path);
	}
	iot_in_close(&in);
	iot_signals_restore();
	return status;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Whether an earlier path has the same name in DIR. */
static bool taken(char **paths, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(last_part(paths[k]), last_part(paths[i])) == 0)
			return true;
	return false;
}

/* NULL: out of memory. */
static char *name_output(const struct job *j, const char *path)
{
	char *out;
	return asprintf(&out, "%s/%s", j->folder, last_part(path)) >= 0 ? out : NULL;
}

static int anonymize_into(struct job *j, char **paths, size_t i)
{
	char shown[512];
	if (taken(paths, i))
		return iot_fault(paths[i],
				 "its trace would replace that of another IN of the same name");
	char *out = name_output(j, paths[i]);
	if (out == NULL)
		return iot_no_memory();
	if (j->state->map != NULL)
		iot_out_printf(j->state->map, "trace\t%s\n",
			       iot_escape(shown, sizeof shown, paths[i], strlen(paths[i])));
	int status = anonymize_one(j, paths[i], out);
	free(out);
	return status;
}

static int anonymize_each(struct job *j, char **paths, size_t count)
{
	int worst = IOT_EXIT_OK;
	for (size_t i = 0; i < count && iot_signal_ending() == 0; i++) {
		int status = anonymize_into(j, paths, i);
		worst = status > worst ? status : worst;
	}
	return worst;
}

/* The mapping undoes everything: it is for its owner alone from the first byte on. */
static int open_map(struct job *j)
{
	if (j->map == NULL)
		return IOT_EXIT_OK;
	const unsigned how =
	    IOT_OUTFILE_PRIVATE | (j->write.no_fsync ? IOT_OUTFILE_NO_SYNC : 0U);
	int status = iot_out_open(&j->map_out, j->map, how);
	if (status == IOT_EXIT_OK)
		j->state->map = &j->map_out;
	return status;
}

/* Without a trace there is nothing that it could be the mapping of. */
static int close_map(struct job *j, int status)
{
	if (j->state->map == NULL)
		return status;
	if (!j->written) {
		iot_out_abandon(&j->map_out);
		return status;
	}
	int closed = iot_out_close(&j->map_out);
	return status == IOT_EXIT_OK ? closed : status;
}

static int work_with(struct job *j, char **paths, size_t count)
{
	j->state->options = &j->anonymize;
	int status = open_map(j);
	if (status != IOT_EXIT_OK)
		return status;
	if (j->folder != NULL)
		status = anonymize_each(j, paths, count);
	else
		status = anonymize_one(j, count > 0 ? paths[0] : "-", j->write.path);
	return close_map(j, status);
}

/* Every file that is read or written. Traces of one name are refused one by one, later. */
static void add_files(const struct job *j, struct iot_files *files, char **paths, size_t count)
{
	iot_files_add(files, IOT_ROLE_KEY, j->key);
	if (j->map != NULL)
		iot_files_add(files, IOT_ROLE_MAP, j->map);
	for (size_t i = 0; i < count; i++)
		iot_files_add(files, IOT_ROLE_INPUT, paths[i]);
	if (count == 0)
		iot_files_add(files, IOT_ROLE_INPUT, "-");
	if (j->folder == NULL)
		iot_files_add(files, IOT_ROLE_OUTPUT, j->write.path);
	for (size_t i = 0; i < count && j->folder != NULL; i++) {
		char *out = taken(paths, i) ? NULL : name_output(j, paths[i]);
		if (out != NULL)
			iot_files_add(files, IOT_ROLE_OUTPUT, out);
		else if (!taken(paths, i))
			files->failed = true;
		free(out);
	}
}

/* Before a key is made. Names below a directory that is made now may have meant nothing before. */
static int prepare(const struct job *j, char **paths, size_t count)
{
	struct iot_files files = {.command = j->command};
	add_files(j, &files, paths, count);
	int status = iot_files_check(&files);
	if (status == IOT_OPTS_GO_ON && j->folder != NULL) {
		status = iot_make_folder(j->folder);
		if (status == IOT_EXIT_OK)
			status = iot_files_check(&files);
	}
	iot_files_free(&files);
	return status == IOT_OPTS_GO_ON ? IOT_EXIT_OK : status;
}

static int work(struct job *j, char **paths, size_t count)
{
	int status = prepare(j, paths, count);
	if (status == IOT_EXIT_OK)
		status = iot_secret_read(&j->anonymize.names, j->key, j->new_key);
	if (status != IOT_EXIT_OK)
		return status;
	j->state = calloc(1, sizeof *j->state);
	if (j->state != NULL) {
		status = work_with(j, paths, count);
		iot_anonymizer_free(j->state);
	} else {
		status = iot_no_memory();
	}
	free(j->state);
	sodium_memzero(&j->anonymize.names.secret, sizeof j->anonymize.names.secret);
	return status;
}

static int check(const struct job *j, char **paths, size_t count)
{
	if (j->key == NULL)
		return iot_opts_wrong(j->command, "--key is missing; with --new-key it is made");
	if (j->folder == NULL && count > 1)
		return iot_opts_wrong(j->command, "several IN need -O DIR");
	if (j->folder != NULL && count == 0)
		return iot_opts_wrong(j->command, "name the traces");
	if (j->folder != NULL && strcmp(j->write.path, "-") != 0)
		return iot_opts_wrong(j->command, "-o and -O exclude each other");
	for (size_t i = 0; i < count; i++) {
		if (j->folder != NULL && strcmp(paths[i], "-") == 0)
			return iot_opts_wrong(j->command, "standard input has no name: use -o");
	}
	return IOT_OPTS_GO_ON;
}

int iot_cmd_anonymize(int argc, char **argv)
{
	struct job j = {.read = IOT_READ_OPTIONS_INIT, .write = IOT_WRITE_OPTIONS_INIT};
	j.read.verified = true;
	const struct iot_opt options[] = {
	    IOT_OPTION(STRING, 'k', "key", "FILE", &j.key,
		       "the secret: the bytes of FILE, 16 at the least"),
	    IOT_OPTION(FLAG, 0, "new-key", NULL, &j.new_key,
		       "make FILE first, readable by you alone; it must not exist"),
	    IOT_OPTION(STRING, 0, "map", "OUT", &j.map,
		       "write the private mapping of old to new names (yours alone)"),
	    IOT_OPT_OUTPUT(j.write),
	    IOT_OPTION(STRING, 'O', "output-dir", "DIR", &j.folder,
		       "each IN becomes a trace of the same name in DIR"),
	    IOT_OPTION(FLAG, 'v', "verbose", NULL, &j.verbose, "tell what was left out"),
	    IOT_OPT_QUIET(j.read.quiet, j.read.progress),
	    IOT_GROUP("What stays"),
	    IOT_OPTION(STRING, 0, "keep", "PREFIX,...", &j.anonymize.names.keep,
		       "paths, or their beginnings, that stay readable: /usr,/lib"),
	    IOT_OPTION(FLAG, 0, "keep-extension", NULL, &j.anonymize.names.keep_extension,
		       "the .ext of files stays readable"),
	    IOT_OPTION(CHOICE, 0, "epoch", "drop|shift", &j.anonymize.epoch,
		       "shift: by a secret time that the key tells, so that traces still align "
		       "(default: drop)"),
	    IOT_OPTION(FLAG, 0, "keep-comments", NULL, &j.anonymize.keep_comments,
		       "free comments stay, word by word"),
	    IOT_OPTION(FLAG, 0, "keep-unknown", NULL, &j.anonymize.keep_unknown,
		       "unknown directives, keys and counters stay"),
	    IOT_GROUP("Coarser"),
	    IOT_RANGE(NUMBER, 0, "time-grain", "NS", &j.anonymize.time_grain_ns,
		      "times become multiples of so many nanoseconds", 1, INT64_MAX),
	    IOT_OPTION(SIZE, 0, "size-grain", "SIZE", &j.anonymize.size_grain,
		       "offsets and ends of I/Os become multiples of SIZE"),
	    IOT_GROUP("Reading"),
	    IOT_OPT_READING(j.read),
	    IOT_GROUP("Output"),
	    IOT_OPT_BASE_OF_IN(j.write),
	    IOT_OPT_WRITING(j.write),
	    IOT_OPTIONS_END,
	};
	const struct iot_command command = {
	    .name = "anonymize",
	    .summary = "Replace everything in traces that tells whose they are",
	    .synopsis = "--key FILE [--new-key] [OPTION]... [-o OUT] [IN]\n"
			"--key FILE [--new-key] [OPTION]... -O DIR IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count;
	int status = iot_opts_parse(&command, argc, argv, &count);
	if (status != IOT_OPTS_GO_ON)
		return status;
	j.command = &command;
	status = check(&j, argv, count);
	return status == IOT_OPTS_GO_ON ? work(&j, argv, count) : status;
}
