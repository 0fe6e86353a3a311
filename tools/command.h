/* command.h: the subcommands of mmscan. */
#ifndef COMMAND_H
#define COMMAND_H

/* argv[0] is the name of the program, for getopt's messages; the arguments of the subcommand follow. Each returns the
 * exit status. */
int run_scan(int argc, char **argv);
int run_info(int argc, char **argv);
int run_bench(int argc, char **argv);
int run_tune(int argc, char **argv);
int run_table(int argc, char **argv);
int run_draw(int argc, char **argv);
int run_model(int argc, char **argv);

#endif
