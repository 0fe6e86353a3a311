/* process.h: a program that runs beside this one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct process {
  pid_t pid;
  FILE *to;   /* its standard input */
  FILE *from; /* its standard output, which says nothing where that is a file */
} process;

/* Starts argv[0], which is looked for in PATH. Its standard output is the file `output`, or, where that is negative, a
 * pipe. `quiet`: what it says on standard error is not shown. False with errno where it cannot be started. */
bool process_start(process *p, const char *const argv[], int output, bool quiet);

/* Closes its input, waits for its end and returns its exit status; -1 where it did not exit by itself. */
int process_end(process *p);

#endif
