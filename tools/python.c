/* python.c: scripts in Python, which are parts of this command.
 *
 * They are arguments of the interpreter, so the command needs no other file. */
#include "python.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODULES = 8, BYTES = 1 << 16 };

/* Without the working folder, which -c puts first, no file there is imported. */
static const char begin[] = "import sys\n"
                            "sys.path[:] = [folder for folder in sys.path if folder]\n"
                            "for name, text in zip(sys.argv[2::2], sys.argv[3::2]):\n"
                            "    sys.modules[name] = type(sys)(name)\n"
                            "    exec(compile(text, name + '.py', 'exec'), sys.modules[name].__dict__)\n"
                            "sys.modules[name].main(sys.argv[1])\n";

const char *python_named(void) {
  const char *named = getenv("PYTHON");
  return named != NULL && *named != '\0' ? named : NULL;
}

static bool start(process *p, const char *python, const python_module *module, const char *argument, bool quiet,
                  char *line, size_t size) {
  const char *argv[4 + 2 * MOST_MODULES + 1] = {python, "-c", begin, argument};
  for (int i = 4; module->name != NULL; module++) {
    argv[i++] = module->name;
    argv[i++] = module->text;
  }
  if (!process_start(p, argv, quiet)) return false;
  if (fgets(line, (int)size, p->from) == NULL) {
    process_end(p);
    return false;
  }
  line[strcspn(line, "\n")] = '\0';
  return true;
}

bool python_start(process *p, const python_module modules[], const char *argument, bool quiet, char *line,
                  size_t size) {
  const char *named = python_named();
  if (named != NULL) return start(p, named, modules, argument, quiet, line, size);
  return start(p, "python3", modules, argument, quiet, line, size) ||
         start(p, "/usr/bin/python3", modules, argument, quiet, line, size);
}

/* ---- Scripts that draw ------------------------------------------------------------------------------------------- */

static int start_drawing(process *p, const python_module modules[], const char *argument) {
  char line[256];
  const char *named = python_named();
  if (!python_start(p, modules, argument, false, line, sizeof line))
    return named != NULL ? fail("this needs Python 3, which PYTHON=%s is not", named)
                         : fail("this needs python3, which is not found; PYTHON can name another");
  if (line[0] == '\0') return DONE;
  process_end(p);
  return fail("%s", line);
}

int python_check(const python_module modules[], const char *argument) {
  process p;
  if (start_drawing(&p, modules, argument) != DONE) return FAILED;
  process_end(&p);
  return DONE;
}

/* The script reads all of its input before it writes. It has told why it fails, unless it was ended. */
static int draw(process *p, const json_t *data, output *out) {
  char bytes[BYTES];
  size_t got;
  int status = json_dumpf(data, p->to, JSON_COMPACT) == 0 ? DONE : fail("the drawing script takes no data");
  fclose(p->to);
  p->to = NULL;
  while (status == DONE && (got = fread(bytes, 1, sizeof bytes, p->from)) > 0) status = output_write(out, bytes, got);
  const int ended = process_end(p);
  if (ended < 0) return fail("the drawing script was ended");
  return ended == 0 ? status : FAILED;
}

int python_draw(const python_module modules[], const char *argument, json_t *data, output *out) {
  process p;
  if (data == NULL) return fail_memory();
  const int status = start_drawing(&p, modules, argument) == DONE ? draw(&p, data, out) : FAILED;
  json_decref(data);
  return status;
}
