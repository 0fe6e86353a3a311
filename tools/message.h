/* message.h: what the user is told on standard error, and the exit status that goes with it.
 *
 * Functions of the command that can fail return one of these statuses, and have printed a message unless it is DONE. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdio.h>

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* The name of the program, which begins each message: "mmscan", unless main() sets another. */
extern const char *message_program;

/* From now on, what fail() tells goes to this stream; NULL: to standard error again. */
void message_keep(FILE *to);

/* Prints "mmscan: " and the line, with ? for control characters; returns FAILED. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "mmscan: NAME: " and the text of errno; returns FAILED. */
int fail_file(const char *name);

int fail_memory(void);

/* Prints "mmscan: ", the line, and how to get help; returns WRONG_USAGE. subcommand may be NULL, and so may format: the
 * line then says what getopt has found wrong. */
int wrong_usage(const char *subcommand, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* To be called before getopt is: it prints nothing itself, as it would print control characters. */
void message_words(char **argv);

/* Prints a line on standard output, or changes text in place, with ? for control characters. */
void print_clean(const char *format, ...) __attribute__((format(printf, 1, 2)));
void make_clean(char *text);

/* Copies text that comes from a file, cut short, for use in a message. Returns quote. */
#define MESSAGE_QUOTE 44
const char *quoted(const char *text, char quote[MESSAGE_QUOTE]);

#endif
