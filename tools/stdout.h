/* stdout.h: standard output, and what becomes of it. */
#ifndef STDOUT_H
#define STDOUT_H

/* Makes standard output wait for its reader where its descriptor does not block: other processes that share it may have
 * set it so. */
void open_stdout(void);

/* Prints "mmscan: standard output: " and the text of errno, but only once, and not if its reader has gone, as `head`
 * does when it has enough. Returns FAILED. */
int fail_stdout(void);

/* Flushes and closes standard output, with a message if that fails: a status of DONE then becomes FAILED. Returns the
 * status. */
int close_stdout(int status);

#endif
