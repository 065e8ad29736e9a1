// Command lines: one table per command, for parsing and for its help.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// What value points to.
typedef enum option_kind {
    OPTION_FLAG,   // uint32_t, becomes 1
    OPTION_TEXT,   // const char *, points into argv
    OPTION_FILE,   // the same: a file to write; refused while parsing if it cannot be
    OPTION_FOLDER, // the same: a folder to write to, which may not exist yet
    OPTION_CHOICE, // uint32_t, index into choices
    OPTION_COUNT,  // uint32_t in [low, high]
    OPTION_SEED,   // uint64_t
    OPTION_NUMBER, // float in [low, high]
    OPTION_VECTOR, // float[3] as X,Y,Z, each in [low, high]
} option_kind;

typedef struct option {
    const char *name; // without the two dashes
    option_kind kind;
    void *value; // holds the default; not written unless the option is given
    double low, high;
    const char *choices;  // "best|cpu|null"
    const char *argument; // placeholder of the value in help; null: derived from kind
    const char *help;
} option;

typedef struct command_line {
    const char *command; // "plait sim"
    const char *usage;   // what follows it
    const char *purpose; // first lines of help
    const option *options;
    size_t option_count;
    const char **operands; // receives arguments that are not options, [operand_limit]
    size_t operand_limit;  // 0: operands are errors
    size_t operand_count;  // out
} command_line;

#define OPTIONS_RUN (-1)
#define EXIT_USAGE 2

// Reads argv[0 .. argc-1]. Returns OPTIONS_RUN to go on, else the exit code: 0 after --help, EXIT_USAGE after an error,
// which was reported with the option's name and the reason.
int options_parse(command_line *line, int argc, char **argv);

// Reports a usage error of a command and returns EXIT_USAGE. name: the option, without dashes.
int options_error(const char *command, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
