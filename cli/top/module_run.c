/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that waits for the module's: it says how that has ended. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/ui/message.h"

#include "module_run_internal.h"

static enum exit_status outcome(const struct module_run *r, int status)
{
	if (WIFEXITED(status))
		return (enum exit_status)WEXITSTATUS(status);
	const uint64_t records = atomic_load(r->records);
	if (WTERMSIG(status) == SIGALRM)
		message_print("%s: a function has not returned for %d s, after %" PRIu64 " records",
			      r->path, IOT_MODULE_SECONDS, records);
	else
		message_print("%s: ended by signal %d (%s), after %" PRIu64 " records", r->path,
			      WTERMSIG(status), strsignal(WTERMSIG(status)), records);
	return EXIT_FAILED;
}

/* Passes on signals that are for this process alone. */
static int wait_for(pid_t child)
{
	sigset_t set;
	siginfo_t info;
	int status = 0;
	module_signals(&set);
	sigaddset(&set, SIGCHLD);
	while (waitpid(child, &status, WNOHANG) == 0)
		if (sigwaitinfo(&set, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code != SI_KERNEL)
			(void)kill(child, info.si_signo);
	return status;
}

static enum exit_status fork_run(struct module_run *r)
{
	sigset_t set, before;
	module_signals(&set);
	sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &before);
	const pid_t child = fork();
	if (child == 0)
		_exit((int)module_child(r));
	if (child < 0)
		message_print("no process for the module: %s", strerror(errno));
	const enum exit_status status = child > 0 ? outcome(r, wait_for(child)) : EXIT_FAILED;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

enum exit_status module_run(const struct module_options *options)
{
	static struct module_run r;
	enum exit_status status;
	r = (struct module_run){
	    .options = options, .module = {.copy = -1}, .commands = options->commands};
	r.records = mmap(NULL, sizeof *r.records, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.records == MAP_FAILED)
		return message_no_memory();
	if (!module_parse(&r, options->module) || !follow_open(&r.input, options->path))
		return EXIT_FAILED;
	status = output_open(&r.out, "-", 0);
	if (status == EXIT_OK)
		status = fork_run(&r);
	follow_close(&r.input);
	(void)munmap(r.records, sizeof *r.records);
	return status;
}
