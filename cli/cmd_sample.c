/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace sample: a trace of what the counters of this host count. */
#include <string.h>

#include "cli/sample/sampler.h"
#include "cli/ui/options.h"
#include "cli/ui/trace_time.h"

static const char *take_sources(const struct option *opt, const char *value)
{
	uint32_t *wanted = opt->target;
	while (*value != '\0') {
		const size_t size = strcspn(value, ",");
		const struct text_source *t;
		size_t i = 0;
		while ((t = text_source_at(i)) != NULL &&
		       (strlen(t->name) != size || memcmp(t->name, value, size) != 0))
			i++;
		if (t == NULL)
			return "a list of disk, nfs, lustre, gpfs";
		*wanted |= UINT32_C(1) << i;
		value += size + (value[size] == ',');
	}
	return *wanted != 0 ? NULL : "a list of disk, nfs, lustre, gpfs";
}

static const char notes[] =
    "Reads the counters of disks, NFS mounts, Lustre (lctl) and GPFS (mmpmon), as far as they\n"
    "exist, and writes what they grew by in each interval as %sample directives. The trace can\n"
    "be read while it grows; it ends after N intervals, a time, or SIGTERM or SIGINT.\n";

static const char examples[] =
    "  iotrace sample --align -o day.iot.zst          # each minute, until it is ended\n"
    "  iotrace sample --every=1s --for=10min --source=disk -o run.iot\n"
    "  iotrace analyze day.iot.zst\n";

enum exit_status cmd_sample(int argc, char **argv)
{
	struct sampler s = {.every_ns = UINT64_C(60000000000), .signals = -1};
	const struct option options[] = {
	    OPTION(STRING, 'o', "output", "OUT", &s.out,
		   "write to OUT; .gz and .zst compress; required"),
	    CALL("every", "TIME", &s.every_ns, "the interval (default: 60s)", option_duration),
	    CALL("source", "LIST", &s.wanted,
		 "counters of disk, nfs, lustre, gpfs (default: all that exist)", take_sources),
	    OPTION(STRING, 0, "device", "GLOB", &s.device,
		   "the disks to count (default: disks, without what is built on others)"),
	    RANGE(NUMBER, 'n', "count", "N", &s.count, "end after N intervals", 1, UINT64_MAX),
	    CALL("for", "TIME", &s.for_ns, "end after this time", option_duration),
	    OPTION(FLAG, 0, "align", NULL, &s.align,
		   "read at multiples of the interval since 1970, as other hosts do"),
	    CALL("rotate", "SIZE|TIME", &s.rotation,
		 "begin a new file, OUT.0002 and so on, at this size or after this time",
		 rotation_parse),
	    RANGE(NUMBER, 0, "keep-parts", "N", &s.rotation.keep,
		  "with --rotate, remove all parts but the N newest", 1, UINT64_MAX),
	    OPTION(FLAG, 'q', "quiet", NULL, &s.quiet, "no warnings"),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "sample",
	    .summary = "Trace the counters of disks and file systems of this host",
	    .synopsis = "[OPTION]... -o OUT",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 0,
	};
	size_t count;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count, &status))
		return status;
	if (count > 0)
		return options_wrong(&command, "'%s' is not an option", argv[0]);
	if (s.out == NULL || strcmp(s.out, "-") == 0)
		return options_wrong(&command, "-o is missing: the file of the trace");
	if (s.rotation.keep > 0 && !rotation_wanted(&s.rotation))
		return options_wrong(&command, "--keep-parts needs --rotate");
	return sampler_run(&s);
}
