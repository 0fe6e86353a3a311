/* transfer.h: reads and writes in full, however little the system transfers at a time.
 *
 * All return true, or false with errno set. The progress bar counts what is read. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One read(2): *got is zero only at the end of the file. */
bool transfer_read_some(int fd, void *data, size_t size, size_t *got);

/* *got < size only at the end of the file. */
bool transfer_read(int fd, void *data, size_t size, size_t *got);
bool transfer_read_at(int fd, void *data, size_t size, uint64_t offset, size_t *got);

bool transfer_write(int fd, const void *data, size_t size);
bool transfer_write_at(int fd, const void *data, size_t size, uint64_t offset);

#endif
