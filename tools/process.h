/* process.h: this program, and a child process that runs another one. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct process {
  pid_t pid;
  FILE *to;   /* its standard input */
  FILE *from; /* its standard output */
} process;

/* Starts argv[0], found through PATH. `quiet` discards its standard error. False, with errno set, if it cannot be
 * started. */
bool process_start(process *p, const char *const argv[], bool quiet);

/* Closes its input and output, waits for it to end, and returns its exit status; -1 if it did not exit by itself. */
int process_end(process *p);

/* The path of a file in the folder of this program, which the caller frees; NULL if the folder is not known. */
char *process_file_beside(const char *name);

#endif
