/* progress.h: a progress bar on standard error, if that is a terminal and the work takes more than a second. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>

/* Starts a new stage of the work, of `total` bytes; 0: not known. stage is a static string. */
void progress_start(const char *stage, uint64_t total);

/* Counts `bytes` more of the stage as done. */
void progress_add(uint64_t bytes);

/* Shows no bar from now on, as results go to the same terminal. */
void progress_forbid(void);

/* Erases the bar: before a message, and at the end. */
void progress_erase(void);

/* The same in a signal handler, after which the process ends. */
void progress_erase_at_once(void);

#endif
