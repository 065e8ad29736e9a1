"""Writes the C# bindings: what the header declares, under its own names, in one class."""
import textwrap

from header import Constant, Function, Struct

TYPES = {
    "char": "byte", "uint8_t": "byte", "uint16_t": "ushort", "uint32_t": "uint", "int32_t": "int", "float": "float",
    "uint64_t": "ulong", "int64_t": "long", "double": "double", "size_t": "UIntPtr", "void": "void", "plait_result": "int",
}
KEYWORDS = set("""abstract as base bool break byte case catch char checked class const continue decimal default delegate do
double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is
lock long namespace new null object operator out override params private protected public readonly ref return sbyte sealed
short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using
virtual void volatile while""".split())
HEAD = """\
// Made from abi/plait.h by host_adapters/bindings/generate.py: change the header and run that again.
//
{intro}
//
// Names are those of the header. Handles are structs of one number and go by value. Pointers are pointers: what they
// point to must stay where it is during the call (fixed, stackalloc, NativeArray), and output memory as long as it is
// set. Callbacks are IntPtr in structs, from Marshal.GetFunctionPointerForDelegate: keep the delegate alive as long as
// Plait may call it.
using System;
using System.Runtime.InteropServices;

namespace Plait
{{
    /// <summary>The C interface of Plait. The classes beside this one wrap it for everyday use.</summary>
    public static unsafe class Native
    {{
        /// <summary>plait.dll, libplait.so or libplait.dylib.</summary>
        public const string Library = "plait";
"""


def write(header):
    lines = [HEAD.format(intro="\n".join(("// " + line).rstrip() for line in header.intro.split("\n")))]
    for section in header.sections:
        if section.items and section.title:
            lines.append(f"\n        // ---- {section.title}\n")
        for item in section.items:
            lines += {Constant: _constant, Struct: _struct, Function: _function}[type(item)](header, item)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines) + "    }\n}\n"


def _constant(header, item):
    lines = []
    if item.intro:
        lines += ["\n"] + [" " * 8 + "// " + line for line in textwrap.wrap(item.intro, 110)]
    value = f"{item.value}u" if item.unsigned else str(item.value)
    kind = "uint" if item.unsigned else "int"
    return lines + _doc(item.doc, 8) + [f"        public const {kind} {item.name} = {value};"]


def _struct(header, item):
    lines = []
    for field in item.fields:
        if field.callback:
            lines += _delegate(header, item.name + "_" + field.name, field.callback, field.doc)
    doc = item.doc or ("A handle, which goes by value. Zero is never valid." if item.is_handle else "")
    lines += ["\n"] + _doc(doc, 8)
    lines.append(f"        [StructLayout(LayoutKind.Explicit, Size = {item.size})]")
    lines += [f"        public struct {item.name}", "        {"]
    for field in item.fields:
        doc = field.doc
        if field.callback:
            doc = f"A {item.name}_{field.name}. {doc}".strip()
        lines += _doc(doc, 12)
        lines.append(f"            [FieldOffset({field.offset})] public {_field(header, field)};")
    if item.init is not None:
        lines += ["\n"] + _doc(f"{item.name.upper()}_INIT: the head is set, other fields are neutral.", 12)
        lines.append(f"            public static {item.name} Init =>")
        lines.append(f"                new {item.name} {{ {_values(header, item, item.init)} }};")
    return lines + ["        }"]


def _field(header, field):
    name = _name(field.name)
    if field.callback:
        return f"IntPtr {name}"
    if field.dimensions:
        count = 1
        for dimension in field.dimensions:
            count *= dimension
        return f"fixed {TYPES[field.type.base]} {name}[{count}]"
    return f"{_type(header, field.type)} {name}"


def _values(header, struct, values):
    """What is not zero, as in an object initialiser."""
    told = []
    for field, value in zip(struct.fields, values):
        if isinstance(value, list) and any(value):
            inner = header.structs[field.type.base]
            value = f"new {inner.name} {{ {_values(header, inner, value)} }}"
        if value and value != [0]:
            told.append(f"{_name(field.name)} = {value}")
    return ", ".join(told)


def _delegate(header, name, function, doc):
    return (["\n"] + _doc(doc or function.doc, 8) + ["        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]"]
            + _signature(header, f"public delegate {_type(header, function.result)} {name}", function))


def _function(header, item):
    if item.name in header.callbacks:
        return _delegate(header, item.name, item, "")
    return (["\n"] + _doc(item.doc, 8)
            + ["        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]"]
            + _signature(header, f"public static extern {_type(header, item.result)} {item.name}", item))


def _signature(header, start, function):
    parameters = ", ".join(f"{_type(header, one.type)} {_name(one.name)}" for one in function.parameters)
    return textwrap.wrap(f"{start}({parameters});", 120, initial_indent=" " * 8, subsequent_indent=" " * 12)


def _type(header, kind):
    if kind.base in header.callbacks:
        return "IntPtr"
    return TYPES.get(kind.base, kind.base) + "*" * kind.pointers


def _name(name):
    return "@" + name if name in KEYWORDS else name


def _doc(text, indent):
    if not text:
        return []
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    lead = " " * indent + "/// "
    paragraphs = text.split("\n\n")
    if len(paragraphs) == 1 and len(text) + len("<summary></summary>") <= 120 - len(lead):
        return [f"{lead}<summary>{text}</summary>"]
    lines = [lead + "<summary>"]
    for paragraph in paragraphs:
        wrapped = textwrap.wrap(paragraph, 120 - len(lead), break_long_words=False, break_on_hyphens=False)
        lines += [lead + line for line in (wrapped if len(paragraphs) == 1 else ["<para>"] + wrapped + ["</para>"])]
    return lines + [lead + "</summary>"]
