/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors, positions and names, without any format around them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "converters/fdtable/fdtable.h"

static struct fdtable t;

static void setup(void)
{
	fdtable_init(&t);
}

static void teardown(void)
{
	cr_expect_eq(t.status, IOT_OK);
	fdtable_clear(&t);
	cr_expect_eq(t.memory, 0);
}

TestSuite(tracker, .init = setup, .fini = teardown);

static struct tracked_file *open_path(const char *path, unsigned how)
{
	return fdtable_open(&t, path, strlen(path), how);
}

/* A description of a file opened at its beginning. */
static struct open_description *opened(const char *path, unsigned how)
{
	struct open_description *d = open_description_new(&t, FD_FILE, open_path(path, how));
	cr_assert_not_null(d);
	d->position_known = true;
	return d;
}

static void expect_place(struct file_offset place, uint64_t offset, bool known)
{
	cr_expect_eq(place.offset, offset);
	cr_expect_eq(place.known, known);
}

Test(tracker, position_advances_with_what_was_moved)
{
	struct open_description *d = opened("a", OPEN_TRUNCATE);
	expect_place(open_description_move(d, true, 100), 0, true);
	expect_place(open_description_move(d, false, 7), 100, true);
	expect_place(open_description_move_at(d, false, 5, 10), 5, true);
	expect_place(open_description_move(d, true, 1), 107, true);
	open_description_free(&t, d);
}

Test(tracker, copies_of_a_table_share_positions)
{
	struct fd_table *a = fd_table_new(&t);
	fd_table_set(&t, a, 3, opened("a", 0), false);
	struct fd_table *b = fd_table_copy(&t, a);
	open_description_move(fd_table_get(a, 3)->open, false, 10);
	expect_place(open_description_move(fd_table_get(b, 3)->open, false, 1), 10, true);
	fd_table_close(&t, a, 3);
	cr_expect_null(fd_table_get(a, 3));
	cr_expect_not_null(fd_table_get(b, 3));
	fd_table_free(&t, a);
	fd_table_free(&t, b);
}

Test(tracker, opening_a_name_twice_is_one_file_and_two_positions)
{
	struct open_description *a = opened("a", OPEN_TRUNCATE), *b = opened("a", 0);
	cr_expect_eq(a->file, b->file);
	cr_expect_neq(a->id, b->id);
	open_description_move(a, true, 10);
	expect_place(open_description_move(b, false, 4), 0, true);
	cr_expect_eq(b->file->size, 10);
	open_description_free(&t, a);
	open_description_free(&t, b);
}

Test(tracker, appending_goes_to_the_end_whatever_the_offset)
{
	struct open_description *d = opened("a", OPEN_TRUNCATE);
	d->append = true;
	expect_place(open_description_move(d, true, 10), 0, true);
	expect_place(open_description_move_at(d, true, 3, 5), 10, true);
	file_truncate(d->file, 4);
	expect_place(open_description_move(d, true, 1), 4, true);
	expect_place(open_description_move(d, false, 1), 5, true);
	open_description_free(&t, d);
}

Test(tracker, appending_to_a_file_of_unknown_size_is_marked)
{
	struct open_description *d = opened("a", OPEN_CREATE);
	d->append = true;
	expect_place(open_description_move(d, true, 10), 0, false);
	expect_place(open_description_move(d, true, 10), 10, false);
	open_description_seek(d, 0);
	expect_place(open_description_move(d, false, 5), 0, true);
	open_description_free(&t, d);
}

Test(tracker, a_short_read_tells_the_size)
{
	struct open_description *d = opened("a", 0);
	struct file_offset place = open_description_move(d, false, 30);
	open_description_short_read(d, place, 30, 100);
	cr_expect(d->file->size_known);
	cr_expect_eq(d->file->size, 30);
	open_description_free(&t, d);
}

Test(tracker, a_write_at_an_unknown_place_makes_the_size_unknown)
{
	struct open_description *a = opened("a", OPEN_TRUNCATE), *b = opened("a", 0);
	b->position_known = false;
	expect_place(open_description_move(b, true, 10), 0, false);
	cr_expect_not(a->file->size_known);
	open_description_free(&t, a);
	open_description_free(&t, b);
}

Test(tracker, a_recreated_name_is_another_file)
{
	struct open_description *a = opened("a", OPEN_CREATE);
	fdtable_absent(&t, "a", 1);
	struct open_description *b = opened("a", OPEN_CREATE);
	cr_expect_neq(a->file, b->file);
	cr_expect(b->file->size_known);
	cr_expect_not(a->file->size_known);
	open_description_free(&t, a);
	open_description_free(&t, b);
}

Test(tracker, a_file_keeps_its_identity_when_renamed)
{
	struct tracked_file *f = open_path("a", 0);
	fdtable_rename(&t, "a", 1, "b", 1, false);
	cr_expect_eq(fdtable_find(&t, "b", 1), f);
	cr_expect_null(fdtable_find(&t, "a", 1));
	cr_expect_arr_eq(f->path, "b", 1);
}

Test(tracker, exchange_swaps_two_files)
{
	struct tracked_file *f = open_path("a", 0), *g = open_path("b", 0);
	fdtable_rename(&t, "a", 1, "b", 1, true);
	cr_expect_eq(fdtable_find(&t, "b", 1), f);
	cr_expect_eq(fdtable_find(&t, "a", 1), g);
}

Test(tracker, rename_onto_a_name_ends_that_name)
{
	struct open_description *old = opened("b", 0);
	struct tracked_file *f = open_path("a", 0);
	fdtable_rename(&t, "a", 1, "b", 1, false);
	cr_expect_eq(fdtable_find(&t, "b", 1), f);
	cr_expect_neq(old->file, f);
	open_description_free(&t, old);
}

Test(tracker, a_link_is_a_second_name)
{
	struct tracked_file *f = open_path("a", 0);
	fdtable_link(&t, "a", 1, "b", 1, false);
	fdtable_absent(&t, "a", 1);
	cr_expect_eq(fdtable_find(&t, "b", 1), f);
	cr_expect_eq(open_path("b", 0), f);
	cr_expect_arr_eq(f->path, "b", 1);
}

Test(tracker, names_move_with_their_directory)
{
	struct tracked_file *f = open_path("d/x/y", 0), *g = open_path("dd/x", 0);
	fdtable_rename(&t, "d", 1, "e", 1, false);
	cr_expect_eq(fdtable_find(&t, "e/x/y", 5), f);
	cr_expect_eq(fdtable_find(&t, "dd/x", 4), g);
}

Test(tracker, a_directory_does_not_move_into_itself)
{
	struct tracked_file *f = open_path("d/x", 0);
	fdtable_rename(&t, "d", 1, "d/e", 3, false);
	cr_expect_eq(fdtable_find(&t, "d/x", 3), f);
	cr_expect_null(fdtable_find(&t, "d/e/x", 5));
}

Test(tracker, relative_names_become_absolute_once_the_start_is_known)
{
	struct tracked_file *f = open_path("a", 0);
	fdtable_root(&t, "/data", 5);
	cr_expect_eq(fdtable_find(&t, "/data/a", 7), f);
}

Test(tracker, thousands_of_names_keep_their_files)
{
	char path[32];
	struct tracked_file *file[5000];
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(path, sizeof path, "dir/%d", i);
		file[i] = fdtable_open(&t, path, (size_t)n, 0);
	}
	fdtable_rename(&t, "dir", 3, "other", 5, false);
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(path, sizeof path, "other/%d", i);
		cr_assert_eq(fdtable_find(&t, path, (size_t)n), file[i]);
	}
}

Test(tracker, exec_closes_what_is_marked)
{
	struct fd_table *a = fd_table_new(&t);
	fd_table_set(&t, a, 3, opened("a", 0), true);
	fd_table_set(&t, a, 300, opened("b", 0), false);
	fd_table_exec(&t, a);
	cr_expect_null(fd_table_get(a, 3));
	cr_expect_not_null(fd_table_get(a, 300));
	fd_table_free(&t, a);
}

Test(tracker, exec_drops_pages_that_end_whole)
{
	enum { LAST = 2 * FD_GROUP + 100, KEPT = FD_GROUP + 70, TWIN = 90 };
	struct fd_table *a = fd_table_new(&t);
	for (int64_t fd = 0; fd < LAST; fd++)
		fd_table_set(&t, a, fd, opened("a", 0), true);
	fd_table_dup(&t, a, TWIN, KEPT, false);
	struct fd_table *b = fd_table_copy(&t, a);
	fd_table_exec(&t, a);
	for (int64_t fd = 0; fd < LAST; fd++) {
		cr_assert_eq(fd_table_get(a, fd) != NULL, fd == KEPT);
		cr_assert_not_null(fd_table_get(b, fd));
	}
	cr_expect(fd_table_last(a, KEPT));
	cr_expect_not(fd_table_last(b, KEPT));
	cr_expect_eq(fd_table_lowest(a, 0), 0);
	cr_expect_eq(fd_table_lowest(a, KEPT), KEPT + 1);
	cr_expect_eq(fd_table_lowest(b, 0), LAST);
	fd_table_free(&t, a);
	fd_table_free(&t, b);
}

Test(tracker, the_last_descriptor_of_a_description_is_known)
{
	struct fd_table *a = fd_table_new(&t);
	fd_table_set(&t, a, 3, opened("a", 0), false);
	cr_expect(fd_table_last(a, 3));
	fd_table_dup(&t, a, 3, 4, false);
	fd_table_dup(&t, a, 3, 500, false);
	struct fd_table *b = fd_table_copy(&t, a);
	fd_table_close(&t, a, 3);
	cr_expect_not(fd_table_last(a, 4));
	fd_table_close(&t, a, 500);
	cr_expect(fd_table_last(a, 4));
	cr_expect_not(fd_table_last(b, 4), "a copy has its own descriptors");
	fd_table_free(&t, a);
	fd_table_free(&t, b);
}

static struct tracked_file *find(const char *path)
{
	return fdtable_find(&t, path, strlen(path));
}

static void symbolic(const char *path, const char *target)
{
	fdtable_symlink(&t, path, strlen(path), target, strlen(target));
}

static void move(const char *from, const char *to)
{
	fdtable_rename(&t, from, strlen(from), to, strlen(to), false);
}

Test(tracker, symbolic_links_lead_to_one_file)
{
	struct tracked_file *f = open_path("/d/x", OPEN_CREATE);
	symbolic("/s", "/d/x");
	symbolic("/d/here", "x");
	symbolic("/e", "d");
	symbolic("/e2", "e");
	cr_expect_eq(open_path("/s", OPEN_CREATE), f);
	cr_expect_eq(open_path("/d/here", 0), f);
	cr_expect_eq(open_path("/e/x", 0), f);
	cr_expect_eq(open_path("/e2/here", 0), f);
	move("/s", "/t");
	cr_expect_eq(find("/t"), f);
	cr_expect_null(find("/s"));
	fdtable_absent(&t, "/t", 2);
	cr_expect_eq(find("/d/x"), f);
	cr_expect_neq(open_path("/t", OPEN_CREATE), f);
}

Test(tracker, a_file_made_through_a_link_has_its_real_name)
{
	symbolic("/s", "d/real");
	struct tracked_file *f = open_path("/s", OPEN_CREATE);
	cr_expect_eq(f, find("/d/real"));
	cr_assert(file_has_path(&t, f));
	cr_expect_eq(f->path_size, 7);
	cr_expect_eq(memcmp(f->path, "/d/real", 7), 0);
}

Test(tracker, links_in_a_ring_lead_nowhere)
{
	symbolic("/a", "b");
	symbolic("/b", "a");
	cr_expect_null(open_path("/a", 0));
	cr_expect_null(open_path("/a/x", 0));
}

Test(tracker, links_of_too_many_parts_lead_nowhere)
{
	char dots[4096 + 2], slashes[4096 + 2];
	for (size_t i = 0; i < 4096; i += 2) {
		memcpy(dots + i, "./", 2);
		memcpy(slashes + i, "//", 2);
	}
	strcpy(dots + 4096, "x");
	strcpy(slashes + 4096, "x");
	symbolic("/long", dots);
	symbolic("/blank", slashes);
	symbolic("/short", dots + 4096 - 200);
	cr_expect_null(open_path("/long", 0));
	cr_expect_null(open_path("/blank", 0));
	cr_expect_eq(open_path("/short", 0), open_path("/x", 0));
}

Test(tracker, a_link_made_before_the_first_open_is_a_second_name)
{
	fdtable_link(&t, "a", 1, "b", 1, false);
	struct tracked_file *f = open_path("b", 0);
	cr_expect_eq(f, open_path("a", 0));
	cr_expect_not(f->size_known);
	fdtable_absent(&t, "a", 1);
	cr_expect_eq(open_path("b", 0), f);
}

Test(tracker, a_real_path_ends_links_that_are_known)
{
	symbolic("/s", "x");
	cr_expect_neq(open_path("/s", OPEN_REAL), open_path("/x", 0));
}

Test(tracker, parents_are_those_of_what_a_link_leads_to)
{
	char out[PATH_CAPACITY];
	symbolic("/e", "/d/below");
	cr_expect_eq(fdtable_resolve(&t, "/", 1, "e/../x", 6, out), 4);
	cr_expect_eq(memcmp(out, "/d/x", 4), 0);
}

Test(tracker, names_below_a_renamed_directory_that_was_opened_move_too)
{
	struct tracked_file *f = open_path("/d/x", 0);
	open_path("/d", 0);
	move("/d", "/e");
	cr_expect_eq(find("/e/x"), f);
	cr_expect_null(find("/d/x"));
}

Test(tracker, names_of_the_beginning_join_those_that_are_absolute)
{
	struct tracked_file *a = open_path("d/a", 0), *up = open_path("../b", 0);
	struct tracked_file *there = open_path("/data/run/d/c", 0);
	open_path("/data/run/d/a", OPEN_TRUNCATE);
	fdtable_root(&t, "/data/run", 9);
	cr_expect_eq(find("/data/run/d/a"), a);
	cr_expect_not(a->size_known);
	cr_expect_eq(find("/data/run/d/c"), there);
	cr_expect_eq(find("/data/b"), up);
	cr_assert(file_has_path(&t, a));
	cr_expect_eq(memcmp(a->path, "/data/run/d/a", 13), 0);
}

Test(tracker, a_renamed_directory_is_one_step_whatever_is_below)
{
	char path[64];
	for (int i = 0; i < 20000; i++) {
		snprintf(path, sizeof path, "/a/d/f%d", i);
		open_path(path, 0);
	}
	for (int i = 0; i < 20000; i++)
		move(i % 2 == 0 ? "/a" : "/b", i % 2 == 0 ? "/b" : "/a");
	const struct tracked_file *f = find("/a/d/f19999");
	cr_assert_not_null(f);
	cr_assert(file_has_path(&t, find("/a/d/f19999")));
	cr_expect_eq(memcmp(f->path, path, f->path_size), 0);
}

Test(tracker, a_path_that_has_become_too_long_is_not_known)
{
	char path[PATH_CAPACITY] = "/";
	memset(path + 1, 'x', PATH_CAPACITY - 2);
	struct tracked_file *f = open_path("/d/abc", 0);
	fdtable_rename(&t, "/d", 2, path, PATH_CAPACITY - 1, false);
	cr_expect_not(file_has_path(&t, f));
	cr_expect_eq(t.unnamed, 1);
}

Test(tracker, a_table_of_the_highest_descriptor_takes_a_few_kilobytes)
{
	struct fd_table *table[1000];
	const uint64_t before = t.memory;
	for (size_t i = 0; i < 1000; i++) {
		table[i] = fd_table_new(&t);
		fd_table_set(&t, table[i], FD_MAX - 1, open_description_new(&t, FD_PIPE, NULL),
			     false);
	}
	cr_expect_lt(t.memory - before, 1000 * 8192);
	for (size_t i = 0; i < 1000; i++)
		fd_table_free(&t, table[i]);
	cr_expect_eq(t.memory, before);
}

/* The expected contents of tables, by looking at everything. */
enum { MODEL_TABLES = 4, MODEL_FDS = 200 };

struct model {
	struct fd_table *table[MODEL_TABLES];
	struct open_description *open[MODEL_TABLES][MODEL_FDS];
	bool cloexec[MODEL_TABLES][MODEL_FDS];
};

static void model_step(struct model *m, unsigned a, unsigned fd, unsigned other, unsigned what)
{
	const bool cloexec = other % 3 == 0;
	const unsigned b = other % MODEL_TABLES;
	if (what < 3) {
		m->open[a][fd] = opened("a", 0);
		m->cloexec[a][fd] = cloexec;
		fd_table_set(&t, m->table[a], fd, m->open[a][fd], cloexec);
	} else if (what < 6 && m->open[a][fd] != NULL && fd != other) {
		m->open[a][other] = m->open[a][fd];
		m->cloexec[a][other] = cloexec;
		fd_table_dup(&t, m->table[a], fd, other, cloexec);
	} else if (what < 9) {
		m->open[a][fd] = NULL;
		fd_table_close(&t, m->table[a], fd);
	} else if (what < 11 && m->open[a][fd] != NULL) {
		m->cloexec[a][fd] = cloexec;
		fd_table_set_cloexec(&t, m->table[a], fd, cloexec);
	} else if (what == 11 && fd < 20 && a != b) {
		fd_table_free(&t, m->table[a]);
		m->table[a] = fd_table_copy(&t, m->table[b]);
		memcpy(m->open[a], m->open[b], sizeof m->open[a]);
		memcpy(m->cloexec[a], m->cloexec[b], sizeof m->cloexec[a]);
	} else if (what == 12 && fd < 10) {
		fd_table_exec(&t, m->table[a]);
		for (unsigned i = 0; i < MODEL_FDS; i++)
			m->open[a][i] = m->cloexec[a][i] ? NULL : m->open[a][i];
	}
}

static void model_check(const struct model *m, unsigned a, unsigned fd)
{
	unsigned same = 0, free_fd = fd;
	const struct fd_slot *slot = fd_table_get(m->table[a], fd);
	for (unsigned i = 0; i < MODEL_FDS; i++)
		same += m->open[a][fd] != NULL && m->open[a][i] == m->open[a][fd];
	while (free_fd < MODEL_FDS && m->open[a][free_fd] != NULL)
		free_fd++;
	cr_assert_eq(slot == NULL ? NULL : slot->open, m->open[a][fd]);
	cr_assert_eq(fd_table_last(m->table[a], fd), same <= 1);
	cr_assert_eq(fd_table_lowest(m->table[a], fd), free_fd);
	cr_assert_eq(fd_table_cloexec(m->table[a], fd),
		     m->open[a][fd] != NULL && m->cloexec[a][fd]);
}

Test(tracker, tables_are_what_was_done_to_them)
{
	static struct model m;
	uint32_t random = 7;
	for (unsigned i = 0; i < MODEL_TABLES; i++)
		m.table[i] = fd_table_new(&t);
	for (unsigned i = 0; i < 30000; i++) {
		random = random * 1664525 + 1013904223;
		const unsigned a = random >> 30, fd = (random >> 20 & 1023) % MODEL_FDS,
			       other = (random >> 10 & 1023) % MODEL_FDS;
		random = random * 1664525 + 1013904223;
		model_step(&m, a, fd, other, (random >> 20) % 13);
		model_check(&m, a, fd);
		model_check(&m, (a + 1) % MODEL_TABLES, other);
	}
	for (unsigned i = 0; i < MODEL_TABLES; i++)
		fd_table_free(&t, m.table[i]);
}

Test(tracker, a_copy_costs_little_until_it_changes)
{
	struct fd_table *a = fd_table_new(&t), *copy[1000];
	for (int fd = 0; fd < 10000; fd++)
		fd_table_set(&t, a, fd, open_description_new(&t, FD_PIPE, NULL), false);
	const uint64_t alone = t.memory;
	for (size_t i = 0; i < 1000; i++)
		copy[i] = fd_table_copy(&t, a);
	cr_expect_lt(t.memory, 4 * alone);
	for (size_t i = 0; i < 1000; i++)
		fd_table_free(&t, copy[i]);
	cr_expect_eq(t.memory, alone);
	fd_table_free(&t, a);
}

/* Everything that can grow, one thing at a time. */
static void grow_without_end(unsigned what, struct fd_table *table, unsigned i)
{
	char path[32];
	size_t size = (size_t)snprintf(path, sizeof path, "/a/%u", i);
	if (what == 0)
		fdtable_absent(&t, path, size);
	else if (what == 1)
		(void)fdtable_open(&t, path, size, 0);
	else if (what == 2)
		fd_table_set(&t, table, i, open_description_new(&t, FD_PIPE, NULL), false);
	else if (what == 3)
		fd_table_set(&t, table, i * FD_PAGE % FD_MAX, opened("a", 0), false);
	else
		fdtable_rename(&t, "/b", 2, path, size, false);
}

Test(tracker, memory_has_a_limit)
{
	for (unsigned what = 0; what < 5; what++) {
		struct fd_table *table = fd_table_new(&t);
		t.memory_max = 1 << 17;
		unsigned i = 0;
		while (t.status == IOT_OK && i < 1 << 16)
			grow_without_end(what, table, i++);
		cr_expect_eq(t.status, IOT_ELIMIT, "%u: %u", what, i);
		cr_expect_leq(t.memory, t.memory_max);
		t.status = IOT_OK;
		t.memory_max = FDTABLE_MEMORY_MAX;
		fd_table_free(&t, table);
		fdtable_clear(&t);
		cr_expect_eq(t.memory, 0);
	}
}

Test(tracker, descriptors_beyond_the_limit_are_not_followed)
{
	struct fd_table *a = fd_table_new(&t);
	cr_expect_null(fd_table_set(&t, a, FD_MAX, opened("a", 0), false));
	cr_expect_null(fd_table_set(&t, a, -1, opened("a", 0), false));
	cr_expect_null(fd_table_get(a, FD_MAX));
	fd_table_free(&t, a);
}

Test(tracker, a_process_learns_of_a_description_once)
{
	struct open_description *d = opened("a", 0);
	cr_expect_not(description_mark_known(&t, d, 7));
	cr_expect_not(description_mark_known(&t, d, 8));
	cr_expect_not(description_mark_known(&t, d, 9));
	cr_expect(description_mark_known(&t, d, 8));
	cr_expect(description_mark_known(&t, d, 7));
	open_description_free(&t, d);
}

static void expect_path(const char *base, const char *path, const char *want)
{
	char out[PATH_CAPACITY];
	size_t n = path_resolve(base, strlen(base), path, strlen(path), out);
	cr_expect(n == strlen(want) && memcmp(out, want, n) == 0, "%s + %s: %.*s, not %s", base,
		  path, (int)n, out, want);
}

Test(tracker, paths_are_resolved_from_their_base)
{
	expect_path("/a", "b", "/a/b");
	expect_path("/a/", "./b//c/.", "/a/b/c");
	expect_path("/a/b", "../c", "/a/c");
	expect_path("/", "../..", "/");
	expect_path("/a", "/b/../c", "/c");
	expect_path("", "a", "a");
	expect_path("", "../a", "../a");
	expect_path("..", "../a", "../../a");
	expect_path("sub", "..", ".");
	expect_path("sub", "../a", "a");
	expect_path("", ".", ".");
}

Test(tracker, a_path_without_capacity_is_not_resolved)
{
	static char name[PATH_CAPACITY + 1];
	char out[PATH_CAPACITY];
	memset(name, 'x', sizeof name);
	cr_expect_eq(path_resolve("/", 1, name, sizeof name, out), 0);
}

Test(tracker, high_descriptors_cost_little)
{
	struct fd_table *a = fd_table_new(&t);
	struct fd_slot *slot;
	fd_table_set(&t, a, FD_MAX - 1, opened("a", 0), false);
	cr_expect_eq(fd_table_next(a, 0, &slot), FD_MAX - 1);
	struct fd_table *b = fd_table_copy(&t, a);
	fd_table_free(&t, a);
	cr_expect_not_null(fd_table_get(b, FD_MAX - 1));
	cr_expect_lt(t.memory, FD_MAX / 4);
	fd_table_free(&t, b);
}

static struct fd_message *message(struct open_description *d)
{
	struct fd_message *p = fd_message_new(&t, 1, 7);
	cr_assert_not_null(p);
	p->open[0] = d;
	d->refs++;
	return p;
}

Test(tracker, what_nobody_fetches_is_forgotten)
{
	struct open_description *d = opened("a", 0);
	struct open_description *a = open_description_new(&t, FD_SOCKET, NULL),
				*b = open_description_new(&t, FD_SOCKET, NULL);
	fd_socketpair_new(&t, a, b);
	for (int i = 0; i < 5000; i++)
		cr_assert(fd_socketpair_send(&t, a, message(d)));
	cr_expect_lt(d->refs, 2000);
	fd_socketpair_take_back(&t, a, 8);
	fd_socketpair_take_back(&t, a, 7);
	cr_expect_null(fd_socketpair_receive(&t, b, 2));
	cr_expect_null(fd_socketpair_receive(&t, a, 1));
	struct fd_message *got = fd_socketpair_receive(&t, b, 1);
	cr_assert_not_null(got);
	cr_expect_eq(got->open[0], d);
	fd_message_free(&t, got);
	open_description_free(&t, b);
	cr_expect_eq(d->refs, 1);
	got = message(d);
	cr_expect_not(fd_socketpair_send(&t, a, got));
	fd_message_free(&t, got);
	open_description_free(&t, a);
	open_description_free(&t, d);
}

Test(tracker, what_was_sent_arrives_though_the_sender_is_gone)
{
	struct open_description *d = opened("a", 0);
	struct open_description *a = open_description_new(&t, FD_SOCKET, NULL),
				*b = open_description_new(&t, FD_SOCKET, NULL);
	fd_socketpair_new(&t, a, b);
	cr_assert(fd_socketpair_send(&t, a, message(d)));
	cr_assert(fd_socketpair_send(&t, a, message(d)));
	fd_socketpair_take_back(&t, a, 7);
	open_description_free(&t, a);
	struct fd_message *got = fd_socketpair_receive(&t, b, 1);
	cr_assert_not_null(got);
	fd_message_free(&t, got);
	cr_expect_null(fd_socketpair_receive(&t, b, 1));
	open_description_free(&t, b);
	open_description_free(&t, d);
}
