/* SPDX-License-Identifier: BSD-2-Clause */
/* See allowlist.h. */
#include "allowlist.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/format/directive.h"

/* Keys */

static const struct key_rule trace_keys[] = {{"source", VALUE_SOURCE},
					     {"command", VALUE_COMMAND},
					     {"host", VALUE_HOST},
					     {"user", VALUE_USER},
					     {"epoch", VALUE_EPOCH},
					     {"lacks", VALUE_LACKS},
					     {"layer", VALUE_KEYWORD},
					     {"lengths", VALUE_KEYWORD},
					     {"clocks", VALUE_KEYWORD},
					     {"precision", VALUE_KEYWORD},
					     {"epoch-precision", VALUE_KEYWORD},
					     {"form", VALUE_KEYWORD},
					     {"log-format", VALUE_VERSION},
					     {"ranks", VALUE_NUMBER},
					     {"cpu-step", VALUE_NUMBER},
					     {"interval", VALUE_SPAN},
					     {"seen", VALUE_KEYWORD},
					     {"stdio", VALUE_KEYWORD},
					     {NULL, VALUE_NUMBER}};
static const struct key_rule process_keys[] = {
    {"id", VALUE_PROCESS},     {"name", VALUE_NAME},   {"parent", VALUE_PROCESS},
    {"host", VALUE_HOST},      {"rank", VALUE_NUMBER}, {"thread-of", VALUE_PROCESS},
    {"traced", VALUE_KEYWORD}, {"why", VALUE_REASON},  {NULL, VALUE_NUMBER}};
static const struct key_rule file_keys[] = {
    {"process", VALUE_PROCESS},  {"id", VALUE_FILE},       {"object", VALUE_OBJECT},
    {"path", VALUE_PATH},        {"kind", VALUE_KIND},     {"offset", VALUE_KNOWN},
    {"completion", VALUE_KNOWN}, {"cpu", VALUE_KNOWN},     {"start", VALUE_KNOWN},
    {"layer", VALUE_KEYWORD},    {"fs", VALUE_FILESYSTEM}, {"mount", VALUE_PATH},
    {NULL, VALUE_NUMBER}};
static const struct key_rule op_keys[] = {{"name", VALUE_OPERATION}, {"time", VALUE_TIME},
					  {"took", VALUE_TOOK},      {"process", VALUE_PROCESS},
					  {"file", VALUE_FILE},      {"path", VALUE_PATH},
					  {"to", VALUE_PATH},        {"result", VALUE_RESULT},
					  {"size", VALUE_SIZE},      {NULL, VALUE_NUMBER}};
static const struct key_rule counter_keys[] = {{"source", VALUE_SOURCE}, {"time", VALUE_TIME},
					       {"took", VALUE_TOOK},     {"process", VALUE_PROCESS},
					       {"file", VALUE_FILE},     {"path", VALUE_PATH},
					       {"object", VALUE_OBJECT}, {"rank", VALUE_NUMERIC},
					       {"part", VALUE_NUMBER},   {NULL, VALUE_NUMBER}};
static const struct key_rule lost_keys[] = {
    {"time", VALUE_TIME},     {"took", VALUE_TOOK},      {"process", VALUE_PROCESS},
    {"file", VALUE_FILE},     {"records", VALUE_NUMBER}, {"bytes", VALUE_NUMBER},
    {"why", VALUE_REASON},    {"source", VALUE_SOURCE},  {"host", VALUE_HOST},
    {"target", VALUE_TARGET}, {"job", VALUE_JOB},        {NULL, VALUE_NUMBER}};
static const struct key_rule sample_keys[] = {{"time", VALUE_TIME},
					      {"took", VALUE_TOOK},
					      {"source", VALUE_SOURCE},
					      {"host", VALUE_HOST},
					      {"target", VALUE_TARGET},
					      {"job", VALUE_JOB},
					      {"jobid", VALUE_JOB},
					      {"read-bytes", VALUE_SIZE},
					      {"written-bytes", VALUE_SIZE},
					      {"reads", VALUE_NUMBER},
					      {"writes", VALUE_NUMBER},
					      {"requests", VALUE_NUMBER},
					      {"opens", VALUE_NUMBER},
					      {"closes", VALUE_NUMBER},
					      {"readdirs", VALUE_NUMBER},
					      {"creates", VALUE_NUMBER},
					      {"inode-updates", VALUE_NUMBER},
					      {"read-ns", VALUE_SPAN},
					      {"write-ns", VALUE_SPAN},
					      {"busy-ns", VALUE_SPAN},
					      {"queue-ns", VALUE_SPAN},
					      {"gap", VALUE_NUMBER},
					      {"reset", VALUE_NUMBER},
					      {"doubtful", VALUE_NUMBER},
					      {NULL, VALUE_NUMBER}};
/* Keys of unknown directives that are replaced if the directives are kept. */
static const struct key_rule other_keys[] = {
    {"time", VALUE_TIME},      {"took", VALUE_TOOK},         {"process", VALUE_PROCESS},
    {"parent", VALUE_PROCESS}, {"file", VALUE_FILE},         {"path", VALUE_PATH},
    {"object", VALUE_OBJECT},  {"thread-of", VALUE_PROCESS}, {"host", VALUE_HOST},
    {"user", VALUE_USER},      {"command", VALUE_COMMAND},   {"to", VALUE_PATH},
    {NULL, VALUE_NUMBER}};

static const struct key_rule *keys_of(uint32_t kind)
{
	switch (kind) {
	case IOT_TRACE:
		return trace_keys;
	case IOT_PROCESS:
		return process_keys;
	case IOT_FILE:
		return file_keys;
	case IOT_OP:
		return op_keys;
	case IOT_COUNTER:
		return counter_keys;
	case IOT_LOST:
		return lost_keys;
	case ALLOWLIST_SAMPLE:
		return sample_keys;
	default:
		return other_keys;
	}
}

const struct key_rule *allowlist_key(uint32_t kind, struct iot_text name)
{
	const struct key_rule *keys = keys_of(kind);
	for (; keys->name != NULL; keys++)
		if (text_equals(name, keys->name))
			return keys;
	return NULL;
}

/* Words, separated by blanks */

static const char sources[] =
    "strace darshan recorder procstat iotrace POSIX MPI-IO MPIIO STDIO LUSTRE HEATMAP H5F"
    " H5D BG/Q DXT DXT_POSIX DXT_MPIIO PNETCDF APMPI PNETCDF_FILE PNETCDF_VAR MDHIM APXC"
    " DFS DAOS record kernel blkparse blktrace bpftrace csv dftracer diskstats fio iostat"
    " libcachesim lustre mmpmon mountstats perf sadf sample samples-csv";
static const char operations[] =
    "open create close stat access unlink rmdir rename exchange link symlink readlink mkdir mknod"
    " truncate allocate fsync sync msync readdir statfs chmod chown utime lock flock fcntl"
    " ioctl seek mmap munmap dup pipe socket connect accept exec exit fork chdir getxattr"
    " setxattr listxattr removexattr advise flush remove opendir closedir lseek fdatasync discard"
    " delete read write";
static const char lacking[] =
    "start completion cpu offset operations creates created results asynchronous"
    " processes";
/* Layers, lengths, clocks and their precision, as converters declare them. */
static const char terms[] =
    "posix mpiio posix,mpiio requested rank-0 per-rank each-rank-from-its-own-start 1ns"
    " 238ns 100us 1s log text no calls syscalls";

/* Kinds of files that are not regular ones, as converters write them, and of physical records. */
static const char kinds[] = "disk directory pipe socket tty device memfd other";
static const char filesystems[] =
    "9p afs autofs beegfs btrfs ceph cifs dvs exfat ext2 ext3 ext4 f2fs fuse gfs2 glusterfs"
    " gpfs hfs jfs lustre nfs nfs4 ntfs ocfs2 orangefs overlay panfs proc pvfs2 ramfs"
    " reiserfs rootfs smb3 squashfs sysfs tmpfs vfat virtiofs wekafs xfs zfs";
/* Reasons that commands write: the why= of a %lost, or of a %process with traced=no. */
static const char reasons[] = "interrupted truncated damaged dropped killed unsent static setuid"
			      " elfclass musl cleared-environment unknown clock reset unreadable";

static const char known[] = "known unknown";

static bool is_one_of(struct iot_text t, const char *words)
{
	size_t n;
	for (; (n = strcspn(words, " ")) > 0; words += n + (words[n] == ' '))
		if (n == t.size && memcmp(words, t.data, n) == 0)
			return true;
	return false;
}

static bool is_version(struct iot_text t)
{
	enum { VERSION_MAX = 16 };
	for (size_t i = 0; i < t.size; i++)
		if (t.data[i] != '.' && (t.data[i] < '0' || t.data[i] > '9'))
			return false;
	return t.size > 0 && t.size <= VERSION_MAX;
}

static const char *skip_sign(const char *p, const char *end)
{
	return p + (p < end && (*p == '+' || *p == '-'));
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* [0-9]+[.[0-9]*] or .[0-9]+; returns NULL without a digit. */
static const char *skip_decimal(const char *p, const char *end)
{
	const char *whole = skip_digits(p, end);
	const bool point = whole < end && *whole == '.';
	const char *part = skip_digits(whole + point, end);
	return part - p > point ? part : NULL;
}

/* One number, as integers and doubles are printed: [+-]1234.5678e-09. */
static bool is_one_numeric(const char *p, const char *end)
{
	enum { NUMERIC_MAX = 32 };
	static const char words[] = "inf -inf nan -nan";
	const struct iot_text all = {p, (size_t)(end - p)};
	if (all.size > NUMERIC_MAX)
		return false;
	p = skip_decimal(skip_sign(p, end), end);
	if (p != NULL && p < end && *p == 'e') {
		const char *exponent = skip_sign(p + 1, end);
		p = skip_digits(exponent, end);
		p = p > exponent ? p : NULL;
	}
	return p == end || is_one_of(all, words);
}

static bool is_numeric(struct iot_text t)
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

/* Errors of Linux that programs see, and errors of the kernel that strace shows. */
static const char errnos[] =
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADCOOKIE"
    " EBADE EBADF EBADFD EBADHANDLE EBADMSG EBADR EBADRQC EBADSLT EBADTYPE EBFONT EBUSY"
    " ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK"
    " EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON"
    " EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EIOCBQUEUED EISCONN EISDIR EISNAM EJUKEBOX"
    " EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD"
    " ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP"
    " ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI"
    " ENODATA ENODEV ENOENT ENOEXEC ENOIOCTLCMD ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM"
    " ENOMSG ENONET ENOPARAM ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN"
    " ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTSUPP ENOTSYNC ENOTTY"
    " ENOTUNIQ ENXIO EOPENSTALE EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE"
    " EPROBE_DEFER EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE ERECALLCONFLICT EREMCHG EREMOTE"
    " EREMOTEIO ERESTART ERESTARTNOHAND ERESTARTNOINTR ERESTARTSYS ERESTART_RESTARTBLOCK"
    " ERFKILL EROFS ESERVERFAULT ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE"
    " ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETOOSMALL ETXTBSY EUCLEAN EUNATCH EUSERS"
    " EWOULDBLOCK EXDEV EXFULL";

static bool is_number(struct iot_text t)
{
	uint64_t value;
	return number_decimal(t.data, t.size, &value);
}

bool allowlist_has(enum value_type type, struct iot_text t)
{
	static const char *const words[] = {
	    [VALUE_SOURCE] = sources,         [VALUE_LACKS] = lacking, [VALUE_KEYWORD] = terms,
	    [VALUE_OPERATION] = operations,   [VALUE_KNOWN] = known,   [VALUE_KIND] = kinds,
	    [VALUE_FILESYSTEM] = filesystems, [VALUE_REASON] = reasons};
	if (type < sizeof words / sizeof *words && words[type] != NULL)
		return is_one_of(t, words[type]);
	if (type == VALUE_NUMERIC)
		return is_numeric(t);
	if (type == VALUE_VERSION)
		return is_version(t);
	return is_number(t) || (type == VALUE_RESULT && is_one_of(t, errnos));
}
