/* SPDX-License-Identifier: BSD-2-Clause */
/* The file systems of the roots. */
#include <sys/stat.h>
#include <sys/vfs.h>

#include "walk_internal.h"

/* statfs(2) has these numbers; not all are in <linux/magic.h>. */
static const uint32_t remote_types[] = {
    0x6969,     /* NFS */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB2 */
    0x00c36400, /* Ceph */
    0x19830326, /* BeeGFS */
    0x65735546, /* FUSE: often over a network */
    0x01021997, /* 9P */
    0x5346414f, /* AFS */
};

/* Servers have an order of their own, and the inodes of different servers are mixed. */
bool walk_sorts(const struct walk_options *o, int fd)
{
	struct statfs st;
	if (o->order != WALK_ORDER_DEFAULT || fstatfs(fd, &st) != 0)
		return o->order == WALK_ORDER_INODE;
	for (size_t i = 0; i < sizeof remote_types / sizeof *remote_types; i++)
		if ((uint32_t)st.f_type == remote_types[i])
			return false;
	return true;
}

static bool is_same_device(int a, int b)
{
	struct stat of[2];
	return fstat(a, &of[0]) == 0 && fstat(b, &of[1]) == 0 && of[0].st_dev == of[1].st_dev;
}

void walk_add_space(struct fs_survey *s, const int *fds, size_t count)
{
	s->knows_space = true;
	for (size_t i = 0; i < count; i++) {
		struct statfs st;
		bool repeated = false;
		for (size_t j = 0; j < i; j++)
			repeated |= is_same_device(fds[i], fds[j]);
		if (repeated)
			continue;
		s->knows_space &= fstatfs(fds[i], &st) == 0;
		if (!s->knows_space)
			return;
		s->space += (uint64_t)st.f_blocks * (uint64_t)st.f_frsize;
		s->space_used += (uint64_t)(st.f_blocks - st.f_bfree) * (uint64_t)st.f_frsize;
	}
}
