/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on names, attributes and space: operations without data. */
#include <errno.h>
#include <linux/fs.h>
#include <sys/mman.h>

#include "paths.h"
#include "stub_calls.h"

/* Which arguments name the file. */
enum naming {
	NO_FORM, /* not an operation */
	WHOLE,   /* no file */
	ON_FD,
	ON_PATH,
	ON_PATH_AT,     /* a directory and a path */
	ON_PATH_OR_FD,  /* ... or with AT_EMPTY_PATH the descriptor; flags in argument 3 */
	ON_STATX,       /* ... flags in argument 2 */
	ON_PATHS,       /* two paths */
	ON_PATHS_AT,    /* two directories with a path each */
	ON_SECOND_PATH, /* the first is the text of a symbolic link */
	ON_SECOND_PATH_AT,
};

struct named_call {
	uint8_t op, form;
};

#define O(name, form)                                                                              \
	{                                                                                          \
		RECORD_OP_##name, form                                                             \
	}

static const struct named_call operations[STUB_NUMBERS] = {
    [SYS_fsync] = O(FSYNC, ON_FD),
    [SYS_fdatasync] = O(FSYNC, ON_FD),
    [SYS_sync_file_range] = O(FSYNC, ON_FD),
    [SYS_sync] = O(SYNC, WHOLE),
    [SYS_syncfs] = O(SYNC, ON_FD),
    [SYS_msync] = O(MSYNC, WHOLE),
    [SYS_fallocate] = O(ALLOCATE, ON_FD),
    [SYS_fadvise64] = O(ADVISE, ON_FD),
    [SYS_readahead] = O(READAHEAD, ON_FD),
    [SYS_flock] = O(LOCK, ON_FD),
    [SYS_ftruncate] = O(TRUNCATE, ON_FD),
    [SYS_truncate] = O(TRUNCATE, ON_PATH),
    [SYS_stat] = O(STAT, ON_PATH),
    [SYS_lstat] = O(STAT, ON_PATH),
    [SYS_fstat] = O(STAT, ON_FD),
    [SYS_newfstatat] = O(STAT, ON_PATH_OR_FD),
    [SYS_statx] = O(STAT, ON_STATX),
    [SYS_access] = O(ACCESS, ON_PATH),
    [SYS_faccessat] = O(ACCESS, ON_PATH_AT),
    [SYS_faccessat2] = O(ACCESS, ON_PATH_AT),
    [SYS_rename] = O(RENAME, ON_PATHS),
    [SYS_renameat] = O(RENAME, ON_PATHS_AT),
    [SYS_renameat2] = O(RENAME, ON_PATHS_AT),
    [SYS_link] = O(LINK, ON_PATHS),
    [SYS_linkat] = O(LINK, ON_PATHS_AT),
    [SYS_symlink] = O(SYMLINK, ON_SECOND_PATH),
    [SYS_symlinkat] = O(SYMLINK, ON_SECOND_PATH_AT),
    [SYS_readlink] = O(READLINK, ON_PATH),
    [SYS_readlinkat] = O(READLINK, ON_PATH_AT),
    [SYS_unlink] = O(UNLINK, ON_PATH),
    [SYS_unlinkat] = O(UNLINK, ON_PATH_AT),
    [SYS_rmdir] = O(RMDIR, ON_PATH),
    [SYS_mkdir] = O(MKDIR, ON_PATH),
    [SYS_mkdirat] = O(MKDIR, ON_PATH_AT),
    [SYS_mknod] = O(MKNOD, ON_PATH),
    [SYS_mknodat] = O(MKNOD, ON_PATH_AT),
    [SYS_chmod] = O(CHMOD, ON_PATH),
    [SYS_fchmod] = O(CHMOD, ON_FD),
    [SYS_fchmodat] = O(CHMOD, ON_PATH_AT),
    [SYS_chown] = O(CHOWN, ON_PATH),
    [SYS_lchown] = O(CHOWN, ON_PATH),
    [SYS_fchown] = O(CHOWN, ON_FD),
    [SYS_fchownat] = O(CHOWN, ON_PATH_AT),
    [SYS_utime] = O(UTIME, ON_PATH),
    [SYS_utimes] = O(UTIME, ON_PATH),
    [SYS_futimesat] = O(UTIME, ON_PATH_AT),
    [SYS_utimensat] = O(UTIME, ON_PATH_AT),
    [SYS_statfs] = O(STATFS, ON_PATH),
    [SYS_fstatfs] = O(STATFS, ON_FD),
    [SYS_getdents] = O(READDIR, ON_FD),
    [SYS_getdents64] = O(READDIR, ON_FD),
    [SYS_getxattr] = O(XATTR, ON_PATH),
    [SYS_lgetxattr] = O(XATTR, ON_PATH),
    [SYS_fgetxattr] = O(XATTR, ON_FD),
    [SYS_setxattr] = O(XATTR, ON_PATH),
    [SYS_lsetxattr] = O(XATTR, ON_PATH),
    [SYS_fsetxattr] = O(XATTR, ON_FD),
    [SYS_listxattr] = O(XATTR, ON_PATH),
    [SYS_llistxattr] = O(XATTR, ON_PATH),
    [SYS_flistxattr] = O(XATTR, ON_FD),
    [SYS_removexattr] = O(XATTR, ON_PATH),
    [SYS_lremovexattr] = O(XATTR, ON_PATH),
    [SYS_fremovexattr] = O(XATTR, ON_FD),
    [SYS_chdir] = O(CHDIR, WHOLE),
    [SYS_fchdir] = O(CHDIR, WHOLE),
    [SYS_mmap] = O(MMAP, ON_FD),
    [SYS_ioctl] = O(CLONE, ON_FD),
};

#undef O

stub_mapped *stub_code_mapped;

static const char *path_at(const struct stub_frame *f, int argument)
{
	return (const char *)f->argument[argument];
}

/* Says what the call is about, before it is made: paths are read afterwards. */
static void describe(struct operation_call *o, const struct stub_frame *f, enum naming form)
{
	switch (form) {
	case ON_FD:
		operation_on(o, (int)f->argument[f->number == SYS_mmap ? 4 : 0]);
		break;
	case ON_PATH:
		operation_on_path(o, AT_FDCWD, path_at(f, 0));
		break;
	case ON_PATH_AT:
	case ON_PATH_OR_FD:
	case ON_STATX:
		operation_on_path(o, stub_fd(f), path_at(f, 1));
		break;
	case ON_PATHS:
		operation_on_path(o, AT_FDCWD, path_at(f, 0));
		o->event.to = path_at(f, 1);
		break;
	case ON_PATHS_AT:
		operation_on_path(o, stub_fd(f), path_at(f, 1));
		o->event.to_directory = (int)f->argument[2];
		o->event.to = path_at(f, 3);
		break;
	case ON_SECOND_PATH:
		operation_on_path(o, AT_FDCWD, path_at(f, 1));
		break;
	case ON_SECOND_PATH_AT:
		operation_on_path(o, (int)f->argument[1], path_at(f, 2));
		break;
	default:
		break;
	}
}

/* What only the result allows to say: the kernel has read the path. */
static void describe_after(struct operation_call *o, const struct stub_frame *f, enum naming form,
			   long result)
{
	const char *const path = o->event.path;
	const long flags = f->argument[form == ON_STATX ? 2 : 3];
	if ((form == ON_PATH_OR_FD || form == ON_STATX) && (flags & AT_EMPTY_PATH) != 0 &&
	    result != -EFAULT && (path == NULL || *path == '\0')) {
		operation_on(o, stub_fd(f));
		o->event.path = NULL;
	} else if (o->event.op == RECORD_OP_CHDIR && result == 0) {
		paths_update_directory();
		o->event.path = paths_directory();
	} else if (o->event.op == RECORD_OP_MMAP && result >= 0) {
		recording_count(RECORD_COUNTER_MMAP, 1);
		if ((f->argument[2] & PROT_EXEC) != 0 && stub_code_mapped != NULL)
			stub_code_mapped((uint64_t)result, (int)f->argument[4],
					 (uint64_t)f->argument[5]);
	}
}

/* Returns whether the call makes code of memory that is not a file: the program may generate it. */
static bool makes_code(const struct stub_frame *f)
{
	if ((f->argument[2] & PROT_EXEC) == 0)
		return false;
	return f->number == SYS_mprotect || f->number == SYS_pkey_mprotect ||
	       (f->number == SYS_mmap && (f->argument[3] & MAP_ANONYMOUS) != 0);
}

static bool is_recorded(const struct stub_frame *f)
{
	const long request = f->argument[1];
	if (f->number == SYS_mmap)
		return (int)f->argument[4] >= 0 && (f->argument[3] & MAP_ANONYMOUS) == 0;
	return f->number != SYS_ioctl || request == FICLONE || request == FICLONERANGE;
}

long stub_operation(const struct stub_frame *f)
{
	const enum naming form = (enum naming)operations[f->number].form;
	enum record_op op = (enum record_op)operations[f->number].op;
	struct operation_call o;
	if (f->number == SYS_unlinkat && (f->argument[2] & AT_REMOVEDIR) != 0)
		op = RECORD_OP_RMDIR;
	else if (f->number == SYS_renameat2 && (f->argument[4] & RENAME_EXCHANGE) != 0)
		op = RECORD_OP_EXCHANGE;
	if (makes_code(f) && thread_here() != NULL)
		recording_count(RECORD_COUNTER_CODE, 1);
	if (form == NO_FORM || !is_recorded(f) || !operation_begin_of(&o, thread_here(), op))
		return stub_pass(f);
	describe(&o, f, form);
	if (op == RECORD_OP_TRUNCATE)
		o.event.size = f->argument[1];
	const long result = stub_pass(f);
	describe_after(&o, f, form, result);
	operation_returns(&o, op == RECORD_OP_MMAP && result > 0 ? 0 : result);
	return result;
}
