#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares docs/library.md with what the library has: the tables of functions
in stdlib/*.c, stdlib/native/*.c, vm/native/*.c and vm/runtime/*.c (after the
preprocessor), and the functions of stdlib/*.csp and stdlib/native/*.csp.

In the document a line that begins with `- ` and signatures in backquotes
describes these functions; a code block of the same section must call each. A
method is written with its receiver (s.split(sep = nil)): RECEIVERS says what
stands for which type. A method that is a function of a module, too (the
receiver first), is described once, as a method.

The codes of errors are those of vm/api/error_codes.def: the document's table
has them all, and the library makes no others."""

import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT, LANGUAGE = "docs/library.md", "docs/language.md"
CODES = "vm/api/error_codes.def"

# Types and classes, and what stands for a value of theirs in the document.
RECEIVERS = {"CSP_STRING": "s", "CSP_BYTES": "b", "CSP_LIST": "xs", "CSP_TUPLE": "t", "list": "xs",
             "CSP_GROUP": "group", "CSP_RANGE": "range", "CSP_TIMER": "timer",
             "CSP_MUTEX": "mutex", "CSP_SEMAPHORE": "semaphore", "counter_class": "counter",
             "mutex": "mutex", "semaphore": "semaphore", "RWMutex": "rwmutex", "Once": "once",
             "Latch": "latch", "Url": "u", "Template": "template", "Html": "trusted",
             "Request": "request", "Reply": "reply",
             "Routes": "app",
             "Store": "store", "Pipeline": "p", "Subscription": "subscription",
             "inflater_class": "inflater", "deflater_class": "deflater", "Reader": "reader", "Writer": "writer",
             "Archive": "archive", "Entry": "entry", "unpack_class": "unpack",
             "Database": "db", "Transaction": "tx",
             "Pool": "pool", "Work": "work", "Listening": "listening", "WebSocket": "ws",
             "os_file_class": "file", "generator_class": "g", "json_reader_class": "reader",
             "csv_reader_class": "reader",
             "net_connection_class": "connection", "net_listener_class": "listener",
             "net_udp_class": "socket", "regexp_class": "re",
             "hash_class": "h", "config_class": "config"}
ALSO_FUNCTIONS = {"s": "strings", "b": "bytes"}
# Made by the compiler, in no table.
OF_THE_LANGUAGE = {"try": "f, args..."}

STRING = r'"((?:[^"\\]|\\.)*)"'
# {"name", "params", function}. CSP_REAL has casts there, and "real " before its
# parameters, CSP_STORED "stored ".
ENTRY = re.compile(r'\{\s*((?:%s\s*)+),\s*((?:%s\s*)+),\s*[\w\s()*]+\}' % (STRING, STRING))
# Where a source says a code: an argument of csp_ok_coded, a string that is one,
# and in the language.
CODED = re.compile(r"csp_ok_coded\([^,]+,([^,]+),|csp_string\((?:job->)?call, (\"\w+\"), \d+\)\);|"
                   r"code = (\"\w+\");|codes\[\] = \{([^}]*)\}|\bcode: (\"\w+\")|"
                   r"shared_error\([^;\"]*(\"\w+\")|job_error_code\(int error\) \{([^}]*)\}")
SIGNATURE = re.compile(r"(?:(\w+)\.)?(\w+)(?:\((.*)\))?$")


def joined(literals):
    """Adjacent C string literals as one text."""
    text = "".join(re.findall(STRING, literals))
    return text.replace('\\"', '"').replace("\\\\", "\\")


def parameters(literals):
    return joined(literals).removeprefix("real ").removeprefix("stored ")


def preprocessed(path):
    """Without the system's headers: those of a native module may be missing."""
    command = [os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", "-I.",
               "-DCSP_DISPATCH_TAIL=0", "-E", "-P"]
    if not path.startswith("stdlib/native/"):
        return subprocess.run(command + [path], check=True, stdout=subprocess.PIPE, text=True,
                              cwd=TOP).stdout
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        text = re.sub(r"^#include <.*|^#include \"stdlib/native/.*", "", f.read(), flags=re.M)
    return subprocess.run(command + ["-x", "c", "-"], check=True, stdout=subprocess.PIPE,
                          input=text, text=True, cwd=TOP).stdout


def read_tables(path):
    """{table: [(name, params)]}, and the file's text."""
    text = preprocessed(path)
    tables = {}
    for table, body in re.findall(
            r"CspFunction (\w+)\[\] = \{(.*?)\};", text, re.S):
        tables[table] = [(joined(m.group(1)), parameters(m.group(3)))
                         for m in ENTRY.finditer(body)]
    return tables, text


class Library:
    """{(owner, name): params}; the owner is a module, a receiver or "". Params
    of what is no function are None."""

    def __init__(self):
        self.items = {}

    def add(self, owner, functions):
        for name, params in functions:
            if not name.startswith("_"):
                self.items[owner, name] = params

    def add_methods(self, type_name, functions):
        if type_name.startswith("_"):
            return
        if type_name not in RECEIVERS:
            sys.exit("%s: RECEIVERS lacks %s" % (__file__, type_name))
        self.add(RECEIVERS[type_name],
                 [(name, params.partition(",")[2].strip())
                  for name, params in functions])

    def read_c(self, path, tables, text):
        for name, table in re.findall(
                r'CspModule \w+ = \{"([^"]+)",\s*(\w+)', text):
            self.add(name, tables[table])
        module = os.path.basename(path)[:-len(".c")].partition("_")[0]
        self.add(module, [(member, None) for member in re.findall(
            r'csp_module_set\(call, module, "(\w+)"', text)])
        for kind, table in re.findall(
                r"csp_register_(?:methods|class)\(csp, &?(\w+), (\w+)\)", text):
            if table in tables:
                self.add_methods(kind, tables[table])
        for name, table in tables.items():
            if name.startswith("builtin"):
                self.add("", table)

    def read_csp(self, path):
        module = os.path.basename(path).split(".")[0]
        with open(os.path.join(TOP, path), encoding="utf-8") as f:
            text = f.read()
        for kind, name, params in re.findall(
                r"^func (?:\(\w+ (\w+)\) )?(\w+)\(([^()]*(?:\(\)[^()]*)*)\) (?:\{|=>)", text, re.M):
            params = re.sub(r"\s*\n\s*", " ", params).strip().removesuffix(",")
            if kind and kind[0] != "_" and name != "error":
                self.add_methods(kind, [(name, "self, " + params)])
            elif kind:
                pass  # private, or called by the language
            elif module != "prelude":
                self.add(module, [(name, params)])

    def drop_functions_that_are_methods(self):
        for receiver, module in ALSO_FUNCTIONS.items():
            for owner, name in list(self.items):
                if owner == receiver:
                    self.items.pop((module, name), None)


def registers(path):
    """Whether there is something in it for read_c; the preprocessor is slow."""
    with open(path, encoding="utf-8") as f:
        return re.search(r"CspFunction|CspModule|csp_register|csp_module_set", f.read())


def read_library():
    library = Library()
    os.chdir(TOP)
    files = {path: read_tables(path) for path in sorted(
        glob.glob("stdlib/*.c") + glob.glob("stdlib/native/*.c") + glob.glob("vm/native/*.c") + glob.glob("vm/runtime/*.c"))
        if registers(path)}
    everywhere = {}  # a class's methods may be registered by another file
    for tables, _ in files.values():
        everywhere.update(tables)
    for path, (tables, text) in files.items():
        library.read_c(path, {**everywhere, **tables}, text)
    for path in sorted(glob.glob("stdlib/*.csp") + glob.glob("stdlib/native/*.csp")):
        library.read_csp(path)
    library.add("", OF_THE_LANGUAGE.items())
    library.drop_functions_that_are_methods()
    return library.items


def read_document():
    """{(owner, name): (line, params, section)} and {section: its code}."""
    described, code, section, in_code = {}, {}, "", False
    with open(DOCUMENT, encoding="utf-8") as f:
        lines = f.readlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            in_code = line.startswith("```csp")
        elif in_code:
            code[section] = code.get(section, "") + line
        elif line.startswith("#"):
            section = "%s (line %d)" % (line.strip("# \n"), number)
        elif line.startswith("- `"):
            if number < len(lines) and line.endswith(",\n"):
                line = line.strip() + " " + lines[number].strip()
            head = re.match(r"- (?:`[^`]+`(?:, )?)*", line).group()
            for text in re.findall(r"`([^`]+)`", head):
                found = SIGNATURE.match(text)
                if not found:
                    sys.exit("%s:%d: no signature: %s" % (DOCUMENT, number, text))
                owner, name, params = found.groups()
                described[owner or "", name] = (number, params, section)
    return described, code


def wrong_in_the_list_of_names(library):
    """What docs/language.md has to say of the predeclared names."""
    with open(LANGUAGE, encoding="utf-8") as f:
        text = f.read().split("## Predeclared names\n")[1]
    listed = set(re.search(r"```text\n(.*?)```", text, re.S).group(1).split())
    there = {name for owner, name in library if owner == ""}
    return ["%s: the predeclared names lack, or have too much: %s" % (LANGUAGE, name)
            for name in listed ^ there]


def wrong_codes():
    """Codes that the table, the document and the sources do not share."""
    with open(CODES, encoding="utf-8") as f:
        rows = re.findall(r"^(CODE|ERRNO)\((?:\w+, )?\"(\w+)\"\)$", f.read(), re.M)
    table = {word for kind, word in rows if kind == "CODE"}
    with open(DOCUMENT, encoding="utf-8") as f:
        section = f.read().split("\n### Codes\n")[1].split("\n###")[0]
    told = re.findall(r"^\| `\"(\w+)\"` \|", section, re.M)
    wrong = ["%s: the table of codes lacks, or has too much: %s" % (DOCUMENT, word)
             for word in table ^ set(told)]
    wrong += ["%s: there is no CODE(\"%s\")" % (CODES, word)
              for kind, word in rows if word not in table]
    made = {word for kind, word in rows if kind == "ERRNO"} | {"other"}
    for path in glob.glob("stdlib/*.c") + glob.glob("stdlib/*.csp") + glob.glob("stdlib/native/*.c") + \
            glob.glob("cli/*.c") + glob.glob("vm/*/*.c"):
        with open(path, encoding="utf-8") as f:
            words = {word for parts in CODED.findall(f.read()) for part in parts
                     for word in re.findall(r"\"(\w+)\"", part)}
        wrong += ["%s: %s lacks the code %s" % (path, CODES, word) for word in words - table]
        made |= words
    return wrong + ["%s: nothing gives the code %s" % (CODES, word) for word in table - made]


def full(owner, name):
    return owner + "." + name if owner else name


def signature(owner, name, params):
    return full(owner, name) + ("" if params is None else "(%s)" % params)


def used(owner, name, params, code):
    if params is None:
        return re.search(r"\b%s\.%s\b" % (owner, name), code)
    before = r"\b%s\." % owner if owner not in RECEIVERS.values() else r"\."
    if not owner:
        before = r"(?<![.\w])"
    return re.search(before + name + r"\b", code)


def main():
    library = read_library()
    described, code = read_document()
    wrong = wrong_in_the_list_of_names(library) + wrong_codes()
    for (owner, name), params in library.items():
        if (owner, name) not in described:
            wrong.append("%s lacks %s" % (DOCUMENT, signature(owner, name, params)))
    for (owner, name), (line, params, section) in described.items():
        place = "%s:%d: " % (DOCUMENT, line)
        if (owner, name) not in library:
            wrong.append(place + "there is no " + full(owner, name))
        elif library[owner, name] != params:
            wrong.append("%sit is %s" % (
                place, signature(owner, name, library[owner, name])))
        elif not used(owner, name, params, code.get(section, "")):
            wrong.append("%sno example of %s in the section %s" % (
                place, full(owner, name), section))
    if wrong or not library:
        sys.exit("\n".join(sorted(wrong)))
    print("docs/library.md describes all that the library has")


if __name__ == "__main__":
    main()
