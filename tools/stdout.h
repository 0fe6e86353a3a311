/* stdout.h: the standard descriptors, and what becomes of standard output. */
#ifndef STDOUT_H
#define STDOUT_H

/* Before any file is opened, makes sure that the standard descriptors are taken, and that writes that fail do not end
 * the process; makes standard output wait for its reader where its descriptor does not block: other processes that
 * share it may have set it so. */
void open_standard_files(void);

/* Prints "mmscan: standard output: " and the text of errno, but only once, and not if its reader has gone, as `head`
 * does when it has enough. Returns FAILED. */
int fail_stdout(void);

/* Flushes and closes standard output, with a message if that fails: a status of DONE then becomes FAILED. Returns the
 * status. */
int close_stdout(int status);

#endif
