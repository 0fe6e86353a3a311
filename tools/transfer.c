/* transfer.c: reads and writes in full, however little the system transfers at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "transfer.h"
#include "progress.h"

#include <errno.h>
#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

/* Systems limit a transfer to about 2 GiB, and the progress bar should move between calls. */
#define MOST_AT_ONCE ((size_t)8 << 20)

static size_t at_most(size_t size) { return size < MOST_AT_ONCE ? size : MOST_AT_ONCE; }

/* Whether a transfer that failed is to be tried again. A descriptor that does not block, as other processes may have
 * set it (ssh and node do), is waited for. */
static bool is_to_retry(int fd, short event) {
  struct pollfd wait = {.fd = fd, .events = event};
  return errno == EINTR || (errno == EAGAIN && (poll(&wait, 1, -1) >= 0 || errno == EINTR));
}

bool transfer_read_some(int fd, void *data, size_t size, size_t *got) {
  ssize_t n;
  do n = read(fd, data, at_most(size));
  while (n < 0 && is_to_retry(fd, POLLIN));
  *got = n < 0 ? 0 : (size_t)n;
  progress_add(*got);
  return n >= 0;
}

bool transfer_read(int fd, void *data, size_t size, size_t *got) {
  size_t more = 1;
  for (*got = 0; *got < size && more > 0; *got += more)
    if (!transfer_read_some(fd, (char *)data + *got, size - *got, &more)) return false;
  return true;
}

bool transfer_read_at(int fd, void *data, size_t size, uint64_t offset, size_t *got) {
  *got = 0;
  while (*got < size) {
    const ssize_t n = pread(fd, (char *)data + *got, at_most(size - *got), (off_t)(offset + *got));
    if (n == 0) return true;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    *got += (size_t)n;
    progress_add((uint64_t)n);
  }
  return true;
}

bool transfer_write(int fd, const void *data, size_t size) {
  const char *next = data;
  while (size > 0) {
    const ssize_t n = write(fd, next, at_most(size));
    if (n < 0 && is_to_retry(fd, POLLOUT)) continue;
    if (n < 0) return false;
    next += n;
    size -= (size_t)n;
  }
  return true;
}

bool transfer_write_at(int fd, const void *data, size_t size, uint64_t offset) {
  const char *next = data;
  while (size > 0) {
    const ssize_t n = pwrite(fd, next, at_most(size), (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    next += n;
    size -= (size_t)n;
    offset += (uint64_t)n;
  }
  return true;
}
