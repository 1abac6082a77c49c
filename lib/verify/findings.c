/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of findings: names and severities; counts and reports. */
#include <stdarg.h>
#include <stdio.h>

#include "verify_internal.h"

static const struct {
	const char *name;
	enum iot_severity severity;
} kinds[FINDING_KINDS] = {
    [IOT_BAD_RECORD] = {"bad-record", IOT_SEVERITY_ERROR},
    [IOT_BAD_COMMENT] = {"bad-comment", IOT_SEVERITY_ERROR},
    [IOT_BAD_FRAMING] = {"bad-framing", IOT_SEVERITY_ERROR},
    [IOT_BAD_HASH] = {"bad-hash", IOT_SEVERITY_ERROR},
    [IOT_BAD_POSITION] = {"bad-place", IOT_SEVERITY_ERROR},
    [IOT_BAD_COMPRESSION] = {"bad-compression", IOT_SEVERITY_ERROR},
    [IOT_BAD_CUT] = {"cut-short", IOT_SEVERITY_ERROR},
    [IOT_BAD_TAIL] = {"behind-end", IOT_SEVERITY_ERROR},
    [IOT_WARN_SPELLING] = {"not-canonical", IOT_SEVERITY_WARNING},
    [IOT_WARN_TIME] = {"time-backwards", IOT_SEVERITY_WARNING},
    [IOT_WARN_BITS] = {"unknown-bits", IOT_SEVERITY_WARNING},
    [IOT_WARN_PERCENT] = {"percent", IOT_SEVERITY_WARNING},
    [IOT_WARN_LATE_FILE] = {"late-file", IOT_SEVERITY_WARNING},
    [IOT_WARN_REPEAT] = {"repeated", IOT_SEVERITY_WARNING},
    [IOT_WARN_SYNC] = {"sync-spacing", IOT_SEVERITY_WARNING},
    [IOT_WARN_HEADER] = {"no-header", IOT_SEVERITY_WARNING},
    [IOT_WARN_END] = {"no-end", IOT_SEVERITY_WARNING},
    [IOT_WARN_BASE] = {"base-unclear", IOT_SEVERITY_WARNING},
    [IOT_NOTE_OVERLAP] = {"overlap", IOT_SEVERITY_NOTE},
    [IOT_WARN_INDEX] = {"seek-table", IOT_SEVERITY_WARNING},
    [IOT_WARN_SAMPLE] = {"sample-overlap", IOT_SEVERITY_WARNING},
};

const char *iot_finding_name(unsigned kind)
{
	return kind < FINDING_KINDS ? kinds[kind].name : NULL;
}

unsigned iot_finding_severity(unsigned kind)
{
	return kind < FINDING_KINDS ? kinds[kind].severity : 0;
}

uint64_t iot_verifier_count(const struct iot_verifier *v, unsigned kind)
{
	return kind < FINDING_KINDS ? v->verdict.count[kind] : 0;
}

uint64_t iot_verifier_total(const struct iot_verifier *v, enum iot_severity severity)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < FINDING_KINDS; i++)
		n += kinds[i].severity == severity ? v->verdict.count[i] : 0;
	return n;
}

bool finding_select(struct iot_verifier *handle, enum iot_finding_kind kind)
{
	const uint64_t n = ++handle->verdict.count[kind];
	return handle->found != NULL && (handle->reports == 0 || n <= handle->reports);
}

static void print(const struct iot_verifier *handle, enum iot_finding_kind kind, uint64_t line,
		  unsigned column, const char *format, va_list args)
{
	char text[640];
	vsnprintf(text, sizeof(text), format, args);
	const struct iot_finding finding = {.kind = kind,
					    .severity = kinds[kind].severity,
					    .line = line,
					    .column = column > 0 ? column : 1,
					    .text = text};
	handle->found(handle->found_context, &finding);
}

void finding_print(struct iot_verifier *handle, enum iot_finding_kind kind, uint64_t line,
		   unsigned column, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print(handle, kind, line, column, format, args);
	va_end(args);
}

void finding_report(struct iot_verifier *handle, enum iot_finding_kind kind, uint64_t line,
		    unsigned column, const char *format, ...)
{
	va_list args;
	if (!finding_select(handle, kind))
		return;
	va_start(args, format);
	print(handle, kind, line, column, format, args);
	va_end(args);
}
