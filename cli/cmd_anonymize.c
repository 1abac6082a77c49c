/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace anonymize: traces without names, for sharing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include <iotrace/filter.h>

#include "lib/base/error.h"
#include "lib/base/atomic_file.h"

#include "cli/ui/key.h"
#include "cli/ui/trace_in.h"
#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"
#include "converters/converter.h"
#include "cli/ui/output.h"

enum { EXTENSIONS_SHOWN = 64, EXTENSION_SIZE = 16 };

enum epoch_how { EPOCH_DROP, EPOCH_SHIFT };

struct anonymize_job {
	const struct command_spec *command;
	struct trace_in_options read;
	struct trace_out_options write;
	struct iot_anonymize_options anonymize;
	struct iot_anonymizer *anonymizer;
	const char *key, *map, *directory;
	unsigned char secret[KEY_SECRET_SIZE];
	char *keep; /* lists of --keep, joined */
	int epoch;  /* enum epoch_how */
	bool keep_extension, keep_comments, keep_unknown;
	struct output map_out;
	char extensions[EXTENSIONS_SHOWN][EXTENSION_SIZE]; /* extensions that were kept */
	size_t extension_count;
	bool more_extensions;
	bool new_key, verbose;
	bool written; /* a trace was written, so the mapping is useful */
};

static const char notes[] =
    "Paths are replaced part by part, so the hierarchy stays; hosts, users, commands and names of\n"
    "processes by one word each; processes, files and objects get new numbers. The same\n"
    "key gives the same names in every trace. Free comments, unknown directives and keys, "
    "source-id\n"
    "and epoch are removed. Sizes, offsets and times stay exact unless a grain is given: a reader\n"
    "who knows the program may recognize it by them.\n"
    "With -O a trace keeps the name of its file: name files so that they can be shared.\n";

static const char examples[] =
    "  iotrace anonymize --key my.key --new-key -o shared.iot.zst app.iot.zst\n"
    "  iotrace anonymize --key my.key --map private.tsv -O shared traces/*.iot.zst\n"
    "  iotrace anonymize --key my.key --keep /usr,/lib --keep-extension t.iot | less\n";

/* The private mapping: KIND, original, replacement, separated by tabs. */

static void write_encoded(struct output *out, struct iot_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (c <= ' ' || c == '%' || c == 0x7f)
			output_printf(out, "%%%02X", c);
		else
			output_write(out, &text.data[i], 1);
	}
}

static void add_extension(struct anonymize_job *j, struct iot_text extension)
{
	char word[EXTENSION_SIZE] = "";
	memcpy(word, extension.data, extension.size < EXTENSION_SIZE ? extension.size : 0);
	for (size_t i = 0; i < j->extension_count; i++)
		if (strcmp(j->extensions[i], word) == 0)
			return;
	if (j->extension_count < EXTENSIONS_SHOWN)
		memcpy(j->extensions[j->extension_count++], word, sizeof word);
	else
		j->more_extensions = true;
}

static void on_replaced(void *context, const struct iot_replacement *r)
{
	struct anonymize_job *j = context;
	if (r->extension.size > 0)
		add_extension(j, r->extension);
	const bool stays = r->was.size == r->becomes.size &&
			   memcmp(r->was.data, r->becomes.data, r->was.size) == 0;
	const bool is_id = r->kind[1] != '\0';
	if (j->map == NULL || (stays && !is_id))
		return;
	output_printf(&j->map_out, "%s\t", r->kind);
	write_encoded(&j->map_out, r->was);
	output_write(&j->map_out, "\t", 1);
	output_write(&j->map_out, r->becomes.data, r->becomes.size);
	output_write(&j->map_out, "\n", 1);
}

/* The name of the trace that the following lines belong to. */
static void map_trace(struct anonymize_job *j, const char *path)
{
	if (j->map == NULL)
		return;
	output_text(&j->map_out, "trace\t");
	write_encoded(&j->map_out, (struct iot_text){path, strlen(path)});
	output_write(&j->map_out, "\n", 1);
}

static int is_harmless(void *context, struct iot_text counter, int exact)
{
	(void)context;
	return exact ? counter_is_known(counter) : counter_is_count(counter);
}

static void hash(void *context, const struct iot_text *parts, size_t n,
		 unsigned char digest[IOT_DIGEST_SIZE])
{
	struct anonymize_job *j = context;
	key_hash(j->secret, parts, n, digest);
}

/* Traces */

static void report_counts(const struct anonymize_job *j, const char *path)
{
	uintmax_t count[IOT_ANONYMIZER_KEYS + 1];
	char shown[512];
	if (!j->verbose)
		return;
	for (int i = IOT_ANONYMIZER_PROCESSES; i <= IOT_ANONYMIZER_KEYS; i++)
		count[i] = iot_anonymizer_fact(j->anonymizer, (enum iot_anonymizer_fact)i);
	message_print("%s: processes: %ju, files: %ju, objects: %ju; left out: comments: %ju, "
		      "directives: %ju, keys: %ju",
		      escape_text(shown, sizeof shown, path, strlen(path)),
		      count[IOT_ANONYMIZER_PROCESSES], count[IOT_ANONYMIZER_FILES],
		      count[IOT_ANONYMIZER_OBJECTS], count[IOT_ANONYMIZER_COMMENTS],
		      count[IOT_ANONYMIZER_DIRECTIVES], count[IOT_ANONYMIZER_KEYS]);
}

/* An extension can be a name: the user checks the list before sharing the trace. */
static void report_extensions(const struct anonymize_job *j)
{
	char list[EXTENSIONS_SHOWN * EXTENSION_SIZE] = "";
	size_t n = 0;
	if (j->read.quiet || j->extension_count == 0)
		return;
	for (size_t i = 0; i < j->extension_count; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, " %s", j->extensions[i]);
	message_print("extensions that stay:%s%s", list, j->more_extensions ? " and others" : "");
}

static enum exit_status anonymize_one(struct anonymize_job *j, const char *path, const char *out)
{
	struct trace_in in;
	trace_in_catch_signals(path, &j->read, out);
	enum exit_status status = trace_in_open(&in, path, &j->read, j->command);
	if (status == EXIT_OK) {
		struct trace_out_options write = j->write;
		write.path = out;
		status =
		    trace_in_copy(&in, iot_stream_anonymize(trace_in_stream(&in), j->anonymizer),
				  &write, j->command);
		j->written = j->written || in.copied;
		report_counts(j, path);
	}
	trace_in_close(&in);
	signals_restore();
	return status;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Returns whether an earlier path has the same name in DIR. */
static bool taken(char **paths, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(last_part(paths[k]), last_part(paths[i])) == 0)
			return true;
	return false;
}

static bool has_trace_name(const char *path)
{
	return output_has_suffix(path, ".iot") || output_has_suffix(path, ".iot.gz") ||
	       output_has_suffix(path, ".iot.zst");
}

/* A trace keeps its name; a log gets the name of its trace. Returns NULL if out of memory. */
static char *name_output(const struct anonymize_job *j, const char *path)
{
	char *out;
	if (!has_trace_name(path))
		return trace_out_name(&j->write, j->directory, path);
	return asprintf(&out, "%s/%s", j->directory, last_part(path)) >= 0 ? out : NULL;
}

static enum exit_status anonymize_into(struct anonymize_job *j, char **paths, size_t i)
{
	if (taken(paths, i))
		return message_error(
		    paths[i], "its trace would replace the trace of another IN of the same name");
	char *out = name_output(j, paths[i]);
	if (out == NULL)
		return message_no_memory();
	map_trace(j, paths[i]);
	enum exit_status status = anonymize_one(j, paths[i], out);
	free(out);
	return status;
}

static enum exit_status anonymize_each(struct anonymize_job *j, char **paths, size_t count)
{
	enum exit_status worst = EXIT_OK;
	for (size_t i = 0; i < count && signals_ending() == 0; i++) {
		enum exit_status status = anonymize_into(j, paths, i);
		worst = exit_status_worse(worst, status);
	}
	return worst;
}

/* The mapping reverses the anonymization, so only its owner may read it from the first byte on. */
static enum exit_status open_map(struct anonymize_job *j)
{
	if (j->map == NULL)
		return EXIT_OK;
	const unsigned how = ATOMIC_FILE_PRIVATE | (j->write.no_fsync ? ATOMIC_FILE_NO_SYNC : 0U);
	return output_open(&j->map_out, j->map, how);
}

/* Without a trace, the mapping has no purpose. */
static enum exit_status close_map(struct anonymize_job *j, enum exit_status status)
{
	if (j->map == NULL)
		return status;
	if (!j->written) {
		output_abandon(&j->map_out);
		return status;
	}
	const enum exit_status closed = output_close(&j->map_out);
	return exit_status_worse(status, closed);
}

static enum exit_status anonymize(struct anonymize_job *j, char **paths, size_t count)
{
	enum exit_status status = open_map(j);
	if (status != EXIT_OK)
		return status;
	if (j->directory != NULL)
		status = anonymize_each(j, paths, count);
	else
		status = anonymize_one(j, count > 0 ? paths[0] : "-", j->write.path);
	report_extensions(j);
	return close_map(j, status);
}

static struct iot_anonymizer *new_anonymizer(struct anonymize_job *j)
{
	struct iot_anonymize_options *o = &j->anonymize;
	o->size = sizeof *o;
	o->flags = (j->keep_extension ? (unsigned)IOT_KEEP_EXTENSIONS : 0U) |
		   (j->keep_comments ? (unsigned)IOT_KEEP_COMMENTS : 0U) |
		   (j->keep_unknown ? (unsigned)IOT_KEEP_UNKNOWN : 0U) |
		   (j->epoch == EPOCH_SHIFT ? (unsigned)IOT_SHIFT_EPOCH : 0U);
	o->keep = j->keep;
	o->context = j;
	o->hash = hash;
	o->counter = is_harmless;
	o->replaced = j->map != NULL || j->keep_extension ? on_replaced : NULL;
	return iot_anonymizer_new(o);
}

/*
 * Registers every file that is read or written. Traces of one name are rejected one by one, later.
 */
static void add_files(const struct anonymize_job *j, struct same_file_set *files, char **paths,
		      size_t count)
{
	same_file_add(files, ROLE_KEY, j->key);
	if (j->map != NULL)
		same_file_add_output(files, ROLE_MAP, "--map", j->map);
	for (size_t i = 0; i < count; i++)
		same_file_add(files, ROLE_INPUT, paths[i]);
	if (count == 0)
		same_file_add(files, ROLE_INPUT, "-");
	if (j->directory == NULL)
		same_file_add(files, ROLE_TRACE, j->write.path);
	for (size_t i = 0; i < count && j->directory != NULL; i++) {
		char *out = taken(paths, i) ? NULL : name_output(j, paths[i]);
		if (out != NULL)
			same_file_add(files, ROLE_TRACE, out);
		else if (!taken(paths, i))
			files->failed = true;
		free(out);
	}
}

/*
 * The directory is shared as a whole, so it must not contain files that reverse the anonymization.
 */
static enum exit_status check_private(const struct anonymize_job *j, const char *role,
				      const char *path)
{
	struct stat directory, there;
	char shown[512], where[512];
	char *target = atomic_file_target(path), *slash = target ? strrchr(target, '/') : NULL;
	if (target == NULL)
		return errno == ENOMEM ? message_no_memory() : EXIT_OK;
	if (slash != NULL)
		slash[slash == target] = '\0';
	const bool inside = stat(slash != NULL ? target : ".", &there) == 0 &&
			    stat(j->directory, &directory) == 0 &&
			    there.st_dev == directory.st_dev && there.st_ino == directory.st_ino;
	free(target);
	if (!inside)
		return EXIT_OK;
	return options_wrong(j->command,
			     "the %s %s must not lie in %s, with the traces to be shared", role,
			     escape_text(shown, sizeof shown, path, strlen(path)),
			     escape_text(where, sizeof where, j->directory, strlen(j->directory)));
}

static enum exit_status check_directory(const struct anonymize_job *j)
{
	enum exit_status status = check_private(j, "key", j->key);
	if (status == EXIT_OK && j->map != NULL)
		status = check_private(j, "mapping", j->map);
	return status;
}

/* Checks inputs before a key is made: a second attempt would find the key, and reject it. */
static enum exit_status check_inputs(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], "-") != 0 && access(paths[i], R_OK) != 0)
			return message_error(paths[i], strerror(errno));
	return EXIT_OK;
}

/* Before a key is made. Names below a directory that is made now may not have resolved before. */
static enum exit_status prepare(const struct anonymize_job *j, char **paths, size_t count)
{
	struct same_file_set files = {.command = j->command, .reads_directories = true};
	add_files(j, &files, paths, count);
	enum exit_status status = same_file_check(&files);
	if (status == EXIT_OK && j->directory != NULL) {
		status = trace_out_make_directory(j->directory);
		if (status == EXIT_OK)
			status = same_file_check(&files);
		if (status == EXIT_OK)
			status = check_directory(j);
	}
	same_file_free(&files);
	return status;
}

static enum exit_status work(struct anonymize_job *j, char **paths, size_t count)
{
	enum exit_status status = prepare(j, paths, count);
	if (status == EXIT_OK && j->new_key)
		status = check_inputs(paths, count);
	/* From here on a signal has a key to remove. */
	if (status == EXIT_OK && j->new_key)
		trace_in_catch_signals(count > 0 ? paths[0] : "-", &j->read, j->write.path);
	if (status == EXIT_OK && !key_read(j->secret, j->key, j->new_key))
		status = EXIT_FAILED;
	if (status != EXIT_OK)
		return status;
	j->anonymizer = new_anonymizer(j);
	status = j->anonymizer != NULL ? anonymize(j, paths, count) : message_no_memory();
	/* No trace was made with the key, and a second attempt would reject the file. */
	if (j->new_key && !j->written && signals_ending() != 0)
		(void)unlink(j->key);
	iot_anonymizer_free(j->anonymizer);
	sodium_memzero(j->secret, sizeof j->secret);
	return status;
}

static const char *take_keep(const struct option *opt, const char *value)
{
	char **list = opt->target, *joined;
	if (asprintf(&joined, "%s%s%s", *list != NULL ? *list : "", *list != NULL ? "," : "",
		     value) < 0)
		return option_no_memory;
	free(*list);
	*list = joined;
	return NULL;
}

static enum exit_status check(const struct anonymize_job *j, char **paths, size_t count)
{
	if (j->key == NULL)
		return options_wrong(j->command, "--key is missing; with --new-key it is made");
	if (j->directory == NULL && count > 1)
		return options_wrong(j->command, "several IN need -O DIR");
	if (j->directory != NULL && count == 0)
		return options_wrong(j->command, "name the traces");
	if (j->directory != NULL && strcmp(j->write.path, "-") != 0)
		return options_wrong(j->command, "-o and -O exclude each other");
	for (size_t i = 0; i < count; i++) {
		if (j->directory != NULL && strcmp(paths[i], "-") == 0)
			return options_wrong(j->command, "standard input has no name: use -o");
	}
	return EXIT_OK;
}

enum exit_status cmd_anonymize(int argc, char **argv)
{
	struct anonymize_job j = {.read = TRACE_IN_OPTIONS_INIT, .write = TRACE_OUT_OPTIONS_INIT};
	j.read.verified = true;
	const struct option options[] = {
	    OPTION(STRING, 'k', "key", "FILE", &j.key,
		   "the secret key: the contents of FILE, at least 16 bytes"),
	    OPTION(FLAG, 0, "new-key", NULL, &j.new_key,
		   "create FILE first, readable only by you; it must not exist"),
	    OPTION(STRING, 0, "map", "OUT", &j.map,
		   "write the private mapping of old to new names, readable only by you"),
	    OPTION_OUTPUT(j.write),
	    OPTION(STRING, 'O', "output-dir", "DIR", &j.directory,
		   "write each IN to DIR under its own name"),
	    OPTION(FLAG, 'v', "verbose", NULL, &j.verbose, "report what was removed"),
	    OPTION_QUIET(j.read.quiet, j.read.progress),
	    GROUP("What stays"),
	    CALL("keep", "PREFIX,...", &j.keep,
		 "keep these paths, and paths below them, readable: /usr,/lib; repeatable",
		 take_keep),
	    OPTION(FLAG, 0, "keep-extension", NULL, &j.keep_extension,
		   "keep the .ext of file names readable; a message lists them"),
	    OPTION(CHOICE, 0, "epoch", "drop|shift", &j.epoch,
		   "drop the epoch, or shift it by a secret time derived from the key, so "
		   "that traces stay aligned (default: drop)"),
	    OPTION(FLAG, 0, "keep-comments", NULL, &j.keep_comments,
		   "keep free comments unchanged"),
	    OPTION(FLAG, 0, "keep-unknown", NULL, &j.keep_unknown,
		   "keep unknown directives, keys and counters"),
	    GROUP("Coarser"),
	    RANGE(NUMBER, 0, "time-grain", "NS", &j.anonymize.time_grain_ns,
		  "round times down to multiples of NS nanoseconds", 1, INT64_MAX),
	    OPTION(SIZE, 0, "size-grain", "SIZE", &j.anonymize.size_grain,
		   "round offsets and ends of I/Os to multiples of SIZE"),
	    GROUP("Reading"),
	    OPTION_READING(j.read),
	    GROUP("Output"),
	    OPTION_BASE_OF_IN(j.write),
	    OPTION_WRITING(j.write),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "anonymize",
	    .summary = "Replace everything in traces that identifies their owners",
	    .synopsis = "--key FILE [--new-key] [OPTION]... [-o OUT] [IN]\n"
			"--key FILE [--new-key] [OPTION]... -O DIR IN...",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	};
	size_t count;
	enum exit_status status;
	j.command = &command;
	if (options_parse(&command, argc, argv, &count, &status)) {
		status = check(&j, argv, count);
		if (status == EXIT_OK)
			status = work(&j, argv, count);
	}
	free(j.keep);
	return status;
}
