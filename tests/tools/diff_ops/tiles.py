"""Constants, ops that move elements, assumptions, folds and matrix products."""

import itertools

import gmpy2
import numpy as np

import elementwise
from elementwise import OVERFLOWS, SIGNS, whole
from formats import FLOATS, INTS, TYPES, U, context, decode, encode, mask, signed, width
from kernels import Combo, tile


def literal(ty, code):
    """A number as the text of a constant."""
    if ty in FLOATS:
        return f"0x{code:0{(width(ty) + 3) // 4}X}"
    return str(signed(code, width(ty))) if ty != "i1" else ("true" if code else "false")


def by_block(shapes, function):
    """An expectation from a function of one block's tiles as arrays of their shapes."""

    def expect(*columns):
        sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
        blocks = max([len(c) // size for c, size in zip(columns, sizes)], default=1)
        results = []
        for at in range(blocks):
            tiles = [c[at * n : (at + 1) * n].reshape(shape) for c, n, shape in zip(columns, sizes, shapes)]
            results.append([np.asarray(r).reshape(-1) for r in function(*tiles)])
        return [np.concatenate(parts) for parts in zip(*results)], None

    return expect


def constants():
    """constant, iota."""
    for ty in TYPES:
        codes = [0, 1, mask(ty), mask(ty) >> 1, 1 << width(ty) - 1, 5 & mask(ty), 3 & mask(ty), 2 & mask(ty)]
        for name, shape, values in (("list", (8,), codes), ("nested", (2, 4), codes), ("one", (8,), codes[5:6]), ("scalar", (), codes[6:7])):
            words = [literal(ty, c) for c in values]
            text = f"[{', '.join(words)}]" if name == "list" else words[0]
            if name == "nested":
                text = f"[[{', '.join(words[:4])}], [{', '.join(words[4:])}]]"
            body = [f"%r = constant <{ty}: {text}> : {tile(shape, ty)}"]
            count = int(np.prod(shape, dtype=np.int64))
            want = np.array(values * (count // len(values)), dtype=U)
            yield Combo("constant", f"{ty} {name}", body, [], [("r", shape, ty)], lambda want=want: ([want], None), grid=1)
        for count in (1, 2, 16, 128, 256, 1024):
            yield Combo("iota", f"{ty} {count}", [f"%r = iota : {tile([count], ty)}"], [], [("r", (count,), ty)],
                        lambda count=count: ([np.arange(count, dtype=U)], None), grid=1)


MOVES = [
    ("reshape", (4, 8), (2, 16), "", lambda x: x.reshape(2, 16)),
    ("reshape", (32,), (2, 4, 4), "", lambda x: x.reshape(2, 4, 4)),
    ("reshape", (1, 1), (), "", lambda x: x.reshape(())),
    ("broadcast", (4, 1, 2), (4, 8, 2), "", lambda x: np.broadcast_to(x, (4, 8, 2))),
    ("broadcast", (1, 1), (16, 4), "", lambda x: np.broadcast_to(x, (16, 4))),
    ("permute", (4, 8), (8, 4), " [1, 0]", lambda x: x.transpose(1, 0)),
    ("permute", (2, 4, 8), (8, 2, 4), " [2, 0, 1]", lambda x: x.transpose(2, 0, 1)),
    ("permute", (2, 4, 2, 8), (8, 4, 2, 2), " [3, 1, 0, 2]", lambda x: x.transpose(3, 1, 0, 2)),
    ("extract", (8,), (4,), "[%i1]", lambda x: x[4:]),
    ("extract", (4, 8), (2, 2), "[%i1, %i3]", lambda x: x[2:, 6:]),
    ("extract", (4, 8, 2), (4, 2, 1), "[%i0, %i3, %i1]", lambda x: x[:, 6:, 1:]),
]


def with_pointers(ty, inputs, outputs, body):
    """The inputs, body and outputs of a combo on pointers, which are integers in memory."""
    if not ty.startswith("ptr"):
        return [(shape, ty) for _, shape in inputs], body, [(n, shape, ty) for n, shape in outputs]
    before = [f"%{n}p = int_to_ptr %{n} : {tile(shape, 'i64')} -> {tile(shape, ty)}" for n, shape in inputs]
    after = [f"%{n}i = ptr_to_int %{n} : {tile(shape, ty)} -> {tile(shape, 'i64')}" for n, shape in outputs]
    for n, _ in inputs:
        body = [line.replace(f"%{n},", f"%{n}p,").replace(f"%{n} ", f"%{n}p ").replace(f"%{n}[", f"%{n}p[") for line in body]
    return [(shape, "i64") for _, shape in inputs], [*before, *body, *after], [(f"{n}i", shape, "i64") for n, shape in outputs]


def moves():
    """reshape, broadcast, permute, extract, cat, insert."""
    indices = [f"%i{n} = constant <i32: {n}> : tile<i32>" for n in range(4)]
    for ty in [*TYPES, "ptr<f32>"]:
        for op, shape, to, attributes, function in MOVES:
            body = [*indices, f"%r = {op} %a{attributes} : {tile(shape, ty)} -> {tile(to, ty)}"]
            inputs, body, outputs = with_pointers(ty, [("a", shape)], [("r", to)], body)
            yield Combo(op, f"{ty} {shape} {to}", body, inputs, outputs, by_block([shape], lambda x, f=function: [f(x)]))
        for shape, dim in (((4,), 0), ((2, 4), 0), ((2, 4), 1), ((2, 4, 2), 1)):
            to = tuple(n * 2 if at == dim else n for at, n in enumerate(shape))
            body = [f"%r = cat %a, %b dim = {dim} : {tile(shape, ty)}, {tile(shape, ty)} -> {tile(to, ty)}"]
            inputs, body, outputs = with_pointers(ty, [("a", shape), ("b", shape)], [("r", to)], body)
            yield Combo("cat", f"{ty} {shape} {dim}", body, inputs, outputs,
                        by_block([shape, shape], lambda x, y, dim=dim: [np.concatenate([x, y], axis=dim)]))
        for part, shape, index, at in (
            ((4,), (8,), "%i1", np.s_[4:]), ((2, 2), (4, 8), "%i1, %i2", np.s_[2:, 4:6]), ((1, 4, 2), (4, 4, 2), "%i3, %i0, %i0", np.s_[3:]),
        ):
            def put(x, y, at=at):
                y = y.copy()
                y[at] = x
                return [y]

            body = [*indices, f"%r = insert %a, %b[{index}] : {tile(part, ty)}, {tile(shape, ty)}"]
            inputs, body, outputs = with_pointers(ty, [("a", part), ("b", shape)], [("r", shape)], body)
            yield Combo("insert", f"{ty} {part} {shape}", body, inputs, outputs, by_block([part, shape], put))
    # Where a part may be is asked at run time.
    for op, line in (("extract", "%r = extract %a[%b] : tile<8xi32> -> tile<2xi32>"), ("insert", "%r = insert %d, %a[%b] : tile<2xi32>, tile<8xi32>")):
        shape = (2,) if op == "extract" else (8,)
        body = ["%d = iota : tile<2xi32>", line]

        def expect(x, i, op=op):
            if op == "extract":
                return [x[int(i) * 2 :][:2]]
            x = x.copy()
            x[int(i) * 2 :][:2] = [0, 1]
            return [x]

        yield Combo(op, "any index", body, [((8,), "i32"), ((), "i32")], [("r", shape, "i32")], by_block([(8,), ()], expect),
                    draw=lambda columns: [columns[0], columns[1] % U(4)],
                    faults=[(([0] * 8, [4]), "E0825"), (([0] * 8, [mask("i32")]), "E0825")])


def assumptions():
    """assume: nothing happens, unless it is wrong."""
    for ty in [*TYPES, "ptr<f32>"]:
        bits = 64 if "ptr" in ty else width(ty)
        ones = (1 << bits) - 1
        counted = np.arange(8)
        cases = [
            ("div_by<4>", counted * 4, counted * 4 + 2),
            ("div_by<8, every 4 along 0>", counted % 4 + counted // 4 * 8, counted % 4 + counted // 4 * 9),
            ("same_elements<[4]>", counted // 4, counted // 2),
            ("bounded<0, 7>", counted, counted + 1),
            ("bounded<-2, ?>", counted - 2, counted - 3),
            ("bounded<?, 3>", counted - 4, counted - 3),
        ]
        for predicate, good, bad in cases:
            good, bad = ([x * (4 if "ptr" in ty and "every" in predicate else 1) & ones for x in row.tolist()] for row in (good, bad))
            if "ptr" in ty and "every" in predicate:
                good, bad = [0, 4, 8, 12, 32, 36, 40, 44], [0, 4, 8, 12, 36, 40, 44, 48]
            body = [f"%r = assume {predicate}, %a : {tile([8], ty)}"]
            inputs, body, outputs = with_pointers(ty, [("a", (8,))], [("r", (8,))], body)
            good, bad = np.array(good, dtype=U), np.array(bad, dtype=U)
            # In a narrow type the numbers of a case may come to something else.
            enough = bits >= 8
            yield Combo("assume", f"{ty} {predicate}", body, inputs, outputs, lambda a: ([a], None), grid=1,
                        draw=lambda columns, good=good: [good], faults=[((bad,), "E0823")] if enough else [])


def fold_lines(codes, dim, combine, identity=None, reverse=False):
    """A reduction as a tree of neighbours, or, with an identity, a scan from one end to the other."""
    lines = np.moveaxis(codes, dim, 0)
    if identity is None:
        while len(lines) > 1:
            left, right = lines[0::2], lines[1::2]
            lines = combine(right.reshape(-1), left.reshape(-1)).reshape(left.shape)
        return lines[0]
    before = None
    found = np.empty_like(lines)
    for at in range(len(lines))[:: -1 if reverse else 1]:
        here = lines[at]
        before = here if before is None else combine(here.reshape(-1), before.reshape(-1)).reshape(here.shape)
        found[at] = before
    return np.moveaxis(found, 0, dim)


def bodies():
    """Every op on two elements of one type, as the body of a fold: what is folded before is the first argument, %y."""
    for source in (elementwise.floats, elementwise.functions, elementwise.integers):
        for combo in source():
            types = [ty for _, ty in combo.inputs]
            # What may be a code off is further off when folded.
            exact = not combo.draw and combo.op not in ("atan2", "fpowf")
            if len(types) == 2 and types[0] == types[1] == combo.outputs[0][2] and exact:
                yield combo, types[0]
    for ty in TYPES:
        for word, name in (("the element", "a"), ("what was before", "b")):
            shape = [((elementwise.ELEMENTS,), ty)] * 2
            yield Combo("fold", f"{ty} {word}", [f"%r = reshape %{name} : {tile([elementwise.ELEMENTS], ty)} -> {tile([elementwise.ELEMENTS], ty)}"],
                        shape, [("r", (elementwise.ELEMENTS,), ty)], lambda a, b, n=name: ([a if n == "a" else b], None)), ty


def folds():
    """reduce, scan."""
    shape = (4, 8, 2)
    for combo, ty in bodies():
        names = ", ".join(f"%{n}: {tile([], ty)}" for n in ("y", "x"))
        inner = combo.body[0].replace(tile([elementwise.ELEMENTS], ty), tile([], ty)).replace("%r =", "%q =").replace("%a", "%x").replace("%b", "%y")
        zero = "0x" + "0" * ((width(ty) + 3) // 4) if ty in FLOATS else "0"
        combine = lambda a, b, f=combo.expect: f(a, b)[0][0]
        ending = [f"({names}) {{", inner, f"yield %q : {tile([], ty)}", "}"]
        for dim in range(3):
            rest = tuple(n for at, n in enumerate(shape) if at != dim)
            head = f"%r = reduce %a dim={dim} identities=[{zero} : {ty}] : {tile(shape, ty)} -> {tile(rest, ty)}"
            yield Combo("reduce", f"{combo.op} {combo.label} dim={dim}", [head, *ending], [(shape, ty)], [("r", rest, ty)],
                        by_block([shape], lambda x, dim=dim, f=combine: [fold_lines(x, dim, f)]), slack=0, grid=4)
            reverse = dim == 1
            head = f"%r = scan %a dim={dim} reverse={str(reverse).lower()} identities=[{zero} : {ty}] : {tile(shape, ty)} -> {tile(shape, ty)}"
            yield Combo("scan", f"{combo.op} {combo.label} dim={dim}", [head, *ending], [(shape, ty)], [("r", shape, ty)],
                        by_block([shape], lambda x, dim=dim, f=combine, r=reverse: [fold_lines(x, dim, f, 0, r)]), slack=0, grid=4)
    yield from pairs_folded()


def pairs_folded():
    """Two tiles folded together: the greatest element and where it is first."""
    for ty in [ty for ty in INTS if ty != "i4"]:
        body = [
            "%n = iota : tile<64xi32>", "%i = reshape %n : tile<64xi32> -> tile<4x16xi32>",
            f"%r, %q = reduce %a, %i dim=1 identities=[0 : {ty}, 0 : i32] : {tile([4, 16], ty)}, tile<4x16xi32> -> {tile([4], ty)}, tile<4xi32>",
            f"(%x: {tile([], ty)}, %u: {tile([], ty)}, %y: tile<i32>, %v: tile<i32>) {{",
            f"%g = cmpi greater_than %x, %u, unsigned : {tile([], ty)} -> tile<i1>",
            f"%e = cmpi equal %x, %u, unsigned : {tile([], ty)} -> tile<i1>",
            "%l = cmpi less_than %y, %v, signed : tile<i32> -> tile<i1>",
            "%el = andi %e, %l : tile<i1>", "%take = ori %g, %el : tile<i1>",
            f"%m = select %take, %x, %u : tile<i1>, {tile([], ty)}", "%k = select %take, %y, %v : tile<i1>, tile<i32>",
            f"yield %m, %k : {tile([], ty)}, tile<i32>", "}",
        ]
        yield Combo("reduce", f"{ty} greatest and where", body, [((4, 16), ty)], [("r", (4,), ty), ("q", (4,), "i32")],
                    by_block([(4, 16)], lambda x: [x.max(axis=1), x.argmax(axis=1) + np.arange(4) * 16]), grid=8)


def float_product(ty, to, x, y, acc):
    """Products exact, in the order of K, each rounded once with its sum; sums for an f16 are f32s, rounded at the end."""
    x, y = (decode(ty, c.reshape(-1)).reshape(c.shape) for c in (x, y))
    sums = "f32" if to == "f16" else to
    found = accumulate(sums, x, y, decode(to, acc.reshape(-1)).reshape(acc.shape))
    if sums == to:
        return found
    with np.errstate(over="ignore"):
        return encode(to, decode(sums, found.reshape(-1)).astype(np.float16)).reshape(acc.shape)


def accumulate(to, x, y, acc):
    """The sums of a product of batches."""
    number = gmpy2.mpfr
    out = np.empty(acc.shape)
    with gmpy2.context(precision=120, emin=-5000, emax=5000):
        wide = [[[number(v) for v in row] for row in m] for m in x.tolist()], [[[number(v) for v in row] for row in m] for m in y.tolist()]
    gmpy2.set_context(context(to, "nearest_even"))
    for b, i, j in np.ndindex(acc.shape):
        total = number(acc[b, i, j].item())
        for k in range(x.shape[2]):
            total = gmpy2.fma(wide[0][b][i][k], wide[1][b][k][j], total)
        out[b, i, j] = float(total)
    return encode(to, out.reshape(-1)).reshape(acc.shape)


def products():
    """mmaf, mmai, mmaf_scaled."""
    m, n, k = 8, 4, 16
    shapes = {2: ((m, k), (k, n), (m, n)), 3: ((2, m, k), (2, k, n), (2, m, n))}
    for ty, to, (rank, (a, b, c)) in itertools.product(TYPES, TYPES, shapes.items()):
        types = f"{tile(a, ty)}, {tile(b, ty)}, {tile(c, to)}"
        batch = [(1, *s) if rank == 2 else s for s in (a, b, c)]
        for fast in ("", " fast_acc"):
            yield Combo("mmaf", f"{ty} {to} rank {rank}{fast}", [f"%r = mmaf %a, %b, %c{fast} : {types}"], [(a, ty), (b, ty), (c, to)], [("r", c, to)],
                        by_block(batch, lambda x, y, z, ty=ty, to=to: [float_product(ty, to, x, y, z)]), grid=2)
        for left, right in itertools.product(SIGNS, SIGNS):
            def integers(x, y, z, ty=ty, to=to, left=left, right=right):
                read = lambda t, s: np.vectorize(lambda v: signed(int(v), width(ty)) if s == "signed" else int(v), otypes=[object])(t)
                total = z.astype(object) + read(x, left) @ read(y, right)
                return [np.vectorize(lambda v: v & mask(to), otypes=[object])(total).astype(U)]

            yield Combo("mmai", f"{ty} {to} rank {rank} {left} {right}", [f"%r = mmai %a, %b, %c {left} {right} : {types}"],
                        [(a, ty), (b, ty), (c, to)], [("r", c, to)], by_block(batch, integers), grid=2)
    k = 64
    shapes = {2: ((m, k), (k, n), (m, n)), 3: ((2, m, k), (2, k, n), (2, m, n))}
    for ty, scale, block, (rank, (a, b, c)) in itertools.product(TYPES, FLOATS, (8, 16, 32, 64), shapes.items()):
        sa, sb = (*a[:-1], k // block), (*b[:-2], k // block, n)

        def scaled(x, y, z, u, v, ty=ty, scale=scale, block=block):
            value = lambda t, codes: decode(t, codes.reshape(-1)).reshape(codes.shape)
            # Products of two elements and a scale are exact in f64, but for the sum's rounding.
            left = value(ty, x) * np.repeat(value(scale, u), block, axis=2)
            right = value(ty, y) * np.repeat(value(scale, v), block, axis=1)
            return [accumulate("f32", left, right, value("f32", z))]

        types = ", ".join([tile(a, ty), tile(b, ty), tile(c, "f32"), tile(sa, scale), tile(sb, scale)])
        batch = [(1, *s) if rank == 2 else s for s in (a, b, c, sa, sb)]
        # Negative scales give anything.
        draw = lambda columns, scale=scale: [*columns[:3], *(c & U(mask(scale) >> FLOATS[scale][0]) for c in columns[3:])]
        yield Combo("mmaf_scaled", f"{ty} {scale} block {block} rank {rank}", [f"%r = mmaf_scaled %a, %b, %c, %d, %e : {types}"],
                    [(a, ty), (b, ty), (c, "f32"), (sa, scale), (sb, scale)], [("r", c, "f32")], by_block(batch, scaled), draw=draw, grid=1)


ALL = [constants, moves, assumptions, folds, products]
