/* mpimain.c: the command mmscan-mpi: the subcommand scan, by all processes of MPI. */
#include "arguments.h"
#include "message.h"
#include "scanfile.h"
#include "segmentfile.h"
#include "sharedscan.h"
#include "stdout.h"
#include "suspect.h"
#include "temporary.h"

#include <mpi.h>
#include <string.h>

static const char usage[] = "Usage: mpirun -n P mmscan-mpi scan [OPTION]... -o OUT IN\n"
                            "Scans the numbers in the file IN into the file OUT as 'mmscan scan' does, by P\n"
                            "processes, which read and write parts of the files through MPI.\n"
                            "\n"
                            "The options are those of 'mmscan scan', whose --help tells of them; but no text is\n"
                            "read or written, IN and OUT are regular files, all elements of an array in Fortran\n"
                            "order are scanned only along an --axis, and there are no --starts, --flags, --keys\n"
                            "and --decay. Every process finds both files under these names. OUT is written\n"
                            "under a temporary name beside it and renamed when all have succeeded. The results\n"
                            "are those of 'mmscan scan', to the bit where the operator is exact, or with\n"
                            "--reproducible. Each process takes blocks of some MiB, so that data may be larger\n"
                            "than memory.\n";

static int run_shared_scan(int argc, char **argv) {
  scan_request r;
  const int status = scan_options(&r, usage, argc, argv);
  if (status != DONE) return status == HELPED ? DONE : status;
  if (r.decay != NULL || scan_segment_form(&r) != 0)
    return wrong_usage(SCAN_NAME, "%s is done by one process alone: 'mmscan scan' does it",
                       r.decay != NULL ? "--decay" : segments_option(scan_segment_form(&r)));
  r.share = shared_scan;
  return scan_file(&r);
}

static int dispatch(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (argc < 2) return wrong_usage(NULL, "a subcommand is missing");
  message_words(argv + 1);
  if (strcmp(name, "scan") == 0) {
    argv[1] = argv[0];
    return run_shared_scan(argc - 1, argv + 1);
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    fputs(usage, stdout);
  else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
    printf("%s %s\n", message_program, mmscan_version());
  else
    return wrong_usage(NULL, "no %s '%s'", name[0] == '-' ? "option" : "subcommand", name);
  return DONE;
}

/* Handlers of signals take the place of those that MPI may have set. */
int main(int argc, char **argv) {
  int rank, provided;
  open_standard_files();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  message_program = "mmscan-mpi";
  temporary_begin();
  suspect_begin();
  const int status = rank == 0 ? shared_end(dispatch(argc, argv)) : shared_follow();
  MPI_Finalize();
  suspect_end();
  return rank == 0 ? close_stdout(status) : status;
}
