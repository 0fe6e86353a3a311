/* sharedfile.c: the two files that all processes have open, by MPI-IO. */
#include "sharedfile.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static MPI_File reads = MPI_FILE_NULL, writes = MPI_FILE_NULL;

/* Where MPI has a class for an error of the system, it is told as others are; of another, the first line. */
static int fail_mpi(const char *name, int error) {
  static const struct {
    int error, number;
  } known[] = {{MPI_ERR_ACCESS, EACCES},
               {MPI_ERR_NO_SUCH_FILE, ENOENT},
               {MPI_ERR_NO_SPACE, ENOSPC},
               {MPI_ERR_QUOTA, EDQUOT},
               {MPI_ERR_READ_ONLY, EROFS}};
  char text[MPI_MAX_ERROR_STRING] = "";
  int class = MPI_ERR_OTHER, length = 0;
  MPI_Error_class(error, &class);
  MPI_Error_string(error, text, &length);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (known[i].error == class) return fail("%s: %s", name, strerror(known[i].number));
  text[strcspn(text, "\n")] = '\0';
  return fail("%s: %s", name, text);
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* Some MPIs wait for ever where one process cannot open a file that the others have. */
static int try_file(const char *name, const char *path, int flags) {
  const int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0) return fail_file(name);
  close(fd);
  return DONE;
}

static int open_one(const char *name, const char *path, int mode, MPI_File *file) {
  const int error = MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, file);
  return error == MPI_SUCCESS ? DONE : fail_mpi(name, error);
}

static int learn_size(input *in) {
  MPI_Offset size = 0;
  const int error = MPI_File_get_size(reads, &size);
  if (error != MPI_SUCCESS) return fail_mpi(in->name, error);
  in->size = (uint64_t)size > in->origin ? (uint64_t)size - in->origin : 0;
  return DONE;
}

int shared_open(input *in, const result *to, const char *temporary, int (*agree)(int status)) {
  const char *out = to->out.name;
  int status = agree(try_file(in->name, in->name, O_RDONLY));
  if (status == DONE) status = agree(try_file(out, temporary, O_WRONLY));
  if (status == DONE) status = agree(open_one(in->name, in->name, MPI_MODE_RDONLY, &reads));
  if (status == DONE) status = agree(open_one(out, temporary, MPI_MODE_WRONLY, &writes));
  return status == DONE ? agree(learn_size(in)) : status;
}

int shared_close(const result *to, int status) {
  int error = MPI_SUCCESS;
  if (reads != MPI_FILE_NULL) MPI_File_close(&reads);
  if (writes == MPI_FILE_NULL) return status;
  if (status == DONE) error = MPI_File_sync(writes);
  const int closed = MPI_File_close(&writes);
  if (error == MPI_SUCCESS) error = closed;
  return status == DONE && error != MPI_SUCCESS ? fail_mpi(to->out.name, error) : status;
}

/* ---- Reading and writing ----------------------------------------------------------------------------------------- */

int shared_read(input *in, uint64_t offset, void *data, size_t size) {
  MPI_Status status;
  int got = 0;
  const int error = MPI_File_read_at(reads, (MPI_Offset)(in->origin + offset), data, (int)size, MPI_BYTE, &status);
  if (error != MPI_SUCCESS) return fail_mpi(in->name, error);
  MPI_Get_count(&status, MPI_BYTE, &got);
  return got == (int)size ? DONE : input_fail_early(in, offset + (uint64_t)got);
}

int shared_put(result *to, uint64_t first, const void *data, size_t count) {
  const int size = (int)(count * to->type->size);
  const MPI_Offset offset = (MPI_Offset)(to->out.origin + first * to->type->size);
  MPI_Status status;
  int put = 0;
  const int error = MPI_File_write_at(writes, offset, data, size, MPI_BYTE, &status);
  if (error != MPI_SUCCESS) return fail_mpi(to->out.name, error);
  MPI_Get_count(&status, MPI_BYTE, &put);
  return put == size ? DONE : fail("%s: only %d of %d bytes were written", to->out.name, put, size);
}
