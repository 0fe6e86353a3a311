/* transfer.c: reads and writes in full, however little the system transfers at a time. */
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

/* At an offset, or, if that is negative, where the descriptor is. */
static bool read_some(int fd, void *data, size_t size, off_t offset, size_t *got) {
  ssize_t n;
  do n = offset < 0 ? read(fd, data, at_most(size)) : pread(fd, data, at_most(size), offset);
  while (n < 0 && is_to_retry(fd, POLLIN));
  *got = n < 0 ? 0 : (size_t)n;
  progress_add(*got);
  return n >= 0;
}

static bool read_all(int fd, void *data, size_t size, off_t offset, size_t *got) {
  size_t more = 1;
  for (*got = 0; *got < size && more > 0; *got += more)
    if (!read_some(fd, (char *)data + *got, size - *got, offset < 0 ? -1 : offset + (off_t)*got, &more)) return false;
  return true;
}

static bool write_all(int fd, const char *data, size_t size, off_t offset) {
  for (size_t done = 0, more; done < size; done += more) {
    ssize_t n;
    do
      n = offset < 0 ? write(fd, data + done, at_most(size - done))
                     : pwrite(fd, data + done, at_most(size - done), offset + (off_t)done);
    while (n < 0 && is_to_retry(fd, POLLOUT));
    if (n < 0) return false;
    more = (size_t)n;
  }
  return true;
}

bool transfer_read_some(int fd, void *data, size_t size, size_t *got) { return read_some(fd, data, size, -1, got); }

bool transfer_read(int fd, void *data, size_t size, size_t *got) { return read_all(fd, data, size, -1, got); }

bool transfer_read_at(int fd, void *data, size_t size, uint64_t offset, size_t *got) {
  return read_all(fd, data, size, (off_t)offset, got);
}

bool transfer_write(int fd, const void *data, size_t size) { return write_all(fd, data, size, -1); }

bool transfer_write_at(int fd, const void *data, size_t size, uint64_t offset) {
  return write_all(fd, data, size, (off_t)offset);
}
