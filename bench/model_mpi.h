/* model_mpi.h: the subcommand model --mpi: the time of a scan over MPI. */
#ifndef MODEL_MPI_H
#define MODEL_MPI_H

#include <stdbool.h>

/* Whether the command line has --mpi. */
bool model_mpi_is_asked(int argc, char **argv);

int model_mpi_run(int argc, char **argv);

#endif
