/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ui/message.h"

/* Locks are left to the kernel: a thread that waited for one could not serve its release. */
const struct fuse_lowlevel_ops mount_operations = {
    .lookup = fs_lookup,
    .forget = fs_forget,
    .forget_multi = fs_forget_multi,
    .getattr = fs_getattr,
    .setattr = fs_setattr,
    .readlink = fs_readlink,
    .mknod = fs_mknod,
    .mkdir = fs_mkdir,
    .unlink = fs_unlink,
    .rmdir = fs_rmdir,
    .symlink = fs_symlink,
    .rename = fs_rename,
    .link = fs_link,
    .open = fs_open,
    .read = fs_read,
    .write = fs_write,
    .flush = fs_flush,
    .release = fs_release,
    .fsync = fs_fsync,
    .opendir = fs_opendir,
    .readdir = fs_readdir,
    .readdirplus = fs_readdirplus,
    .releasedir = fs_releasedir,
    .fsyncdir = fs_fsyncdir,
    .statfs = fs_statfs,
    .setxattr = fs_setxattr,
    .getxattr = fs_getxattr,
    .listxattr = fs_listxattr,
    .removexattr = fs_removexattr,
    .create = fs_create,
    .fallocate = fs_fallocate,
    .copy_file_range = fs_copy_file_range,
    .lseek = fs_lseek,
};

static void print_log(enum fuse_log_level level, const char *format, va_list arguments)
{
	char text[1024];
	if (level > FUSE_LOG_ERR)
		return;
	(void)vsnprintf(text, sizeof(text), format, arguments);
	text[strcspn(text, "\n")] = '\0';
	message_print("%s", text);
}

static void *serve(void *session)
{
	struct session *s = session;
	const uint64_t one = 1;
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	if (config != NULL) {
		fuse_loop_cfg_set_clone_fd(config, 1);
		fuse_loop_cfg_set_max_threads(config, s->threads);
		fuse_loop_cfg_set_idle_threads(config, s->threads);
		(void)fuse_session_loop_mt(s->m->session, config);
		fuse_loop_cfg_destroy(config);
	}
	(void)!write(s->ended, &one, sizeof(one));
	return NULL;
}

/* Does nothing but interrupt the system call in which a thread waits. */
static void wake(int number)
{
	(void)number;
}

static void receive_wakes(void)
{
	struct sigaction action;
	sigset_t set;
	memset(&action, 0, sizeof(action));
	action.sa_handler = wake;
	(void)sigaction(SIGURG, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static bool new_session(struct mount *m)
{
	char options[PATH_MAX + 128];
	(void)snprintf(options, sizeof(options), "-odefault_permissions,subtype=iotrace%s",
		       m->as_root ? ",allow_other" : "");
	char *arguments[] = {"iotrace", options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, arguments);
	m->session = fuse_session_new(&args, &mount_operations, sizeof(mount_operations), m);
	fuse_opt_free_args(&args);
	return m->session != NULL;
}

bool session_start(struct session *s, struct mount *m, unsigned threads)
{
	*s = (struct session){.m = m, .ended = eventfd(0, EFD_CLOEXEC), .threads = threads};
	fuse_set_log_func(print_log);
	if (s->ended < 0 || !new_session(m)) {
		message_print("the file system cannot be set up");
		return false;
	}
	if (fuse_session_mount(m->session, m->point) != 0) {
		message_print_about(m->point, "cannot be mounted: this needs /dev/fuse, and root "
					      "or fusermount3; in a container: --device /dev/fuse "
					      "--cap-add SYS_ADMIN");
		return false;
	}
	s->mounted = true;
	receive_wakes();
	errno = pthread_create(&s->thread, NULL, serve, s);
	if (errno == 0)
		return true;
	message_print("no thread for requests: %s", strerror(errno));
	fuse_session_unmount(m->session);
	s->mounted = false;
	return false;
}

void session_end(struct session *s)
{
	if (s->mounted) {
		const struct timespec pause = {.tv_nsec = 1000000};
		fuse_session_exit(s->m->session);
		while (pthread_tryjoin_np(s->thread, NULL) != 0) {
			(void)pthread_kill(s->thread, SIGURG);
			(void)nanosleep(&pause, NULL);
		}
		fuse_session_unmount(s->m->session);
	}
	if (s->m->session != NULL)
		fuse_session_destroy(s->m->session);
	if (s->ended >= 0)
		(void)close(s->ended);
}

static int unmount_as_user(const char *point)
{
	int status = 0;
	const pid_t pid = fork();
	if (pid == 0) {
		(void)execlp("fusermount3", "fusermount3", "-u", "-z", "--", point, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EPERM;
}

int session_unmount(const char *point)
{
	if (umount2(point, MNT_DETACH) == 0)
		return 0;
	return errno == EPERM ? unmount_as_user(point) : errno;
}
