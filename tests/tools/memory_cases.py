#!/usr/bin/env python3
"""Writes the numeric cases of atomic accesses, concurrent loads, gather-scatter views, and fences.

    python3 tests/tools/memory_cases.py

Each is a folder of tests/data/numeric with the kernel as text, inputs, results from numpy and `case.json`, in the format
that export_examples.py describes; all arrays are bare pointers. `least_target` is the oldest target that the language
permits the kernel for. Needs numpy and ml_dtypes, and no GPU.

Results do not depend on the order of atomic accesses: sums of floats are exact, and what an access returns is stored only
where one access alone can have happened before it.
"""

import json
from pathlib import Path

import ml_dtypes
import numpy as np

NUMERIC = Path(__file__).resolve().parents[1] / "data" / "numeric"
TYPES = {"i32": np.int32, "i64": np.int64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32,
         "f64": np.float64}
FOUR_WARPS = "optimization_hints=<default = {num_worker_warps_per_cta = 4}> "


def write(name, grid, body, arguments, expected, least_target=None, hints=""):
    """`arguments` maps a parameter to (element type, array), `expected` to its contents after the launch."""
    folder = NUMERIC / name
    folder.mkdir(parents=True, exist_ok=True)
    params = ", ".join(f"%{key}: tile<ptr<{element}>>" for key, (element, _) in arguments.items())
    lines = "\n".join(f"    {line.strip()}" for line in body.strip().splitlines())
    kernel = folder / f"{name}.mlir"
    kernel.write_text(f"cuda_tile.module @memory {{\n  entry @{name}({params}) {hints}{{\n{lines}\n    return\n  }}\n}}\n")
    listed = []
    for position, (key, (element, array)) in enumerate(arguments.items()):
        entry = {"argument": position, "flat": position, "name": key, "kind": "bare", "dtype": element,
                 "shape": list(array.shape), "file": f"{key}.npy"}
        save(folder / f"{key}.npy", array)
        if key in expected:
            entry["want"] = f"want_{key}.npy"
            assert expected[key].dtype == array.dtype and expected[key].shape == array.shape, (name, key)
            save(folder / f"want_{key}.npy", expected[key])
        listed.append(entry)
    case = {"kernel": name, "bytecode": [str(kernel.relative_to(NUMERIC.parents[2]))], "grid": list(grid), "rtol": 0,
            "atol": 0, "arguments": listed}
    if least_target:
        case["least_target"] = least_target
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def save(path, array):
    np.save(path, array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array)


def constant(name, value, element, n=None):
    shape = f"{n}x" if n else ""
    return f"%{name} = constant <{element}: {value}> : tile<{shape}{element}>\n"


def spread(name, scalar, element, n):
    """A tile of `n` copies of a scalar."""
    return (f"%{name}_1 = reshape %{scalar} : tile<{element}> -> tile<1x{element}>\n"
            f"%{name} = broadcast %{name}_1 : tile<1x{element}> -> tile<{n}x{element}>\n")


def pointers(name, base, element, offset, n, index="i32"):
    """Pointers to `n` elements at a tile of offsets from a scalar pointer."""
    ptr = f"ptr<{element}>"
    return spread(f"{name}_b", base, ptr, n) + (
        f"%{name} = offset %{name}_b, %{offset} : tile<{n}x{ptr}>, tile<{n}x{index}> -> tile<{n}x{ptr}>\n")


def load(name, at, element, n):
    return f"%{name}, %{name}_t = load_ptr_tko weak %{at} : tile<{n}xptr<{element}>> -> tile<{n}x{element}>, token\n"


def store(name, at, value, element, n, after):
    return (f"%{name} = store_ptr_tko weak %{at}, %{value} token=%{after} : tile<{n}xptr<{element}>>, tile<{n}x{element}> "
            f"-> token\n")


def block_index(n):
    """%i: 0, 1, ... within the block; %g: the same from the block's first element on."""
    return (f"%i = iota : tile<{n}xi32>\n%bx, %by, %bz = get_tile_block_id : tile<i32>\n" + constant("n", n, "i32")
            + "%first = muli %bx, %n : tile<i32>\n" + spread("firsts", "first", "i32", n)
            + f"%g = addi %firsts, %i : tile<{n}xi32>\n")


def integers():
    """Every operation that commutes, many elements into few: the results are unused."""
    operations = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "add": np.add, "max": np.maximum,
                  "min": np.minimum, "umax": None, "umin": None}
    for element in ("i32", "i64"):
        rng = np.random.default_rng([1, len(element)])
        dtype = TYPES[element]
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, 512, dtype, endpoint=True)
        bins = rng.integers(info.min, info.max, 64, dtype, endpoint=True)
        body = block_index(256) + pointers("at", "values", element, "g", 256) + load("v", "at", element, 256)
        body += constant("seven", 7, "i32", 256) + f"%low = andi %i, %seven : tile<256xi32>\n"
        want = bins.copy()
        for number, (mode, combine) in enumerate(operations.items()):
            body += constant(f"o{number}", 8 * number, "i32", 256)
            body += f"%k{number} = addi %low, %o{number} : tile<256xi32>\n"
            body += pointers(f"p{number}", "bins", element, f"k{number}", 256)
            order = ("relaxed", "acquire", "release", "acq_rel")[number % 4]
            scope = ("device", "sys")[number % 2]
            body += (f"%r{number}, %t{number} = atomic_rmw_tko {order} {scope} %p{number}, {mode}, %v : "
                     f"tile<256xptr<{element}>>, tile<256x{element}> -> tile<256x{element}>, token\n")
            unsigned = np.dtype(f"u{np.dtype(dtype).name}")
            for at, value in enumerate(values):
                slot = 8 * number + at % 256 % 8
                if combine:
                    with np.errstate(over="ignore"):
                        want[slot] = combine(want[slot], value)
                else:
                    pick = max if mode == "umax" else min
                    want[slot] = np.array(pick(want[slot].view(unsigned), value.view(unsigned))).view(dtype)
        arguments = {"values": (element, values), "bins": (element, bins)}
        write(f"atomic_{element}", (2, 1, 1), body, arguments, {"bins": want})


def floats():
    """Sums of small whole numbers, which are exact in any order; half of the elements are masked out."""
    for element in ("f16", "bf16", "f32", "f64"):
        rng = np.random.default_rng([2, ord(element[0]), len(element), ord(element[-1])])
        values = rng.integers(-3, 4, 128).astype(TYPES[element])
        sums = rng.integers(-8, 9, 16).astype(TYPES[element])
        body = block_index(64) + pointers("at", "values", element, "g", 64) + load("v", "at", element, 64)
        body += constant("c", 15, "i32", 64) + "%low = andi %i, %c : tile<64xi32>\n"
        body += constant("h", 32, "i32", 64) + "%mask = cmpi less_than %i, %h, signed : tile<64xi32> -> tile<64xi1>\n"
        body += pointers("p", "sums", element, "low", 64)
        body += (f"%r, %t = atomic_rmw_tko relaxed device %p, addf, %v, %mask : tile<64xptr<{element}>>, "
                 f"tile<64x{element}>, tile<64xi1> -> tile<64x{element}>, token\n")
        want = sums.copy()
        for at, value in enumerate(values):
            if at % 64 < 32:
                want[at % 16] = want[at % 16] + value
        write(f"atomic_sum_{element}", (2, 1, 1), body,
              {"values": (element, values), "sums": (element, sums)}, {"sums": want},
              least_target="sm_89" if element == "bf16" else None, hints=FOUR_WARPS)


def results():
    """What was there, of tiles that many threads hold: exchange, and compare-and-swap with a mask."""
    for element in ("i32", "i64", "f32", "f64"):
        rng = np.random.default_rng([3, ord(element[0]), int(element[1:])])
        n = 16
        random = lambda: rng.integers(-4, 5, n).astype(TYPES[element])  # noqa: E731
        memory, swapped, new = random(), random(), random()
        compare = np.where(rng.integers(0, 2, n), swapped, random())
        old, found = np.full((2, n), 77).astype(TYPES[element])
        body = f"%i = iota : tile<{n}xi32>\n"
        for key in ("memory", "swapped", "new", "compare", "old", "found"):
            body += pointers(f"p_{key}", key, element, "i", n)
        body += load("v", "p_new", element, n) + load("c", "p_compare", element, n)
        body += constant("three", 3, "i32", n)
        body += f"%mask = cmpi not_equal %i, %three, signed : tile<{n}xi32> -> tile<{n}xi1>\n"
        ptr = f"tile<{n}xptr<{element}>>"
        data = f"tile<{n}x{element}>"
        body += f"%x, %x_t = atomic_rmw_tko acquire device %p_memory, xchg, %v : {ptr}, {data} -> {data}, token\n"
        body += (f"%y, %y_t = atomic_cas_tko acq_rel sys %p_swapped, %c, %v, %mask token=%x_t : {ptr}, {data}, "
                 f"tile<{n}xi1> -> {data}, token\n")
        body += store("s1", "p_old", "x", element, n, "x_t") + store("s2", "p_found", "y", element, n, "y_t")
        mask = np.arange(n) != 3
        # Bits are compared: the two zeros would differ, but there is only one here.
        want = np.where(mask & (swapped == compare), new, swapped)
        write(f"atomic_results_{element}", (1, 1, 1), body,
              {key: (element, array) for key, array in dict(memory=memory, swapped=swapped, new=new, compare=compare,
                                                            old=old, found=found).items()},
              {"memory": new, "swapped": want, "old": memory, "found": np.where(mask, swapped, compare)},
              hints=FOUR_WARPS)


def scalars():
    """A counter of one element: each access happens once, and all threads know its result."""
    n = 256
    body = f"%i = iota : tile<{n}xi32>\n" + constant("five", 5, "i32") + constant("hundred", 100, "i32")
    body += "%a, %a_t = atomic_rmw_tko acq_rel device %counter, add, %five : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"
    body += ("%b, %b_t = atomic_cas_tko relaxed tl_blk %counter, %five, %hundred token=%a_t : tile<ptr<i32>>, tile<i32> "
             "-> tile<i32>, token\n")
    body += "%c, %c_t = load_ptr_tko acquire device %counter token=%b_t : tile<ptr<i32>> -> tile<i32>, token\n"
    body += "%ab = addi %a, %b : tile<i32>\n%abc = addi %ab, %c : tile<i32>\n" + spread("sum", "abc", "i32", n)
    body += f"%v = addi %sum, %i : tile<{n}xi32>\n" + pointers("p", "out", "i32", "i", n)
    body += store("s", "p", "v", "i32", n, "c_t")
    write("atomic_scalar", (1, 1, 1), body,
          {"counter": ("i32", np.zeros(1, np.int32)), "out": ("i32", np.full(n, -1, np.int32))},
          {"counter": np.array([100], np.int32), "out": np.arange(n, dtype=np.int32) + 0 + 5 + 100}, hints=FOUR_WARPS)


def last_block():
    """Every block stores a row and counts itself; the last one, which acquires what the others released, sums them."""
    n, blocks = 128, 5
    rng = np.random.default_rng(4)
    values = rng.integers(-1000, 1000, n * blocks).astype(np.int32)
    body = block_index(n) + pointers("from", "values", "i32", "g", n) + load("v", "from", "i32", n)
    body += f"%twice = addi %v, %v : tile<{n}xi32>\n" + pointers("row", "rows", "i32", "g", n)
    body += store("s", "row", "twice", "i32", n, "v_t") + constant("one", 1, "i32") + constant("last", blocks - 1, "i32")
    body += ("%before, %t = atomic_rmw_tko acq_rel device %counter, add, %one token=%s : tile<ptr<i32>>, tile<i32> "
             "-> tile<i32>, token\n")
    body += "%is_last = cmpi equal %before, %last, signed : tile<i32> -> tile<i1>\n"
    body += "if %is_last {\n" + constant("zero", 0, "i32", n)
    for block in range(blocks):
        body += constant(f"o{block}", block * n, "i32", n) + f"%k{block} = addi %i, %o{block} : tile<{n}xi32>\n"
        body += pointers(f"r{block}", "rows", "i32", f"k{block}", n)
        body += (f"%w{block}, %w{block}_t = load_ptr_tko weak %r{block} token=%t : tile<{n}xptr<i32>> -> tile<{n}xi32>, "
                 f"token\n")
        earlier = f"a{block - 1}" if block else "zero"
        body += f"%a{block} = addi %{earlier}, %w{block} : tile<{n}xi32>\n"
    body += pointers("to", "out", "i32", "i", n) + store("done", "to", f"a{blocks - 1}", "i32", n, f"w{blocks - 1}_t") + "}\n"
    want = (2 * values).reshape(blocks, n).sum(0).astype(np.int32)
    write("atomic_last_block", (blocks, 1, 1), body,
          {"values": ("i32", values), "rows": ("i32", np.zeros(n * blocks, np.int32)),
           "counter": ("i32", np.zeros(1, np.int32)), "out": ("i32", np.full(n, -1, np.int32))},
          {"rows": 2 * values, "counter": np.array([blocks], np.int32), "out": want})


def views():
    """Sums into tiles that overlap, stick out, and lie across: partitions, steps, permuted axes."""
    rows, columns = 13, 21
    tensor = f"tensor_view<{rows}x{columns}xf32, strides=[{columns},1]>"
    kinds = {
        "partition": (f"partition_view<tile=(8x16), {tensor}>", "make_partition_view", (8, 16), (8, 16), (0, 1)),
        "strided": (f"strided_view<tile=(8x16), traversal_strides=[5,3], {tensor}>", "make_strided_view", (8, 16), (5, 3),
                    (0, 1)),
        "across": (f"partition_view<tile=(16x4), {tensor}, dim_map=[1, 0]>", "make_partition_view", (16, 4), (16, 4),
                   (1, 0)),
    }
    for name, (view, make, tile, steps, dims) in kinds.items():
        rng = np.random.default_rng([5, len(name)])
        sums = rng.integers(-9, 9, (rows, columns)).astype(np.float32)
        values = rng.integers(-9, 9, tile).astype(np.float32)
        shape = f"{tile[0]}x{tile[1]}"
        source = f"tensor_view<{shape}xf32, strides=[{tile[1]},1]>"
        whole = f"partition_view<tile=({shape}), {source}>"
        body = "%bx, %by, %bz = get_tile_block_id : tile<i32>\n" + constant("zero", 0, "i32")
        body += f"%vt = make_tensor_view %values, shape = [{tile[0]}, {tile[1]}], strides = [{tile[1]}, 1] : {source}\n"
        body += f"%vp = make_partition_view %vt : {whole}\n"
        body += f"%v, %v_t = load_view_tko weak %vp[%zero, %zero] : {whole}, tile<i32> -> tile<{shape}xf32>, token\n"
        body += f"%st = make_tensor_view %sums, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}\n"
        body += f"%sp = {make} %st : {view}\n"
        body += (f"%t = atomic_red_view_tko relaxed device %sp[%bx, %by], addf, %v : tile<{shape}xf32>, {view}, tile<i32> "
                 f"-> token\n")
        want = sums.copy()
        for block in np.ndindex(3, 2):
            for at in np.ndindex(*tile):
                place = [0, 0]
                for axis in range(2):
                    place[dims[axis]] = block[axis] * steps[axis] + at[axis]
                if place[0] < rows and place[1] < columns:
                    want[tuple(place)] += values[at]
        write(f"atomic_view_{name}", (3, 2, 1), body, {"sums": ("f32", sums), "values": ("f32", values)}, {"sums": want},
              hints=FOUR_WARPS)


def concurrent_loads():
    """Loads that allow concurrent stores, of less elements than threads: through pointers and through a view."""
    n, many = 16, 512
    rng = np.random.default_rng(6)
    small, large = rng.standard_normal(n).astype(np.float32), rng.standard_normal((32, n)).astype(np.float32)
    tensor = f"tensor_view<{n}xf32, strides=[1]>"
    view = f"partition_view<tile=({n}), padding_value = zero, {tensor}>"
    body = f"%i = iota : tile<{n}xi32>\n%l = iota : tile<{many}xi32>\n" + constant("zero", 0, "i32")
    body += pointers("p", "small", "f32", "i", n)
    body += f"%a, %a_t = load_ptr_tko relaxed device %p : tile<{n}xptr<f32>> -> tile<{n}xf32>, token\n"
    body += f"%tv = make_tensor_view %small, shape = [{n}], strides = [1] : {tensor}\n%pv = make_partition_view %tv : {view}\n"
    body += f"%b, %b_t = load_view_tko acquire device %pv[%zero] token = %a_t : {view}, tile<i32> -> tile<{n}xf32>, token\n"
    body += "%c, %c_t = load_ptr_tko relaxed sys %small token=%b_t : tile<ptr<f32>> -> tile<f32>, token\n"
    body += spread("cs", "c", "f32", n)
    body += f"%ab = addf %a, %b : tile<{n}xf32>\n%abc = addf %ab, %cs : tile<{n}xf32>\n"
    body += f"%row = reshape %abc : tile<{n}xf32> -> tile<1x{n}xf32>\n"
    body += f"%rows = broadcast %row : tile<1x{n}xf32> -> tile<32x{n}xf32>\n"
    body += pointers("q", "large", "f32", "l", many) + load("v", "q", "f32", many)
    body += f"%w = reshape %v : tile<{many}xf32> -> tile<32x{n}xf32>\n%sum = addf %w, %rows : tile<32x{n}xf32>\n"
    body += f"%flat = reshape %sum : tile<32x{n}xf32> -> tile<{many}xf32>\n" + "%before = join_tokens %v_t, %c_t : token\n"
    body += store("s", "q", "flat", "f32", many, "before")
    want = large + ((small + small) + small[0])[None, :]
    write("concurrent_loads", (1, 1, 1), body, {"small": ("f32", small), "large": ("f32", large)}, {"large": want},
          hints=FOUR_WARPS)


def gathers():
    """Rows and columns at positions from a tile, some outside: every padding value, 32 and 64-bit positions."""
    rows, columns = 37, 24
    pads = {"zero": 0.0, "neg_zero": -0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf}
    for number, (pad, value) in enumerate(pads.items()):
        sparse, index = number % 2, ("i32", "i64")[number // 2 % 2]
        element = ("f32", "f16", "f64", "f32", "f16")[number]
        rng = np.random.default_rng([7, number])
        values = rng.standard_normal((rows, columns)).astype(TYPES[element])
        tile = (8, 16)
        positions = rng.integers(-3, (rows, columns)[sparse] + 3, tile[sparse]).astype(TYPES[index])
        to = rng.permutation(max(rows, columns))[: tile[sparse]].astype(TYPES[index])
        out = np.full((rows, columns), 5).astype(TYPES[element])
        tensor = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
        padded = f"gather_scatter_view<tile=(8x16), padding_value = {pad}, {tensor}, sparse_dim={sparse}>"
        plain = f"gather_scatter_view<tile=(8x16), {tensor}, sparse_dim={sparse}>"
        n = tile[sparse]
        body = f"%i = iota : tile<{n}xi32>\n" + constant("start", 13, index)
        body += pointers("pp", "positions", index, "i", n) + load("k", "pp", index, n)
        body += pointers("tp", "to", index, "i", n) + load("m", "tp", index, n)
        for key in ("values", "out"):
            body += f"%{key}_v = make_tensor_view %{key}, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}\n"
        body += f"%from = make_gather_scatter_view %values_v : {padded}\n"
        body += f"%into = make_gather_scatter_view %out_v : {plain}\n"
        at = lambda name: ", ".join(f"%{name}" if axis == sparse else "%start" for axis in range(2))  # noqa: E731
        types = ", ".join(f"tile<{n}x{index}>" if axis == sparse else f"tile<{index}>" for axis in range(2))
        body += f"%x, %x_t = load_view_tko weak %from[{at('k')}] : {padded}, {types} -> tile<8x16x{element}>, token\n"
        body += (f"%s = store_view_tko weak %x, %into[{at('m')}] token = %x_t : tile<8x16x{element}>, {plain}, {types} "
                 f"-> token\n")
        want = out.copy()
        for place in np.ndindex(*tile):
            source, target = ([int(chosen[place[axis]]) if axis == sparse else 13 + place[axis] for axis in range(2)]
                              for chosen in (positions, to))
            inside = lambda p: 0 <= p[0] < rows and 0 <= p[1] < columns  # noqa: E731
            if inside(target):
                want[tuple(target)] = values[tuple(source)] if inside(source) else value
        write(f"gather_view_{pad}", (1, 1, 1), body,
              {"values": (element, values), "positions": (index, positions), "to": (index, to), "out": (element, out)},
              {"out": want})


def fences():
    """Fences between a store and a load by another thread, and what dependent launches need."""
    n = 256
    values = np.arange(n, dtype=np.int32)
    body = f"%i = iota : tile<{n}xi32>\n" + constant("last", n - 1, "i32", n)
    body += "%t0 = gdc_wait_tko -> token\n" + pointers("p", "values", "i32", "i", n)
    body += f"%v, %v_t = load_ptr_tko weak %p token=%t0 : tile<{n}xptr<i32>> -> tile<{n}xi32>, token\n"
    body += f"%back = subi %last, %i : tile<{n}xi32>\n" + pointers("q", "values", "i32", "back", n)
    body += store("s", "q", "v", "i32", n, "v_t") + "%t1 = memory_fence_alias_tko %s\n"
    body += "%t2 = gdc_launch_dependents_tko token = %t1 -> token\n"
    body += f"%w, %w_t = load_ptr_tko weak %p token=%t2 : tile<{n}xptr<i32>> -> tile<{n}xi32>, token\n"
    body += f"%sum = addi %v, %w : tile<{n}xi32>\n" + pointers("o", "out", "i32", "i", n)
    body += store("s2", "o", "sum", "i32", n, "w_t")
    write("fences", (1, 1, 1), body, {"values": ("i32", values), "out": ("i32", np.zeros(n, np.int32))},
          {"values": values[::-1].copy(), "out": np.full(n, n - 1, np.int32)}, hints=FOUR_WARPS)


for make in (integers, floats, results, scalars, last_block, views, concurrent_loads, gathers, fences):
    make()
