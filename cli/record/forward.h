/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes signals that iotrace record receives on to the program that it runs. */
#ifndef CLI_RECORD_FORWARD_H
#define CLI_RECORD_FORWARD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Passes on the signals that can be read from `signals` (signals_receive()), except those that the
 * program has received as well. A signal that stops a job stops the command, too. program: 0 if it
 * has ended. Returns whether a signal requests the command to end, which it does after the program.
 */
bool forward_signals(int signals, pid_t program);
/*
 * Closes the descriptor, unless it is -1. From then on only signals that stop a job have an effect.
 */
void forward_end(int signals);

#endif
