// The commands of the program. Each takes the arguments after its name and returns the exit code: 0, 1 after a
// failure, 2 after a usage error.
#ifndef COMMAND_H
#define COMMAND_H

int command_info(int argc, char **argv);
int command_groom(int argc, char **argv);
int command_sim(int argc, char **argv);
int command_rest(int argc, char **argv);
int command_sagfree(int argc, char **argv);
int command_figures(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_validate(int argc, char **argv);

#endif
