#!/usr/bin/env python3
"""The compiler from Python, by ctypes: a class of results, a function, and a command line.

    tilewright.py LIBRARY IN OUT [NAME=VALUE ...]

LIBRARY is libtilewright_c.so; NAME and VALUE are options, such as target=sm_80 or hint=occupancy=2. A cubin is written if OUT
ends with .cubin, and PTX if not. ctypes lets other Python threads run during a call, so that threads compile side by side.
"""

import ctypes
import sys
from collections import namedtuple

Diagnostic = namedtuple("Diagnostic", "severity code message file line column notes")


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("severity", ctypes.c_int),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("code", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("notes", ctypes.c_char_p),
    ]


class Tilewright:
    """The library at a path."""

    def __init__(self, path):
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        self.library = ctypes.CDLL(path)
        for name, result, arguments in [
            ("version", text, []),
            ("options_new", pointer, []),
            ("options_set", ctypes.c_bool, [pointer, text, text]),
            ("options_free", None, [pointer]),
            ("compile", pointer, [text, size, pointer]),
            ("result_output", pointer, [pointer, ctypes.POINTER(size)]),
            ("result_diagnostic", ctypes.c_bool, [pointer, size, ctypes.POINTER(_Diagnostic)]),
            ("result_free", None, [pointer]),
        ]:
            function = getattr(self.library, f"tilewright_{name}")
            function.restype, function.argtypes = result, arguments

    def compile(self, program, **options):
        """The output as bytes, or None after an error, and the list of diagnostics."""
        library = self.library
        handle = library.tilewright_options_new()
        for name, value in options.items():
            library.tilewright_options_set(handle, name.encode(), str(value).encode())
        result = library.tilewright_compile(program, len(program), handle)
        try:
            length = ctypes.c_size_t()
            output = library.tilewright_result_output(result, ctypes.byref(length))
            made = ctypes.string_at(output, length.value) if output else None
            return made, list(self._diagnostics(result))
        finally:
            library.tilewright_result_free(result)
            library.tilewright_options_free(handle)

    def _diagnostics(self, result):
        one, index = _Diagnostic(), 0
        while self.library.tilewright_result_diagnostic(result, index, ctypes.byref(one)):
            word = ("error", "warning", "note")[one.severity]
            code, message, notes = (text.decode() for text in (one.code, one.message, one.notes))
            file = one.file.decode() if one.file else None
            yield Diagnostic(word, code, message, file, one.line, one.column, notes.splitlines())
            index += 1


def main(library, source, output, *options):
    with open(source, "rb") as file:
        program = file.read()
    given = dict(option.split("=", 1) for option in options)
    given.setdefault("name", source)
    given.setdefault("emit", "cubin" if output.endswith(".cubin") else "ptx")
    made, diagnostics = Tilewright(library).compile(program, **given)
    for one in diagnostics:
        place = f"{one.file}:{one.line}:{one.column}: " if one.file else ""
        print(f"{place}{one.severity}[{one.code}]: {one.message}", *one.notes, sep="\n", file=sys.stderr)
    if made is None:
        return 1
    with open(output, "wb") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
