"""Memory through pointers: loads, stores, atomics, memory of the kernel's own, and tokens."""

import itertools

import numpy as np

from elementwise import arithmetic, by_host, whole
from formats import FLOATS, INTS, TYPES, U, mask, random_codes, signed, width
from kernels import Combo, tile

ORDERINGS = ["weak", "relaxed", "acquire", "release", "acq_rel"]
SCOPES = ["", "tl_blk", "device", "sys"]
MODES = ["and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg"]
ROOM, ELEMENTS = 64, 32
RNG = np.random.default_rng(99)


def pointers(ty, index="%a"):
    """Pointers into the first memory, moved by an index tile."""
    ptr = f"ptr<{ty}>"
    return [
        f"%m1d = reshape %m0 : tile<{ptr}> -> {tile([1], ptr)}",
        f"%mb = broadcast %m1d : {tile([1], ptr)} -> {tile([ELEMENTS], ptr)}",
        f"%ps = offset %mb, {index} : {tile([ELEMENTS], ptr)}, {tile([ELEMENTS], 'i32')} -> {tile([ELEMENTS], ptr)}",
    ]


def words(ordering, scope):
    """An ordering and a scope as text."""
    return f"{ordering} {scope}".strip()


def below(limit, distinct=False):
    """Draws the first input below a limit."""

    def draw(columns):
        first = columns[0] % U(limit)
        if distinct:
            first = np.random.default_rng(int(columns[0].sum() % U(1 << 31))).permutation(limit)[: len(first)].astype(U)
        return [first, *columns[1:]]

    return draw


# Ways to give the optional operands: the mask and the padding.
OPTIONS = [(False, False), (True, False), (False, True), (True, True)]


def loads_and_stores():
    """load_ptr_tko, store_ptr_tko."""
    shape = (ELEMENTS,)
    for ty, ordering, scope in itertools.product(TYPES, ORDERINGS, SCOPES):
        memory = random_codes(RNG, ty, ROOM)
        ptrs, values, truths = (tile(shape, t) for t in (f"ptr<{ty}>", ty, "i1"))
        for masked, padded in OPTIONS:
            extra = ", %b" * masked + ", %c" * padded
            types = ", ".join([ptrs, *[truths] * masked, *[values] * padded])
            body = [*pointers(ty), f"%r, %t = load_ptr_tko {words(ordering, scope)} %ps{extra} : {types} -> {values}, token"]

            def expect(a, b, c, memory=memory, masked=masked, padded=padded):
                taken = (b != 0) | (not masked)
                # Without padding a lane that is left out holds anything.
                return [np.where(taken, memory[a.astype(int)], c), None], taken | padded

            # The text cannot tell an i1 padding without a mask from a mask.
            if padded and not masked and ty == "i1":
                continue
            if masked and not padded:
                body += [f"%s = select %b, %r, %c : {truths}, {values}"]
            yield Combo("load_ptr_tko", f"{ty} {words(ordering, scope)} mask={masked} padding={padded}", body,
                        [(shape, "i32"), (shape, "i1"), (shape, ty)], [("s" if masked and not padded else "r", shape, ty)],
                        expect, draw=below(ROOM), grid=1, memory=[(ty, memory)],
                        faults=[] if masked else [(([ROOM] * ELEMENTS, [1] * ELEMENTS, [0] * ELEMENTS), "E0811")])
        for masked in (False, True):
            types = ", ".join([ptrs, values, *[truths] * masked])
            body = [*pointers(ty), f"%t = store_ptr_tko {words(ordering, scope)} %ps, %c{', %b' * masked} : {types} -> token"]

            def written(a, b, c, memory=memory, masked=masked):
                after = memory.copy()
                taken = (b != 0) | (not masked)
                after[a.astype(int)[taken]] = c[taken]
                return [after], None

            yield Combo("store_ptr_tko", f"{ty} {words(ordering, scope)} mask={masked}", body,
                        [(shape, "i32"), (shape, "i1"), (shape, ty)], [], written, draw=below(ROOM, True), grid=1,
                        memory=[(ty, memory)], faults=[] if masked else [(([ROOM] * ELEMENTS, [1] * ELEMENTS, [0] * ELEMENTS), "E0811")])


def combined(mode, ty, old, argument):
    """What an atomic op puts into memory."""
    bits = width(ty)
    s = lambda x: signed(x, bits)
    if mode == "addf":
        column = lambda x: np.array([x], dtype=U)
        add = by_host if ty in ("f16", "bf16", "f32", "f64") else None
        return int(add("addf", ty, [column(old), column(argument)])[0])
    functions = {
        "and": lambda: old & argument, "or": lambda: old | argument, "xor": lambda: old ^ argument,
        "add": lambda: old + argument, "max": lambda: max(s(old), s(argument)), "min": lambda: min(s(old), s(argument)),
        "umax": lambda: max(old, argument), "umin": lambda: min(old, argument), "xchg": lambda: argument,
    }
    return functions[mode]() & mask(ty)


def atomics():
    """atomic_rmw_tko, atomic_cas_tko: elements at one address one after the other, in row-major order."""
    shape = (ELEMENTS,)
    for ty, ordering, scope, masked in itertools.product(TYPES, ORDERINGS, SCOPES, (False, True)):
        memory = random_codes(RNG, ty, ROOM)
        ptrs, values, truths = (tile(shape, t) for t in (f"ptr<{ty}>", ty, "i1"))
        last = ", %b" * masked
        for mode in MODES:
            types = ", ".join([ptrs, values, *[truths] * masked])
            body = [*pointers(ty), f"%r, %t = atomic_rmw_tko {words(ordering, scope)} %ps, {mode}, %c{last} : {types} -> {values}, token"]

            def expect(a, b, c, memory=memory, mode=mode, ty=ty, masked=masked):
                after, old = memory.tolist(), []
                for at, is_set, argument in zip(a.tolist(), b.tolist(), c.tolist()):
                    old.append(after[at])
                    if is_set or not masked:
                        after[at] = combined(mode, ty, after[at], argument)
                taken = (b != 0) | (not masked)
                return [np.where(taken, np.array(old, dtype=U), c), np.array(after, dtype=U)], None

            if masked:
                body += [f"%s = select %b, %r, %c : {truths}, {values}"]
            yield Combo("atomic_rmw_tko", f"{ty} {mode} {words(ordering, scope)} mask={masked}", body,
                        [(shape, "i32"), (shape, "i1"), (shape, ty)], [("s" if masked else "r", shape, ty)], expect,
                        draw=below(8), grid=1, memory=[(ty, memory)])
        types = ", ".join([ptrs, values, *[truths] * masked])
        body = [*pointers(ty), f"%r, %t = atomic_cas_tko {words(ordering, scope)} %ps, %c, %d{last} : {types} -> {values}, token"]

        def swapped(a, b, c, d, memory=memory, masked=masked):
            after, old = memory.tolist(), []
            for at, is_set, wanted, new in zip(a.tolist(), b.tolist(), c.tolist(), d.tolist()):
                if not (is_set or not masked):
                    old.append(wanted)
                    continue
                old.append(after[at])
                after[at] = new if after[at] == wanted else after[at]
            return [np.array(old, dtype=U), np.array(after, dtype=U)], None

        def draw(columns, memory=memory):
            at = columns[0] % U(8)
            hit = columns[0] % U(3) > 0
            return [at, columns[1], np.where(hit, memory[at.astype(int)], columns[2]), columns[3]]

        yield Combo("atomic_cas_tko", f"{ty} {words(ordering, scope)} mask={masked}", body,
                    [(shape, "i32"), (shape, "i1"), (shape, ty), (shape, ty)], [("r", shape, ty)], swapped, draw=draw, grid=1,
                    memory=[(ty, memory)])


def own_memory():
    """alloca, get_global, and the ops that only hand on a token."""
    shape = (ELEMENTS,)
    between = {
        "make_token": ["%n = make_token : token", "%u = join_tokens %n, %t : token"],
        "join_tokens": ["%u = join_tokens %t, %t : token"],
        "memory_fence_alias_tko": ["%u = memory_fence_alias_tko %t"],
        "gdc_wait_tko": ["%u = gdc_wait_tko token = %t -> token"],
        "gdc_launch_dependents_tko": ["%u = gdc_launch_dependents_tko token = %t -> token"],
    }
    for ty, place in itertools.product(TYPES, ("", " global")):
        ptr = f"ptr<{ty}>"
        ptrs, values = tile(shape, ptr), tile(shape, ty)
        for op, ops in [("alloca", between["join_tokens"]), *(between.items() if not place else [])]:
            body = [
                f"%m0 = alloca num_elem = {ELEMENTS}, alignment = 16{place} : tile<{ptr}>", f"%i = iota : {tile(shape, 'i32')}",
                *pointers(ty, "%i"), f"%t = store_ptr_tko weak %ps, %a : {ptrs}, {values} -> token", *ops,
                f"%r, %v = load_ptr_tko weak %ps token=%u : {ptrs} -> {values}, token",
            ]
            yield Combo(op, f"{ty}{place}", body, [(shape, ty)], [("r", shape, ty)], lambda a: ([a], None))
    for ty in TYPES:
        codes = random_codes(RNG, ty, ELEMENTS)
        if ty == "i4":
            codes &= U(7)
        from tiles import literal

        text = ", ".join(literal(ty, int(c)) for c in codes)
        body = [f"%m0 = get_global @g : tile<ptr<{ty}>>", f"%i = iota : {tile(shape, 'i32')}", *pointers(ty, "%i"),
                f"%r, %t = load_ptr_tko weak %ps : {tile(shape, f'ptr<{ty}>')} -> {tile(shape, ty)}, token"]
        yield Combo("get_global", ty, body, [], [("r", shape, ty)], lambda codes=codes: ([codes], None), grid=1,
                    globals=[f"  global @g <{ty}: [{text}]> : {tile(shape, ty)}"])


ALL = [loads_and_stores, atomics, own_memory]
