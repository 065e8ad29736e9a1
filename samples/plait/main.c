// Plait: simulate a head of hair, measure it, or see what this machine offers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} COMMANDS[] = {
    {"info", command_info, "versions, backends and devices"},
    {"sim", command_sim, "simulate a groom in motion; write strands and pictures"},
    {"bench", command_bench, "measure and compare with the targets"},
    {"validate", command_validate, "compare rods with theory"},
};

static void print_help(FILE *out);

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        if (strcmp(name, COMMANDS[i].name) == 0) return COMMANDS[i].run(argc - 2, argv + 2);
    fprintf(stderr, "plait: unknown command '%s'; see plait --help\n", name);
    return EXIT_USAGE;
}

static void print_help(FILE *out) {
    fprintf(out, "usage: plait COMMAND [OPTION...]\n\nHair simulation for game engines, at the command line.\n");
    fprintf(out, "\ncommands:\n");
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].help);
    fprintf(out, "\nplait COMMAND --help tells more.\n");
}
