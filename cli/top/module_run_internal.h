/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run of a module: module_child.c is its process. */
#ifndef CLI_TOP_MODULE_RUN_INTERNAL_H
#define CLI_TOP_MODULE_RUN_INTERNAL_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include <iotrace/stream.h>

#include "cli/ui/output.h"

#include "follow.h"
#include "module.h"
#include "module_run.h"

enum { MODULE_SENTENCE = PATH_MAX + MODULE_WHY + 128 };

/* The child's state. The lock protects the module and the reader's names. */
struct module_run {
	const struct module_options *options;
	char path[PATH_MAX]; /* of the module */
	const char *args;
	_Atomic uint64_t *records; /* that the modules have had; the parent reads it */
	uint64_t begin;            /* records before the present module */
	struct iot_module_host host;
	struct module module;
	struct follow input;
	struct iot_reader *reader;
	struct iot_batch *batch;
	struct iot_record run[IOT_BATCH_EVENTS];
	struct output out;
	pthread_mutex_t lock;
	pthread_t thread;
	char command[CONTROL_TEXT]; /* that named the module; args may be in it */
	int done, notices, signals, commands;
	int status; /* of the reader */
	bool refused, started, draining;
	_Atomic bool ended; /* the reader has no more records */
};

/* The process of the module. Returns its exit status. */
enum exit_status module_child(struct module_run *r);
/* The signals that both processes wait for. */
void module_signals(sigset_t *set);

/* Around calls of the module: one that does not return ends the process. */
void module_begin_call(struct module_run *r);
void module_end_call(struct module_run *r);
/* Gives the records and events of the trace to the module, until it ends: for a thread. */
void *module_read_trace(void *run);
/* Sets the functions that the module may call. */
void module_set_host(struct module_run *r);

/* Stores what is in "FILE:ARGS". Returns false after a message. */
bool module_parse(struct module_run *r, const char *module);
/* Loads the module and watches its file. Returns false after a message. */
bool module_start(struct module_run *r);
bool module_watch_file(struct module_run *r);
/* Returns whether a notice is about the module: its file is complete. */
bool module_has_changed(struct module_run *r);
/* Stores what happened as a sentence. Returns false if the module stays. */
bool module_exchange(struct module_run *r, char sentence[MODULE_SENTENCE]);

/* Answers a request of iotrace control. */
void module_obey(struct module_run *r);

#endif
