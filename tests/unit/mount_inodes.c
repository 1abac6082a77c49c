/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the kernel knows: lookups, names that change, and descriptors. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/mount/inodes.h"
#include "failing_malloc.h"

static char directory[] = "/tmp/iotrace-inodes-XXXXXX";
static int dir;
static struct inodes table;

static void begin(void)
{
	cr_assert_not_null(mkdtemp(directory));
	dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(dir, 0);
	cr_assert(inodes_init(&table));
}

static void end(void)
{
	static const char *const names[] = {"a", "b", "c"};
	inodes_free(&table);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		(void)unlinkat(dir, names[i], 0);
	(void)close(dir);
	(void)rmdir(directory);
}

static void make(const char *name)
{
	const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	cr_assert_geq(fd, 0);
	(void)close(fd);
}

/* Looks a name up. Stores the descriptor, which the table then owns. */
static struct inode *look_up(const char *name, int *fd)
{
	struct stat st;
	*fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	cr_assert_geq(*fd, 0);
	cr_assert_eq(fstat(*fd, &st), 0);
	return inodes_find(&table, *fd, &st);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

TestSuite(mount_inodes, .init = begin, .fini = end);

Test(mount_inodes, a_file_is_forgotten_with_its_last_lookup)
{
	int first, second;
	make("a");
	struct inode *i = look_up("a", &first);
	cr_assert_eq(look_up("a", &second), i);
	cr_expect(!is_open(second), "the table keeps one descriptor of a file");
	inodes_look_up(&table, i);
	cr_expect_eq(i->lookups, 3);
	inodes_forget(&table, i, 2);
	cr_expect(is_open(first));
	inodes_forget(&table, i, 1);
	cr_expect(!is_open(first));
}

Test(mount_inodes, more_forgotten_lookups_than_there_were_are_the_last_ones)
{
	int fd;
	make("a");
	inodes_forget(&table, look_up("a", &fd), UINT64_MAX);
	cr_expect(!is_open(fd));
	cr_expect_eq(look_up("a", &fd)->lookups, 1);
}

Test(mount_inodes, names_of_one_file_are_one_inode)
{
	int fd;
	make("a");
	make("c");
	cr_assert_eq(linkat(dir, "a", dir, "b", 0), 0);
	struct inode *i = look_up("a", &fd);
	cr_expect_eq(look_up("b", &fd), i);
	cr_expect_neq(look_up("c", &fd), i);
}

Test(mount_inodes, a_renamed_file_is_the_same_inode)
{
	int fd;
	make("a");
	make("b");
	struct inode *a = look_up("a", &fd), *b = look_up("b", &fd);
	cr_assert_eq(renameat(dir, "a", dir, "b"), 0);
	cr_expect_eq(look_up("b", &fd), a, "the name has the renamed file");
	cr_expect_eq(b->lookups, 1, "the replaced file is known until it is forgotten");
	cr_expect_eq(a->lookups, 2);
}

Test(mount_inodes, a_removed_file_keeps_its_inode_until_it_is_forgotten)
{
	struct stat st;
	int fd, new_fd;
	make("a");
	struct inode *i = look_up("a", &fd);
	cr_assert_eq(unlinkat(dir, "a", 0), 0);
	cr_assert_eq(fstat(i->fd, &st), 0);
	cr_expect_eq(st.st_ino, i->number);
	make("a");
	cr_expect_neq(look_up("a", &new_fd), i, "a file of the same name is another one");
	inodes_forget(&table, i, 1);
	cr_expect(!is_open(fd));
	cr_expect(is_open(new_fd));
}

Test(mount_inodes, many_files_are_found_again)
{
	enum { FILES = 500 };
	static struct inode *known[FILES];
	const struct inode *again;
	for (unsigned round = 0; round < 3; round++) {
		for (ino_t n = 0; n < FILES; n++) {
			const struct stat st = {.st_dev = n % 3, .st_ino = n / 3 + 1};
			known[n] = inodes_find(&table, dup(dir), &st);
			cr_assert_not_null(known[n]);
			cr_assert_eq(known[n]->lookups, 1);
		}
		for (ino_t n = 0; n < FILES; n++) {
			const struct stat st = {.st_dev = n % 3, .st_ino = n / 3 + 1};
			again = inodes_find(&table, dup(dir), &st);
			cr_assert_eq(again, known[n]);
			inodes_forget(&table, known[n], 2);
		}
	}
}

/* Lets one descriptor stay open. Returns false if files cannot be opened by handle here. */
static bool limit_to_one(void)
{
	inodes_limit(&table, dup(dir), 1);
	return table.source >= 0;
}

Test(mount_inodes, beyond_a_limit_the_oldest_descriptor_is_closed_until_it_is_used)
{
	struct stat st;
	int fd;
	make("a");
	make("b");
	if (!limit_to_one())
		return;
	struct inode *a = look_up("a", &fd), *b = look_up("b", &fd);
	cr_expect_eq(a->fd, -1);
	cr_expect(is_open(b->fd));
	inodes_use(&table, a);
	cr_assert(is_open(a->fd));
	cr_expect_eq(b->fd, -1);
	cr_assert_eq(fstat(a->fd, &st), 0);
	cr_expect_eq(st.st_ino, a->number);
	inodes_use(&table, b);
	cr_expect(is_open(a->fd), "a descriptor in use stays open");
	cr_expect(is_open(b->fd));
	inodes_leave(&table, a);
	inodes_leave(&table, b);
	cr_expect_eq(look_up("a", &fd), a);
	cr_expect_eq(a->lookups, 2);
}

Test(mount_inodes, a_lookup_finds_an_inode_whose_descriptor_was_closed)
{
	int fd;
	make("a");
	make("b");
	if (!limit_to_one())
		return;
	struct inode *a = look_up("a", &fd);
	(void)look_up("b", &fd);
	cr_assert_eq(a->fd, -1);
	cr_assert_eq(renameat(dir, "a", dir, "c"), 0);
	cr_expect_eq(look_up("c", &fd), a);
	cr_expect_eq(a->fd, fd);
	cr_expect_eq(a->lookups, 2);
	inodes_forget(&table, a, 2);
	cr_expect(!is_open(fd));
}

Test(mount_inodes, a_removed_file_is_not_one_that_has_its_number_again)
{
	int fd;
	make("a");
	make("b");
	if (!limit_to_one())
		return;
	struct inode *a = look_up("a", &fd);
	(void)look_up("b", &fd);
	cr_assert_eq(unlinkat(dir, "a", 0), 0);
	inodes_use(&table, a);
	cr_expect_eq(a->fd, -1, "the file does not exist any more");
	inodes_leave(&table, a);
	make("c"); /* most file systems give it the number that became free */
	cr_expect_neq(look_up("c", &fd), a);
}

Test(mount_inodes, without_memory_the_descriptor_is_closed)
{
	int fd;
	make("a");
	for (long at = 1;; at++) {
		failing_malloc_begin(at, false);
		const struct inode *i = look_up("a", &fd);
		failing_malloc_end();
		if (!failing_malloc_failed())
			break;
		cr_expect_null(i);
		cr_expect(!is_open(fd));
	}
	cr_expect(is_open(fd));
}
