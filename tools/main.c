/* main.c: the command mmscan: finds the subcommand. */
#include "arguments.h"
#include "command.h"
#include "message.h"
#include "stdout.h"
#include "suspect.h"
#include "temporary.h"

#include <mmscan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct subcommand {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} subcommand;

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);

static const subcommand subcommands[] = {
    {"scan", run_scan, "scan the numbers in a file"},
    {"info", run_info, "version, CPU, engines, the BLAS behind them, environment"},
    {"tune", run_tune, "measure what is fastest here, and write it to a file"},
    {"bench", run_bench, "time the engines beside the copy bound and other scans"},
    {"table", run_table, "the paper's Table 1, measured and stated"},
    {"draw", run_draw, "the paper's figures, of any method, s and n"},
    {"model", run_model, "a run in the paper's model, beside the paper's bounds"},
    {"help", run_help, "this text, or that of a subcommand"},
    {"version", run_version, "the version"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

static int print_help(void) {
  puts("Usage: mmscan SUBCOMMAND [OPTION]...\n"
       "Prefix sums by matrix multiplication.\n\n"
       "Subcommands:");
  for (int i = 0; i < SUBCOMMANDS; i++) printf("  %-7s %s\n", subcommands[i].name, subcommands[i].summary);
  puts("\n'mmscan SUBCOMMAND --help' or 'mmscan help SUBCOMMAND' tells more; 'mmscan --version' tells the version.\n"
       "Results go to standard output, messages to standard error.\n"
       "Exit status: 0 done, 1 failed, 2 wrong usage.");
  return DONE;
}

static int run_subcommand(const char *name, int argc, char **argv) {
  message_words(argv);
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(name, subcommands[i].name) == 0) {
      const int status = subcommands[i].run(argc, argv);
      return status == HELPED ? DONE : status;
    }
  return wrong_usage(NULL, "no %s '%s'", name[0] == '-' ? "option" : "subcommand", name);
}

static bool asks_for_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

/* 'mmscan help scan' is 'mmscan scan --help'. */
static int run_help(int argc, char **argv) {
  static char option[] = "--help";
  char *ask[] = {argv[0], option, NULL};
  if (argc > 2) return wrong_usage(NULL, "help takes one subcommand");
  return argc < 2 || asks_for_help(argv[1]) ? print_help() : run_subcommand(argv[1], 2, ask);
}

static int run_version(int argc, char **argv) {
  const bool helps = argc == 2 && asks_for_help(argv[1]);
  if (argc > 1 && !helps) return wrong_usage("version", "unexpected argument '%s'", argv[1]);
  if (helps)
    puts("Usage: mmscan version\nPrints the version.");
  else
    printf("mmscan %s\n", mmscan_version());
  return DONE;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) return wrong_usage(NULL, "a subcommand is missing");
  const char *name = argv[1];
  if (asks_for_help(name)) name = "help";
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
  argv[1] = argv[0];
  return run_subcommand(name, argc - 1, argv + 1);
}

/* Whether to end without exit handlers: an OpenBLAS whose threads could not allocate their buffers would wait for them
 * for ever. */
static bool is_memory_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int main(int argc, char **argv) {
  static char name[] = "mmscan";
  open_standard_files();
  temporary_begin();
  suspect_begin();
  if (argc > 0) argv[0] = name;
  const int status = close_stdout(dispatch(argc, argv));
  suspect_end();
  if (is_memory_limited()) _exit(status);
  return status;
}
