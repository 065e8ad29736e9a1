"""Reads abi/plait.h into plain data for the writers of bindings.

The header has a regular layout: constants, handles, structs with their _INIT macros, callbacks and functions, each with its
comment. Whatever is not of these kinds is an error with its line: nothing is left out silently.
"""
import re
from dataclasses import dataclass, field

SCALARS = {  # name: bytes, which is also the alignment on targets with 64-bit pointers
    "char": 1, "uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "int32_t": 4, "float": 4,
    "uint64_t": 8, "int64_t": 8, "double": 8, "size_t": 8,
}
POINTER_SIZE = 8
INCLUDES = ("#include <stddef.h>", "#include <stdint.h>")
CONDITIONAL_MACROS = ("PLAIT_CALL", "PLAIT_EXPORT")
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/)|(?P<directive>\#(?:\\\n|(?!/\*)[^\n])*)|(?P<string>"[^"\n]*")
                       |(?P<word>[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<mark>[{}()\[\];,*])""", re.S | re.X)


class HeaderError(Exception):
    """What is wrong and in which line."""


@dataclass
class Type:
    base: str
    const: bool = False
    pointers: int = 0


@dataclass
class Parameter:
    name: str
    type: Type


@dataclass
class Constant:
    name: str
    value: int
    unsigned: bool
    doc: str
    intro: str  # the comment above a run of constants, at its first one


@dataclass
class Field:
    name: str
    type: Type = None       # None: a callback
    dimensions: list = field(default_factory=list)
    callback: "Function" = None
    doc: str = ""
    offset: int = 0
    size: int = 0
    align: int = 0


@dataclass
class Struct:
    name: str
    fields: list
    doc: str
    is_handle: bool = False
    init: list = None       # one value a field, structs nested as in C, arrays 0; None: there is no _INIT macro
    size: int = 0
    align: int = 0


@dataclass
class Function:
    """A function, or the type of a callback."""
    name: str
    result: Type
    parameters: list
    doc: str = ""


@dataclass
class Section:
    title: str
    items: list = field(default_factory=list)


@dataclass
class Token:
    kind: str
    text: str
    line: int
    after_blank: bool  # an empty line, or the beginning of the file, is before it
    first: bool        # nothing but white space is before it in its line


class Header:
    """intro: the comment at the top. sections: items in the header's order. The dictionaries are by name."""

    def __init__(self, text):
        self.intro = ""
        self.sections = [Section("")]
        self.constants, self.structs, self.callbacks, self.functions, self.aliases = {}, {}, {}, {}, {}
        self._pointer_types, self._listed = {}, None
        _Reader(self, text).read()

    def items(self, kind):
        return [item for section in self.sections for item in section.items if isinstance(item, kind)]


class _Reader:
    def __init__(self, header, text):
        self.header, self.tokens, self.at = header, list(_tokens(text)), 0
        self.doc, self.line = "", 0

    def read(self):
        self._open()
        while self.at < len(self.tokens):
            token = self._next()
            if token.after_blank:
                self.doc = ""
            if token.kind == "comment":
                self._comment(token)
            elif token.kind == "directive":
                if token.text == "#endif" and self.at == len(self.tokens):
                    break
                self._directive(token)
            elif token.text == "typedef":
                self._typedef()
            elif token.text == "PLAIT_FUNCTION":
                self._function_macro()
            elif token.text == "PLAIT_EXPORT":
                self._exported_function()
            else:
                self._fail(f"'{token.text}' begins no declaration that is known here")
        else:
            self._fail("the include guard is not closed")
        self._check_whole()

    # ---- comments and directives

    def _open(self):
        if self.tokens and self.tokens[0].kind == "comment":
            self.header.intro = "\n".join(_lines(self._next().text))
        for wanted in ("#ifndef PLAIT_H", "#define PLAIT_H"):
            if self._next().text != wanted:
                self._fail(f"'{wanted}' is expected")

    def _comment(self, token):
        title = re.fullmatch(r"/\* -{4,} (.+?) -+ \*/", token.text)
        if title:
            self.header.sections.append(Section(title.group(1)))
            self.doc = ""
        elif token.first:
            self.doc = _text(token.text)
        else:
            self._fail("this comment stands behind nothing that it could describe")

    def _directive(self, token):
        text = re.sub(r"\s*\\\n\s*", " ", token.text).strip()
        if text in INCLUDES:
            return
        if re.match(r"#if(def|ndef)?\b", text):
            return self._conditional()
        define = re.fullmatch(r"#define (\w+)(\([^)]*\))?(?: (.+))?", text)
        if not define:
            self._fail(f"the directive '{text}' is not known here")
        name, arguments, value = define.groups()
        if name == "PLAIT_FUNCTION":
            return
        if name == "PLAIT_FOR_EACH_FUNCTION":
            self.header._listed = re.findall(r"\bX\((\w+)\)", value)
        elif arguments or value is None:
            self._fail(f"the macro {name} is neither a constant nor an initialiser")
        elif name.endswith("_INIT"):
            self._initialiser(name, value)
        else:
            self._constant(name, value)

    def _conditional(self):
        """Blocks for C++ and compilers: they may hold nothing that a binding would need."""
        depth = 1
        while depth:
            token = self._next()
            text = token.text
            if re.match(r"#if(def|ndef)?\b", text):
                depth += 1
            elif text == "#endif":
                depth -= 1
            elif re.match(r"#(else|elif|error|pragma)\b", text) or token.kind == "comment":
                continue
            elif re.match(r"#define (%s)\b" % "|".join(CONDITIONAL_MACROS), text):
                continue
            elif text not in ("extern", '"C"', "{", "}"):
                self._fail(f"'{text}' is declared under a condition, which bindings do not have")

    def _constant(self, name, text):
        match = re.fullmatch(r"(?:(\d+)|(0x[0-9a-fA-F]+))(u?)", text) or re.fullmatch(r"\((-\d+)()()\)", text)
        shift = re.fullmatch(r"\((\d+)u << (\d+)\)", text)
        if shift:
            value, unsigned = int(shift.group(1)) << int(shift.group(2)), True
        elif match:
            value, unsigned = int(match.group(1) or match.group(2), 0), bool(match.group(3))
        else:
            self._fail(f"the value '{text}' of {name} is no integer that is understood")
        self._add(self.header.constants, Constant(name, value, unsigned, self._trailing(), self.doc))
        self.doc = ""

    def _initialiser(self, macro, text):
        struct = self.header.structs.get(macro[:-len("_INIT")].lower())
        if not struct:
            self._fail(f"{macro} is the initialiser of no struct above it")
        tokens = re.findall(r"\(uint32_t\)sizeof\(\w+\)|-?\w+|[{},]", text)
        if "".join(tokens) != text.replace(" ", ""):
            self._fail(f"{macro} is not understood")
        values, end = self._values(tokens, 0, macro)
        if end != len(tokens) or len(values) != len(struct.fields):
            self._fail(f"{macro} has {len(values)} values for the {len(struct.fields)} fields of {struct.name}")
        if struct.fields[0].type and struct.fields[0].type.base == "plait_head":
            wanted = ["PLAIT_TYPE" + macro[len("PLAIT"):-len("_INIT")], f"sizeof {struct.name}", 0]
            if values[0] != wanted:
                self._fail(f"the head of {macro} is {values[0]} instead of {wanted}")
            values[0] = [self.header.constants[wanted[0]].value, struct.size, 0]
        for i, one in enumerate(struct.fields):
            if one.dimensions:
                if re.search("[1-9]", str(values[i])):
                    self._fail(f"{macro} gives the array {one.name} values that are not zero")
                values[i] = 0
        struct.init = values
        if self.doc:
            struct.doc = (struct.doc + "\n\n" + self.doc).strip()
            self.doc = ""

    def _values(self, tokens, at, macro):
        if tokens[at] != "{":
            sizeof = re.fullmatch(r"\(uint32_t\)sizeof\((\w+)\)", tokens[at])
            if sizeof:
                return f"sizeof {sizeof.group(1)}", at + 1
            if tokens[at] in self.header.constants:
                return tokens[at], at + 1
            if not re.fullmatch(r"-?\d+", tokens[at]):
                self._fail(f"{macro} holds '{tokens[at]}', which is no constant above it")
            return int(tokens[at]), at + 1
        values, at = [], at + 1
        while tokens[at] != "}":
            value, at = self._values(tokens, at, macro)
            values.append(value)
            at += tokens[at] == ","
        return values, at + 1

    # ---- declarations

    def _typedef(self):
        if self._peek("struct"):
            return self._struct()
        result = self._type()
        if self._peek("("):
            function = self._pointer_to_function(result)
            self._expect(";")
            if function.name.startswith("PFN_"):
                self.header._pointer_types[function.name[len("PFN_"):]] = function
            else:
                self._add(self.header.callbacks, function)
            return
        name = self._word()
        self._expect(";")
        if result.pointers or result.const or result.base not in SCALARS:
            self._fail(f"{name} is another name of something that is no number")
        self.header.aliases[name] = result.base

    def _struct(self):
        doc = self.doc
        self._expect("struct")
        name = self._word()
        self._expect("{")
        fields, above = [], ""
        while not self._peek("}"):
            if self.tokens[self.at].kind == "comment":
                above = _text(self._next().text)
                continue
            one = self._field()
            trailing = self._trailing()
            one.doc = "\n\n".join(text for text in (above, trailing) if text)
            above = ""
            if one.name in [other.name for other in fields]:
                self._fail(f"{name} has two fields {one.name}")
            fields.append(one)
        self._expect("}")
        if self._word() != name:
            self._fail(f"struct {name} and its typedef have different names")
        self._expect(";")
        struct = Struct(name, fields, doc)
        struct.is_handle = [(f.name, f.type and f.type.base) for f in fields] == [("id", "uint64_t")]
        self._lay_out(struct)
        self._add(self.header.structs, struct)
        self.doc = ""

    def _field(self):
        result = self._type()
        if self._peek("("):
            function = self._pointer_to_function(result)
            self._expect(";")
            return Field(function.name, callback=function)
        name, dimensions = self._word(), []
        while self._peek("["):
            self._expect("[")
            length = self._next().text
            constant = self.header.constants.get(length)
            if not constant and not length.isdigit():
                self._fail(f"the length '{length}' of {name} is no number and no constant above it")
            dimensions.append(constant.value if constant else int(length))
            self._expect("]")
        self._expect(";")
        if dimensions and (result.pointers or result.base not in SCALARS):
            self._fail(f"{name} is an array of something that is no number")
        return Field(name, result, dimensions)

    def _lay_out(self, struct):
        for one in struct.fields:
            one.size, one.align = self._size(one)
            one.offset = -(-struct.size // one.align) * one.align
            if one.offset != struct.size:
                self._fail(f"{struct.name} has padding before {one.name}; the header promises none")
            struct.size = one.offset + one.size
            struct.align = max(struct.align, one.align)
        if struct.size % struct.align:
            self._fail(f"{struct.name} has padding at its end; the header promises none")

    def _size(self, one):
        if one.callback or one.type.pointers or one.type.base in self.header.callbacks:
            return POINTER_SIZE, POINTER_SIZE
        if one.type.base in self.header.structs:
            struct = self.header.structs[one.type.base]
            return struct.size, struct.align
        size = SCALARS.get(self.header.aliases.get(one.type.base, one.type.base))
        if not size:
            self._fail(f"{one.name} has the type {one.type.base}, which has no size")
        count = 1
        for dimension in one.dimensions:
            count *= dimension
        return size * count, size

    def _function_macro(self):
        self._expect("(")
        name = self._word()
        self._expect(",")
        parameters = self._parameters()
        self._expect(")")
        self._expect(";")
        self._add(self.header.functions, Function(name, Type("plait_result"), parameters, self.doc))

    def _exported_function(self):
        result = self._type()
        self._expect("PLAIT_CALL")
        name = self._word()
        parameters = self._parameters()
        self._expect(";")
        function = Function(name, result, parameters, self.doc)
        pointer = self.header._pointer_types.pop(name, None)
        if not pointer or (pointer.result, pointer.parameters) != (result, parameters):
            self._fail(f"{name} has no type PFN_{name} of the same arguments above it")
        self._add(self.header.functions, function)

    def _pointer_to_function(self, result):
        for text in ("(", "PLAIT_CALL", "*"):
            self._expect(text)
        name = self._word()
        self._expect(")")
        return Function(name, result, self._parameters(), self.doc)

    def _parameters(self):
        self._expect("(")
        if self._peek("void") and self.tokens[self.at + 1].text == ")":
            self.at += 2
            return []
        parameters = []
        while True:
            kind = self._type()
            parameters.append(Parameter(self._word(), kind))
            if not self._peek(","):
                break
            self._expect(",")
        self._expect(")")
        return parameters

    def _type(self):
        const = self._peek("const")
        if const:
            self._expect("const")
        base = self._word()
        header = self.header
        if not (base in SCALARS or base == "void" or base in header.aliases or base in header.structs
                or base in header.callbacks):
            self._fail(f"the type '{base}' is not known")
        pointers = 0
        while self._peek("*"):
            self._expect("*")
            pointers += 1
        if self._peek("const") or pointers > 1:
            self._fail("pointers to pointers are not known here")
        return Type(base, const, pointers)

    # ---- the whole

    def _check_whole(self):
        header = self.header
        if header._pointer_types:
            self._fail(f"PFN_{min(header._pointer_types)} is the type of no function")
        if header._listed is None:
            self._fail("PLAIT_FOR_EACH_FUNCTION is missing")
        for name in set(header._listed) ^ set(header.functions):
            self._fail(f"{name} is declared or listed in PLAIT_FOR_EACH_FUNCTION, but not both")
        for struct in header.structs.values():
            first = struct.fields[0].type
            if first and first.base == "plait_head" and struct.init is None:
                self._fail(f"{struct.name} begins with a plait_head and has no initialiser")

    def _add(self, names, item):
        if item.name in names:
            self._fail(f"{item.name} is declared twice")
        names[item.name] = item
        self.header.sections[-1].items.append(item)

    # ---- tokens

    def _next(self):
        if self.at == len(self.tokens):
            self._fail("the file ends too early")
        token = self.tokens[self.at]
        self.at, self.line = self.at + 1, token.line
        return token

    def _peek(self, text):
        return self.at < len(self.tokens) and self.tokens[self.at].text == text

    def _expect(self, text):
        token = self._next()
        if token.text != text:
            self._fail(f"'{text}' is expected instead of '{token.text}'")

    def _word(self):
        token = self._next()
        if token.kind != "word":
            self._fail(f"a name is expected instead of '{token.text}'")
        return token.text

    def _trailing(self):
        """The comment behind a declaration in its line, which may go on below."""
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.kind == "comment" and not token.first:
                return _text(self._next().text)
        return ""

    def _fail(self, why):
        raise HeaderError(f"line {self.line}: {why}")


def _tokens(text):
    at, line, first, blank = 0, 1, True, True
    while at < len(text):
        space = re.compile(r"\s*").match(text, at).group()
        newlines = space.count("\n")
        line, at = line + newlines, at + len(space)
        first, blank = first or newlines > 0, blank or newlines > 1
        if at == len(text):
            return
        match = TOKEN.match(text, at)
        if not match:
            raise HeaderError(f"line {line}: '{text[at]}' is not known here")
        yield Token(match.lastgroup, match.group().rstrip(), line, blank, first)
        line, at = line + match.group().count("\n"), match.end()
        first = blank = False


def _lines(comment):
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in comment[2:-2].strip().split("\n")]


def _text(comment):
    """A comment without its marks: paragraphs of one line each, separated by empty lines."""
    paragraphs = "\n".join(line.strip(" ") for line in _lines(comment)).split("\n\n")
    return "\n\n".join(re.sub(r"\n(\* )?", " ", paragraph) for paragraph in paragraphs)
