/* exports.c: what a shared library defines, without loading it: its dynamic symbols, as ELF has them. */
#include "exports.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
  const char *bytes;
  size_t size;
} image;

/* The part of the file that begins at `offset`; NULL if it is not all there, or out of alignment. */
static const void *part_of(const image *file, size_t offset, size_t size) {
  const bool inside = offset <= file->size && size <= file->size - offset;
  return inside && offset % _Alignof(Elf64_Sym) == 0 ? file->bytes + offset : NULL;
}

static const Elf64_Shdr *sections_of(const image *file, size_t *count) {
  const Elf64_Ehdr *head = part_of(file, 0, sizeof *head);
  if (head == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return NULL;
  *count = head->e_shnum;
  return part_of(file, head->e_shoff, *count * sizeof(Elf64_Shdr));
}

/* A table of strings that ends with a zero byte, so that every string in it ends; else NULL. */
static const char *strings_of(const image *file, const Elf64_Shdr *section) {
  const bool inside = section->sh_offset <= file->size && section->sh_size <= file->size - section->sh_offset;
  if (!inside || section->sh_size == 0) return NULL;
  const char *strings = file->bytes + section->sh_offset;
  return strings[section->sh_size - 1] == '\0' ? strings : NULL;
}

static bool defines(const image *file, const Elf64_Shdr *symbols, const Elf64_Shdr *names, const char *part) {
  const Elf64_Sym *symbol = part_of(file, symbols->sh_offset, symbols->sh_size);
  const char *strings = strings_of(file, names);
  if (symbol == NULL || strings == NULL) return false;
  for (const Elf64_Sym *end = symbol + symbols->sh_size / sizeof *symbol; symbol < end; symbol++) {
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= names->sh_size) continue;
    if (strstr(strings + symbol->st_name, part) != NULL) return true;
  }
  return false;
}

static bool image_exports(const image *file, const char *part) {
  size_t count = 0;
  const Elf64_Shdr *sections = sections_of(file, &count);
  for (size_t i = 0; sections != NULL && i < count; i++)
    if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < count)
      return defines(file, &sections[i], &sections[sections[i].sh_link], part);
  return false;
}

/* A pipe would keep open() waiting. */
static size_t size_of(int fd) {
  struct stat at;
  return fstat(fd, &at) == 0 && S_ISREG(at.st_mode) && at.st_size > 0 ? (size_t)at.st_size : 0;
}

bool exports(const char *file, const char *part) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const size_t size = size_of(fd);
  void *at = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (at == MAP_FAILED) return false;
  const bool found = image_exports(&(image){at, size}, part);
  munmap(at, size);
  return found;
}
