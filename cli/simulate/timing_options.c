/* SPDX-License-Identifier: BSD-2-Clause */
#include "timing_options.h"

#include <string.h>

#include "cli/ui/trace_time.h"
#include "lib/base/number.h"
#include "lib/base/size.h"
#include "lists.h"

const struct timing_flags timing_flags_default = {
    .queue = -1,
    .write = -1,
    .arrive = -1,
    .copies = 1,
    .cpus = 1,
    .quantum_ns = 100000000,
    .switch_ns = 10000,
    .syscall_ns = 25000,
    .interrupt_ns = 10000,
    .read_ahead = NOT_GIVEN,
    .window = 128 << 10,
    .dirty_background = 10,
    .dirty_limit = 20,
    .writeback_interval_ns = 5000000000,
    .dirty_expire_ns = 30000000000,
};

/* Parses a length of time of n bytes; a number without a unit is seconds. */
static bool parse_time(const char *text, size_t n, uint64_t *ns)
{
	char copy[32];
	struct trace_time time;
	if (n == 0 || n >= sizeof copy)
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (trace_time_parse(copy, &time) != NULL || time.kind != TIME_SINCE_ZERO)
		return false;
	*ns = time.value;
	return true;
}

const char *timing_take_time(const struct option *opt, const char *value)
{
	return parse_time(value, strlen(value), opt->target)
		   ? NULL
		   : "a length of time, such as 25us, 100ms or 5s";
}

const char *timing_take_rate(const struct option *opt, const char *value)
{
	static const char expected[] = "a length of time, such as 100ms, 1 or 10s";
	uint64_t *ns = opt->target;
	if (*value == '\0')
		*ns = 1000000000;
	else if (!parse_time(value, strlen(value), ns) || *ns == 0)
		return expected;
	return NULL;
}

/* The target is read_ahead, followed by window. */
const char *timing_take_read_ahead(const struct option *opt, const char *value)
{
	static const char expected[] = "none, request, window or window:SIZE";
	static const char window[] = "window:";
	uint64_t *how = opt->target;
	if (strcmp(value, "none") == 0)
		*how = READ_AHEAD_NONE;
	else if (strcmp(value, "request") == 0)
		*how = READ_AHEAD_REQUEST;
	else if (strcmp(value, "window") == 0)
		*how = READ_AHEAD_WINDOW;
	else if (strncmp(value, window, strlen(window)) == 0 &&
		 size_parse(value + strlen(window), strlen(value + strlen(window)), &how[1]) ==
		     SIZE_VALID &&
		 how[1] <= 1 << 30)
		*how = READ_AHEAD_WINDOW;
	else
		return expected;
	return NULL;
}

/* The target is copy_call_ns, followed by copy_kib_ns. */
const char *timing_take_copy(const struct option *opt, const char *value)
{
	uint64_t *cost = opt->target;
	const size_t n = strcspn(value, ",");
	cost[0] = cost[1] = 0;
	if (strcmp(value, "ssd1990") == 0) {
		cost[0] = 20000;
		cost[1] = 1000;
	} else if (strcmp(value, "0") != 0 &&
		   (value[n] != ',' || !parse_time(value, n, &cost[0]) ||
		    !parse_time(value + n + 1, strlen(value + n + 1), &cost[1])))
		return "0, ssd1990, or two times: CALL,KIB";
	return NULL;
}

/* Devices */

struct device_key {
	const char *name;
	enum { KEY_TIME, KEY_SIZE, KEY_NUMBER } kind;
	size_t member[2]; /* offsets of the members that it sets */
};

#define MEMBER(name) offsetof(struct device_options, name)
#define ONE(name)                                                                                  \
	{                                                                                          \
		MEMBER(name), MEMBER(name)                                                         \
	}

static const struct device_key device_keys[] = {
    {"near", KEY_TIME, ONE(near_ns)},
    {"far", KEY_TIME, ONE(far_ns)},
    {"span", KEY_SIZE, ONE(span)},
    {"latency", KEY_TIME, {MEMBER(read_latency_ns), MEMBER(write_latency_ns)}},
    {"read-latency", KEY_TIME, ONE(read_latency_ns)},
    {"write-latency", KEY_TIME, ONE(write_latency_ns)},
    {"rate", KEY_SIZE, {MEMBER(read_rate), MEMBER(write_rate)}},
    {"read-rate", KEY_SIZE, ONE(read_rate)},
    {"write-rate", KEY_SIZE, ONE(write_rate)},
    {"depth", KEY_NUMBER, ONE(depth)},
};

static bool set_key(struct device_options *o, const struct device_key *key, const char *value,
		    size_t n)
{
	uint64_t number;
	if (key->kind == KEY_TIME   ? !parse_time(value, n, &number)
	    : key->kind == KEY_SIZE ? size_parse(value, n, &number) != SIZE_VALID
				    : !number_decimal(value, n, &number))
		return false;
	if (key->kind == KEY_NUMBER && number > DEVICE_DEPTH_MAX)
		return false;
	for (size_t i = 0; i < 2; i++)
		memcpy((char *)o + key->member[i], &number, sizeof number);
	return true;
}

/* One element of the list: the name of a preset, or KEY=VALUE. */
static bool set_element(struct device_options *o, const char *text, size_t n)
{
	const char *equals = memchr(text, '=', n);
	if (equals == NULL)
		return device_preset(o, text, n);
	const size_t name = (size_t)(equals - text);
	for (size_t i = 0; i < sizeof device_keys / sizeof *device_keys; i++)
		if (strlen(device_keys[i].name) == name &&
		    memcmp(device_keys[i].name, text, name) == 0)
			return set_key(o, &device_keys[i], equals + 1, n - name - 1);
	return false;
}

static bool parse_device(const char *text, struct device_options *o)
{
	for (;; text++) {
		const size_t n = strcspn(text, ",");
		if (!set_element(o, text, n))
			return false;
		text += n;
		if (*text == '\0')
			return true;
	}
}

const char *timing_take_device(const struct option *opt, const char *value)
{
	struct device_options o = {0};
	*(const char **)opt->target = value;
	return parse_device(value, &o)
		   ? NULL
		   : "disk1990, hdd, ssd, nvme, or a list with near=, far=, latency=, "
		     "read-latency= or write-latency=TIME, span=SIZE, rate=, read-rate= or "
		     "write-rate=BYTES, depth=N";
}

/* Presets */

struct device_options timing_device(const struct timing_flags *f)
{
	const bool is_linux = f->system == SYSTEM_LINUX;
	const char *preset = is_linux ? "ssd" : "disk1990";
	struct device_options o = {0};
	if (f->device != NULL)
		(void)parse_device(f->device, &o);
	else
		device_preset(&o, preset, strlen(preset));
	if (f->queue == 0 || (f->queue < 0 && !is_linux))
		o.depth = 0;
	else if (o.depth == 0)
		o.depth = 1;
	return o;
}

bool timing_only_device(const struct timing_flags *f)
{
	struct timing_flags others = *f;
	others.device = timing_flags_default.device;
	return memcmp(&others, &timing_flags_default, sizeof others) == 0;
}

/* Returns whether a cost of CPU time was given. */
static bool is_cost(uint64_t ns, uint64_t default_ns)
{
	return ns != default_ns && ns != 0;
}

/* Returns the reason if options were given that have no effect in this run, or contradict. */
static const char *check_flags(const struct timing_flags *f, const struct timing_options *o)
{
	const struct timing_flags *d = &timing_flags_default;
	if (o->quantum_ns < 1000)
		return "--quantum is shorter than a microsecond";
	if (o->writeback_interval_ns < 1000000)
		return "--writeback-interval is shorter than a millisecond";
	if (o->arrivals &&
	    (f->cpus != d->cpus || f->quantum_ns != d->quantum_ns ||
	     is_cost(f->switch_ns, d->switch_ns) || is_cost(f->syscall_ns, d->syscall_ns) ||
	     is_cost(f->interrupt_ns, d->interrupt_ns)))
		return "--arrive=trace has no CPUs: it excludes --cpus, --quantum, --switch, "
		       "--syscall and --interrupt";
	if (o->write != WRITE_DELAYED &&
	    (f->dirty_background != d->dirty_background || f->dirty_limit != d->dirty_limit ||
	     f->writeback_interval_ns != d->writeback_interval_ns ||
	     f->dirty_expire_ns != d->dirty_expire_ns))
		return "--dirty-background, --dirty, --writeback-interval and --dirty-expire apply "
		       "only to delayed writes";
	if (f->dirty_background != d->dirty_background && f->dirty_background > f->dirty_limit)
		return "--dirty-background is larger than --dirty";
	return NULL;
}

const char *timing_resolve(const struct timing_flags *f, struct timing_options *o)
{
	const bool is_linux = f->system == SYSTEM_LINUX;
	o->cpus = f->cpus;
	o->copies = f->copies;
	o->share = f->share;
	o->quantum_ns = f->quantum_ns;
	o->switch_ns = f->switch_ns;
	o->syscall_ns = f->syscall_ns;
	o->interrupt_ns = f->interrupt_ns;
	o->copy_call_ns = f->copy_call_ns;
	o->copy_kib_ns = f->copy_kib_ns;
	o->read_ahead = f->read_ahead != NOT_GIVEN ? (enum timing_read_ahead)f->read_ahead
			: is_linux                 ? READ_AHEAD_WINDOW
						   : READ_AHEAD_REQUEST;
	o->window = f->window;
	o->write = f->write >= 0 ? (enum timing_write)f->write
		   : is_linux    ? WRITE_DELAYED
				 : WRITE_AT_ONCE;
	o->dirty_background = f->dirty_background;
	o->dirty_limit = f->dirty_limit;
	o->writeback_interval_ns = f->writeback_interval_ns;
	o->dirty_expire_ns = f->dirty_expire_ns;
	o->process_limit = f->process_limit / o->block + (f->process_limit % o->block != 0);
	o->arrivals = f->arrive >= 0;
	o->rate_ns = f->rate_ns;
	o->device = timing_device(f);
	return check_flags(f, o);
}
