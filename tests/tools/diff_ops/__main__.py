"""Runs every op of the language, in every combination of types and attributes that the verifier lets through, in the
reference evaluator, and compares with numpy, ml_dtypes, MPFR and Python's integers.

    pip install numpy ml_dtypes gmpy2
    cargo build --release -p tilewright
    python tests/tools/diff_ops TARGET/release/tilewright [--cases 4096] [--only OP,OP] [--seed N] [--folder DIR] \\
        [--record FILE] [--cubins TILEIRAS FILE [--arch sm_90] [--per-op N]]

The ops are those of the table in `docs/cuda_tile.md`, which a test keeps equal to the declarations; an op without an
entry here is reported as not covered. Combinations are proposed generously (every type for every operand, every case
of every enumeration), and the verifier says which of them exist. Prints, for each op, how many were proposed, accepted
and executed, the cases compared, how many results were wrong, and how many undefined operands were tried and not reported.
With `--record` it keeps two small combinations of each op, with their operands and results, for
`evaluator/tests/recorded_ops.rs`, which replays them without Python. With `--cubins` it writes what the evaluator gives
beside cubins of the same kernels by a compiler with tileiras' command line; `tests/gpu/ops.py` repeats them on a GPU.
"""

import argparse
import collections
import os
import re
import sys
import time

import numpy as np

import conversions
import elementwise
import families
from formats import random_codes
from kernels import GRID_MAX, Evaluator, distance, same, to_array
from recorder import Recorder


def declared_ops():
    """The ops of the language, from the documentation."""
    docs = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "cuda_tile.md")
    with open(docs, encoding="utf-8") as file:
        return re.findall(r"^\| `cuda_tile\.([\w$]+)` \|", file.read(), re.MULTILINE)


class Totals:
    """What became of the combos of an op."""

    def __init__(self):
        self.proposed = self.accepted = self.executed = self.cases = self.wrong = self.off = 0
        self.faults = self.unreported = 0


def recorded(combo, columns, found, grid):
    """A combo that gave what it should, as text: the kernel, the bytes of each buffer before and, if written, after."""
    lines = [f"# {combo.op} {combo.label}", f"grid {grid} replicas {combo.replicas or 1}"]
    inputs = [(ty, codes) for (_, ty), codes in zip(combo.inputs, columns)]
    outputs = [(ty, np.zeros(len(codes), dtype=np.uint64)) for (*_, ty), codes in zip(combo.outputs, found)]
    outputs += [(ty, np.asarray(codes, dtype=np.uint64)) for ty, codes, *_ in combo.memory]
    lines += [f"buffer {to_array(ty, codes).tobytes().hex()}" for ty, codes in inputs]
    for (ty, codes), after in zip(outputs, found):
        lines.append(f"buffer {to_array(ty, codes).tobytes().hex()} {to_array(ty, after).tobytes().hex()}")
    return "\n".join([*lines, *combo.globals, combo.text("k")])


def compare(evaluator, combo, rng, cases, totals):
    """Runs a combo on random inputs; gives its text for the record if all is well."""
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape, _ in [*combo.inputs, *(o[1:] for o in combo.outputs)]]
    grid = combo.grid or max(1, min(GRID_MAX, cases // max([1, *sizes])))
    columns = [random_codes(rng, ty, size * grid) for (_, ty), size in zip(combo.inputs, sizes)]
    if combo.draw:
        columns = [np.asarray(c, dtype=np.uint64) for c in combo.draw(columns)]
    found, printed, problem = evaluator.run(combo, columns, grid)
    if found is None:
        totals.wrong += 1
        print(f"{combo.op} {combo.label}: {problem.strip()}")
        return None
    expected, keep = combo.expect(*columns)
    totals.executed += 1
    if combo.printed is not None and printed != combo.printed:
        totals.wrong += 1
        print(f"{combo.op} {combo.label}: printed {printed!r}, expected {combo.printed!r}")
    types = [ty for *_, ty in combo.outputs] + [ty for ty, *_ in combo.memory]
    for ty, got, want in zip(types, found, expected, strict=True):
        if want is None:
            continue
        want = np.asarray(want, dtype=np.uint64)
        assert len(got) == len(want), (combo.op, combo.label, len(got), len(want))
        fine = same(ty, got, want)
        if combo.slack and not fine.all():
            near = distance(ty, got, want) <= combo.slack
            totals.off += int((near & ~fine).sum())
            fine |= near
        if keep is not None and len(keep) == len(fine):
            fine |= ~keep
        totals.cases += len(fine)
        wrong = np.flatnonzero(~fine)
        totals.wrong += len(wrong)
        for at in wrong[:3]:
            operands = " ".join(f"{int(c[at]):#x}" for c in columns if len(c) == len(got))
            print(f"{combo.op} {combo.label}: {operands}: found {int(got[at]):#x}, expected {int(want[at]):#x} (element {at})")
    return recorded(combo, columns, found, grid)


def try_faults(evaluator, combo, rng, totals):
    """Runs a combo on inputs for which it is undefined, one element at a time."""
    for row, code in combo.faults:
        columns = []
        for (shape, ty), bad in zip(combo.inputs, row):
            size = int(np.prod(shape, dtype=np.int64))
            columns.append(np.zeros(size, dtype=np.uint64) if isinstance(bad, int) else np.asarray(bad, dtype=np.uint64))
        if combo.draw and all(isinstance(bad, int) for bad in row):
            columns = [np.asarray(c, dtype=np.uint64) for c in combo.draw(columns)]
        for column, bad in zip(columns, row):
            if isinstance(bad, int):
                column[rng.integers(0, len(column), 1) if len(row) == 1 else len(column) // 2] = bad
        found, _, problem = evaluator.run(combo, columns, 1)
        totals.faults += 1
        if found is not None or code not in problem:
            totals.unreported += 1
            operands = " ".join(map(str, row))
            print(f"{combo.op} {combo.label}: {operands}: {code} not reported: {problem.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=4096)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--folder", default="/dev/shm/diff_ops")
    parser.add_argument("--record")
    parser.add_argument("--cubins", nargs=2, metavar=("TILEIRAS", "FILE"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--per-op", type=int, default=1 << 30)
    options = parser.parse_args()
    if options.record:
        elementwise.ELEMENTS, options.cases = 16, 16
    record = []
    evaluator = Evaluator(options.program, options.folder)
    if options.cubins:
        evaluator = Recorder(options.program, options.folder, *options.cubins, options.arch, options.per_op)
    wanted = set(filter(None, options.only.split(",")))
    combos = collections.defaultdict(list)
    sources = [elementwise.floats, elementwise.functions, elementwise.integers, *conversions.ALL, *families.ALL]
    for source in sources:
        for combo in source():
            if not wanted or combo.op in wanted:
                combos[combo.op].append(combo)
    ops = declared_ops()
    unknown = sorted(set(combos) - set(ops))
    assert not unknown, unknown
    totals = collections.defaultdict(Totals)
    start = time.time()
    for op, proposed in combos.items():
        mine = totals[op]
        accepted = evaluator.accepted(proposed)
        mine.proposed, mine.accepted = len(proposed), len(accepted)
        texts = []
        if options.record:
            pick = np.random.default_rng([options.seed, *op.encode()])
            accepted = [accepted[at] for at in pick.permutation(len(accepted))[:12]]
        for combo in accepted:
            rng = np.random.default_rng([options.seed, *combo.op.encode(), *combo.label.encode()])
            text = compare(evaluator, combo, rng, options.cases, mine)
            if options.record:
                texts += filter(None, [text])
            elif not options.cubins:
                try_faults(evaluator, combo, rng, mine)
        if options.record:
            record += sorted(texts, key=len)[:2]
    if options.cubins:
        evaluator.close()
    print(f"\n{'op':32}{'proposed':>9}{'accepted':>9}{'executed':>9}{'results':>10}{'wrong':>7}{'1 ulp':>7}{'faults':>8}{'missed':>7}")
    for op in ops:
        t = totals.get(op)
        if t:
            numbers = (t.proposed, t.accepted, t.executed, t.cases, t.wrong, t.off, t.faults, t.unreported)
            print(f"{op:32}" + "".join(f"{n:>{w}}" for n, w in zip(numbers, (9, 9, 9, 10, 7, 7, 8, 7))))
        elif not wanted:
            print(f"{op:32} not covered: {families.NOT_COVERED.get(op, 'no entry')}")
    everything = totals.values()
    wrong = sum(t.wrong + t.unreported for t in everything)
    print(f"{sum(t.accepted for t in everything)} combinations of {len(totals)} ops, {sum(t.cases for t in everything)} results, "
          f"{sum(t.faults for t in everything)} faults, {wrong} wrong, {time.time() - start:.0f} s")
    if options.record and not wrong:
        with open(options.record, "w", encoding="utf-8") as file:
            file.write("\n".join(record))
    idle = [op for op, t in totals.items() if not t.accepted]
    if idle:
        print("no combination is accepted of:", *idle)
    sys.exit(wrong > 0 or bool(idle))


if __name__ == "__main__":
    main()
