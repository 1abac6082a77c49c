/* SPDX-License-Identifier: BSD-2-Clause */
/* See allowlist.h. */
#include "allowlist.h"

#include <stdlib.h>
#include <string.h>

#include "lib/format/directive.h"

static const char *const sources[] = {
    "strace", "darshan",   "recorder",  "procstat", "iotrace", "POSIX",        "MPI-IO",
    "MPIIO",  "STDIO",     "LUSTRE",    "HEATMAP",  "H5F",     "H5D",          "BG/Q",
    "DXT",    "DXT_POSIX", "DXT_MPIIO", "PNETCDF",  "APMPI",   "PNETCDF_FILE", "PNETCDF_VAR",
    "MDHIM",  "APXC",      "DFS",       "DAOS",     NULL};
static const char *const operations[] = {
    "open",        "create", "close",   "stat",     "access",   "unlink",   "rmdir",
    "rename",      "link",   "symlink", "readlink", "mkdir",    "mknod",    "truncate",
    "allocate",    "fsync",  "sync",    "msync",    "readdir",  "statfs",   "chmod",
    "chown",       "utime",  "lock",    "flock",    "fcntl",    "ioctl",    "seek",
    "mmap",        "munmap", "dup",     "pipe",     "socket",   "connect",  "accept",
    "exec",        "exit",   "fork",    "chdir",    "getxattr", "setxattr", "listxattr",
    "removexattr", "advise", "flush",   "remove",   "opendir",  "closedir", NULL};
static const char *const lacking[] = {"start", "completion", "cpu", "offset", NULL};
/* Layers, lengths, clocks and their precision, as converters declare them. */
static const char *const terms[] = {"posix",
				    "mpiio",
				    "posix,mpiio",
				    "requested",
				    "rank-0",
				    "per-rank",
				    "each-rank-from-its-own-start",
				    "1ns",
				    "238ns",
				    "100us",
				    "1s",
				    "log",
				    "text",
				    NULL};

/* Kinds of files that are not regular ones, as converters write them, and of physical records. */
static const char *const kinds[] = {"disk",   "directory", "pipe",  "socket", "tty",
				    "device", "memfd",     "other", NULL};
static const char *const filesystems[] = {
    "9p",   "afs",      "autofs", "beegfs",   "btrfs",  "ceph",  "cifs",      "dvs",     "exfat",
    "ext2", "ext3",     "ext4",   "f2fs",     "fuse",   "gfs2",  "glusterfs", "gpfs",    "hfs",
    "jfs",  "lustre",   "nfs",    "nfs4",     "ntfs",   "ocfs2", "orangefs",  "overlay", "panfs",
    "proc", "pvfs2",    "ramfs",  "reiserfs", "rootfs", "smb3",  "squashfs",  "sysfs",   "tmpfs",
    "vfat", "virtiofs", "wekafs", "xfs",      "zfs",    NULL};
/* Reasons that commands write: see trace_in_mark_lost. */
static const char *const reasons[] = {"interrupted", "truncated", "damaged", NULL};

static bool is_one_of(struct iot_text t, const char *const *words)
{
	for (; *words != NULL; words++)
		if (text_equals(t, *words))
			return true;
	return false;
}

bool allowlist_is_source(struct iot_text t)
{
	return is_one_of(t, sources);
}

bool allowlist_is_operation(struct iot_text t)
{
	return is_one_of(t, operations);
}

bool allowlist_is_missing(struct iot_text t)
{
	return is_one_of(t, lacking);
}

bool allowlist_is_keyword(struct iot_text t)
{
	return is_one_of(t, terms);
}

bool allowlist_is_kind(struct iot_text t)
{
	return is_one_of(t, kinds);
}

bool allowlist_is_filesystem(struct iot_text t)
{
	return is_one_of(t, filesystems);
}

bool allowlist_is_reason(struct iot_text t)
{
	return is_one_of(t, reasons);
}

bool allowlist_is_version(struct iot_text t)
{
	enum { VERSION_MAX = 16 };
	for (size_t i = 0; i < t.size; i++)
		if (t.data[i] != '.' && (t.data[i] < '0' || t.data[i] > '9'))
			return false;
	return t.size > 0 && t.size <= VERSION_MAX;
}

/* One number, as integers and doubles are printed: [+-]1234.5678e-09. */
static bool is_one_numeric(const char *p, const char *end)
{
	enum { NUMERIC_MAX = 32 };
	static const char *const words[] = {"inf", "-inf", "nan", "-nan", NULL};
	const struct iot_text all = {p, (size_t)(end - p)};
	size_t digits = 0;
	if (all.size > NUMERIC_MAX)
		return false;
	p += p < end && (*p == '+' || *p == '-');
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9'; p++)
			digits++;
	if (digits > 0 && p < end && *p == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		for (digits = 0; p < end && *p >= '0' && *p <= '9'; p++)
			digits++;
	}
	return (digits > 0 && p == end) || is_one_of(all, words);
}

bool allowlist_is_numeric(struct iot_text t)
{
	const char *p = t.data, *const end = p + t.size;
	for (;;) {
		const char *comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
		if (!is_one_numeric(p, comma != NULL ? comma : end))
			return false;
		if (comma == NULL)
			return true;
		p = comma + 1;
	}
}

/* Errors of Linux: those that programs see, and those of the kernel that strace shows. */
static const char *const errnos[] = {
    "E2BIG",
    "EACCES",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "EADV",
    "EAFNOSUPPORT",
    "EAGAIN",
    "EALREADY",
    "EBADCOOKIE",
    "EBADE",
    "EBADF",
    "EBADFD",
    "EBADHANDLE",
    "EBADMSG",
    "EBADR",
    "EBADRQC",
    "EBADSLT",
    "EBADTYPE",
    "EBFONT",
    "EBUSY",
    "ECANCELED",
    "ECHILD",
    "ECHRNG",
    "ECOMM",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EDEADLK",
    "EDEADLOCK",
    "EDESTADDRREQ",
    "EDOM",
    "EDOTDOT",
    "EDQUOT",
    "EEXIST",
    "EFAULT",
    "EFBIG",
    "EHOSTDOWN",
    "EHOSTUNREACH",
    "EHWPOISON",
    "EIDRM",
    "EILSEQ",
    "EINPROGRESS",
    "EINTR",
    "EINVAL",
    "EIO",
    "EIOCBQUEUED",
    "EISCONN",
    "EISDIR",
    "EISNAM",
    "EJUKEBOX",
    "EKEYEXPIRED",
    "EKEYREJECTED",
    "EKEYREVOKED",
    "EL2HLT",
    "EL2NSYNC",
    "EL3HLT",
    "EL3RST",
    "ELIBACC",
    "ELIBBAD",
    "ELIBEXEC",
    "ELIBMAX",
    "ELIBSCN",
    "ELNRNG",
    "ELOOP",
    "EMEDIUMTYPE",
    "EMFILE",
    "EMLINK",
    "EMSGSIZE",
    "EMULTIHOP",
    "ENAMETOOLONG",
    "ENAVAIL",
    "ENETDOWN",
    "ENETRESET",
    "ENETUNREACH",
    "ENFILE",
    "ENOANO",
    "ENOBUFS",
    "ENOCSI",
    "ENODATA",
    "ENODEV",
    "ENOENT",
    "ENOEXEC",
    "ENOIOCTLCMD",
    "ENOKEY",
    "ENOLCK",
    "ENOLINK",
    "ENOMEDIUM",
    "ENOMEM",
    "ENOMSG",
    "ENONET",
    "ENOPARAM",
    "ENOPKG",
    "ENOPROTOOPT",
    "ENOSPC",
    "ENOSR",
    "ENOSTR",
    "ENOSYS",
    "ENOTBLK",
    "ENOTCONN",
    "ENOTDIR",
    "ENOTEMPTY",
    "ENOTNAM",
    "ENOTRECOVERABLE",
    "ENOTSOCK",
    "ENOTSUP",
    "ENOTSUPP",
    "ENOTSYNC",
    "ENOTTY",
    "ENOTUNIQ",
    "ENXIO",
    "EOPENSTALE",
    "EOPNOTSUPP",
    "EOVERFLOW",
    "EOWNERDEAD",
    "EPERM",
    "EPFNOSUPPORT",
    "EPIPE",
    "EPROBE_DEFER",
    "EPROTO",
    "EPROTONOSUPPORT",
    "EPROTOTYPE",
    "ERANGE",
    "ERECALLCONFLICT",
    "EREMCHG",
    "EREMOTE",
    "EREMOTEIO",
    "ERESTART",
    "ERESTARTNOHAND",
    "ERESTARTNOINTR",
    "ERESTARTSYS",
    "ERESTART_RESTARTBLOCK",
    "ERFKILL",
    "EROFS",
    "ESERVERFAULT",
    "ESHUTDOWN",
    "ESOCKTNOSUPPORT",
    "ESPIPE",
    "ESRCH",
    "ESRMNT",
    "ESTALE",
    "ESTRPIPE",
    "ETIME",
    "ETIMEDOUT",
    "ETOOMANYREFS",
    "ETOOSMALL",
    "ETXTBSY",
    "EUCLEAN",
    "EUNATCH",
    "EUSERS",
    "EWOULDBLOCK",
    "EXDEV",
    "EXFULL",
};

static int by_name(const void *key, const void *element)
{
	const struct iot_text *name = key;
	const char *word = *(const char *const *)element;
	const size_t n = strlen(word);
	const int order = memcmp(name->data, word, name->size < n ? name->size : n);
	return order != 0 ? order : name->size < n ? -1 : name->size > n;
}

bool allowlist_is_errno(struct iot_text t)
{
	const size_t count = sizeof errnos / sizeof *errnos;
	return t.size > 0 && bsearch(&t, errnos, count, sizeof *errnos, by_name) != NULL;
}
