"""Kernels around one op: their text, whether the verifier accepts them, and what the reference evaluator makes of them."""

import bisect
import os
import re
import subprocess
from dataclasses import dataclass, field

import numpy as np

from formats import FLOATS, U, is_nan, mask, nan_code, width

WORDS = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
ARRAYS = {"i1": np.bool_, "f16": np.float16, "tf32": np.float32, "f32": np.float32, "f64": np.float64}


def tile(shape, ty):
    """A tile type as text."""
    return "tile<" + "".join(f"{n}x" for n in shape) + ty + ">"


def to_array(ty, codes):
    """Codes as they lie in memory, as an array that `--arg` takes."""
    codes = codes.astype(U)
    if ty in ("i4", "f4E2M1FN"):
        padded = np.concatenate([codes, np.zeros(len(codes) % 2, dtype=U)])
        return (padded[0::2] | padded[1::2] << U(4)).astype(np.uint8)
    if ty == "tf32":
        return (codes << U(13)).astype(np.uint32).view(np.float32)
    words = codes.astype(WORDS[width(ty)])
    return words.view(ARRAYS[ty]) if ty in ARRAYS else words


def from_array(ty, array, count):
    """The codes in memory."""
    raw = array.tobytes()
    if ty in ("i4", "f4E2M1FN"):
        data = np.frombuffer(raw, dtype=np.uint8).astype(U)
        return np.stack([data & U(15), data >> U(4)], axis=1).reshape(-1)[:count]
    if ty == "tf32":
        return np.frombuffer(raw, dtype=np.uint32).astype(U) >> U(13)
    return np.frombuffer(raw, dtype=WORDS[width(ty)]).astype(U)


@dataclass
class Combo:
    """An op with its types and attributes, in a kernel.

    `inputs` are loaded tile by tile, one for each tile block, as `%a`, `%b`, ...; `body` computes; `outputs` are the
    tiles that are stored. `expect` takes the codes of all inputs, a row a tile block, and gives those of all outputs and
    optionally which of them count. `draw` may replace random inputs. `faults` are inputs of one tile block that must be
    reported, with the code. `slack` is how many codes a result may be off.
    """

    op: str
    label: str
    body: list
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    expect: object = None
    draw: object = None
    faults: list = field(default_factory=list)
    slack: int = 0
    globals: list = field(default_factory=list)
    # Further parameters: type, codes at first, and what is to be there at the end (a function of the inputs) or None.
    memory: list = field(default_factory=list)
    grid: int | None = None
    printed: object = None
    # The memory is behind a multicast address, with so many replicas.
    replicas: int | None = None

    def text(self, name):
        """The kernel."""
        lines, params, late = [], [], []
        lines.append("%bx, %by, %bz = get_tile_block_id : tile<i32>")
        everything = [(n, shape, ty, True) for n, (shape, ty) in zip("abcdefgh", self.inputs)]
        everything += [(n, shape, ty, False) for n, shape, ty in self.outputs]
        for at, (value, shape, ty, is_input) in enumerate(everything):
            count = int(np.prod(shape, dtype=np.int64))
            tensor = f"tensor_view<{count * GRID_MAX}x{ty}, strides=[1]>"
            view = f"partition_view<tile=({count}), {tensor}>"
            flat = tile([count], ty)
            params.append(f"%p{at}: tile<ptr<{ty}>>")
            target = lines if is_input else late
            target.append(f"%tv{at} = make_tensor_view %p{at}, shape = [{count * GRID_MAX}], strides = [1] : {tensor}")
            target.append(f"%pv{at} = make_partition_view %tv{at} : {view}")
            if is_input:
                load = f"%l{at}, %k{at} = load_view_tko weak %pv{at}[%bx] : {view}, tile<i32> -> {flat}, token"
                target.append(load)
                target.append(f"%{value} = reshape %l{at} : {flat} -> {tile(shape, ty)}")
            else:
                target.append(f"%l{at} = reshape %{value} : {tile(shape, ty)} -> {flat}")
                store = f"%k{at} = store_view_tko weak %l{at}, %pv{at}[%bx] : {flat}, {view}, tile<i32> -> token"
                target.append(store)
        for at, (ty, *_) in enumerate(self.memory):
            params.append(f"%m{at}: tile<ptr<{ty}{', <multicast>' * (self.replicas is not None)}>>")
        body = "\n".join(f"    {line}" for line in [*lines, *self.body, *late, "return"])
        return f"  entry @{name}({', '.join(params)}) {{\n{body}\n  }}\n"


# The extent of every buffer in tiles; fewer blocks leave the rest alone.
GRID_MAX = 1 << 12


class Evaluator:
    """The program under test."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.environment = {**os.environ, "NO_COLOR": "1"}

    def accepted(self, combos):
        """Those combos that the verifier lets through."""
        kept = []
        for chunk in batches(combos, 400):
            globals_, texts, starts, line = [], [], [], 2
            for at, combo in enumerate(chunk):
                globals_ += [g.replace("@g", f"@g{at}_") for g in combo.globals]
            line += len(globals_)
            for at, combo in enumerate(chunk):
                text = combo.text(f"k{at}").replace("@g", f"@g{at}_") if combo.globals else combo.text(f"k{at}")
                texts.append(text)
                starts.append(line)
                line += text.count("\n")
            path = os.path.join(self.folder, "check.cuda_tile")
            with open(path, "w", encoding="utf-8") as file:
                file.write("cuda_tile.module @m {\n" + "".join(g + "\n" for g in globals_) + "".join(texts) + "}\n")
            refused = {bisect.bisect_right(starts, line) - 1 for line in self.error_lines(path)}
            kept += [combo for at, combo in enumerate(chunk) if at not in refused]
        return kept

    def error_lines(self, path):
        """The lines that `check` finds fault with."""
        command = [self.program, "check", path, "--error-format", "short"]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"check ended with {done.returncode}: {done.stderr[-2000:]}")
        return {int(n) for n in re.findall(r"^\S+?:(\d+):\d+: error", done.stdout + done.stderr, re.MULTILINE)}

    @staticmethod
    def arrays(combo, columns, grid):
        """Of each argument: type, codes before the launch, whether the kernel writes it."""
        for (_, ty), codes in zip(combo.inputs, columns):
            yield ty, np.asarray(codes, dtype=U), False
        for _, shape, ty in combo.outputs:
            yield ty, np.zeros(int(np.prod(shape, dtype=np.int64)) * grid, dtype=U), True
        for ty, codes, *_ in combo.memory:
            yield ty, np.asarray(codes, dtype=U), True

    def run(self, combo, columns, grid):
        """Runs a combo; gives its outputs, its memory, what was printed, and what it reported."""
        path = os.path.join(self.folder, "k.cuda_tile")
        kernel_file(path, combo)
        command = [self.program, "run", path, "--on", "reference", "--grid", str(grid)]
        if combo.replicas is not None:
            command += ["--replicas", str(combo.replicas)]
        outs = []
        for at, (ty, codes, is_out) in enumerate(self.arrays(combo, columns, grid)):
            file = os.path.join(self.folder, f"{at}.npy")
            np.save(file, to_array(ty, codes))
            command += ["--arg", file]
            if is_out:
                outs.append((os.path.join(self.folder, f"out{at}.npy"), ty, len(codes)))
                command += ["--out", f"{at}={outs[-1][0]}"]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if done.returncode:
            return None, done.stdout, done.stderr
        return [from_array(ty, np.load(file), count) for file, ty, count in outs], done.stdout, ""


def kernel_file(path, combo):
    """Writes a module with one kernel, `k`."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("cuda_tile.module @m {\n" + "".join(g + "\n" for g in combo.globals) + combo.text("k") + "}\n")


def batches(items, size):
    """Lists of at most so many items."""
    items = list(items)
    return [items[at : at + size] for at in range(0, len(items), size)]


def same(ty, found, expected):
    """Which codes are equal, or NaN both; and how far the others are apart."""
    equal = found == expected
    if ty not in FLOATS or nan_code(ty) is None:
        return equal
    return equal | is_nan(ty, found) & is_nan(ty, expected)


def distance(ty, found, expected):
    """How many codes of one sign lie between two codes; huge where the signs differ."""
    top = U(mask(ty) >> 1)
    order = lambda codes: np.where(codes > top, -(codes & top).astype(np.int64), (codes & top).astype(np.int64))
    left, right = order(found), order(expected)
    with np.errstate(over="ignore"):
        gap = np.where((left < 0) == (right < 0), np.abs(left - right), np.inf)
    return np.where(is_nan(ty, found) != is_nan(ty, expected), np.inf, gap)
