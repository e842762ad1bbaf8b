"""Control flow, the place of a tile block, assertions and printing."""

import itertools

import numpy as np

from formats import INTS, TYPES, U, mask, signed, width
from kernels import Combo, tile
from tiles import by_block

SCALAR = ()


def counted(ty, unsigned, bounds):
    """The turns of a `for`: how many, and the sum of the counter."""
    read = (lambda x: x) if unsigned else (lambda x: signed(x, width(ty)))
    low, high, step = (read(int(b)) for b in bounds)
    turns = range(low, high, step)
    return [np.array([len(turns) & mask("i32")], dtype=U), np.array([sum(turns) & mask(ty)], dtype=U)]


def loops():
    """for, loop, break, continue."""
    for ty, unsigned in itertools.product(TYPES, (False, True)):
        if ty == "i1" and not unsigned:
            # Read as signed an i1 is 0 or -1, so that no step is positive.
            continue
        t = tile(SCALAR, ty)
        word = "unsigned " * unsigned
        body = [
            "%zero = constant <i32: 0> : tile<i32>", "%one = constant <i32: 1> : tile<i32>",
            f"%none = xori %a, %a : {t}",
            f"%r, %q = for {word}%i in (%a to %b, step %c) : {t} iter_values(%n = %zero, %s = %none) -> (tile<i32>, {t}) {{",
            "%m = addi %n, %one : tile<i32>", f"%u = addi %s, %i : {t}", f"continue %m, %u : tile<i32>, {t}", "}",
        ]

        def draw(columns, ty=ty, unsigned=unsigned):
            # At most some dozens of turns: bounds near to each other, or a large step.
            low, other, step = (int(c[0]) for c in columns)
            bits = mask(ty)
            most = bits if unsigned else bits >> 1
            near = (low + other % 40) & bits if other % 3 else other
            step = max(1, step & most)
            span = (near - low) & bits if unsigned else signed(near, width(ty)) - signed(low, width(ty))
            step = max(step, min(most, abs(span) // 50 + 1))
            if abs(span) // step > 1000:
                near = low
            return [np.array([x], dtype=U) for x in (low, near, step)]

        for turn in range(6):
            yield Combo("for", f"{ty} {word}{turn}", body, [(SCALAR, ty)] * 3, [("r", SCALAR, "i32"), ("q", SCALAR, ty)],
                        by_block([SCALAR] * 3, lambda *b, ty=ty, u=unsigned: counted(ty, u, b)), draw=draw, grid=1,
                        faults=[(([0], [1], [0]), "E0824")] + [(([0], [1], [mask(ty)]), "E0824")] * (not unsigned) if turn == 0 else [])
    for ty in TYPES:
        t = tile((4,), ty)
        # Leaves after `%b` turns, through an `if`; the values are those of the last turn.
        for op in ("loop", "break", "continue"):
            body = [
                "%zero = constant <i32: 0> : tile<i32>", "%one = constant <i32: 1> : tile<i32>",
                f"%r, %q = loop iter_values(%x = %a, %y = %b, %n = %zero) : {t}, {t}, tile<i32> -> {t}, tile<i32> {{",
                "%done = cmpi greater_than_or_equal %n, %c, unsigned : tile<i32> -> tile<i1>",
                f"if %done {{ break %x, %n : {t}, tile<i32> }}", "%m = addi %n, %one : tile<i32>",
                f"continue %y, %x, %m : {t}, {t}, tile<i32>", "}",
            ]
            yield Combo(op, ty, body, [((4,), ty), ((4,), ty), (SCALAR, "i32")], [("r", (4,), ty), ("q", SCALAR, "i32")],
                        by_block([(4,), (4,), SCALAR], lambda x, y, n: [[x, y][int(n) % 2], n]),
                        draw=lambda columns: [*columns[:2], columns[2] % U(9)], grid=8)
        for op in ("if", "yield"):
            body = [f"%r = if %c -> ({t}) {{", f"yield %a : {t}", "} else {", f"yield %b : {t}", "}"]
            yield Combo(op, ty, body, [((4,), ty), ((4,), ty), (SCALAR, "i1")], [("r", (4,), ty)],
                        by_block([(4,), (4,), SCALAR], lambda x, y, c: [x if c else y]), grid=16)
        # Blocks that return early store nothing.
        body = ["if %b { return }", f"%r = reshape %a : {t} -> {t}"]
        yield Combo("return", ty, body, [((4,), ty), (SCALAR, "i1")], [("r", (4,), ty)],
                    by_block([(4,), SCALAR], lambda x, c: [x * U(0) if c else x]), grid=16)


def places():
    """get_tile_block_id, get_num_tile_blocks."""
    for op, want in (("get_tile_block_id", lambda at: [at, 0, 0]), ("get_num_tile_blocks", lambda at: [12, 1, 1])):
        for ty in TYPES:
            body = [f"%r, %q, %s = {op} : {tile(SCALAR, ty)}"]
            expect = lambda want=want: ([np.array([want(at)[d] for at in range(12)], dtype=U) for d in range(3)], None)
            yield Combo(op, ty, body, [], [(n, SCALAR, ty) for n in "rqs"], expect, grid=12)


def words():
    """assert, print_tko."""
    yield Combo("assert", "i1", ['assert %a, "all set" : tile<8xi1>'], [((8,), "i1")], [], lambda a: ([], None),
                draw=lambda columns: [columns[0] * U(0) + U(1)], faults=[(([1, 1, 0, 1, 1, 1, 1, 1],), "E0826")], grid=4)
    for ty in INTS:
        if ty == "i4":
            continue
        t, values = tile((4,), ty), np.array([0, 1, mask(ty) >> 1, mask(ty)], dtype=U)
        signs = [signed(int(v), width(ty)) if ty != "i1" else int(v) for v in values]
        for kind, shown in (("d", signs), ("u", values.tolist()), ("x", [f"{v:x}" for v in values.tolist()])):
            yield Combo("print_tko", f"{ty} %{kind}", [f'%t = print_tko "<%{kind}>\\n", %a : {t} -> token'], [((4,), ty)], [],
                        lambda a: ([], None), draw=lambda columns, v=values: [v], grid=1, printed=f"<[{', '.join(map(str, shown))}]>\n")
    for ty in ("f16", "bf16", "f32", "f64"):
        yield Combo("print_tko", f"{ty} %.2f", [f"%c = constant <{ty}: [0.5, -1.25]> : {tile((2,), ty)}", f'%t = print_tko "%.2f %%\\n", %c : {tile((2,), ty)} -> token'],
                    [], [], lambda: ([], None), grid=2, printed="[0.50, -1.25] %\n" * 2)


ALL = [loops, places, words]
