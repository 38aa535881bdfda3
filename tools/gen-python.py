#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the mechanical part of the Python package from what the library says of itself.

  python/moraine/_abi.py     structures, constants and functions of include/moraine, for ctypes
  python/moraine/_fields.py  the arrays of the state, from fields.def
  python/moraine/keys.py     one function per object of a scene, from the command's JSON schema

  tools/gen-python.py [--check] [--moraine COMMAND]   --check: exit 1 where a file is not up to date
  tools/gen-python.py --asserts                       C that asserts every size and offset, on stdout
"""
import json
import os
import re
import subprocess
import sys
import textwrap

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLAIN = {
    "void": None, "bool": "c_bool", "_Bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint",
    "unsigned int": "c_uint", "long": "c_long", "unsigned long": "c_ulong", "double": "c_double", "float": "c_float",
    "size_t": "c_size_t", "int64_t": "c_int64", "int32_t": "c_int32", "uint64_t": "c_uint64", "uint32_t": "c_uint32",
    "uint16_t": "c_uint16", "uint8_t": "c_uint8", "FILE": "c_void_p",
}
HEAD = '# SPDX-License-Identifier: GPL-3.0-or-later\n"""%s Made by tools/gen-python.py: do not edit."""\n'


def source():
    """The public headers after the preprocessor, without those of the system."""
    out = subprocess.run(
        [os.environ.get("CC", "cc"), "-E", "-I" + TOP + "/include", TOP + "/include/moraine/moraine.h"],
        check=True, capture_output=True, text=True).stdout
    keep, lines = False, []
    for line in out.splitlines():
        if line.startswith("# "):
            keep = "/include/moraine/" in line
        elif keep:
            lines.append(line)
    text = "\n".join(lines)
    while True:  # attributes have nested parentheses
        at = text.find("__attribute__")
        if at < 0:
            return text
        depth, i = 0, text.index("(", at)
        while True:
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            i += 1
            if depth == 0:
                break
        text = text[:at] + (" API " if "visibility" in text[at:i] else " ") + text[i:]


class Parser:
    """C as the public headers use it: typedefs of structs and enums, prototypes, inline functions."""

    def __init__(self, text):
        self.t = re.findall(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d[\w.]*|<<|>>|\"[^\"]*\"|[^\s\w]", text)
        self.i = 0
        self.constants, self.enums, self.structs, self.alias, self.functions = {}, set(), {}, {}, {}
        self.order = []
        self.n_nameless = 0

    def peek(self, k=0):
        return self.t[self.i + k] if self.i + k < len(self.t) else ""

    def take(self, want=None):
        token = self.t[self.i]
        assert want is None or token == want, (want, self.t[self.i - 8:self.i + 8])
        self.i += 1
        return token

    def skip_block(self, a="{", b="}"):
        depth = 0
        while True:
            token = self.take()
            depth += (token == a) - (token == b)
            if depth == 0:
                return

    def expression(self, stop):
        words = []
        depth = 0
        while depth > 0 or self.peek() not in stop:
            token = self.take()
            depth += (token == "(") - (token == ")")
            words.append(re.sub(r"(?<=\d)[uUlL]+$", "", token))
        text = " ".join(words).replace("UINT32_C", "").replace("/", "//")
        return eval(text, {}, self.constants)  # constants of our own headers

    def enum(self):
        name = self.take() if self.peek() != "{" else None
        if self.peek() == "{":
            self.take()
            value = -1
            while self.peek() != "}":
                key = self.take()
                value = value + 1
                if self.peek() == "=":
                    self.take()
                    value = self.expression(",}")
                self.constants[key] = value
                if self.peek() == ",":
                    self.take()
            self.take("}")
        if name:
            self.enums.add(name)
        return "c_int"

    def struct(self):
        name = self.take() if self.peek() != "{" else None
        if self.peek() == "{":
            if name is None:
                self.n_nameless += 1
                name = "nameless_%d" % self.n_nameless
            self.take()
            members = []
            while self.peek() != "}":
                base = self.base()
                while True:
                    kind, member = self.declarator(base)
                    members.append((member, kind))
                    if self.take() == ";":
                        break
            self.take("}")
            self.structs[name] = members
            self.order.append(name)
        else:
            self.structs.setdefault(name, None)
        return name

    def base(self):
        """A type before its declarator: a ctypes expression and whether it is const."""
        const, words = False, []
        while True:
            token = self.peek()
            if token in ("const", "volatile", "static", "inline", "extern", "API"):
                const = const or token == "const"
                self.take()
            elif token == "struct":
                self.take()
                words = [self.struct()]
            elif token == "enum":
                self.take()
                words = [self.enum()]
            elif token in PLAIN and (not words or words[-1] in ("unsigned", "long")):
                words.append(self.take())
            elif not words and re.match(r"[A-Za-z_]", token):
                words = [self.take()]
            else:
                break
        word = " ".join(words)
        while word in self.alias:
            word = self.alias[word]
        if word in self.enums:
            word = "c_int"
        return (PLAIN[word] if word in PLAIN else word, const)

    @staticmethod
    def pointer(kind):
        base, const = kind
        if base is None or base == "c_void_p" or base.startswith("POINTER(mrn_nothing"):
            return ("c_void_p", False)
        if base.startswith("CFUNCTYPE"):
            return (base, False)
        if base == "c_char":
            return ("c_char_p" if const else "char_p", False)
        return ("POINTER(%s)" % ("c_char_p" if base == "char_p" else base), False)

    def declarator(self, kind):
        while self.peek() in ("*", "const", "restrict", "volatile"):
            if self.take() == "*":
                kind = self.pointer(kind)
        if self.peek() == "(" and self.peek(1) == "*":  # pointer to a function or to an array
            self.take(), self.take()
            name = self.take()
            array = []
            while self.peek() == "[":
                self.take()
                array.append(self.expression("]"))
                self.take("]")
            self.take(")")
            if self.peek() == "(":
                arguments = self.arguments()
                kind = ("CFUNCTYPE(%s)" % ", ".join([self.result(kind)] + arguments), False)
            else:
                sizes = self.sizes()
                kind = ("POINTER(%s)" % self.array(kind[0], sizes), False)
            return (self.array(kind[0], array) if array else kind[0]), name
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        sizes = self.sizes()
        if sizes:
            kind = (self.array("c_char_p" if kind[0] == "char_p" else kind[0], sizes), False)
        return kind[0], name

    def sizes(self):
        sizes = []
        while self.peek() == "[":
            self.take()
            sizes.append(self.expression("]") if self.peek() != "]" else 0)
            self.take("]")
        return sizes

    @staticmethod
    def array(kind, sizes):
        for n in reversed(sizes):
            kind = "(%s * %d)" % (kind, n)
        return kind

    @staticmethod
    def result(kind):
        return {None: "None", "char_p": "c_void_p"}.get(kind[0], kind[0])

    def arguments(self):
        self.take("(")
        out = []
        while self.peek() != ")":
            if self.peek() == "." and self.peek(1) == ".":
                self.take(), self.take(), self.take()
                continue
            kind, _ = self.declarator(self.base())
            if kind is not None:
                if kind.startswith("(") and kind.endswith(")"):  # an array is a pointer here
                    kind = "POINTER(%s)" % re.sub(r" \* \d+$", "", kind[1:-1])
                out.append("c_char_p" if kind in ("char_p", "POINTER(c_char)") else kind)
            if self.peek() == ",":
                self.take()
        self.take(")")
        return out

    def run(self):
        while self.i < len(self.t):
            if self.peek() == ";":
                self.take()
            elif self.peek() == "typedef":
                self.take()
                base = self.base()
                if self.peek(1) == "(":  # the type of a function
                    name = self.take()
                    arguments = self.arguments()
                    self.alias[name] = "CFUNCTYPE(%s)" % ", ".join([self.result(base)] + arguments)
                else:
                    kind, name = self.declarator(base)
                    if kind is not None and kind != name and base[0] != name:
                        self.alias[name] = kind
                    elif kind in self.enums or kind == "c_int":
                        self.enums.add(name)
                self.take(";")
            else:
                self.item()
        return self

    def item(self):
        start = self.i
        base = self.base()
        if self.peek() == ";":
            return self.take()
        kind = base
        while self.peek() == "*" or self.peek() == "const":
            if self.take() == "*":
                kind = self.pointer(kind)
        name = self.take()
        arguments = self.arguments()
        if self.peek() == "{":
            self.skip_block()
        else:
            self.take(";")
            if "API" in self.t[start:start + 2]:
                self.functions[name] = (self.result(kind), arguments)
        return None


def clean(kind):
    return re.sub(r"\bchar_p\b", "c_char_p", kind).replace("c_c_char_p", "c_char_p")


def macros():
    """Numbers and texts that are macros: MRN_NAME, MRN_VERSION, …"""
    out = {}
    for header in sorted(os.listdir(TOP + "/include/moraine")):
        for line in open(TOP + "/include/moraine/" + header, encoding="utf-8"):
            m = re.match(r'#define (MRN_[A-Z_0-9]+)\s+("[^"]*"|[-0-9.e]+)\s*(/\*.*)?$', line)
            if m:
                out[m.group(1)] = m.group(2)
    return out


def abi():
    p = Parser(source()).run()
    lines = [HEAD % "Structures, constants and functions of the C library, for ctypes.",
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int,",
             "                    c_int32, c_int64, c_long, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64,",
             "                    c_ulong, c_void_p)\n"]
    for name, value in macros().items():
        lines.append("%s = %s" % (name, value))
    for name, value in p.constants.items():
        lines.append("%s = %d" % (name, value))
    lines.append("")
    for name in p.structs:
        lines.append("class %s(Structure):\n    __slots__ = ()\n" % name if p.structs[name] is not None else
                     "class %s(Structure):\n    __slots__ = ()  # opaque\n" % name)
    lines.append("")
    for name in p.order:
        lines.append("%s._fields_ = [" % name)
        for member, kind in p.structs[name]:
            lines.append('    ("%s", %s),' % (member, clean(kind)))
        lines.append("]")
    names = [n for n in p.order if not n.startswith("nameless")]  # a line each: two changes can be merged
    lines.append("\nSTRUCTURES = (\n%s)" % "".join("    %s,\n" % n for n in names))
    lines.append("\n# name: (result, arguments)\nFUNCTIONS = {")
    for name, (result, arguments) in p.functions.items():
        lines.append('    "%s": (%s, [%s]),' % (name, clean(result), ", ".join(map(clean, arguments))))
    lines.append("}\n")
    return "\n".join(lines)


def fields():
    """The rows of fields.def: type, width, unit and words of every array."""
    text = open(TOP + "/include/moraine/fields.def", encoding="utf-8").read()
    lines = [HEAD % "The arrays of the state, as fields.def has them.",
             "import numpy as np\n", "# name: (type, numbers per entry, unit, what it is)"]
    for kind in ("BODY", "PAIR", "CONTACT"):
        rows = re.findall(r'^MRN_%s_FIELD\((\w+), (\w+), (\w+), "([^"]*)", \d, (?:\w+, )?"([^"]*)"\)' % kind, text, re.M)
        assert rows, kind
        lines.append("%s = {" % kind)
        for type_, name, width, unit, doc in rows:
            width = width if width.isdigit() else '"%s"' % width.lower()
            lines.append('    "%s": ("%s", %s, "%s", %s),' % (name, type_, width, unit, json.dumps(doc)))
        lines.append("}\n")
    names = re.findall(r"^MRN_BODY_FIELD\(\w+, (\w+)", text, re.M)
    lines += ["", "class Views:", '    """The arrays of bodies as type checkers and editors see them."""', ""]
    return "\n".join(lines + ["    %s: np.ndarray" % name for name in names] + [""])


def hint(schema):
    """The type hint of a value of the schema."""
    if "enum" in schema and all(isinstance(v, str) for v in schema["enum"]):
        return "str"
    if "anyOf" in schema or "oneOf" in schema:
        kinds = {hint(s) for s in schema.get("anyOf", []) + schema.get("oneOf", [])}
        return kinds.pop() if len(kinds) == 1 else "Quantity" if kinds <= {"Quantity", "str", "float"} else "Any"
    kind = schema.get("type")
    if "$ref" in schema:
        return "Mapping"
    if isinstance(kind, list):
        return "Quantity" if set(kind) <= {"number", "string", "integer"} else "Any"
    return {"number": "Quantity", "integer": "int", "string": "str", "boolean": "bool", "array": "Sequence",
            "object": "Mapping"}.get(kind, "Any")


def snake(name):
    name = re.sub(r"\W", "_", name)
    return name + "_" if name in ("from", "is", "in", "class", "if", "for", "lambda", "global") else name


def wrapped(text, indent, first=""):
    return "\n".join(textwrap.wrap(first + text, 110, initial_indent=indent, subsequent_indent=indent + "    "))


def key_function(name, schema, head):
    props = schema["properties"]
    must = [k for k in schema.get("required", []) if k != "moraine"]
    props = {k: v for k, v in props.items() if k != "moraine"}  # the version of the format is ours
    order = [k for k in props if k in must] + [k for k in props if k not in must]
    lines = ["def %s(" % snake(name)] + (["    *,"] if order else [])
    for key in order:
        kind = hint(props[key])
        if key not in must:
            kind = "%s = None" % (kind if kind == "Any" else "Optional[%s]" % kind)
        lines.append("    %s: %s," % (snake(key), kind))
    lines += [") -> dict:", wrapped(head.replace("\\", "\\\\"), "    ", '"""'), ""]
    for key in order:
        doc = props[key].get("description", "").replace("\\", "\\\\").replace('"""', "'''")
        lines.append(wrapped(doc, "    ", snake(key) + ": "))
    lines += ['    """', "    return _given(locals())", "", ""]
    return "\n".join(lines)


def keys(moraine):
    schema = json.loads(subprocess.run([moraine, "schema"], check=True, capture_output=True, text=True).stdout)
    out = [HEAD % "One function per object of a scene file; each gives a dict. Keys with hyphens have underscores here.",
           "from typing import Any, Mapping, Optional, Sequence, Union\n",
           "Quantity = Union[float, str]  # SI, or a text with a unit: 2e-3 or \"2 mm\"\n",
           "RENAMED = {\"from_\": \"from\", \"in_\": \"in\", \"is_\": \"is\", \"global_\": \"global\"}\n\n",
           "def _given(arguments: dict) -> dict:",
           "    return {RENAMED.get(k, k).replace(\"_\", \"-\"): v for k, v in arguments.items() if v is not None}\n\n"]
    out.append(key_function("scene", schema, schema.get("description", "A scene.") + " Give it to moraine.Scene."))
    for name, one in schema["$defs"].items():
        choice = [one] + one.get("anyOf", []) + one.get("oneOf", [])
        choice = [c for c in choice if "properties" in c]
        if not choice:
            continue
        best = max(choice, key=lambda c: len(c["properties"]))
        out.append(key_function(name, best, one.get("description", "") or "The object `%s` of a scene." % name))
    return "\n".join(out).rstrip("\n") + "\n"


def asserts():
    """C that does not compile where a structure of _abi.py is not that of the headers."""
    sys.path.insert(0, TOP + "/python/moraine")
    import ctypes
    import _abi
    print("#include <stddef.h>\n#include <moraine/moraine.h>")
    n = 0
    for one in _abi.STRUCTURES:
        name = one.__name__
        word = name if ("} %s;" % name) in ALL or re.search(r"typedef struct %s %s;" % (name, name), ALL) else "struct " + name
        print('_Static_assert(sizeof(%s) == %d, "size of %s");' % (word, ctypes.sizeof(one), name))
        for field in one._fields_:
            print('_Static_assert(offsetof(%s, %s) == %d, "%s.%s");' %
                  (word, field[0], getattr(one, field[0]).offset, name, field[0]))
            n += 1
    print("/* %d members of %d structures */\nint main(void) { return 0; }" % (n, len(_abi.STRUCTURES)))


ALL = "".join(open(TOP + "/include/moraine/" + f, encoding="utf-8").read()
              for f in os.listdir(TOP + "/include/moraine"))


def main(arguments):
    if "--asserts" in arguments:
        return asserts()
    moraine = TOP + "/build/release/moraine"
    if "--moraine" in arguments:
        moraine = arguments[arguments.index("--moraine") + 1]
    bad = 0
    for name, text in (("_abi.py", abi()), ("_fields.py", fields()), ("keys.py", keys(moraine))):
        path = TOP + "/python/moraine/" + name
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if old == text:
            continue
        if "--check" in arguments:
            print("python/moraine/%s is not up to date: run tools/gen-python.py" % name)
            bad = 1
        else:
            open(path, "w", encoding="utf-8").write(text)
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
