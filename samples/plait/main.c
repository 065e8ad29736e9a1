// Plait: simulate hair, measure it, compare it with theory, or list what this machine has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "options.h"
#include "system.h"

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} command;

static const command COMMANDS[] = {
    {"info", command_info, "versions, backends and devices"},
    {"sim", command_sim, "simulate a groom in motion; write strands and pictures"},
    {"groom", command_groom, "look at groom files, convert and resample them, choose guides"},
    {"rest", command_rest, "measure how still hair is after motion"},
    {"sagfree", command_sagfree, "measure how far hair that should rest as drawn is from that"},
    {"figures", command_figures, "draw what hair-hair forces do, as their paper shows it"},
    {"bench", command_bench, "measure and compare with the targets"},
    {"validate", command_validate, "compare rods with theory"},
};

static const command *find(const char *name);
static int help(int argc, char **argv);
static void print_help(FILE *out);

static int run(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 2, argv + 2);
    const command *c = find(name);
    return c ? c->run(argc - 2, argv + 2) : EXIT_USAGE;
}

#if defined(_WIN32)
int wmain(int argc, wchar_t **wide) {
    char **argv = system_arguments(argc, wide);
    return argv ? run(argc, argv) : EXIT_FAILURE;
}
#else
int main(int argc, char **argv) { return run(argc, argv); }
#endif

static const command *find(const char *name) {
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        if (strcmp(name, COMMANDS[i].name) == 0) return &COMMANDS[i];
    fprintf(stderr, "plait: unknown command '%s'; see plait help\n", name);
    return NULL;
}

// General help, or that of one command.
static int help(int argc, char **argv) {
    if (argc == 0) {
        print_help(stdout);
        return EXIT_SUCCESS;
    }
    char option[] = "--help", *arguments[] = {option, NULL};
    const command *c = find(argv[0]);
    return c ? c->run(1, arguments) : EXIT_USAGE;
}

static void print_help(FILE *out) {
    fprintf(out, "usage: plait COMMAND [OPTION...]\n\nHair simulation for game engines, at the command line.\n");
    fprintf(out, "\ncommands:\n");
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        fprintf(out, "  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].help);
    fprintf(out, "\nplait help COMMAND tells more.\n");
}
