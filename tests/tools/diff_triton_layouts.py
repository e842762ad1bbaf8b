"""Linear layouts, here and in Triton: the same questions to both, and whether the answers agree.

    python tests/tools/diff_triton_layouts.py [--cases 10000] [--seed 0] [--record]

needs a Python with Triton (`triton.tools.LinearLayout`) and builds `layouts/examples/answer.rs`. The questions and their
form are documented in `layouts/tests/support/questions.rs`. With `--record`, some of the questions and Triton's answers
become `layouts/tests/data/triton.txt`, which the tests replay without Python.

Triton lists dimensions in any order and keeps those of size 1; here the order is fixed and in-dimensions of size 1 are
left out, also where an inverse has them as out-dimensions. `text` below writes Triton's layouts that way. Nothing else is
evened out: all answers have to be equal as text.
That includes solutions which are not unique: both sides promise the smallest (registers are the lowest bits). Triton departs
from that where an input only selects copies on both sides of `invert_and_compose` (`without_own_copies`). Its answers to
`invert_and_compose` and `pseudo_inverse` are checked to be solutions too, and so, being equal, are the ones here.
"""

import collections
import random
import sys

import layout_diff
from triton.tools import LinearLayout

RECORDS = layout_diff.DATA / "triton.txt"
HARDWARE = ["register", "lane", "warp", "block"]
ORDER = HARDWARE + ["offset"] + [f"dim{axis}" for axis in range(8)]


def text(layout, positions=False):
    """Triton's layout in the text form of this project; out-dimensions that are `positions` are some layout's inputs."""
    outs = {name: size for name, size in layout.out_dims if size > 1 or not positions}
    names = sorted(outs, key=ORDER.index)
    place = [layout.get_out_dim_names().index(name) for name in names]
    parts = []
    for name, vectors in sorted(layout.bases, key=lambda entry: ORDER.index(entry[0])):
        if vectors:
            parts.append(f"{name} = {[[vector[i] for i in place] for vector in vectors]}")
    if names == [f"dim{axis}" for axis in range(len(names))]:
        parts.append(f"shape = {[outs[name] for name in names]}")
    else:
        parts.append("outs = {" + ", ".join(f"{name}: {outs[name]}" for name in names) + "}")
    return f"linear<{', '.join(parts)}>"


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def outs(self, most_bits=5):
        """Tensor axes and their sizes, the last axis first, as it is the most minor."""
        rank = self.rng.randint(1, 3)
        return [(f"dim{axis}", 1 << self.rng.randint(0, most_bits)) for axis in reversed(range(rank))]

    def vector(self, sizes):
        kind = self.rng.random()
        if kind < 0.1:
            return [0] * len(sizes)
        if kind < 0.4:
            axis = self.rng.randrange(len(sizes))
            value = 1 << self.rng.randrange(max(sizes[axis].bit_length() - 1, 1))
            return [value % size if i == axis else 0 for i, size in enumerate(sizes)]
        return [self.rng.randrange(size) for size in sizes]

    def layout(self, outs, ins=None):
        """Any layout to `outs`; `ins` are names and numbers of bits."""
        if ins is None:
            ins = [(name, self.rng.randint(0, most)) for name, most in zip(HARDWARE, [5, 5, 3, 1])]
        sizes = [size for _, size in outs]
        bases = [(name, [self.vector(sizes) for _ in range(bits)]) for name, bits in ins]
        return LinearLayout.from_bases(bases, [name for name, _ in outs], sizes, False)

    def covering(self, outs, extra, names=HARDWARE):
        """A surjective layout to `outs` with that many input bits more than needed."""
        sizes = [size for _, size in outs]
        bits = [(i, bit) for i, size in enumerate(sizes) for bit in range(size.bit_length() - 1)]
        columns = [sum(1 << b for b in [k]) for k in range(len(bits))]
        for _ in range(2 * len(bits)):
            a, b = (self.rng.randrange(len(bits)) for _ in range(2))
            if a != b and self.rng.random() < 0.5:
                columns[a] ^= columns[b]
        columns += [self.rng.choice([0, self.rng.randrange(1 << len(bits))]) for _ in range(extra)]
        self.rng.shuffle(columns)
        vectors = []
        for column in columns:
            vector = [0] * len(sizes)
            for k, (i, bit) in enumerate(bits):
                vector[i] |= (column >> k & 1) << bit
            vectors.append(vector)
        cuts = sorted(self.rng.randint(0, len(vectors)) for _ in names[1:])
        bounds = [0, *cuts, len(vectors)]
        bases = [(name, vectors[bounds[i] : bounds[i + 1]]) for i, name in enumerate(names)]
        return LinearLayout.from_bases(bases, [name for name, _ in outs], sizes, True)

    def any_of_both(self):
        outs = self.outs()
        if self.rng.random() < 0.5:
            return self.layout(outs)
        return self.covering(outs, self.rng.choice([0, 0, 1, 3]))


def apply(g):
    layout = g.any_of_both()
    position = {name: g.rng.randrange(1 << len(vectors)) for name, vectors in layout.bases}
    named = " ; ".join(f"{name} {value}" for name, value in position.items())
    found = layout.apply(position)
    return f"apply ; {text(layout)} ; {named}", str([found[name] for name in sorted(found, key=ORDER.index)])


def identity(g):
    size, input, output = 1 << g.rng.randint(0, 16), g.rng.choice(HARDWARE), g.rng.choice(ORDER[4:9])
    return f"identity ; {size} ; {input} ; {output}", text(LinearLayout.identity_1d(size, input, output))


def strided(g):
    size, stride = 1 << g.rng.randint(0, 14), 1 << g.rng.randint(0, 14)
    input, output = g.rng.choice(HARDWARE), g.rng.choice(ORDER[4:9])
    layout = LinearLayout.strided_1d(size, stride, input, output)
    return f"strided ; {size} ; {stride} ; {input} ; {output}", text(layout)


def zeros(g):
    size, out_size = 1 << g.rng.randint(0, 16), 1 << g.rng.randint(0, 16)
    input, output = g.rng.choice(HARDWARE), g.rng.choice(ORDER[4:9])
    layout = LinearLayout.zeros_1d(size, input, output, out_size)
    return f"zeros ; {size} ; {input} ; {output} ; {out_size}", text(layout)


def compose(g):
    outs = g.outs()
    first = g.layout(outs)
    then = g.layout(g.outs(), [(name, size.bit_length() - 1 + g.rng.choice([0, 0, 1])) for name, size in outs])
    return f"compose ; {text(first)} ; {text(then)}", text(first.compose(then))


def product(g):
    # Triton lists the dimensions of a product in an order that both factors have to agree with.
    inner, outer = (g.layout(g.outs(3)) for _ in range(2))
    return f"product ; {text(inner)} ; {text(outer)}", text(inner * outer)


def invert(g):
    layout = g.covering(g.outs(), 0)
    return f"invert ; {text(layout)}", text(layout.invert(), positions=True)


def without_own_copies(inner, outer, found):
    """Triton's answer with the smallest position where Triton has a position stay in its own copy.

    An input bit that only selects copies in both layouts stays that bit in Triton, and is 0 in the smallest solution.
    """
    copies = {name: [not any(vector) for vector in vectors] for name, vectors in outer.bases}
    names = found.get_out_dim_names()
    bases = []
    for (name, vectors), (_, images) in zip(inner.bases, found.bases):
        kept = []
        for bit, (vector, image) in enumerate(zip(vectors, images)):
            own = [1 << bit if out == name else 0 for out in names]
            free = not any(vector) and bit < len(copies.get(name, [])) and copies[name][bit]
            kept.append([0] * len(names) if free and image == own else image)
        bases.append((name, kept))
    return LinearLayout.from_bases(bases, names, [size for _, size in found.out_dims], False)


def invert_and_compose(g):
    outs = g.outs()
    inner = g.layout(outs)
    outer = g.covering(outs, g.rng.choice([0, 1, 2, 4]), g.rng.choice([HARDWARE, ["offset"], ["block", "offset"]]))
    found = inner.invert_and_compose(outer)
    assert text(found.compose(outer)) == text(inner)
    found = without_own_copies(inner, outer, found)
    return f"invert_and_compose ; {text(inner)} ; {text(outer)}", text(found, positions=True)


def pseudo_inverse(g):
    outs = g.outs()
    layout = g.covering(outs, g.rng.choice([0, 1, 2, 4]))
    found = layout.pseudoinvert()
    back = found.compose(layout)
    for name, vectors in back.bases:
        place = back.get_out_dim_names().index(name)
        for bit, vector in enumerate(vectors):
            assert vector == [1 << bit if i == place else 0 for i in range(len(vector))]
    return f"pseudo_inverse ; {text(layout)}", text(found, positions=True)


def predicate(name):
    def ask(g):
        layout = g.any_of_both()
        return f"{name} ; {text(layout)}", str(getattr(layout, name)()).lower()

    ask.__name__ = name
    return ask


PREDICATES = [predicate(name) for name in ["is_surjective", "is_injective", "is_invertible"]]
OPERATIONS = [apply, identity, strided, zeros, compose, product, invert, invert_and_compose, pseudo_inverse, *PREDICATES]


def main():
    arguments = layout_diff.arguments(__doc__, "questions for each operation", RECORDS)
    generator = Generator(arguments.seed)
    asked = [(operation.__name__, *operation(generator)) for operation in OPERATIONS for _ in range(arguments.cases)]
    answers = layout_diff.answers("answer", [question for _, question, _ in asked])
    agreed, distinct, differing = collections.Counter(), collections.defaultdict(set), []
    for (operation, question, theirs), our in zip(asked, answers):
        agreed[operation] += our == theirs
        distinct[operation].add(question)
        if our != theirs:
            differing.append((question, theirs, our))
    for operation in agreed:
        print(f"{operation:20} {agreed[operation]:7} of {arguments.cases} agree, {len(distinct[operation])} distinct")
    for question, theirs, our in differing[:10]:
        print(f"{question}\n  Triton: {theirs}\n  here:   {our}", file=sys.stderr)
    if arguments.record:
        header = [
            "Questions and the answers of Triton's LinearLayout, written by tests/tools/diff_triton_layouts.py.",
            "The form is described in layouts/tests/support/questions.rs; where Triton and this project write or choose",
            "differently, the script describes how the answers were evened out.",
        ]
        lines = []
        for operation in agreed:
            mine = [f"{question} => {theirs}" for name, question, theirs in asked if name == operation]
            lines += list(dict.fromkeys(mine))[:30]
        layout_diff.record(RECORDS, header, lines)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
