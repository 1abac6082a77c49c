/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peak disk benchmark of NHT-1 (NASA RND-92-016, section 3): writes most of the memory to
 * files, until all data is on disk, and reads it back while the disk has the only copy.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cache.h"
#include "clock.h"
#include "die.h"
#include "durable.h"
#include "options.h"
#include "random.h"
#include "report.h"
#include "transfer.h"

static const char help[] =
    "Usage: disk [OPTION]...\n"
    "\n"
    "The peak disk benchmark of NHT-1: writes random data, as much as 80 % of\n"
    "the memory, to files, and reads it back after the page cache has lost it.\n"
    "\n"
    "      --memory=SIZE    bytes of data (default: 80 % of the memory, if that is\n"
    "                       free; less is scaled)\n"
    "      --files=N        number of files of equal size (default: 1)\n"
    "      --cpus=N         threads, each of which has files of its own (default: 1)\n"
    "      --request=SIZE   bytes of a call (default: 4M)\n"
    "      --evict=METHOD   before reading: fadvise (default), drop-caches (as\n"
    "                       root), none; direct: read and write directly\n"
    "      --dir=DIR        directory of the files (default: the current one)\n"
    "      --seed=N         of the random data (default: 1)\n"
    "      --keep           keep the files\n"
    "  -j, --json           print one JSON object\n"
    "  -h, --help           print this help\n"
    "\n"
    "Sizes are numbers of bytes, with K, M or G. A page of the files that is still\n"
    "in memory before reading, or a byte that differs afterwards, is an error.\n";

enum { ALIGNMENT = 4096, FILES_MAX = 256 };

struct disk {
	size_t data, request; /* Bytes. */
	int files, cpus, seed, keep, json, scaled;
	enum evict evict;
	const char *directory;
	char *memory;
	char *path[FILES_MAX];
	XXH64_hash_t *hash; /* The hash of each request. */
};

static size_t file_bytes(const struct disk *d)
{
	return d->data / (size_t)d->files;
}

static size_t requests(const struct disk *d)
{
	return d->data / d->request;
}

static int open_file(const struct disk *d, int i, int flags)
{
	const int fd =
	    open(d->path[i], flags | O_CLOEXEC | (d->evict == EVICT_DIRECT ? O_DIRECT : 0), 0666);
	if (fd < 0)
		die_errno(d->path[i], "open");
	return fd;
}

static void close_file(const struct disk *d, int i, int fd)
{
	if (close(fd) != 0)
		die_errno(d->path[i], "close");
}

static void write_file(struct disk *d, int i)
{
	const char *data = d->memory + (size_t)i * file_bytes(d);
	const int fd = open_file(d, i, O_WRONLY | O_CREAT | O_TRUNC);
	for (size_t done = 0; done < file_bytes(d); done += d->request)
		write_all(fd, d->path[i], data + done, d->request);
	sync_file(fd, d->path[i]);
	close_file(d, i, fd);
}

static void read_request(const struct disk *d, int i, int fd, char *to)
{
	for (size_t done = 0; done < d->request;) {
		const ssize_t n = read(fd, to + done, d->request - done);
		if (n <= 0)
			die_errno(d->path[i], n == 0 ? "ends early" : "read");
		done += (size_t)n;
	}
}

static void read_file(struct disk *d, int i)
{
	char *data = d->memory + (size_t)i * file_bytes(d);
	const int fd = open_file(d, i, O_RDONLY);
	for (size_t done = 0; done < file_bytes(d); done += d->request)
		read_request(d, i, fd, data + done);
	close_file(d, i, fd);
}

struct worker {
	struct disk *disk;
	void (*call)(struct disk *d, int i);
	int first;
	pthread_t thread;
};

static void *work(void *arg)
{
	const struct worker *w = arg;
	for (int i = w->first; i < w->disk->files; i += w->disk->cpus)
		w->call(w->disk, i);
	return NULL;
}

/* Calls the function for each file; thread n has the files n, n + cpus, and so on. */
static void for_each_file(struct disk *d, void (*call)(struct disk *d, int i))
{
	struct worker workers[FILES_MAX] = {{.disk = d, .call = call, .first = 0}};
	for (int t = 1; t < d->cpus; t++) {
		workers[t] = (struct worker){.disk = d, .call = call, .first = t};
		if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
			die("cannot start a thread");
	}
	work(&workers[0]);
	for (int t = 1; t < d->cpus; t++)
		pthread_join(workers[t].thread, NULL);
}

static double write_all_files(struct disk *d)
{
	const double begin = section_begin("write");
	for_each_file(d, write_file);
	sync_directory(d->path[0]);
	return section_end("write") - begin;
}

static double read_all_files(struct disk *d)
{
	const double begin = section_begin("read");
	for_each_file(d, read_file);
	return section_end("read") - begin;
}

static void make_data(struct disk *d)
{
	d->memory = aligned_alloc(ALIGNMENT, d->data);
	d->hash = calloc(requests(d), sizeof(*d->hash));
	if (d->memory == NULL || d->hash == NULL)
		die("out of memory for %zu bytes", d->data);
	random_fill(d->memory, d->data, (uint64_t)d->seed);
	for (size_t i = 0; i < requests(d); i++)
		d->hash[i] = XXH3_64bits(d->memory + i * d->request, d->request);
}

/* Afterwards, the files have the only copy of the data. */
static void forget_data(struct disk *d)
{
	memset(d->memory, 0, d->data);
	for (int i = 0; i < d->files; i++) {
		cache_evict(d->path[i], d->evict);
		const size_t resident = cache_resident_pages(d->path[i]);
		if (resident > 0)
			die("%s: %zu pages are still in memory, expected 0", d->path[i], resident);
	}
}

static void compare_data(const struct disk *d)
{
	for (size_t i = 0; i < requests(d); i++)
		if (XXH3_64bits(d->memory + i * d->request, d->request) != d->hash[i])
			die("%s: offset %zu: the data differs from what was written",
			    d->path[i * d->request / file_bytes(d)],
			    i * d->request % file_bytes(d));
}

static void name_files(struct disk *d)
{
	for (int i = 0; i < d->files; i++) {
		if (asprintf(&d->path[i], "%s/nht1-disk.%d", d->directory, i) < 0)
			die("out of memory");
		temporary_add(d->path[i]);
	}
}

/*
 * The whole memory is measured only if 80 % of it are free, because data in swap space is not in
 * memory.
 */
static void choose_size(struct disk *d)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * page / 10 * 8,
		     unit = d->request * (size_t)d->files;
	const size_t available = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
	d->scaled = d->data > 0 && d->data < all;
	if (d->data == 0)
		d->data = (all + unit - 1) / unit * unit;
	if (d->data > available)
		die("%zu bytes are free, expected %zu; --memory selects less", available, d->data);
	if (d->data % unit != 0 || d->request % ALIGNMENT != 0)
		die("--memory is %zu bytes, expected a multiple of %zu (--request times --files), "
		    "and --request of %d",
		    d->data, unit, ALIGNMENT);
	if (d->cpus > d->files)
		die("--cpus is %d, expected at most %d (--files)", d->cpus, d->files);
}

static void report_run(const struct disk *d, double write_s, double read_s)
{
	struct report r = {.json = d->json};
	report_text(&r, "benchmark",
		    d->scaled ? "NHT-1 peak disk benchmark, scaled" : "NHT-1 peak disk benchmark");
	report_count(&r, "data_bytes", d->data);
	report_count(&r, "files", (uint64_t)d->files);
	report_count(&r, "request_bytes", d->request);
	report_count(&r, "cpus", (uint64_t)d->cpus);
	report_text(&r, "evict", evict_words[d->evict]);
	report_count(&r, "resident_pages", 0);
	report_count(&r, "seed", (uint64_t)d->seed);
	report_text(&r, "directory", d->directory);
	report_machine(&r, d->directory);
	report_number(&r, "write_s", write_s);
	report_number(&r, "read_s", read_s);
	report_number(&r, "bytes_per_s", 2 * (double)d->data / (read_s + write_s));
	report_end(&r);
}

static void parse(struct disk *d, int argc, char **argv)
{
	int evict = EVICT_ADVICE;
	const struct option_row options[] = {
	    {"--memory", OPTION_BYTES, .value = &d->data},
	    {"--files", OPTION_COUNT, .value = &d->files, .low = 1, .high = FILES_MAX},
	    {"--cpus", OPTION_COUNT, .value = &d->cpus, .low = 1, .high = FILES_MAX},
	    {"--request", OPTION_BYTES, .value = &d->request},
	    {"--evict", OPTION_WORD, .value = &evict, .words = evict_words},
	    {"--dir", OPTION_TEXT, .value = &d->directory},
	    {"--seed", OPTION_COUNT, .value = &d->seed, .high = RANDOM_SEED_MAX},
	    {"--keep", OPTION_FLAG, .value = &d->keep},
	    {"--json", OPTION_FLAG, .value = &d->json, .letter = 'j'},
	    {0},
	};
	options_parse(options, help, argc, argv);
	options_end(argc, argv);
	d->evict = (enum evict)evict;
}

int main(int argc, char **argv)
{
	struct disk d = {.request = 4 << 20, .files = 1, .cpus = 1, .seed = 1, .directory = "."};
	parse(&d, argc, argv);
	choose_size(&d);
	make_data(&d);
	name_files(&d);
	const double write_s = write_all_files(&d);
	forget_data(&d);
	const double read_s = read_all_files(&d);
	compare_data(&d);
	if (d.keep)
		temporary_keep();
	temporary_remove();
	report_run(&d, write_s, read_s);
	free(d.memory);
	free(d.hash);
	return 0;
}
