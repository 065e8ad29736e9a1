"""Writes the Python bindings: what the header declares, under its own names, for ctypes."""
import keyword
import textwrap

from header import Constant, Function, Struct

TYPES = {
    "char": "c_char", "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32", "int32_t": "c_int32",
    "float": "c_float", "uint64_t": "c_uint64", "int64_t": "c_int64", "double": "c_double", "size_t": "c_size_t",
    "plait_result": "c_int32",
}
HEAD = '''\
# Made from abi/plait.h by host_adapters/bindings/generate.py: change the header and run that again.
r"""The C interface of Plait under its own names, for ctypes; the module plait wraps it for everyday use.

A struct with an initialiser in the header begins with those values: plait_hair_desc(solver=1). bind() gives the
functions of a library their types. Callbacks, such as plait_logger_log, must be kept alive as long as Plait may call
them.

{intro}
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint8,
                    c_uint16, c_uint32, c_uint64, c_void_p)


class _Struct(Structure):
    """Begins with the values of the header's initialiser; arguments go on top."""
    _init_ = ()

    def __init__(self, *values, **fields):
        for path, value in self._init_:
            *owners, last = path
            target = self
            for owner in owners:
                target = getattr(target, owner)
            setattr(target, last, value)
        super().__init__(*values, **fields)


def array_of(struct, count):
    """An array of structs that begin with the values of the header's initialiser."""
    return (struct * count)(*(struct() for _ in range(count)))
'''

FUNCTIONS_HEAD = ["", "", "# ---- functions", "", "# Name, type of the result, types of the arguments, documentation.",
                  "FUNCTIONS = ["]
FOOT = '''
]


def bind(library):
    """Gives the functions of a ctypes library their types; AttributeError if one is missing."""
    for name, result, arguments, doc in FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes, function.__doc__ = result, arguments, doc
    return library
'''


def write(header):
    lines = [HEAD.format(intro=header.intro)]
    functions = []
    for section in header.sections:
        if section.items and section.title:
            lines += ["", f"# ---- {section.title}"]
        for item in section.items:
            if isinstance(item, Function) and item.name in header.functions:
                functions.append(item)
                continue
            lines += {Constant: _constant, Struct: _struct, Function: _callback}[type(item)](header, item)
    lines += FUNCTIONS_HEAD
    for function in functions:
        arguments = ", ".join(_type(header, one.type) for one in function.parameters)
        signature = f"{function.name}({', '.join(one.name for one in function.parameters)})"
        lines.append(f'    ("{function.name}", {_type(header, function.result)}, [{arguments}],')
        lines += _docstring(signature + "\n\n" + function.doc, 5)
        lines[-1] += "),"
    return "\n".join(lines) + FOOT


def _constant(header, item):
    first = not isinstance(_before(header, item), Constant)
    lines = [""] if first and not item.intro else []
    if item.intro:
        lines += [""] + ["# " + line for line in textwrap.wrap(item.intro, 118)]
    line = f"{item.name} = {item.value}"
    if item.doc and len(line) + len(item.doc) > 115:
        return lines + ["# " + text for text in textwrap.wrap(item.doc, 118)] + [line]
    return lines + [line + (f"  # {item.doc}" if item.doc else "")]


def _before(header, item):
    """The item before this one in its section, or None."""
    items = next(section.items for section in header.sections if item in section.items)
    items = [one for one in items if one.name not in header.functions]
    at = items.index(item)
    return items[at - 1] if at else None


def _struct(header, item):
    lines = []
    for field in item.fields:
        if field.callback:
            lines += ["", f"{item.name}_{field.name} = {_prototype(header, field.callback)}"]
    lines += ["", "", f"class {item.name}({'Structure' if item.init is None else '_Struct'}):"]
    doc = item.doc or ("A handle, which goes by value. Zero is never valid." if item.is_handle else "")
    told = [(_name(field.name), field.doc.replace("\n\n", " ")) for field in item.fields if field.doc]
    if told:
        doc = (doc + "\n\n" if doc else "") + "Fields:\n" + "\n".join(f"    {name}: {text}" for name, text in told)
    lines += _docstring(doc, 4) if doc else []
    lines.append("    _fields_ = [")
    for field in item.fields:
        lines.append(f'        ("{_name(field.name)}", {_field(header, item, field)}),')
    lines.append("    ]")
    if item.init is not None:
        pairs = ", ".join(f"({path!r}, {value})" for path, value in _values(header, item, item.init, ()))
        lines.append(f"    _init_ = ({pairs},)")
    return lines


def _field(header, struct, field):
    if field.callback:
        return f"{struct.name}_{field.name}"
    kind = _type(header, field.type)
    for dimension in reversed(field.dimensions):
        kind = f"{kind} * {dimension}" if "*" not in kind else f"({kind}) * {dimension}"
    return kind


def _values(header, struct, values, path):
    """Pairs of a place and its value, for what is not zero."""
    for field, value in zip(struct.fields, values):
        place = path + (_name(field.name),)
        if isinstance(value, list):
            yield from _values(header, header.structs[field.type.base], value, place)
        elif value:
            yield place, value


def _callback(header, item):
    return [""] + ["# " + line for line in textwrap.wrap(item.doc, 118)] + [f"{item.name} = {_prototype(header, item)}"]


def _prototype(header, function):
    arguments = "".join(", " + _type(header, one.type) for one in function.parameters)
    return f"CFUNCTYPE({_type(header, function.result)}{arguments})"


def _type(header, kind):
    if kind.pointers:
        if kind.base == "void":
            return "c_void_p"
        return "c_char_p" if kind.base == "char" else f"POINTER({_type(header, type(kind)(kind.base))})"
    if kind.base == "void":
        return "None"
    return TYPES.get(kind.base, kind.base)


def _name(name):
    return name + "_" if keyword.iskeyword(name) else name


def _docstring(text, indent):
    lead = " " * indent
    lines = []
    for paragraph in text.split("\n"):
        lines += textwrap.wrap(paragraph, 120 - indent - 3, subsequent_indent=" " * 8 if paragraph.startswith(" ") else "",
                               break_long_words=False, break_on_hyphens=False) or [""]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) == 1:
        return [f'{lead}"""{lines[0]}"""']
    return [f'{lead}"""{lines[0]}'] + [(lead + line).rstrip() for line in lines[1:]] + [f'{lead}"""']
