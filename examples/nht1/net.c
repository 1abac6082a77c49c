/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network benchmark of NHT-1 (NASA RND-92-016, section 4): sends a file over a loopback
 * connection to another file. The time includes opens, reads, writes and closes of both ends, and
 * ends when the copy is on disk.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "clock.h"
#include "die.h"
#include "durable.h"
#include "loopback.h"
#include "options.h"
#include "random.h"
#include "report.h"
#include "transfer.h"

static const char help[] =
    "Usage: net [OPTION]...\n"
    "\n"
    "The network benchmark of NHT-1: sends a file of random data over a loopback\n"
    "connection to another file, until that is on disk.\n"
    "\n"
    "      --size=SIZE        bytes of the file, with K, M or G (default: 256M)\n"
    "      --request=SIZE     bytes of a call (default: 1M)\n"
    "      --address=ADDRESS  of both ends (default: 127.0.0.1)\n"
    "      --command=COMMAND  a shell command that sends the file $SOURCE to\n"
    "                         $TARGET, such as: scp -q \"$SOURCE\" \"127.0.0.1:$TARGET\"\n"
    "      --dir=DIR          directory of both files (default: the current one)\n"
    "      --seed=N           of the random data (default: 1)\n"
    "  -j, --json             print one JSON object\n"
    "  -h, --help             print this help\n"
    "\n"
    "The figure appears only if the files are equal, and both ends of the connection\n"
    "have loopback addresses; the addresses of a command are not known.\n";

struct net {
	size_t size, request;
	const char *address, *command, *directory;
	char *source, *target, *buffer;
	int seed, json;
};

static int open_file(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC, 0666);
	if (fd < 0)
		die_errno(path, "open");
	return fd;
}

static void close_file(int fd, const char *path)
{
	if (close(fd) != 0)
		die_errno(path, "close");
}

/* Each request has a seed of its own. */
static void make_source(const struct net *n)
{
	const int fd = open_file(n->source, O_WRONLY | O_CREAT | O_TRUNC);
	for (size_t done = 0; done < n->size; done += n->request) {
		random_fill(n->buffer, n->request, (uint64_t)n->seed + done);
		write_all(fd, n->source, n->buffer, n->request);
	}
	sync_file(fd, n->source);
	close_file(fd, n->source);
}

/* Reads up to a request. Returns 0 at the end. */
static size_t read_some(const struct net *n, int fd, const char *path)
{
	const ssize_t got = read(fd, n->buffer, n->request);
	if (got < 0)
		die_errno(path, "read");
	return (size_t)got;
}

static void copy_all(const struct net *n, int from, const char *from_path, int to,
		     const char *to_path)
{
	for (size_t got; (got = read_some(n, from, from_path)) > 0;)
		write_all(to, to_path, n->buffer, got);
}

/* The other end: answers with a byte when the copy is on disk. */
static void receive(const struct net *n, int connection)
{
	const int fd = open_file(n->target, O_WRONLY | O_CREAT | O_TRUNC);
	copy_all(n, connection, "socket", fd, n->target);
	sync_file(fd, n->target);
	close_file(fd, n->target);
	sync_directory(n->target);
	write_all(connection, "socket", "", 1);
	close_file(connection, "socket");
}

static void send_file(const struct net *n, int connection)
{
	const int fd = open_file(n->source, O_RDONLY);
	copy_all(n, fd, n->source, connection, "socket");
	close_file(fd, n->source);
	if (shutdown(connection, SHUT_WR) != 0)
		die_errno("socket", "shutdown");
	if (read_some(n, connection, "socket") != 1)
		die("the receiver ended early");
	close_file(connection, "socket");
}

static void wait_for(pid_t child, const char *name)
{
	int status;
	if (waitpid(child, &status, 0) != child || status != 0)
		die("%s failed", name);
}

/*
 * Returns the seconds of the transfer between two processes. Each has one end only, so that it
 * notices the end of the other process.
 */
static double transfer_builtin(const struct net *n)
{
	int ends[2];
	const double begin = section_begin("transfer");
	loopback_pair(n->address, ends);
	const pid_t child = fork();
	if (child < 0)
		die_errno("receiver", "fork");
	close(ends[child != 0]);
	if (child == 0) {
		receive(n, ends[1]);
		_exit(0);
	}
	send_file(n, ends[0]);
	const double time = section_end("transfer") - begin;
	wait_for(child, "the receiver");
	return time;
}

static void set_variable(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		die("out of memory");
}

static double transfer_command(const struct net *n)
{
	set_variable("SOURCE", n->source);
	set_variable("TARGET", n->target);
	const double begin = section_begin("transfer");
	const int status = system(n->command);
	if (status != 0)
		die("the command failed: %s", n->command);
	const int fd = open_file(n->target, O_WRONLY);
	sync_file(fd, n->target);
	close_file(fd, n->target);
	sync_directory(n->target);
	return section_end("transfer") - begin;
}

static XXH64_hash_t hash_file(const struct net *n, const char *path)
{
	XXH3_state_t *state = XXH3_createState();
	const int fd = open_file(path, O_RDONLY);
	if (state == NULL)
		die("out of memory");
	XXH3_64bits_reset(state);
	for (size_t got; (got = read_some(n, fd, path)) > 0;)
		XXH3_64bits_update(state, n->buffer, got);
	const XXH64_hash_t hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	close_file(fd, path);
	return hash;
}

static void report_run(const struct net *n, double time)
{
	struct report r = {.json = n->json};
	report_text(&r, "benchmark", "NHT-1 network benchmark");
	report_text(&r, "with", n->command != NULL ? n->command : "built-in, not ftp");
	report_text(&r, "address", n->command != NULL ? "not known" : n->address);
	report_count(&r, "data_bytes", n->size);
	report_count(&r, "request_bytes", n->request);
	report_count(&r, "seed", (uint64_t)n->seed);
	report_text(&r, "source", n->source);
	report_text(&r, "target", n->target);
	report_machine(&r, n->directory);
	report_number(&r, "transfer_s", time);
	report_number(&r, "bytes_per_s", (double)n->size / time);
	report_end(&r);
}

static void parse(struct net *n, int argc, char **argv)
{
	const struct option_row options[] = {
	    {"--size", OPTION_BYTES, .value = &n->size},
	    {"--request", OPTION_BYTES, .value = &n->request},
	    {"--address", OPTION_TEXT, .value = &n->address},
	    {"--command", OPTION_TEXT, .value = &n->command},
	    {"--dir", OPTION_TEXT, .value = &n->directory},
	    {"--seed", OPTION_COUNT, .value = &n->seed, .high = RANDOM_SEED_MAX},
	    {"--json", OPTION_FLAG, .value = &n->json, .letter = 'j'},
	    {0},
	};
	options_parse(options, help, argc, argv);
	options_end(argc, argv);
	if (n->size % n->request != 0 || n->request % sizeof(uint64_t) != 0)
		die("--size is %zu, expected a multiple of --request, which is one of 8", n->size);
}

static void prepare(struct net *n)
{
	n->buffer = malloc(n->request);
	if (n->buffer == NULL || asprintf(&n->source, "%s/nht1-net.source", n->directory) < 0 ||
	    asprintf(&n->target, "%s/nht1-net.target", n->directory) < 0)
		die("out of memory");
	temporary_add(n->source);
	temporary_add(n->target);
	make_source(n);
}

int main(int argc, char **argv)
{
	struct net n = {.size = 256 << 20,
			.request = 1 << 20,
			.address = "127.0.0.1",
			.directory = ".",
			.seed = 1};
	parse(&n, argc, argv);
	signal(SIGPIPE, SIG_IGN); /* write() reports that the receiver has ended. */
	prepare(&n);
	const double time = n.command != NULL ? transfer_command(&n) : transfer_builtin(&n);
	if (hash_file(&n, n.source) != hash_file(&n, n.target))
		die("%s differs from %s", n.target, n.source);
	temporary_remove();
	report_run(&n, time);
	free(n.buffer);
	return 0;
}
