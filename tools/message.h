/* message.h: what the user is told on standard error, and the exit status that goes with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every function of the command that can fail returns one of these, and has given its message when it is not DONE. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdio.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* Prints "mmscan: " and the line, with ? for what a terminal would obey; returns FAILED. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "mmscan: NAME: " and what errno says; returns FAILED. */
int fail_file(const char *name);

/* The same for standard output, once, and without a word where its reader has gone, as `head` does when it has enough.
 */
int fail_stdout(void);

int fail_memory(void);

/* Prints "mmscan: ", the line, and where help is; returns WRONG_USAGE. subcommand may be NULL, and so may format where
 * the line has been printed already (by getopt). */
int wrong_usage(const char *subcommand, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes text, or changes it, with ? for what a terminal would obey: in one line. */
void put_clean(FILE *to, const char *text);
void make_clean(char *text);

/* Copies text that comes out of a file for a message: cut short. */
#define MESSAGE_QUOTE 44
const char *quoted(const char *text, char quote[MESSAGE_QUOTE]);

/* Flushes and closes standard output. Returns status, or FAILED with a message where that fails. */
int close_stdout(int status);

#endif
