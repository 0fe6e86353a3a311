/* sharedfile.h: the two files that all processes of MPI_COMM_WORLD have open: the one that is read, and the one that is
 * written. */
#ifndef SHAREDFILE_H
#define SHAREDFILE_H

#include "input.h"
#include "result.h"

/* All processes open both: `temporary` is the file that is to become to->out. Each learns the size of its input. agree:
 * as order_team has it. */
int shared_open(input *in, const result *to, const char *temporary, int (*agree)(int status));

/* As input_read_at() and result_put(), of these files. At most INT_MAX bytes at a time. */
int shared_read(input *in, uint64_t offset, void *data, size_t size);
int shared_put(result *to, uint64_t first, const void *data, size_t count);

/* All processes close what is open, after what was written is on the disk, unless status is FAILED. Returns status, or
 * FAILED with a message. */
int shared_close(const result *to, int status);

#endif
