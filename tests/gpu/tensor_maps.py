"""Asks the CUDA driver and the layout crate which tensor maps are legal, and compares.

    python3 tests/gpu/tensor_maps.py ANSWER [--seed N] [--random N] [--record FILE]
    python3 tests/gpu/tensor_maps.py ANSWER --ask < LINES

ANSWER is the release binary of the crate's example `answer_tensor_maps`. Asked are, first, every boundary value of every
field of plain maps, then all combinations of the choices, then random maps with some fields at a boundary. What they
disagree on is shrunk towards a plain map and grouped by the fields that are left. Exits with 1 if there is a group that
is not known and explained in `KNOWN`. `--record` keeps a sample of what they agree on, which the crate's test
`tensor_map_differential` replays; `--ask` shows both answers to given lines.
"""

import argparse
import collections
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tensor_map_driver as maps  # noqa: E402
from tensor_map_driver import BITS, GAPS, SPAN, SWIZZLES, TYPES  # noqa: E402

STRICTER, LAXER = "the driver refuses, the crate does not", "the crate refuses, the driver does not"


# ---- Descriptions ----------------------------------------------------------------------------------------------------

CHOICES = {"interleave": maps.INTERLEAVES, "swizzle": SWIZZLES, "l2": maps.PROMOTIONS, "fill": maps.FILLS,
           "width": maps.WIDTHS, "data_type": TYPES}
PLAIN_RANK = {"tiled": 1, "im2col": 3, "im2col-wide": 3}
NAMES = {"map_address": "tensorMap", "data_type": "tensorDataType", "address": "globalAddress", "dims": "globalDim",
         "strides": "globalStrides", "steps": "elementStrides", "l2": "l2Promotion", "fill": "oobFill", "box": "boxDim",
         "lower": "pixelBoxLowerCorner", "upper": "pixelBoxUpperCorner", "channels": "channelsPerPixel",
         "pixels": "pixelsPerColumn", "width": "mode"}


def plain_row(data_type):
    """The shortest row of a box: 16 bytes, or 128 elements of a type with gaps."""
    return 128 if data_type in GAPS else 128 // BITS[data_type]


def plain(mode, rank, base, data_type="UINT8"):
    """What examples are shrunk towards."""
    d = {"mode": mode, "map_address": 0, "data_type": data_type, "address": base, "dims": ([128] + [64] * 5)[:rank],
         "strides": [4096 * 64**i for i in range(rank - 1)], "steps": [1] * rank, "interleave": "NONE",
         "swizzle": "128B" if mode == "im2col-wide" else "NONE", "l2": "NONE", "fill": "NONE"}
    row = plain_row(data_type)
    if mode == "tiled":
        return d | {"box": ([row] + [1] * 5)[:rank]}
    corner = [0] * (rank - 2) if mode == "im2col" else 0
    area = {"lower": corner, "upper": corner if corner == 0 else corner[:], "channels": row, "pixels": 64}
    return d | area | ({"width": "W"} if mode == "im2col-wide" else {})


def copy(d):
    return {key: value[:] if isinstance(value, list) else value for key, value in d.items()}


def places(d):
    """Every single value: a key, and an index if it holds a list."""
    for key, value in d.items():
        if isinstance(value, list):
            yield from ((key, index) for index in range(len(value)))
        elif key != "mode":
            yield key, None


def at(d, place):
    key, index = place
    return d[key] if index is None else d[key][index]


def put(d, place, value):
    """The description with one value replaced."""
    d = copy(d)
    key, index = place
    if index is None:
        d[key] = value
    else:
        d[key][index] = value
    return d


def with_rank(d, rank, base):
    """The description cut or continued to a rank."""
    model, d = plain(d["mode"], rank, base, d["data_type"]), copy(d)
    for key, value in model.items():
        if isinstance(value, list):
            d[key] = d[key][:len(value)] + value[len(d[key]):]
    return d


def without_dim(d, dim):
    """The description without a dimension other than the first."""
    d = copy(d)
    for key, index in (("dims", dim), ("steps", dim), ("box", dim), ("strides", dim - 1)):
        if key in d:
            del d[key][index]
    for key in ("lower", "upper"):
        if isinstance(d.get(key), list) and d[key]:
            del d[key][min(dim - 1, len(d[key]) - 1)]
    return d


def differences(d, base):
    """Where it is not plain: names of the driver's parameters, and values."""
    rank, found = len(d["dims"]), []
    if rank != PLAIN_RANK[d["mode"]]:
        found.append(("tensorRank", rank))
    if d["data_type"] != "UINT8":
        found.append(("tensorDataType", d["data_type"]))
    model = plain(d["mode"], rank, base, d["data_type"])
    for place in places(d):
        key, index = place
        if at(d, place) != at(model, place):
            name = NAMES.get(key, key) + ("" if index is None else f"[{index}]")
            offset = key == "address" and 0 <= d["address"] - base < 4096
            found.append((name, f"base + {d['address'] - base}" if offset else at(d, place)))
    return found


def general(name):
    """A field's name without the number of the dimension, but for dimension 0 of sizes and boxes."""
    return re.sub(r"^(globalDim|boxDim)\[[1-9]\]|(globalStrides|elementStrides|pixelBox\w+)\[\d\]", r"\1\2[i]", name)


# ---- What is asked ---------------------------------------------------------------------------------------------------

EXTENTS = [0, 1, 2, 3, 4, 6, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 96, 112, 127, 128, 129, 144, 160, 192,
           224, 240, 255, 256, 257, 272, 288, 384, 512, 1024, 1 << 31, (1 << 32) - 1]
CORNERS = [-(1 << 31), -32769, -32768, -32767, -129, -128, -127, -65, -64, -63, -17, -16, -15, -1, 0, 1, 14, 15, 16, 17,
           62, 63, 64, 65, 126, 127, 128, 129, 32766, 32767, 32768, (1 << 31) - 1]
EDGES = {
    "map_address": [0, 1, 4, 8, 16, 32, 48, 64, 96, 128, 192],
    "dims": [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 256] + [(1 << 31) + n for n in (-128, -2, -1, 0, 1, 2, 128)]
            + [(1 << 32) + n for n in (-128, -2, -1, 0, 1, 2, 128)] + [1 << 33, 1 << 40, 1 << 63, (1 << 64) - 128,
                                                                      (1 << 64) - 1],
    "strides": [0, 1, 8, 15, 16, 17, 24, 31, 32, 33, 48, 64, 96, 4096, 1 << 32, 1 << 35, 1 << 36, 1 << 39]
               + [(1 << 40) + n for n in (-32, -16, -1, 0, 16, 32)] + [1 << 44, 1 << 63, (1 << 64) - 32],
    "steps": [0, 1, 2, 3, 4, 7, 8, 9, 16, 256, 1 << 31, (1 << 32) - 1],
    "box": EXTENTS,
    "channels": EXTENTS,
    "lower": CORNERS,
    "upper": CORNERS,
    "pixels": [0, 1, 2, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 1 << 31, (1 << 32) - 1],
} | CHOICES


def edges(place, base):
    if place[0] == "address":
        near = [base + n for n in (0, 1, 2, 4, 8, 15, 16, 24, 31, 32, 33, 48, 64, 128)]
        return near + [0, 16, 32] + [1 << n for n in (32, 40, 47, 48, 49, 52, 56, 57, 63)] + [(1 << 64) - 32]
    return EDGES[place[0]]


def retype(d, data_type):
    """The description with another element type, and its row with it if it was plain."""
    key = ("box", 0) if d["mode"] == "tiled" else ("channels", None)
    short = (d["mode"] != "tiled" or d["box"]) and at(d, key) == plain_row(d["data_type"])
    d = put(d, ("data_type", None), data_type)
    return put(d, key, plain_row(data_type)) if short else d


def sweep(base):
    """Plain maps with one boundary value, and every combination of the choices."""
    for mode, ranks in (("tiled", range(1, 6)), ("im2col", range(3, 6)), ("im2col-wide", range(3, 6))):
        for rank in ranks:
            for data_type in ("UINT8", "BFLOAT16", "FLOAT32", "UINT64", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"):
                for interleave in ("NONE", "16B", "32B") if rank >= 3 and data_type != "16U6_ALIGN16B" else ("NONE",):
                    d = plain(mode, rank, base, data_type)
                    d["interleave"] = interleave
                    if interleave == "32B":
                        d["swizzle"] = "32B"
                    elif data_type in GAPS:
                        d["swizzle"] = "128B"
                    for place in places(d):
                        yield from (put(d, place, value) for value in edges(place, base))
                    yield from (with_rank(d, other, base) for other in range(7))
        for data_type in TYPES:
            for interleave in maps.INTERLEAVES:
                for swizzle in SWIZZLES:
                    for fill in maps.FILLS:
                        d = plain(mode, 3, base, data_type)
                        yield d | {"interleave": interleave, "swizzle": swizzle, "fill": fill}


def log_uniform(rng, least, most):
    bits = rng.randint(least.bit_length(), most.bit_length())
    return min(most, max(least, rng.getrandbits(bits) if bits else 0))


def likely_legal(rng, base):
    """A random map that is legal by the documents, or nearly always."""
    mode = rng.choices(["tiled", "im2col", "im2col-wide"], [5, 4, 1])[0]
    wide, data_type = mode == "im2col-wide", rng.choice(TYPES)
    gaps, bits = data_type in GAPS, BITS[data_type]
    rank = rng.randint(PLAIN_RANK[mode], 5)
    free = rank < 3 or wide or data_type == "16U6_ALIGN16B"
    interleave = "NONE" if free else rng.choices(maps.INTERLEAVES, [6, 2, 2])[0]
    swizzles = ["64B", "128B", "128B_ATOM_32B"] if wide else ["NONE", "128B"] if gaps else SWIZZLES
    swizzle = "32B" if interleave == "32B" else rng.choice(swizzles)
    if gaps and swizzle == "64B":
        swizzle = "128B"
    unit = 32 if gaps or interleave == "32B" else 16
    step = plain_row(data_type)
    row = step * rng.randint(1, max(1, min(256, SPAN[swizzle] * 8 // bits) // step))
    if interleave != "NONE" and not gaps:
        row = rng.choice([128 // bits, 256 // bits, rng.randint(1, 256)])
    multiple = 128 if gaps else 2 if bits == 4 else 1
    d = plain(mode, rank, base, data_type)
    d |= {"interleave": interleave, "swizzle": swizzle, "l2": rng.choice(maps.PROMOTIONS)}
    d["map_address"], d["address"] = 64 * rng.randint(0, 7), base + unit * rng.randint(0, 256)
    d["dims"] = [log_uniform(rng, 1, 1 << 31) for _ in range(rank)]
    d["dims"][0] = max(multiple, d["dims"][0] // multiple * multiple)
    if rng.random() < 0.3:
        d["strides"] = [unit * log_uniform(rng, 1, (1 << 40) // unit - 1) for _ in d["strides"]]
    else:  # As the elements of a tensor lie in memory.
        stride = -(-d["dims"][0] * bits // 8 // unit) * unit
        for index in range(rank - 1):
            d["strides"][index] = stride % (1 << 40)
            stride *= d["dims"][index + 1]
    d["steps"] = [rng.choice([1, 1, rng.randint(1, 8)]) for _ in range(rank)]
    if "FLOAT" in data_type:
        d["fill"] = rng.choice(maps.FILLS)
    if mode == "tiled":
        d["box"] = [row] + [log_uniform(rng, 1, 256) for _ in range(rank - 1)]
        return d
    end = {3: 1 << 15, 4: 1 << 7, 5: 1 << 4}[3 if wide else rank]
    corner = lambda: rng.choice([0, rng.randint(-end, end - 1), rng.randint(-min(end, 8), min(end, 8) - 1)])  # noqa: E731
    lower, upper = [corner() for _ in range(rank - 2)], [corner() for _ in range(rank - 2)]
    for index in range(1 if wide else rank - 2):  # The box is not empty, and at times has just one pixel.
        least = max(1, lower[index] - upper[index] + 1)
        d["dims"][index + 1] = least if rng.random() < 0.3 else max(least, d["dims"][index + 1])
    d |= {"lower": lower[0], "upper": upper[0]} if wide else {"lower": lower, "upper": upper}
    d["channels"], d["pixels"] = row, log_uniform(rng, 1, 1024)
    if wide:
        d["width"] = rng.choice(maps.WIDTHS)
    return d


def off_by_one(rng, d):
    """With the bounding box one pixel wide along W, H or D, or just empty."""
    lists = isinstance(d["lower"], list)
    index = rng.randrange(len(d["lower"])) if lists else 0
    place = (index if lists else None)
    extent = at(d, ("lower", place)) - at(d, ("upper", place)) + rng.randint(0, 2)
    return put(d, ("dims", index + 1), max(extent, 0))


def random_map(rng, base):
    d = likely_legal(rng, base)
    for _ in range(rng.choices([0, 1, 2, 3], [35, 45, 15, 5])[0]):
        if d["mode"] != "tiled" and d["lower"] != [] and rng.random() < 0.1 and len(d["dims"]) >= 3:
            d = off_by_one(rng, d)
        elif rng.random() < 0.03:
            d = with_rank(d, rng.randint(0, 6), base)
        else:
            place = rng.choice(list(places(d)))
            d = put(d, place, rng.choice(edges(place, base)))
    return d


# ---- Both answers ----------------------------------------------------------------------------------------------------

class Crate:
    """The crate, through its example: the fields that break a rule, none if the map is legal."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def fields(self, descriptions):
        answers = []
        for start in range(0, len(descriptions), 64):  # Few enough to fit into the pipe.
            chunk = descriptions[start:start + 64]
            self.process.stdin.write("".join(maps.line(d) + "\n" for d in chunk))
            self.process.stdin.flush()
            answers += [self.process.stdout.readline().rstrip("\n") for _ in chunk]
        for d, answer in zip(descriptions, answers):
            if not answer or answer.startswith("error"):
                raise RuntimeError(f"{answer or 'no answer'}: {maps.line(d)}")
        return [[] if answer == "ok" else answer.split("; ") for answer in answers]


def direction(status, fields):
    if (status == 0) == (not fields):
        return None
    return STRICTER if status else LAXER


def candidates(d, base):
    """Simpler descriptions, the simplest first."""
    rank, wanted = len(d["dims"]), PLAIN_RANK[d["mode"]]
    if rank < wanted:
        yield with_rank(d, wanted, base)
    yield from (without_dim(d, dim) for dim in range(rank - 1, 0, -1))
    if d["data_type"] != "UINT8":
        yield retype(d, "UINT8")
        yield put(d, ("data_type", None), "UINT8")
    model = plain(d["mode"], rank, base, d["data_type"])
    unequal = [place for place in places(d) if at(d, place) != at(model, place)]
    yield from (put(d, place, at(model, place)) for place in unequal)
    for place in unequal:
        if place[0] in CHOICES:
            continue
        far = at(d, place) - at(model, place)
        for bit in range(abs(far).bit_length() - 1, -1, -1):
            yield put(d, place, at(d, place) - (1 << bit if far > 0 else -(1 << bit)))


def shrink(d, fields, driver, crate):
    """A simple description that they disagree on in the same way, and the fields that the crate names."""
    way = STRICTER if not fields else LAXER
    names = {general(name) for name in fields}
    while True:
        for candidate in candidates(d, driver.base):
            status = driver.encode(candidate)
            if (status == 0) != (way == LAXER):
                continue
            found = crate.fields([candidate])[0]
            if direction(status, found) == way and {general(name) for name in found} <= names:
                d, fields = candidate, found
                break
        else:
            return d, fields


# ---- What is known ---------------------------------------------------------------------------------------------------

def features(d):
    """What devices before compute capability 10.0 may lack: the driver's reference says it of im2col-wide, the PTX ISA
    of the packed types and of the atoms of swizzles (`tensormap.replace`, `cp.async.bulk.tensor`)."""
    if d["mode"] == "im2col-wide":
        yield "im2col-wide"
    if d["data_type"] in maps.PACKED:
        yield d["data_type"]
    if "ATOM" in d["swizzle"]:
        yield "SWIZZLE_" + d["swizzle"]


SIZES = {"globalDim[0]", "globalDim[i]"}


def size_limit_of_old_references(way, names, d):
    boxes = {f"bounding box {what} {axis}" for what in ("end", "extent") for axis in range(3)}
    return way == LAXER and names & SIZES and names <= SIZES | boxes and 1 << 31 < max(d["dims"]) <= 1 << 32


def first_step_of_plain(way, names, d):
    return way == LAXER and names == {"the box in bytes"} and d["interleave"] == "NONE" and d["steps"][0] > 1


def address_of_the_map(way, names, d):
    return way == LAXER and names == {"tensorMap"}


def swizzle_of_interleaved(way, names, d):
    return way == LAXER and names == {"swizzle"} and d["interleave"] == "32B"


def modes_of_wide(way, names, d):
    return way == LAXER and d["mode"] == "im2col-wide" and names <= {"swizzle", "interleave"}


def corners_of_wide(way, names, d):
    corners = {"pixelBoxLowerCorner", "pixelBoxUpperCorner"}
    return way == STRICTER and d["mode"] == "im2col-wide" and len(d["dims"]) > 3 and names & corners and names <= corners | {
        "tensorRank", "globalDim[i]"}


def pixels_of_w128(way, names, d):
    return way == STRICTER and names <= {"mode", "pixelsPerColumn"} and d.get("width") == "W128"


# Each entry: whether it explains a group, from its direction, the general names of its fields and a minimal example; why.
KNOWN = [
    (size_limit_of_old_references, "references of CUDA 13.0 and before allow sizes up to 2^32, later ones up to 2^31"),
    (first_step_of_plain, "the reference says that the first step has no effect here; the driver divides the box by it"),
    (address_of_the_map, "the reference asks for a multiple of 64, which the driver does not check"),
    (swizzle_of_interleaved, "the reference asks for SWIZZLE_32B with INTERLEAVE_32B, which the driver does not check"),
    (modes_of_wide, "the reference restricts interleave and swizzle of im2col-wide, which the driver does not check"),
    (corners_of_wide, "the reference gives corners of im2col-wide 16 bits; the driver takes as many as for im2col of that rank"),
    (pixels_of_w128, "the reference says that W128 ignores pixelsPerColumn, which the driver checks all the same"),
]


def known(way, names, d):
    return next((reason for explains, reason in KNOWN if explains(way, names, d)), None)


# ---- The report ------------------------------------------------------------------------------------------------------

class Group:
    """Disagreements that shrink to the same fields."""

    def __init__(self):
        self.count, self.example, self.statuses = 0, None, collections.Counter()
        self.values = collections.defaultdict(collections.Counter)

    def add(self, small, fields, original, status, base):
        self.count += 1
        self.statuses[status] += 1
        left = {name for name, _ in differences(small, base)}
        for name, value in differences(original, base):
            if name in left:
                self.values[general(name)][value] += 1
        rank = (len(left), len(small["dims"]), len(maps.line(small)), maps.line(small))
        if self.example is None or rank < self.example[0]:
            self.example = (rank, small, fields)

    def show(self, way, key, driver, reason):
        _, d, fields = self.example
        names, statuses = sorted(key[1]), ", ".join(driver.status_name(status) for status in self.statuses)
        print(f"\n{self.count} x {way} ({statuses}); {d['mode']}: {', '.join(names) or 'the plain map'}")
        if reason:
            print(f"  known: {reason}")
        print("  smallest: " + (", ".join(f"{name} = {value}" for name, value in differences(d, driver.base)) or "plain"))
        if fields:
            print("  the crate refuses: " + "; ".join(fields))
        for name, values in sorted(self.values.items()):
            ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
            text = ", ".join(map(str, ordered if len(ordered) <= 24 else ordered[:12] + ["..."] + ordered[-12:]))
            print(f"  {name} seen: {text}")
        print("  " + maps.line(d))


def compare(asked, driver, crate, limit):
    """Prints the table and the groups; the number of groups without an explanation, and what they agree on."""
    statuses = [driver.encode(d) for d in asked]
    refused = crate.fields(asked)
    lacking = set()
    if driver.capability < (10, 0):
        accepted = {feature for d, status in zip(asked, statuses) if status == 0 for feature in features(d)}
        lacking = {feature for d in asked for feature in features(d)} - accepted
    lacks = lambda d: any(feature in lacking for feature in features(d))  # noqa: E731

    table, agreed, groups = collections.defaultdict(collections.Counter), [], collections.defaultdict(Group)
    explained, started, unshrunk = collections.Counter(), time.monotonic(), 0
    for d, status, fields in zip(asked, statuses, refused):
        way = direction(status, fields)
        column = ("refused" if fields else "legal") if way is None else way
        if way == STRICTER and lacks(d):
            column = "lacking"
            explained.update(feature for feature in features(d) if feature in lacking)
        table[d["mode"]][column] += 1
        if way is None and not (fields and lacks(d)):
            agreed.append((d, fields))
        if column not in (STRICTER, LAXER):
            continue
        if time.monotonic() - started > limit:
            unshrunk += 1
            continue
        small, left = shrink(d, fields, driver, crate)
        names = left if way == LAXER else [name for name, _ in differences(small, driver.base)]
        groups[way, frozenset(map(general, names)), d["mode"]].add(small, left, d, status, driver.base)

    titles = [("both legal", "legal"), ("both refuse", "refused"), ("only driver refuses", STRICTER),
              ("only crate refuses", LAXER), ("device lacks it", "lacking")]
    print(f"{'':12}" + "".join(f"{title:>21}" for title, _ in titles))
    for mode, counts in table.items():
        print(f"{mode:12}" + "".join(f"{counts[column]:21}" for _, column in titles))
    for feature, count in sorted(explained.items()):
        print(f"known: the device took no map with {feature}, which needs compute capability 10.0; refused {count}")
    unknown = 0
    for key, group in sorted(groups.items(), key=lambda item: (item[0][0], -item[1].count, sorted(item[0][1]))):
        reason = known(key[0], key[1], group.example[1])
        unknown += reason is None
        group.show(key[0], key, driver, reason)
    if unshrunk:
        print(f"\n{unshrunk} disagreements were not looked at for want of time (--limit)")
    print(f"\n{len(asked)} maps, {len(groups)} groups of disagreements, {unknown} of them not known")
    return unknown + unshrunk, agreed


def record(path, agreed, driver):
    """Legal maps of each mode, and some for each field that breaks a rule alone, with the driver's answer."""
    kept = collections.defaultdict(list)
    random.Random(0).shuffle(agreed)
    for d, fields in agreed:
        kind = kept[d["mode"], fields[0] if fields else ""]
        if len(fields) <= 1 and len(kind) < (5 if fields else 80):
            kind.append(f"{maps.line(d)} => {'refused' if fields else 'ok'}")
    with open(path, "w") as file:
        file.write("# Tensor maps that are legal or not, made by tests/gpu/tensor_maps.py. The form is described in\n"
                   f"# layouts/tests/support/tensor_map_questions.rs. The answers are those of {driver.name}.\n")
        file.writelines(text + "\n" for _, lines in sorted(kept.items()) for text in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("answer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=30_000, help="how many random maps")
    parser.add_argument("--limit", type=float, default=240, help="seconds for shrinking")
    parser.add_argument("--record", help="where to keep a sample of what both agree on")
    parser.add_argument("--ask", action="store_true")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    crate = Crate(options.answer)
    driver = maps.Guarded()
    print(driver.name)
    if options.ask:
        for text in filter(str.strip, sys.stdin):
            d = maps.parse(text)
            status, fields = driver.status_name(driver.encode(d)), crate.fields([d])[0]
            print(f"{status}; crate: {'; '.join(fields) or 'ok'}: {text.strip()}")
        return 0
    rng = random.Random(options.seed)
    asked = list(sweep(driver.base)) + [random_map(rng, driver.base) for _ in range(options.random)]
    unique = list({maps.line(d): d for d in asked}.values())
    unknown, agreed = compare(unique, driver, crate, options.limit)
    if options.record:
        record(options.record, agreed, driver)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
