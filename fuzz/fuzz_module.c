/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces a module by others, whose functions fail or not as the input says: a state arrives as it
 * was saved, or the new module starts empty; a module that cannot be loaded, such as a file that is
 * cut, leaves the old one.
 *
 * Input: for each replacement a byte of flags, three bytes for the cut of the file, two for the
 * size of the state, one for the size of the pieces, and the state.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>

#include "fuzz.h"

#include "cli/top/module.h"
#include "fuzz_module.h"

enum { INIT_REFUSES = 1, SAVE_FAILS = 2, LOAD_REFUSES = 4, CUT = 8, REPLACEMENTS = 16 };

/* The files of modules, in a directory of this process. */
struct files {
	char whole[PATH_MAX], cut[64];
	int in, out;
	size_t size; /* of the whole file */
};

static struct files *files(void)
{
	static struct files f;
	char self[PATH_MAX];
	struct stat st;
	if (f.size > 0)
		return &f;
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	FUZZ_CHECK(n > 0);
	self[n] = '\0';
	FUZZ_CHECK(snprintf(f.whole, sizeof f.whole, "%s/module_script.so", dirname(self)) <
		   PATH_MAX);
	snprintf(f.cut, sizeof f.cut, "/tmp/fuzz_module.%d", (int)getpid());
	FUZZ_CHECK(mkdir(f.cut, 0700) == 0);
	strcat(f.cut, "/cut");
	f.in = open(f.whole, O_RDONLY);
	f.out = open(f.cut, O_WRONLY | O_CREAT, 0600);
	FUZZ_CHECK(f.in >= 0 && f.out >= 0 && fstat(f.in, &st) == 0 && chmod(f.whole, 0755) == 0);
	f.size = (size_t)st.st_size;
	return &f;
}

static void remove_files(void)
{
	struct files *f = files();
	char directory[sizeof f->cut];
	(void)unlink(f->cut);
	memcpy(directory, f->cut, sizeof directory);
	(void)rmdir(dirname(directory));
}

/* Returns the path of a file with the first bytes of the module. */
static const char *cut(struct files *f, size_t size)
{
	off_t at = 0;
	FUZZ_CHECK(ftruncate(f->out, 0) == 0 && lseek(f->out, 0, SEEK_SET) == 0);
	while ((size_t)at < size) {
		char block[4096];
		const size_t left = size - (size_t)at;
		const ssize_t n =
		    pread(f->in, block, left < sizeof block ? left : sizeof block, at);
		FUZZ_CHECK(n > 0 && write(f->out, block, (size_t)n) == n);
		at += n;
	}
	return f->cut;
}

static const char *take_path(struct files *f, struct fuzz_input *in, unsigned flags)
{
	const size_t at = (size_t)fuzz_take(in, 3);
	return flags & CUT ? cut(f, at % f->size) : f->whole;
}

static void take_script(struct fuzz_script *s, struct fuzz_input *in, unsigned flags)
{
	const size_t size = (size_t)fuzz_take(in, 2), piece = (size_t)fuzz_take(in, 1);
	*s = (struct fuzz_script){.inits = s->inits,
				  .finis = s->finis,
				  .state = in->data,
				  .size = size < in->size ? size : in->size,
				  .piece = piece + 1,
				  .init_refuses = (flags & INIT_REFUSES) != 0,
				  .save_fails = (flags & SAVE_FAILS) != 0,
				  .load_refuses = (flags & LOAD_REFUSES) != 0};
	in->data += s->size;
	in->size -= s->size;
}

static void replace(struct module *m, struct fuzz_script *s, const char *args, const char *path,
		    bool is_cut)
{
	const struct module old = *m;
	const struct iot_module_host host = {.size = sizeof host};
	const unsigned inits = s->inits;
	char why[MODULE_WHY] = "";
	bool empty = false;
	const bool replaced = module_replace(m, path, args, &host, &empty, why);
	FUZZ_CHECK(s->inits == s->finis + 1);
	if (!replaced) {
		FUZZ_CHECK(*why != '\0' && memcmp(m, &old, sizeof old) == 0);
		FUZZ_CHECK((is_cut || s->init_refuses) && s->inits == inits && s->saves == 0);
		return;
	}
	FUZZ_CHECK(!s->init_refuses && s->inits == inits + 1 && s->saves == 1);
	FUZZ_CHECK(s->loads == !s->save_fails && (s->loads == 0 || s->got_state));
	FUZZ_CHECK(empty == (s->save_fails || s->load_refuses));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool registered;
	struct files *f = files();
	struct fuzz_input in = {data, size};
	struct fuzz_script script = {.piece = 1};
	struct module m;
	const struct iot_module_host host = {.size = sizeof host};
	char args[32], why[MODULE_WHY];
	if (!registered)
		FUZZ_CHECK(atexit(remove_files) == 0);
	registered = true;
	snprintf(args, sizeof args, "%p", (void *)&script);
	FUZZ_CHECK(module_load(&m, f->whole, args, &host, why));
	for (unsigned i = 0; i < REPLACEMENTS && in.size > 0; i++) {
		const unsigned flags = (unsigned)fuzz_take(&in, 1);
		const char *path = take_path(f, &in, flags);
		take_script(&script, &in, flags);
		replace(&m, &script, args, path, (flags & CUT) != 0);
	}
	module_unload(&m);
	FUZZ_CHECK(script.inits == script.finis);
	return 0;
}
