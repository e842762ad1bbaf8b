"""Memory through views, and what views say of themselves."""

import itertools

import numpy as np

from elementwise import extremum
from formats import FLOATS, INTS, TYPES, U, encode, mask, nan_code, random_codes, signed, width
from kernels import Combo, tile
from memory import MODES, ORDERINGS, RNG, SCOPES, combined, words
from tiles import by_block

ROWS, COLUMNS = 5, 6
PADDINGS = ["", "zero", "neg_zero", "nan", "pos_inf", "neg_inf"]


def padding_code(ty, padding):
    """What a padded element is."""
    if ty not in FLOATS or padding == "zero":
        return 0
    value = {"neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf}[padding]
    if padding == "nan" and nan_code(ty) is None or "inf" in padding and FLOATS[ty][3] != "ieee":
        return None
    if padding == "neg_zero" and not FLOATS[ty][0]:
        return None
    return int(encode(ty, np.array([value]))[0])


class View:
    """A kind of view over a 5x6 tensor: its type, its tile, and where its elements lie."""

    def __init__(self, name, kind, shape, attributes, steps, dim_map=(0, 1), sparse=None):
        self.name, self.kind, self.shape, self.attributes = name, kind, shape, attributes
        self.steps, self.dim_map, self.sparse = steps, dim_map, sparse

    def text(self, ty, padding, tensor_attribute=""):
        """The view's type and the tensor's."""
        tensor = f"tensor_view<{ROWS}x{COLUMNS}x{ty}, strides=[{COLUMNS},1]{tensor_attribute}>"
        extents = "x".join(map(str, self.shape))
        before = [f"tile=({extents})"]
        if self.kind == "strided_view":
            before.append(f"traversal_strides=[{self.steps[0]},{self.steps[1]}]")
        if padding:
            before.append(f"padding_value = {padding}")
        return f"{self.kind}<{', '.join(before)}, {tensor}{self.attributes}>", tensor

    def make(self, ty, padding, memory="%m0", tensor_attribute=""):
        """The ops that make it."""
        view, tensor = self.text(ty, padding, tensor_attribute)
        return view, [
            f"%tv = make_tensor_view {memory}, shape = [{ROWS}, {COLUMNS}], strides = [{COLUMNS}, 1] : {tensor}",
            f"%v = make_{self.kind} %tv : {view}",
        ]

    def tiles(self):
        """How many tiles lie along each dimension; along the sparse one the extent of the tensor."""
        extents = [(ROWS, COLUMNS)[d] for d in self.dim_map]
        counts = [-(-extent // step) for extent, step in zip(extents, self.steps)]
        return [extents[d] if d == self.sparse else counts[d] for d in (0, 1)]

    def places(self, index):
        """The number of each element in memory, -1 outside."""
        along = []
        for d in (0, 1):
            if d == self.sparse:
                along.append(np.asarray(index[d]).astype(np.int64))
            else:
                along.append(int(index[d][0]) * self.steps[d] + np.arange(self.shape[d]))
        first, second = np.meshgrid(*along, indexing="ij")
        row, column = (first, second) if self.dim_map == (0, 1) else (second, first)
        inside = (row < ROWS) & (column < COLUMNS)
        return np.where(inside, row * COLUMNS + column, -1)

    def inputs(self, index_types):
        """The index tiles."""
        return [((self.shape[d],) if d == self.sparse else (), ty) for d, ty in zip((0, 1), index_types)]

    def draw(self, columns, index_types):
        """Indices that are there, and some that are not: those count as outside of the tensor."""
        counts = self.tiles()
        drawn = []
        for d in (0, 1):
            limit = min(counts[d] + 2, 1 << width(index_types[d]))
            drawn.append(columns[d] % U(limit))
        if self.sparse is not None:
            # Two rows that are one may not be written differently.
            drawn[self.sparse] = np.random.default_rng(int(columns[0].sum() % U(1 << 31))).permutation(8)[: self.shape[self.sparse]].astype(U)
        return [*drawn, *columns[2:]]

    def types(self, index_types):
        """The index types as the text has them."""
        tiles = [tile(shape, ty) for shape, ty in self.inputs(index_types)]
        return ", ".join(tiles) if self.sparse is not None else tiles[0]


VIEWS = [
    View("partition", "partition_view", (2, 4), "", (2, 4)),
    View("turned partition", "partition_view", (4, 2), ", dim_map=[1, 0]", (4, 2), (1, 0)),
    View("overlapping", "strided_view", (2, 4), "", (1, 3)),
    View("gaps", "strided_view", (2, 2), "", (3, 5)),
    View("turned gaps", "strided_view", (2, 2), ", dim_map=[1, 0]", (3, 2), (1, 0)),
    View("rows", "gather_scatter_view", (4, 4), ", sparse_dim=0", (1, 1), sparse=0),
    View("columns", "gather_scatter_view", (2, 4), ", sparse_dim=1", (1, 1), sparse=1),
]
INDICES = "%a, %b"


def index_pairs(view):
    """Types of indices: the scalar ones are of one type."""
    return [(ty, ty) for ty in ("i8", "i16", "i32", "i64", *(["i1"] if view.sparse is None else []))]


def loads(view, ty, padding, pair, how, inbounds=""):
    """load_view_tko with a view."""
    memory = random_codes(RNG, ty, ROWS * COLUMNS)
    text, make = view.make(ty, padding)
    value = tile(view.shape, ty)
    body = [*make, f"%r, %t = load_view_tko {how} %v[{INDICES}]{inbounds} : {text}, {view.types(pair)} -> {value}, token"]
    fill = padding_code(ty, padding) if padding else None

    def expect(a, b):
        places = view.places((a, b))
        codes = np.where(places >= 0, memory[places], U(fill or 0)).reshape(-1)
        # Without padding what is outside can be anything; and without a code for the padding as well.
        keep = None if fill is not None else (places >= 0).reshape(-1)
        return [codes, None], keep

    op = {"partition_view": "make_partition_view", "strided_view": "make_strided_view"}.get(view.kind, "make_gather_scatter_view")
    name = f"{view.name} {ty} {padding} {pair[0]} {how}{inbounds}"
    counts = view.tiles()
    faults = []
    if inbounds:
        faults = [(([counts[0] - 1], [counts[1] - 1]), "E0823")] if view.sparse is None else []
    return Combo("load_view_tko", name, body, view.inputs(pair), [("r", view.shape, ty)], expect, grid=1, memory=[(ty, memory)],
                 draw=lambda columns: inside(view, columns, pair) if inbounds else view.draw(columns, pair), faults=faults), op


def inside(view, columns, pair):
    """Indices of tiles that lie in the tensor."""
    drawn = view.draw(columns, pair)
    if view.sparse is not None:
        drawn[view.sparse] = np.random.default_rng(int(columns[0].sum() % U(1 << 31))).permutation(ROWS)[: len(columns[view.sparse])].astype(U)
    return [c if d == view.sparse else c * U(0) for d, c in enumerate(drawn[:2])] + drawn[2:]


def stores(view, ty, pair, how, op="store_view_tko", mode=None, padding="", inbounds="", attribute=""):
    """store_view_tko and atomic_red_view_tko."""
    memory = random_codes(RNG, ty, ROWS * COLUMNS)
    text, make = view.make(ty, padding)
    value = tile(view.shape, ty)
    if mode is None:
        line = f"%t = store_view_tko {how} %c, %v[{INDICES}]{inbounds} : {value}, {text}, {view.types(pair)} -> token"
    else:
        types = ", ".join([value, text, *(tile(shape, t) for shape, t in view.inputs(pair))])
        types = f"{value}, {text}, {view.types(pair)}"
        line = f"%t = atomic_red_view_tko {how} %v[{INDICES}], {mode}, %c{inbounds} : {types} -> token"

    def expect(a, b, c):
        after = memory.copy()
        for place, code in zip(view.places((a, b)).reshape(-1), c.tolist()):
            if place >= 0:
                after[place] = code if mode is None else combined(mode, ty, int(after[place]), code)
        return [after], None

    draw = (lambda columns: inside(view, columns, pair)) if inbounds else (lambda columns: view.draw(columns, pair))
    return Combo(op, f"{view.name} {ty} {mode or ''} {padding} {pair[0]} {how}{inbounds}", [*make, line], [*view.inputs(pair), (view.shape, ty)], [],
                 expect, grid=1, memory=[(ty, memory)], draw=draw)


def accesses():
    """Loads, stores and atomics through every kind of view."""
    pair = ("i32", "i32")
    for view, ty in itertools.product(VIEWS, TYPES):
        for padding in PADDINGS:
            combo, make = loads(view, ty, padding, pair, "weak")
            yield combo
            if padding == "zero":
                yield Combo(make, combo.label, *[getattr(combo, f) for f in ("body", "inputs", "outputs", "expect", "draw", "faults")],
                            memory=combo.memory, grid=1)
                yield Combo("make_tensor_view", combo.label, *[getattr(combo, f) for f in ("body", "inputs", "outputs", "expect", "draw", "faults")],
                            memory=combo.memory, grid=1)
        yield stores(view, ty, pair, "weak")
        for ordering, scope in itertools.product(ORDERINGS, SCOPES):
            if (ordering, scope) != ("weak", ""):
                yield loads(view, ty, "", pair, words(ordering, scope))[0]
                yield stores(view, ty, pair, words(ordering, scope))
            for mode in MODES:
                yield stores(view, ty, pair, words(ordering, scope), "atomic_red_view_tko", mode)
        yield stores(view, ty, pair, "relaxed device", "atomic_red_view_tko", "add" if ty in INTS else "addf", "zero")
        for index in index_pairs(view):
            yield loads(view, ty, "zero", index, "weak")[0]
            yield stores(view, ty, index, "weak")
        flags = " inbounds = [true, true]"
        yield loads(view, ty, "zero", pair, "weak", flags)[0]
        yield stores(view, ty, pair, "weak", inbounds=flags)


def shapes():
    """get_tensor_shape, get_index_space_shape."""
    for view, ty in itertools.product(VIEWS, TYPES):
        for op, want in (("get_tensor_shape", [ROWS, COLUMNS]), ("get_index_space_shape", view.tiles())):
            text, make = view.make("f32", "")
            source = ("%tv", view.text("f32", "")[1]) if op == "get_tensor_shape" else ("%v", text)
            body = [*make, f"%r, %q = {op} {source[0]} : {source[1]} -> {tile([], ty)}"]
            fits = ty in INTS and max(want) <= mask(ty)
            expect = lambda want=want: ([np.array([n], dtype=U) for n in want] + [None], None)
            if fits or ty not in INTS:
                yield Combo(op, f"{view.name} {ty}", body, [], [("r", (), ty), ("q", (), ty)], expect, grid=1,
                            memory=[("f32", np.zeros(ROWS * COLUMNS, dtype=U))])


REDUCTIONS = ["add", "min", "max", "and", "or", "xor", "umin", "umax"]


def reduced(kind, ty, old, new):
    """What a multimem reduction makes of two elements; a NaN is left out by min and max."""
    if ty in FLOATS and kind in ("min", "max"):
        return int(extremum(kind + "f", ty, False)(np.array([old], dtype=U), np.array([new], dtype=U))[0])
    return combined("addf" if kind == "add" and ty in FLOATS else kind, ty, old, new)


def replicated():
    """The multimem ops, on memory with two replicas: one after the other in the array."""
    pair, attribute = ("i32", "i32"), ", #cuda_tile.ptr_attr<multicast>"
    size = ROWS * COLUMNS
    for view, ty, ordering, scope in itertools.product(VIEWS, TYPES, ORDERINGS, SCOPES):
        memory = random_codes(RNG, ty, 2 * size)
        text, make = view.make(ty, "zero", tensor_attribute=attribute)
        value, how = tile(view.shape, ty), words(ordering, scope)
        inputs = view.inputs(pair)
        draw = lambda columns, view=view: view.draw(columns, pair)
        for kind in REDUCTIONS:
            chosen = f" attributes {{reduction = #cuda_tile.multimem_reduction_kind<{kind}>}}"
            body = [*make, f"%r, %t = multimem_load_reduce_view_tko {how} %v[{INDICES}]{chosen} : {text}, {view.types(pair)} -> {value}, token"]

            def loaded(a, b, view=view, ty=ty, memory=memory, kind=kind):
                places = view.places((a, b)).reshape(-1)
                codes = [reduced(kind, ty, int(memory[p]), int(memory[p + size])) if p >= 0 else 0 for p in places]
                return [np.array(codes, dtype=U), memory], None

            yield Combo("multimem_load_reduce_view_tko", f"{view.name} {ty} {kind} {how}", body, inputs, [("r", view.shape, ty)], loaded,
                        draw=draw, grid=1, memory=[(ty, memory)], replicas=2)
            body = [*make, f"%t = multimem_reduce_view_tko {how} %v, %c[{INDICES}]{chosen} : {text}, {value}, {view.types(pair)} -> token"]

            def after(a, b, c, view=view, ty=ty, memory=memory, kind=kind):
                found = memory.copy()
                for place, code in zip(view.places((a, b)).reshape(-1), c.tolist()):
                    for at in (place, place + size) if place >= 0 else ():
                        found[at] = code if kind is None else reduced(kind, ty, int(found[at]), code)
                return [found], None

            yield Combo("multimem_reduce_view_tko", f"{view.name} {ty} {kind} {how}", body, [*inputs, (view.shape, ty)], [], after,
                        draw=draw, grid=1, memory=[(ty, memory)], replicas=2)
        body = [*make, f"%t = multimem_store_view_tko {how} %v, %c[{INDICES}] : {text}, {value}, {view.types(pair)} -> token"]
        stored = lambda a, b, c, after=after: after(a, b, c, kind=None)
        yield Combo("multimem_store_view_tko", f"{view.name} {ty} {how}", body, [*inputs, (view.shape, ty)], [], stored,
                    draw=draw, grid=1, memory=[(ty, memory)], replicas=2)


ALL = [accesses, shapes, replicated]
