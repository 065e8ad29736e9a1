// See options.h.
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

static const option *find(const command_line *line, const char *name, size_t length);
static int take(const command_line *line, const option *o, const char *text);
static bool parse_number(const char *text, char end, const option *o, float *number, const char **rest);
static bool parse_choice(const char *choices, const char *text, uint32_t *index);
static const char *path_problem(const char *path, bool folder);
static void print_help(const command_line *line);

int options_parse(command_line *line, int argc, char **argv) {
    line->operand_count = 0;
    bool options_over = false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];
        if (options_over || argument[0] != '-' || argument[1] == 0) {
            if (line->operand_count >= line->operand_limit) {
                fprintf(stderr, "%s: unexpected '%s'; see %s --help\n", line->command, argument, line->command);
                return EXIT_USAGE;
            }
            line->operands[line->operand_count++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            options_over = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(line);
            return EXIT_SUCCESS;
        }
        const char *name = argument + (argument[1] == '-' ? 2 : 1), *equals = strchr(name, '=');
        const option *o = argument[1] == '-' ? find(line, name, equals ? (size_t)(equals - name) : strlen(name)) : NULL;
        if (!o) {
            fprintf(stderr, "%s: unknown option %s; see %s --help\n", line->command, argument, line->command);
            return EXIT_USAGE;
        }
        if (o->kind == OPTION_FLAG) {
            if (equals) return options_error(line->command, o->name, "takes no value");
            *(uint32_t *)o->value = 1;
            continue;
        }
        const char *text = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
        if (!text) return options_error(line->command, o->name, "needs a value");
        int code = take(line, o, text);
        if (code != OPTIONS_RUN) return code;
    }
    return OPTIONS_RUN;
}

int options_error(const char *command, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: --%s: ", command, name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return EXIT_USAGE;
}

static const option *find(const command_line *line, const char *name, size_t length) {
    for (size_t i = 0; i < line->option_count; i++)
        if (strlen(line->options[i].name) == length && strncmp(line->options[i].name, name, length) == 0)
            return &line->options[i];
    return NULL;
}

static int take(const command_line *line, const option *o, const char *text) {
    char *end;
    const char *rest = text;
    errno = 0;
    switch (o->kind) {
    case OPTION_FLAG: break;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER: {
        if (!*text) return options_error(line->command, o->name, "is empty");
        const char *problem = o->kind == OPTION_TEXT ? NULL : path_problem(text, o->kind == OPTION_FOLDER);
        if (problem) return options_error(line->command, o->name, "%s: %s", text, problem);
        *(const char **)o->value = text;
        break;
    }
    case OPTION_CHOICE:
        if (!parse_choice(o->choices, text, o->value))
            return options_error(line->command, o->name, "'%s' is not one of %s", text, o->choices);
        break;
    case OPTION_COUNT: {
        unsigned long long count = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || errno || (double)count < o->low || (double)count > o->high)
            return options_error(line->command, o->name, "'%s' is not a whole number from %.0f to %.0f", text, o->low,
                                 o->high);
        *(uint32_t *)o->value = (uint32_t)count;
        break;
    }
    case OPTION_SEED: {
        unsigned long long seed = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || errno)
            return options_error(line->command, o->name, "'%s' is not a whole number of 64 bits", text);
        *(uint64_t *)o->value = seed;
        break;
    }
    case OPTION_NUMBER:
        if (!parse_number(text, 0, o, o->value, &rest))
            return options_error(line->command, o->name, "'%s' is not a number from %g to %g", text, o->low, o->high);
        break;
    case OPTION_VECTOR: {
        float *v = o->value, read[3];
        if (!parse_number(text, ',', o, &read[0], &rest) || !parse_number(rest, ',', o, &read[1], &rest) ||
            !parse_number(rest, 0, o, &read[2], &rest))
            return options_error(line->command, o->name, "'%s' is not X,Y,Z, each from %g to %g", text, o->low,
                                 o->high);
        memcpy(v, read, sizeof read);
        break;
    }
    }
    return OPTIONS_RUN;
}

// A number that ends at the character `end`; rest points to what follows.
static bool parse_number(const char *text, char end, const option *o, float *number, const char **rest) {
    char *stop;
    double value = strtod(text, &stop);
    if (stop == text || *stop != end || !(value >= o->low && value <= o->high)) return false;
    *number = (float)value;
    *rest = stop + (end ? 1 : 0);
    return true;
}

static bool parse_choice(const char *choices, const char *text, uint32_t *index) {
    size_t length = strlen(text);
    for (uint32_t i = 0; choices; i++) {
        const char *bar = strchr(choices, '|');
        size_t choice = bar ? (size_t)(bar - choices) : strlen(choices);
        if (length == choice && strncmp(choices, text, length) == 0) {
            *index = i;
            return true;
        }
        choices = bar ? bar + 1 : NULL;
    }
    return false;
}

#if defined(_WIN32)
#define SEPARATORS "/\\"
#define ENTER_AND_WRITE W_OK // access knows nothing else there

// Paths are UTF-8, which the system's narrow functions take for something else. -1: there is none.
static int path_mode(const char *path) {
    wchar_t wide[4096];
    struct _stat64 status;
    errno = ENOENT;
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096)) return -1;
    return _wstat64(wide, &status) == 0 ? status.st_mode : -1;
}

static bool path_allows(const char *path, int mode) {
    wchar_t wide[4096];
    errno = ENOENT;
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096) && _waccess(wide, mode) == 0;
}
#else
#define SEPARATORS "/"
#define ENTER_AND_WRITE (W_OK | X_OK)

static int path_mode(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (int)status.st_mode : -1;
}

static bool path_allows(const char *path, int mode) { return access(path, mode) == 0; }
#endif

static bool is_separator(char c) { return strchr(SEPARATORS, c) != NULL; }

// Why the path cannot be written to, or null. Creates and changes nothing.
static const char *path_problem(const char *path, bool folder) {
    int mode = path_mode(path);
    if (mode >= 0) {
        if (S_ISDIR(mode) != folder) return folder ? "is not a folder" : "is a folder";
        return path_allows(path, W_OK) ? NULL : strerror(errno);
    }
    if (errno != ENOENT) return strerror(errno);
    // Nothing has this name yet: check the parent folder.
    size_t length = strlen(path);
    while (folder && length > 1 && is_separator(path[length - 1])) length--;
    while (length > 0 && !is_separator(path[length - 1])) length--;
    char *parent = malloc(length + 2);
    if (!parent) return "out of memory";
    memcpy(parent, length ? path : ".", length ? length : 1);
    parent[length ? length : 1] = 0;
    const char *problem = path_allows(parent, ENTER_AND_WRITE) ? NULL : strerror(errno);
    free(parent);
    return problem;
}

static void print_help(const command_line *line) {
    static const char *const ARGUMENTS[] = {
        [OPTION_FLAG] = "",      [OPTION_TEXT] = "TEXT",   [OPTION_FILE] = "FILE",
        [OPTION_FOLDER] = "DIR", [OPTION_CHOICE] = "NAME", [OPTION_COUNT] = "N",
        [OPTION_SEED] = "N",     [OPTION_NUMBER] = "X",    [OPTION_VECTOR] = "X,Y,Z",
    };
    printf("usage: %s %s\n\n%s\n", line->command, line->usage, line->purpose);
    printf("\noptions:\n");
    for (size_t i = 0; i < line->option_count; i++) {
        const option *o = &line->options[i];
        char left[64];
        snprintf(left, sizeof left, "--%s %s", o->name, o->argument ? o->argument : ARGUMENTS[o->kind]);
        printf("  %-20s %s", left, o->help);
        if (o->kind == OPTION_CHOICE) printf(": %s", o->choices);
        putchar('\n');
    }
    printf("  %-20s %s\n", "--help", "this text");
}
