/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of the format and of the tools that traces come from: those that say nothing about whose
 * trace it is. What is not known here may be anybody's name.
 */
#ifndef CLI_FILTER_ALLOWLIST_H
#define CLI_FILTER_ALLOWLIST_H

#include <stdbool.h>

#include <iotrace/iotrace.h>

bool iot_is_source(struct iot_text t);    /* strace, POSIX: a tool or one of its layers */
bool iot_is_operation(struct iot_text t); /* open, rename: the name= of an %op */
bool iot_is_lacking(struct iot_text t);   /* completion: in a list of lacks= */
bool iot_is_term(struct iot_text t);      /* posix, rank-0: how a trace was made */
bool iot_is_errno(struct iot_text t);     /* ENOENT */
bool iot_is_figure(struct iot_text t);    /* 12, -3, 0.25, 1e-07, inf, and lists of such */

#endif
