"""Writes a C program that prints what a compiler makes of the header; the bindings print the same in the same form."""
HEAD = """\
#include <plait.h>
#include <stdio.h>

static void print_bytes(const char *name, const void *memory, size_t size) {
    printf("init %s ", name);
    for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)memory)[i]);
    putchar('\\n');
}

int main(void) {
"""


def write(header):
    lines = []
    for constant in header.constants.values():
        lines.append(f'    printf("constant {constant.name} %lld\\n", (long long){constant.name});')
    for name, struct in header.structs.items():
        lines.append(f'    printf("struct {name} %zu\\n", sizeof({name}));')
        for field in struct.fields:
            lines.append(f'    printf("field {name}.{field.name} %zu\\n", offsetof({name}, {field.name}));')
        if struct.init is not None:
            lines.append(f"    {{ {name} value = {name.upper()}_INIT; print_bytes(\"{name}\", &value, sizeof value); }}")
    return HEAD + "\n".join(lines) + "\n    return 0;\n}\n"
