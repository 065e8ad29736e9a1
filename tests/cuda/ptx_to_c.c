// Translates PTX text, as nvcc writes it, to C that runs on fibers: ptx_to_c IN.ptx OUT.c NAME, where the kernels
// become the list NAME_kernels. An instruction that is not known with all its modifiers is an error, and so is an
// operand of the wrong width.
#include "ptx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ptx ptx;

static char entries[MAX_NAMES][NAME_SIZE];
static unsigned entry_sizes[MAX_NAMES], entry_count;

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "ptx_to_c: line %d: ", ptx.line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void emit(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(ptx.out, format, arguments);
    va_end(arguments);
}

// ---- statements ----

static void skip_space(void) {
    for (;;) {
        if (isspace((unsigned char)*ptx.at)) {
            ptx.line += *ptx.at++ == '\n';
        } else if (ptx.at[0] == '/' && ptx.at[1] == '/') {
            while (*ptx.at && *ptx.at != '\n') ptx.at++;
        } else {
            return;
        }
    }
}

static bool accept(const char *word) {
    skip_space();
    size_t length = strlen(word);
    if (strncmp(ptx.at, word, length) != 0) return false;
    ptx.at += length;
    return true;
}

static void expect(const char *word) {
    if (!accept(word)) die("%s expected, not %.20s", word, ptx.at);
}

// A word: letters, digits and what names and instructions have besides.
static void read_word(char word[NAME_SIZE]) {
    skip_space();
    size_t length = 0;
    while (isalnum((unsigned char)*ptx.at) || (*ptx.at && strchr("_$.%", *ptx.at))) {
        if (length + 1 == NAME_SIZE) die("a name too long");
        word[length++] = *ptx.at++;
    }
    word[length] = 0;
    if (length == 0) die("a name expected, not %.20s", ptx.at);
}

static unsigned read_number(void) {
    skip_space();
    char *end;
    unsigned long value = strtoul(ptx.at, &end, 0);
    if (end == ptx.at) die("a number expected, not %.20s", ptx.at);
    ptx.at = end;
    return (unsigned)value;
}

// ".align 8 .b8 name[136]" or ".u64 name"
static void read_variable(struct variable *variable, unsigned *alignment) {
    char type[NAME_SIZE];
    *alignment = 0;
    if (accept(".align")) *alignment = read_number();
    read_word(type);
    unsigned bytes = type_bits(type + 1) / 8;
    if (*alignment == 0) *alignment = bytes;
    if (bytes == 0) die("a variable of type %s", type);
    read_word(variable->name);
    variable->size = bytes;
    if (accept("[")) {
        variable->size = bytes * read_number();
        expect("]");
    }
}

static void read_shared(void) {
    if (ptx.shared_count == MAX_NAMES) die("too many variables");
    struct variable *variable = &ptx.shared[ptx.shared_count++];
    unsigned alignment;
    read_variable(variable, &alignment);
    expect(";");
    variable->at = (ptx.shared_size + alignment - 1) / alignment * alignment;
    ptx.shared_size = variable->at + variable->size;
    if (ptx.shared_size > 48 << 10) die("more than 48 KiB of shared memory");
}

static void read_registers(void) {
    if (ptx.reg_count == MAX_NAMES) die("too many registers");
    struct reg *reg = &ptx.regs[ptx.reg_count++];
    char type[NAME_SIZE];
    read_word(type);
    reg->bits = type_bits(type + 1);
    read_word(reg->prefix);
    expect("<");
    reg->count = read_number();
    expect(">");
    expect(";");
    for (unsigned i = 0; i < reg->count; i++) {
        if (reg->bits == 1)
            emit("bool %s%u = false; (void)%s%u;\n", reg->prefix + 1, i, reg->prefix + 1, i);
        else
            emit("uint%u_t %s%u = 0; (void)%s%u;\n", reg->bits, reg->prefix + 1, i, reg->prefix + 1, i);
    }
}

static void read_instruction(void) {
    bool guarded = accept("@"), negated = guarded && accept("!");
    char guard[NAME_SIZE], name[NAME_SIZE], text[1024], *operands[MAX_OPERANDS];
    if (guarded) read_word(guard);
    read_word(name);
    skip_space();
    if (!guarded && *ptx.at == ':') { // a label
        ptx.at++;
        if (name[0] != '$') die("label %s", name);
        emit("%s:;\n", name + 1);
        return;
    }
    size_t length = 0;
    for (; *ptx.at != ';'; ptx.at++) {
        if (!*ptx.at || length + 1 == sizeof text) die("%s does not end", name);
        ptx.line += *ptx.at == '\n';
        if (!isspace((unsigned char)*ptx.at)) text[length++] = *ptx.at;
    }
    ptx.at++;
    text[length] = 0;
    unsigned count = 0;
    int depth = 0;
    for (char *c = text; *c; c++) {
        if (c == text || (c[-1] == 0)) {
            if (count == MAX_OPERANDS) die("%s has too many operands", name);
            operands[count++] = c;
        }
        depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        if (*c == ',' && depth == 0) *c = 0;
    }
    if (guarded) {
        check_target(guard, "pred");
        emit("if (%s%s) ", negated ? "!" : "", guard + 1);
    }
    emit_instruction(name, operands, count);
}

static void read_body(void) {
    expect("{");
    while (!accept("}")) {
        skip_space();
        if (accept(".reg"))
            read_registers();
        else if (accept(".shared"))
            read_shared();
        else if (accept(".pragma \"nounroll\";"))
            continue;
        else if (accept(".pragma \"used_bytes_mask")) // which bytes of the next load are of use: a hint
            ptx.at = strchr(ptx.at, ';') + 1;
        else if (*ptx.at == '.')
            die("unknown directive %.20s", ptx.at);
        else
            read_instruction();
    }
}

static void read_entry(void) {
    if (entry_count == MAX_NAMES) die("too many entries");
    char *name = entries[entry_count];
    unsigned alignment;
    read_word(name);
    ptx.reg_count = 0;
    ptx.param = (struct variable){{0}, 0, 0};
    expect("(");
    if (accept(".param")) read_variable(&ptx.param, &alignment);
    if (!accept(")")) die("%s has more than one parameter", name);
    if (accept(".maxntid"))
        for (int i = 0; i < 3; i++) {
            read_number();
            if (i < 2) expect(",");
        }
    if (accept(".minnctapersm")) read_number(); // room for blocks: a matter of registers
    emit("static void ptx_%s(const void *params) {\n(void)params;\n", name);
    read_body();
    emit("}\n\n");
    entry_sizes[entry_count++] = ptx.param.size;
}

static void read_module(void) {
    char word[NAME_SIZE];
    ptx.line = 1;
    expect(".version");
    read_word(word);
    expect(".target");
    read_word(word);
    expect(".address_size");
    if (read_number() != 64) die("addresses are not of 64 bits");
    for (;;) {
        skip_space();
        if (!*ptx.at) return;
        if (accept(".visible .entry"))
            read_entry();
        else if (accept(".shared"))
            read_shared();
        else
            die("unknown directive %.20s", ptx.at);
    }
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) die("%s cannot be read", path);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) die("%s cannot be read", path);
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    bool untranslated = argc == 5 && strcmp(argv[4], "--untranslated") == 0;
    if (argc != 4 && !untranslated) {
        fprintf(stderr, "usage: ptx_to_c IN.ptx OUT.c NAME [--untranslated]\n"
                        "--untranslated: the hash of the text, and no kernels\n");
        return 2;
    }
    char *text = read_file(argv[1]);
    ptx.out = fopen(argv[2], "w");
    if (!ptx.out) die("%s cannot be written", argv[2]);
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    ptx.at = text;
    emit("// Translated by ptx_to_c.\n#include \"ptx_run.h\"\n\n");
    if (!untranslated) read_module();
    emit("const uint64_t %s_hash = %lluu;\nconst struct named_kernel %s_kernels[] = {\n", argv[3],
         (unsigned long long)hash, argv[3]);
    for (unsigned i = 0; i < entry_count; i++)
        emit("    {\"%s\", ptx_%s, %u},\n", entries[i], entries[i], entry_sizes[i]);
    emit("    {NULL, NULL, 0},\n};\n");
    free(text);
    return fclose(ptx.out) == 0 ? 0 : 1;
}
