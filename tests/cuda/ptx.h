// PTX text on its way to C: what its parts share.
#ifndef PLAIT_TESTS_PTX_H
#define PLAIT_TESTS_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MAX_OPERANDS = 8, MAX_NAMES = 256, NAME_SIZE = 128 };

struct reg {
    char prefix[NAME_SIZE]; // "%rd" of "%rd<71>"
    unsigned count, bits;   // bits 1: predicate
};

struct variable {
    char name[NAME_SIZE];
    unsigned size, at; // at: offset in shared memory
};

// Where the translation stands.
struct ptx {
    const char *at;
    int line;
    FILE *out;
    struct reg regs[MAX_NAMES];
    unsigned reg_count;
    struct variable shared[MAX_NAMES];
    unsigned shared_count, shared_size;
    struct variable param; // an entry has one or none
};
extern struct ptx ptx;

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void emit(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ptx_operand.c
unsigned type_bits(const char *type);
const struct reg *find_reg(const char *operand); // null: it is none
// The operand as bits of the type's width, in C.
void operand_bits(const char *operand, const char *type, bool any_width, char *text, size_t size);
void check_target(const char *operand, const char *type);
// Emits a C variable that holds the operand, of the type in which C computes.
void get(const char *variable, const char *operand, const char *type, bool is_compare);
const char *c_type(const char *type, bool is_compare);
const struct variable *find_shared(const char *name);

// ptx_instruction.c
void emit_instruction(char *name, char **operands, unsigned count);

#endif
