// Instructions of PTX, in C. Every one with all its modifiers stands in the list below or has a function of its own.
#include "ptx.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Instructions that make one value out of values: `a` to `d` are the operands after the first.
struct instruction {
    const char *name;
    const char *to;   // type of the result
    const char *from; // types of the operands
    const char *value;
};

#define INTEGER_COMPARE(type)                                                                                          \
    {"setp.eq." type, "pred", type " " type, "a == b"}, {"setp.ne." type, "pred", type " " type, "a != b"},            \
        {"setp.lt." type, "pred", type " " type, "a < b"}, {"setp.le." type, "pred", type " " type, "a <= b"},         \
        {"setp.gt." type, "pred", type " " type, "a > b"}, {                                                           \
        "setp.ge." type, "pred", type " " type, "a >= b"                                                               \
    }
#define BITWISE(type)                                                                                                  \
    {"and." type, type, type " " type, "a & b"}, {"or." type, type, type " " type, "a | b"}, {                         \
        "xor." type, type, type " " type, "a ^ b"                                                                      \
    }
#define MOVE(type)                                                                                                     \
    {"mov." type, type, type, "a"}, { "selp." type, type, type " " type " pred", "c ? a : b" }
#define INTEGER(type)                                                                                                  \
    {"add." type, type, type " " type, "a + b"}, {"sub." type, type, type " " type, "a - b"},                          \
        {"mul.lo." type, type, type " " type, "a * b"}, {"mad.lo." type, type, type " " type " " type, "a * b + c"},   \
        {"min." type, type, type " " type, "a < b ? a : b"}, {                                                         \
        "max." type, type, type " " type, "a > b ? a : b"                                                              \
    }

static const struct instruction instructions[] = {
    {"add.rn.f32", "f32", "f32 f32", "canonical(a + b)"},
    {"sub.rn.f32", "f32", "f32 f32", "canonical(a - b)"},
    {"mul.rn.f32", "f32", "f32 f32", "canonical(a * b)"},
    {"add.f32", "f32", "f32 f32", "canonical(a + b)"}, // without a rounding it is .rn, but may be contracted
    {"div.rn.f32", "f32", "f32 f32", "canonical(a / b)"},
    {"rcp.rn.f32", "f32", "f32", "canonical(1.0f / a)"},
    {"sqrt.rn.f32", "f32", "f32", "canonical(sqrtf(a))"},
    {"fma.rn.f32", "f32", "f32 f32 f32", "canonical(fmaf(a, b, c))"},
    {"neg.f32", "f32", "f32", "to_f32(from_f32(a) ^ 0x80000000u)"},
    {"abs.f32", "f32", "f32", "to_f32(from_f32(a) & 0x7fffffffu)"},
    {"min.f32", "f32", "f32 f32", "ptx_min(a, b)"},
    {"max.f32", "f32", "f32 f32", "ptx_max(a, b)"},
    {"setp.eq.f32", "pred", "f32 f32", "a == b"},
    {"setp.neu.f32", "pred", "f32 f32", "!(a == b)"},
    {"setp.lt.f32", "pred", "f32 f32", "a < b"},
    {"setp.le.f32", "pred", "f32 f32", "a <= b"},
    {"setp.gt.f32", "pred", "f32 f32", "a > b"},
    {"setp.ge.f32", "pred", "f32 f32", "a >= b"},
    {"setp.ltu.f32", "pred", "f32 f32", "!(a >= b)"}, // unordered: also when one is NaN
    {"setp.leu.f32", "pred", "f32 f32", "!(a > b)"},
    {"setp.gtu.f32", "pred", "f32 f32", "!(a <= b)"},
    {"setp.geu.f32", "pred", "f32 f32", "!(a < b)"},
    {"setp.nan.f32", "pred", "f32 f32", "a != a || b != b"},
    {"setp.num.f32", "pred", "f32 f32", "a == a && b == b"},
    INTEGER_COMPARE("s16"),
    INTEGER_COMPARE("u16"),
    INTEGER_COMPARE("s32"),
    INTEGER_COMPARE("u32"),
    INTEGER_COMPARE("s64"),
    INTEGER_COMPARE("u64"),
    {"setp.eq.b32", "pred", "b32 b32", "a == b"},
    {"setp.ne.b32", "pred", "b32 b32", "a != b"},
    INTEGER("s32"),
    INTEGER("u32"),
    INTEGER("s64"),
    INTEGER("u64"),
    {"add.s16", "s16", "s16 s16", "(uint32_t)a + b"},
    {"sub.s16", "s16", "s16 s16", "(uint32_t)a - b"},
    {"mul.lo.s16", "s16", "s16 s16", "(uint32_t)a * b"},
    {"mad.lo.s16", "s16", "s16 s16 s16", "(uint32_t)a * b + c"},
    {"neg.s32", "s32", "s32", "-a"},
    {"mul.wide.u16", "u32", "u16 u16", "(uint32_t)a * b"},
    {"mul.wide.u32", "u64", "u32 u32", "(uint64_t)a * b"},
    {"mul.wide.s32", "s64", "s32 s32", "(uint64_t)((int64_t)(int32_t)a * (int32_t)b)"},
    {"mad.wide.u32", "u64", "u32 u32 u64", "(uint64_t)a * b + c"},
    {"mul.hi.u32", "u32", "u32 u32", "(uint32_t)((uint64_t)a * b >> 32)"},
    {"div.u32", "u32", "u32 u32", "b ? a / b : 0xffffffffu"},
    {"rem.u32", "u32", "u32 u32", "b ? a % b : a"},
    {"prmt.b32", "b32", "b32 b32 b32", "ptx_permute(a, b, c)"},
    {"bfi.b32", "b32", "b32 b32 u32 u32", "ptx_insert(a, b, c, d)"},
    {"popc.b32", "u32", "b32", "(uint32_t)__builtin_popcount(a)"},
    BITWISE("b16"),
    BITWISE("b32"),
    BITWISE("b64"),
    BITWISE("pred"),
    {"not.pred", "pred", "pred", "!a"},
    {"not.b16", "b16", "b16", "~a"},
    {"not.b32", "b32", "b32", "~a"},
    {"not.b64", "b64", "b64", "~a"},
    {"shl.b16", "b16", "b16 u32", "b > 15 ? 0 : (uint32_t)a << b"},
    {"shr.u16", "u16", "u16 u32", "b > 15 ? 0 : a >> b"},
    {"shl.b32", "b32", "b32 u32", "b > 31 ? 0 : a << b"},
    {"shl.b64", "b64", "b64 u32", "b > 63 ? 0 : a << b"},
    {"shr.u32", "u32", "u32 u32", "b > 31 ? 0 : a >> b"},
    {"shr.u64", "u64", "u64 u32", "b > 63 ? 0 : a >> b"},
    {"shr.s32", "s32", "s32 u32", "(uint32_t)((int32_t)a >> (b > 31 ? 31 : b))"},
    MOVE("pred"),
    MOVE("u16"),
    MOVE("b16"),
    MOVE("s16"),
    MOVE("u32"),
    MOVE("b32"),
    MOVE("s32"),
    MOVE("u64"),
    MOVE("b64"),
    MOVE("f32"),
    {"cvt.u64.u32", "u64", "u32", "a"},
    {"cvt.s64.s32", "s64", "s32", "(uint64_t)(int64_t)(int32_t)a"},
    {"cvt.u32.u64", "u32", "u64", "(uint32_t)a"},
    {"cvt.u32.u16", "u32", "u16", "a"},
    {"cvt.u16.u32", "u16", "u32", "(uint16_t)a"},
    {"cvt.rn.f32.u32", "f32", "u32", "(float)a"},
    {"cvt.rn.f32.s32", "f32", "s32", "(float)(int32_t)a"},
    {"cvt.rzi.s32.f32", "s32", "f32", "(uint32_t)to_s32(a)"},
    {"cvt.rzi.u32.f32", "u32", "f32", "to_u32(a)"},
    {"cvt.rni.f32.f32", "f32", "f32", "canonical(rintf(a))"},
    {"cvta.to.global.u64", "u64", "u64", "a"}, // generic addresses are global ones: no others are made
};

static void emit_value(const struct instruction *instruction, char **operands, unsigned count) {
    bool is_compare = strncmp(instruction->name, "setp", 4) == 0 || strncmp(instruction->name, "min", 3) == 0 ||
                      strncmp(instruction->name, "max", 3) == 0;
    char from[64], *types[4] = {NULL, NULL, NULL, NULL};
    unsigned wanted = 0;
    snprintf(from, sizeof from, "%s", instruction->from);
    for (char *type = strtok(from, " "); type; type = strtok(NULL, " ")) types[wanted++] = type;
    if (count != wanted + 1) die("%s has %u operands", instruction->name, count);
    check_target(operands[0], instruction->to);
    emit("{ ");
    static const char *const letters[] = {"a", "b", "c", "d"};
    for (unsigned i = 0; i < wanted; i++) get(letters[i], operands[i + 1], types[i], is_compare);
    if (strcmp(instruction->to, "f32") == 0)
        emit("%s = from_f32(%s); }\n", operands[0] + 1, instruction->value);
    else
        emit("%s = (%s)(%s); }\n", operands[0] + 1, c_type(instruction->to, false), instruction->value);
}

// "[name+8]", "[%rd1+-128]": the address as a 64-bit expression.
static void address_of(char *operand, const char *space, char *text, size_t size) {
    size_t length = strlen(operand);
    if (operand[0] != '[' || operand[length - 1] != ']') die("%s is no address", operand);
    operand[length - 1] = 0;
    char *base = operand + 1, *plus = strchr(base, '+');
    long long offset = plus ? strtoll(plus + 1, NULL, 0) : 0;
    if (plus) *plus = 0;
    const struct reg *reg = find_reg(base);
    const struct variable *shared = find_shared(base);
    if (reg && (reg->bits == 64 || (reg->bits == 32 && strcmp(space, "shared") == 0)))
        snprintf(text, size, "((uint64_t)%s + (uint64_t)%lldll)", base + 1, offset);
    else if (strcmp(space, "shared") == 0 && shared)
        snprintf(text, size, "%lluull", (unsigned long long)shared->at + (unsigned long long)offset);
    else if (strcmp(space, "param") == 0 && strcmp(base, ptx.param.name) == 0)
        snprintf(text, size, "((uint64_t)(uintptr_t)params + %lldull)", offset);
    else
        die("%s is no address in %s memory", base, space);
}

static void pointer_to(const char *space, const char *address, unsigned bytes, char *text, size_t size) {
    if (strcmp(space, "global") == 0)
        snprintf(text, size, "global_at(%s, %u, %d)", address, bytes, ptx.line);
    else if (strcmp(space, "shared") == 0)
        snprintf(text, size, "shared_at(%s, %u, %u, %d)", address, bytes, ptx.shared_size, ptx.line);
    else if (strcmp(space, "param") == 0)
        snprintf(text, size, "param_at(params, %s, %u, %u, %d)", address, bytes, ptx.param.size, ptx.line);
    else
        die("%s memory is not known here", space);
}

// Splits "{%r1, %r2}" in place; a single register is a list of one.
static unsigned split_vector(char *text, char **parts) {
    unsigned count = 0;
    if (text[0] != '{') {
        parts[0] = text;
        return 1;
    }
    for (char *part = strtok(text, "{}, \t"); part; part = strtok(NULL, "{}, \t")) {
        if (count == 4) die("a vector of more than four");
        parts[count++] = part;
    }
    return count;
}

// ld.SPACE[.v2|.v4].TYPE and st. likewise.
static void emit_memory(bool is_load, char *modifiers, char **operands, unsigned count) {
    char *space = strtok(modifiers, "."), *type = strtok(NULL, "."), *vector = NULL;
    if (type && type[0] == 'v') {
        vector = type;
        type = strtok(NULL, ".");
    }
    if (!space || !type || strtok(NULL, ".") || count != 2) die("a form of ld or st that is not known here");
    if (!is_load && strcmp(space, "param") == 0) die("parameters are only read");
    char *parts[4], address[NAME_SIZE + 64];
    unsigned lanes = split_vector(operands[is_load ? 0 : 1], parts), bits = type_bits(type);
    if (lanes != (vector ? (unsigned)atoi(vector + 1) : 1) || (lanes != 1 && lanes != 2 && lanes != 4) || bits < 8)
        die("a vector of %u %s", lanes, type);
    address_of(operands[is_load ? 1 : 0], space, address, sizeof address);
    char whole[2 * NAME_SIZE + 128];
    pointer_to(space, address, lanes * bits / 8, whole, sizeof whole);
    emit("{ %schar *at = (%schar *)%s; ", is_load ? "const " : "", is_load ? "const " : "", whole);
    for (unsigned i = 0; i < lanes; i++) {
        char text[NAME_SIZE + 64];
        operand_bits(parts[i], type, true, text, sizeof text);
        if (is_load && !find_reg(parts[i])) die("%s is no register", parts[i]);
        if (is_load && type[0] == 's')
            emit("%s = (uint64_t)(int64_t)(int%u_t)load_uint%u(at + %u); ", text, bits, bits, i * bits / 8);
        else if (is_load)
            emit("%s = load_uint%u(at + %u); ", text, bits, i * bits / 8);
        else
            emit("store_uint%u(at + %u, (uint%u_t)(%s)); ", bits, i * bits / 8, bits, text);
    }
    emit("}\n");
}

static bool knows_atomic(const char *operation, const char *type) {
    static const char *const known[][2] = {{"add", "u32"}, {"add", "f32"}, {"min", "u32"},
                                           {"max", "u32"}, {"min", "s32"}, {"max", "s32"},
                                           {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(operation, known[i][0]) == 0 && strcmp(type, known[i][1]) == 0) return true;
    return false;
}

// atom.SPACE.OPERATION.TYPE d, [a], b; red.SPACE.OPERATION.TYPE [a], b; atom.SPACE.cas.b32 d, [a], b, c
static void emit_atomic(bool returns, char *modifiers, char **operands, unsigned count) {
    char *space = strtok(modifiers, "."), *operation = strtok(NULL, "."), *type = strtok(NULL, ".");
    if (!space || !operation || !type || strtok(NULL, ".")) die("an atomic that is not known here");
    bool swaps = returns && strcmp(operation, "cas") == 0 && strcmp(type, "b32") == 0;
    if (!(swaps || knows_atomic(operation, type)) || count != 2u + returns + swaps)
        die("an atomic that is not known here");
    char address[NAME_SIZE + 64], pointer[2 * NAME_SIZE + 128], value[NAME_SIZE + 64], other[NAME_SIZE + 64] = "";
    address_of(operands[returns ? 1 : 0], space, address, sizeof address);
    pointer_to(space, address, 4, pointer, sizeof pointer);
    operand_bits(operands[returns ? 2 : 1], type, false, value, sizeof value);
    if (swaps) operand_bits(operands[3], type, false, other, sizeof other);
    if (returns) check_target(operands[0], type);
    emit("{ %s%s%s_%s_at(%s, %s%s%s); }\n", returns ? operands[0] + 1 : "(void)", returns ? " = " : "", operation, type,
         pointer, value, swaps ? ", " : "", other);
}

// shfl.sync.MODE.b32 d[|p], a, b, c, mask
static void emit_shuffle(const char *mode, char **operands, unsigned count) {
    if (count != 5 || (strcmp(mode, "idx.b32") != 0 && strcmp(mode, "bfly.b32") != 0 && strcmp(mode, "down.b32") != 0 &&
                       strcmp(mode, "up.b32") != 0))
        die("a shuffle that is not known here: %s", mode);
    char *inside = strchr(operands[0], '|'), text[4][NAME_SIZE + 64];
    if (inside) *inside++ = 0;
    check_target(operands[0], "b32");
    if (inside) check_target(inside, "pred");
    for (unsigned i = 0; i < 4; i++) operand_bits(operands[i + 1], "b32", false, text[i], sizeof text[i]);
    emit("{ bool inside; %s = shuffle('%c', %s, %s, %s, %s, &inside, %d); %s%s}\n", operands[0] + 1, mode[0], text[0],
         text[1], text[2], text[3], ptx.line, inside ? inside + 1 : "(void)inside", inside ? " = inside; " : "; ");
}

// vote.sync.ballot.b32 d, p, mask; vote.sync.any.pred d, p, mask; vote.sync.all.pred d, p, mask
static void emit_vote(const char *mode, char **operands, unsigned count) {
    bool whole = strcmp(mode, "ballot.b32") == 0, any = strcmp(mode, "any.pred") == 0;
    if (count != 3 || !(whole || any || strcmp(mode, "all.pred") == 0)) die("a vote that is not known here: %s", mode);
    char mask[NAME_SIZE + 64], *predicate = operands[1];
    bool negated = predicate[0] == '!';
    check_target(operands[0], whole ? "b32" : "pred");
    operand_bits(operands[2], "b32", false, mask, sizeof mask);
    char text[NAME_SIZE + 64];
    operand_bits(predicate + negated, "pred", false, text, sizeof text);
    emit("{ uint32_t set = ballot(%s%s, %s, %d); %s = set%s%s; }\n", negated ? "!" : "", text, mask, ptx.line,
         operands[0] + 1,
         whole ? ""
         : any ? " != 0"
               : " == ",
         whole || any ? "" : mask);
}

static void emit_branch(char **operands, unsigned count) {
    if (count != 1 || operands[0][0] != '$') die("a branch to no label");
    emit("goto %s;\n", operands[0] + 1);
}

// setp with a third operand: setp.COMPARE.and|or.TYPE p, a, b, c
static bool emit_combined(const char *name, char **operands, unsigned count) {
    char plain[NAME_SIZE], text[NAME_SIZE + 64];
    const char *joint = strstr(name, ".and."), *sign = "&";
    if (!joint) {
        joint = strstr(name, ".or.");
        sign = "|";
    }
    if (strncmp(name, "setp.", 5) != 0 || !joint || count != 4) return false;
    snprintf(plain, sizeof plain, "%.*s%s", (int)(joint - name), name, strchr(joint + 1, '.'));
    bool negated = operands[3][0] == '!';
    operand_bits(operands[3] + negated, "pred", false, text, sizeof text);
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
        if (strcmp(instructions[i].name, plain) == 0) {
            emit("{ bool third = %s%s; ", negated ? "!" : "", text);
            emit_value(&instructions[i], operands, 3);
            emit("%s = %s %s third; }\n", operands[0] + 1, operands[0] + 1, sign);
            return true;
        }
    return false;
}

void emit_instruction(char *name, char **operands, unsigned count) {
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
        if (strcmp(instructions[i].name, name) == 0) {
            emit_value(&instructions[i], operands, count);
            return;
        }
    if (strcmp(name, "ret") == 0 || strcmp(name, "exit") == 0)
        emit("return;\n");
    else if (strcmp(name, "trap") == 0)
        emit("fiber_trap(\"trap\", %d);\n", ptx.line);
    else if (strcmp(name, "bra") == 0 || strcmp(name, "bra.uni") == 0)
        emit_branch(operands, count);
    else if ((strcmp(name, "bar.sync") == 0 || strcmp(name, "barrier.sync") == 0) && count == 1 &&
             strcmp(operands[0], "0") == 0)
        emit("fiber_barrier(%d);\n", ptx.line);
    else if (strcmp(name, "bar.warp.sync") == 0 && count == 1) {
        char mask[NAME_SIZE + 64];
        operand_bits(operands[0], "b32", false, mask, sizeof mask);
        emit("fiber_exchange(%s, PTX_SYNC, 0, %d);\n", mask, ptx.line);
    } else if (strncmp(name, "ld.", 3) == 0 || strncmp(name, "st.", 3) == 0)
        emit_memory(name[0] == 'l', name + 3, operands, count);
    else if (strncmp(name, "atom.", 5) == 0)
        emit_atomic(true, name + 5, operands, count);
    else if (strncmp(name, "red.", 4) == 0)
        emit_atomic(false, name + 4, operands, count);
    else if (strncmp(name, "shfl.sync.", 10) == 0)
        emit_shuffle(name + 10, operands, count);
    else if (strncmp(name, "vote.sync.", 10) == 0)
        emit_vote(name + 10, operands, count);
    else if (!emit_combined(name, operands, count))
        die("unknown instruction %s", name);
}
