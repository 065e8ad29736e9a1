// Types and operands of PTX, in C.
#include "ptx.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

unsigned type_bits(const char *type) {
    if (strcmp(type, "pred") == 0) return 1;
    if (!strchr("busf", type[0])) die("unknown type %s", type);
    unsigned bits = (unsigned)atoi(type + 1);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) die("unknown type %s", type);
    return bits;
}

// C's type for computing with a PTX type. Signed arithmetic wraps, so it is done unsigned; comparisons and the like are not.
const char *c_type(const char *type, bool is_compare) {
    if (strcmp(type, "pred") == 0) return "bool";
    if (strcmp(type, "f32") == 0) return "float";
    if (type[0] == 'f') die("type %s is not known here", type);
    static char text[2][32];
    static int turn;
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s%u_t", is_compare && type[0] == 's' ? "int" : "uint", type_bits(type));
    return text[turn];
}

const struct reg *find_reg(const char *operand) {
    for (unsigned i = 0; i < ptx.reg_count; i++) {
        size_t length = strlen(ptx.regs[i].prefix);
        if (strncmp(operand, ptx.regs[i].prefix, length) != 0) continue;
        char *end;
        unsigned long number = strtoul(operand + length, &end, 10);
        if (isdigit((unsigned char)operand[length]) && *end == 0 && number < ptx.regs[i].count) return &ptx.regs[i];
    }
    return NULL;
}

const struct variable *find_shared(const char *name) {
    for (unsigned i = 0; i < ptx.shared_count; i++)
        if (strcmp(ptx.shared[i].name, name) == 0) return &ptx.shared[i];
    return NULL;
}

static const char *special(const char *operand) {
    static const struct {
        const char *name, *value;
    } list[] = {
        {"%tid.x", "fiber_self->thread.x"},      {"%tid.y", "fiber_self->thread.y"},
        {"%tid.z", "fiber_self->thread.z"},      {"%ctaid.x", "fiber_self->block.x"},
        {"%ctaid.y", "fiber_self->block.y"},     {"%ctaid.z", "fiber_self->block.z"},
        {"%ntid.x", "fiber_self->block_size.x"}, {"%nctaid.x", "fiber_self->grid_size.x"},
        {"%laneid", "fiber_self->lane"},         {"%nctaid.y", "fiber_self->grid_size.y"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(list[i].name, operand) == 0) return list[i].value;
    return NULL;
}

void operand_bits(const char *operand, const char *type, bool any_width, char *text, size_t size) {
    unsigned bits = type_bits(type);
    const struct reg *reg = find_reg(operand);
    const struct variable *shared = find_shared(operand);
    if (reg) {
        if (reg->bits != bits && !(any_width && reg->bits > bits && bits > 1))
            die("%s has %u bits, %s wants %u", operand, reg->bits, type, bits);
        snprintf(text, size, "%s", operand + 1);
    } else if (special(operand)) {
        if (bits != 32) die("%s has 32 bits, %s wants %u", operand, type, bits);
        snprintf(text, size, "%s", special(operand));
    } else if (shared) {
        snprintf(text, size, "%uu", shared->at);
    } else if (strcmp(operand, ptx.param.name) == 0 && bits == 64) {
        snprintf(text, size, "(uint64_t)(uintptr_t)params");
    } else if (operand[0] == '0' && (operand[1] == 'f' || operand[1] == 'F') && strlen(operand) == 10 && bits == 32) {
        snprintf(text, size, "0x%su", operand + 2);
    } else if (isdigit((unsigned char)operand[0]) || operand[0] == '-') {
        char *end;
        bool negative = operand[0] == '-';
        uint64_t value = strtoull(operand + negative, &end, 0);
        if (*end == 'U') end++;
        if (*end || type[0] == 'f') die("%s is no operand of type %s", operand, type);
        if (negative) value = 0 - value;
        if (bits < 64) value &= (1ull << bits) - 1;
        snprintf(text, size, "%lluu%s", (unsigned long long)value, bits == 64 ? "ll" : "");
    } else {
        die("%s is no operand", operand);
    }
}

void check_target(const char *operand, const char *type) {
    const struct reg *reg = find_reg(operand);
    if (!reg) die("%s is no register", operand);
    if (reg->bits != type_bits(type)) die("%s has %u bits, %s wants %u", operand, reg->bits, type, type_bits(type));
}

void get(const char *variable, const char *operand, const char *type, bool is_compare) {
    char text[NAME_SIZE + 64];
    operand_bits(operand, type, false, text, sizeof text);
    const char *c = c_type(type, is_compare);
    if (strcmp(type, "f32") == 0)
        emit("%s %s = to_f32(%s); ", c, variable, text);
    else
        emit("%s %s = (%s)(%s); ", c, variable, c, text);
}
