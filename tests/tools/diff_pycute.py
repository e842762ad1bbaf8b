"""CuTe layouts, here and in pycute: the same questions to both, and whether the answers agree.

    python tests/tools/diff_pycute.py [--cases 10000] [--seed 0] [--record]

needs a Python with pycute (package `nvidia-cutlass`) and builds `layouts/examples/answer_cute.rs`. The questions and their
form are documented in `layouts/tests/support/cute_questions.rs`. With `--record`, some of the questions on which both agree
become `layouts/tests/data/pycute.txt`, which the tests replay without Python.

Answers agree if they are equal as text, or if both refuse. Every other pair of answers is put into one of these classes by
checking both against the definition of the operation, coordinate by coordinate; anything else is reported and fails.

- other form: both are right. Modes of extent 1 may have another stride (pycute's compact strides go on over them, CuTe's C++
  has 0), a left inverse is free outside of the image, and pycute unwraps second modes of rank 1 in tiled ones.
- pycute wrong: its answer is not what the operation is defined to be, and ours is, or we refuse. Composition: a shape that
  is not divisible is rounded down, carries between modes are not noticed, trailing modes of extent 1 are dropped though
  coordinates go beyond the shape. Complement: modes that overlap give extents of 0 or repeated indices.
- pycute shorter: right inverses stop at a stride of 0, or at a tie, where ours go on.
- pycute refuses: it asserts that one of stride and extent divides the other even where a mode holds the whole leaf, or
  fails; our answer is right.
- we refuse: a left inverse of modes that are no multiples of each other, which pycute's reduction to complement and right
  inverse sometimes finds; a composition outside of the documented conditions that happens to be right.

Not asked, as pycute differs by design or by mistake: composition by mode with fewer modes (it keeps the others, the C++
drops them), products with an integer (it divides).
"""

import collections
import itertools
import random

import layout_diff
import pycute
from pycute import Layout

RECORDS = layout_diff.DATA / "pycute.txt"
EXTENTS = [1, 2, 2, 3, 4, 4, 6, 8]
LARGEST = 1 << 12


def tuple_text(value):
    if isinstance(value, tuple):
        return "(" + ",".join(map(tuple_text, value)) + ")"
    return str(value)


def text(value):
    if isinstance(value, Layout):
        return f"{tuple_text(value.shape)}:{tuple_text(value.stride)}"
    return tuple_text(value)


def tiler_text(tiler):
    if tiler is None:
        return "_"
    if isinstance(tiler, tuple):
        return "[" + ";".join(map(tiler_text, tiler)) + "]"
    return text(tiler)


def parse(answer):
    """A layout from its text."""
    def nested(part):
        return eval(part.replace(")", ",)").replace("(,", "("), {"__builtins__": {}})
    return Layout(*map(nested, answer.split(":")))


def table(layout):
    return [layout(i) for i in range(layout.size())]


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def nest(self, leaves):
        modes = list(leaves)
        for _ in range(self.rng.randint(0, 2)):
            start = self.rng.randrange(len(modes))
            end = min(len(modes), start + self.rng.randint(1, 3))
            modes[start:end] = [tuple(modes[start:end])]
        def part(mode, which):
            if isinstance(mode, list):
                return mode[which]
            return tuple(part(m, which) for m in mode)
        if len(modes) == 1 and self.rng.random() < 0.5:
            return Layout(part(modes[0], 0), part(modes[0], 1))
        return Layout(part(tuple(modes), 0), part(tuple(modes), 1))

    def layout(self, kind=None, most=4):
        """Any strides; or ordered strides with gaps and zeros; or a bijection."""
        kind = kind or self.rng.choice(["any", "gaps", "compact"])
        extents = [self.rng.choice(EXTENTS) for _ in range(self.rng.randint(1, most))]
        if kind == "any":
            return self.nest([[n, self.rng.randrange(20)] for n in extents])
        strides, position = [0] * len(extents), 1
        for i in self.rng.sample(range(len(extents)), len(extents)):
            gap = 1 if kind == "compact" else self.rng.choice([1, 1, 1, 2, 3, 0])
            strides[i] = position * gap
            position *= extents[i] * max(gap, 1)
        return self.nest([list(pair) for pair in zip(extents, strides)])

    def coord(self, shape):
        if isinstance(shape, tuple) and self.rng.random() < 0.7:
            return tuple(self.coord(mode) for mode in shape)
        return self.rng.randrange(pycute.product(shape))

    def tile(self, extent):
        count = self.rng.choice([n for n in range(1, extent + 1) if extent % n == 0] + [2, 3])
        return Layout(count, self.rng.choice([1, 1, max(extent // count, 1), 2]))

    def tiler(self, layout, none=True):
        if self.rng.random() < 0.5 or not isinstance(layout.shape, tuple):
            return self.layout(self.rng.choice(["gaps", "compact"]), 2)
        modes = [None if none and self.rng.random() < 0.1 else self.tile(mode.size()) for mode in layout]
        return tuple(modes)


def swizzle_question(generator, operation):
    """An index under a swizzle, or a coordinate of a layout, an offset and a swizzle."""
    rng = generator.rng
    bits, base = rng.randint(0, 4), rng.randint(0, 5)
    # pycute recurses without end for a shift of 0.
    shift = rng.choice([-1, 1]) * max(1, bits + rng.randint(0, 4))
    function, name = pycute.Swizzle(bits, base, shift), f"Sw<{bits},{base},{shift}>"
    if operation == "swizzle":
        index = rng.randrange(1 << rng.choice([4, 8, 16, 40]))
        return f"swizzle ; {name} ; {index}", (function, index), lambda: function(index)
    layout, offset = generator.layout(), rng.choice([0, rng.randrange(200)])
    composed = pycute.swizzle.ComposedLayout(function, offset, layout)
    flat = rng.randrange(layout.size())
    line = f"swizzled ; {name} o {offset} o {text(layout)} ; {flat}"
    return line, (composed, flat), lambda: composed(flat)


def question(generator, operation):
    if operation.startswith("swizzle"):
        return swizzle_question(generator, operation)
    """The text of a question, and the call that answers it."""
    layout = generator.layout()
    rng = generator.rng
    unary = {
        "size": lambda l: l.size(),
        "cosize": lambda l: l.cosize(),
        "coalesce": pycute.coalesce,
        "filter": pycute.filter,
        "right_inverse": pycute.right_inverse,
        "left_inverse": pycute.left_inverse,
    }
    if operation in unary:
        if operation.endswith("inverse") and rng.random() < 0.5:
            layout = generator.layout("gaps")
        return f"{operation} ; {text(layout)}", (layout,), lambda: unary[operation](layout)
    if operation == "index":
        operand = generator.coord(layout.shape)
        return f"index ; {text(layout)} ; {text(operand)}", (layout, operand), lambda: layout(operand)
    if operation == "coord":
        operand = rng.randrange(layout.size())
        return f"coord ; {text(layout)} ; {operand}", (), lambda: pycute.idx2crd(operand, layout.shape)
    if operation == "coord_of_index":
        layout = generator.layout("compact")
        operand = rng.randrange(layout.size())
        call = lambda: pycute.idx2crd(operand, layout.shape, layout.stride)
        return f"coord_of_index ; {text(layout)} ; {operand}", (), call
    if operation == "complement":
        if rng.random() < 0.6:
            layout = generator.layout("gaps")
        operand = rng.randint(1, 400)
        call = lambda: pycute.complement(layout, operand)
        return f"complement ; {text(layout)} ; {operand}", (layout, operand), call
    if operation == "composition":
        operand = generator.layout()
        call = lambda: pycute.composition(layout, operand)
    else:
        if operation.endswith("product"):
            layout = generator.layout(rng.choice(["gaps", "compact"]), 2)
        operand = generator.tiler(layout)
        call = lambda: getattr(pycute, operation)(layout, operand)
    return f"{operation} ; {text(layout)} ; {tiler_text(operand)}", (layout, operand), call


def is_composition(result, outer, inner):
    return result.size() == inner.size() and all(result(c) == outer(inner(c)) for c in range(inner.size()))


def right(operation, operands, result):
    """Whether `result` is what the operation is defined to be."""
    if 0 in pycute.flatten(result.shape):
        return False
    if operation == "composition":
        return is_composition(result, *operands)
    layout = operands[0]
    if operation == "complement":
        mine = table(pycute.filter(layout))
        others = table(result)
        both = [a + b for a, b in itertools.product(mine, others)]
        return len(set(both)) == len(both) and others == sorted(set(others))
    if operation == "right_inverse":
        return all(layout(result(i)) == i for i in range(result.size()))
    if operation == "left_inverse":
        zeros = 0 in [d for n, d in zip(pycute.flatten((layout.shape,)), pycute.flatten((layout.stride,))) if n > 1]
        if zeros:
            return all(layout(result(layout(i))) == layout(i) for i in range(layout.size()))
        return all(result(layout(i)) == i for i in range(layout.size()))
    tiler = operands[1]
    if operation.startswith(("zipped", "tiled")):
        # A regrouping of the logical one: of the same leaves where that is right.
        logical = "logical_" + operation.split("_")[1]
        try:
            whole = getattr(pycute, logical)(*operands)
        except Exception:
            return None
        return right(logical, operands, whole) and sorted(table(result)) == sorted(table(whole))
    if isinstance(tiler, tuple):
        parts = [(layout[i], t, result[i]) for i, t in enumerate(tiler)]
        return all(r == l if t is None else right(operation, (l, t), r) for l, t, r in parts)
    if operation == "logical_divide":
        rest = pycute.complement(tiler, layout.size())
        if not right("complement", (tiler, layout.size()), rest):
            return False
        return is_composition(result, layout, pycute.make_layout(tiler, rest))
    if operation == "logical_product":
        rest = pycute.complement(layout, layout.size() * tiler.cosize())
        if not right("complement", (layout, 0), rest):
            return False
        return table(result[0]) == table(layout) and is_composition(result[1], rest, tiler)
    return None


def classify(operation, operands, ours, theirs):
    if theirs is not None and ours == text(theirs):
        return "agree"
    refused = ours.startswith("error")
    if theirs is None and refused:
        return "agree (both refuse)"
    if operation in ("size", "cosize", "index", "coord", "coord_of_index", "swizzle", "swizzled"):
        return "UNEXPLAINED"
    if theirs is not None and pycute.product(theirs.shape) > LARGEST:
        return "agree" if refused is False and parse(ours) == theirs else "not checked (too large)"
    if theirs is not None:
        good = right(operation, operands, theirs)
        if refused:
            return "we refuse" if good else "pycute wrong"
        if good is False:
            mine = right(operation, operands, parse(ours))
            return "pycute wrong" if mine or operation.startswith(("zipped", "tiled")) else "UNEXPLAINED"
    mine = parse(ours)
    if theirs is None:
        answer = right(operation, operands, mine)
        return "UNEXPLAINED" if answer is False else "pycute refuses"
    if not right(operation, operands, mine):
        return "UNEXPLAINED"
    if operation == "right_inverse" and theirs.size() != mine.size():
        return "pycute shorter" if theirs.size() < mine.size() else "UNEXPLAINED"
    return "other form"


def main():
    arguments = layout_diff.arguments(__doc__, "questions for each operation", RECORDS)
    operations = [
        "index", "coord", "coord_of_index", "size", "cosize", "coalesce", "filter", "composition", "complement",
        "right_inverse", "left_inverse", "logical_divide", "zipped_divide", "tiled_divide", "logical_product",
        "zipped_product", "tiled_product", "swizzle", "swizzled",
    ]
    generator = Generator(arguments.seed)
    asked = [(op, *question(generator, op)) for op in operations for _ in range(arguments.cases)]
    answers = layout_diff.answers("answer_cute", [entry[1] for entry in asked])
    counts = collections.defaultdict(collections.Counter)
    samples, records, failed = {}, collections.defaultdict(list), False
    for (operation, line, operands, call), ours in zip(asked, answers):
        try:
            theirs = call()
        except Exception:  # pycute asserts, and has no type of its own for it
            theirs = None
        verdict = classify(operation, operands, ours, theirs)
        counts[operation][verdict] += 1
        shown = f"{line} => {ours} and {'a refusal' if theirs is None else text(theirs)}"
        failed |= verdict == "UNEXPLAINED"
        if not verdict.startswith("agree"):
            samples.setdefault((operation, verdict), shown)
        if verdict == "agree" and len(records[operation]) < 30:
            records[operation].append(f"{line} => {ours}")
    for operation in operations:
        row = ", ".join(f"{count} {verdict}" for verdict, count in counts[operation].most_common())
        print(f"{operation}: {row}")
    for (operation, verdict), sample in samples.items():
        print(f"  {verdict}: {sample}")
    if arguments.record:
        header = [
            "Questions and the answers of pycute, written by tests/tools/diff_pycute.py.",
            "The form is described in layouts/tests/support/cute_questions.rs.",
        ]
        body = [record for operation in operations for record in records[operation]]
        layout_diff.record(RECORDS, header, body)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
