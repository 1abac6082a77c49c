/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of the format and of the tracing tools that reveal nothing about the owner of a trace. Any
 * other word may be a name.
 */
#ifndef CLI_FILTER_ALLOWLIST_H
#define CLI_FILTER_ALLOWLIST_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

bool allowlist_is_source(struct iot_text t);     /* strace, POSIX: a tool or one of its layers */
bool allowlist_is_operation(struct iot_text t);  /* open, rename: the name= of an %op */
bool allowlist_is_missing(struct iot_text t);    /* completion: in a list of lacks= */
bool allowlist_is_keyword(struct iot_text t);    /* posix, rank-0: how a trace was made */
bool allowlist_is_errno(struct iot_text t);      /* ENOENT */
bool allowlist_is_numeric(struct iot_text t);    /* 12, -3, 0.25, 1e-07, inf, and lists of such */
bool allowlist_is_kind(struct iot_text t);       /* disk, pipe: the kind= of a %file */
bool allowlist_is_version(struct iot_text t);    /* 3.41, 2.2.1 */
bool allowlist_is_filesystem(struct iot_text t); /* ext4 */
bool allowlist_is_reason(struct iot_text t);     /* interrupted: the why= of a %lost */

#endif
