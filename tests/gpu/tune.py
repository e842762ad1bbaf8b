"""Checks `tilewright tune --on gpu`, files of tuned hints, and `tilewright schedule --measure` on a GPU.

    python3 tests/gpu/tune.py TILEWRIGHT [--budget SECONDS]

TILEWRIGHT is the program `tilewright`. A product and attention, with tiles of 64 by 64 as in `examples/bytecode` and of 128 by 128,
are tuned on random data; the hints that are found are saved, read by `tilewright compile --tuned`, and by `tileiras` if there is a
ptxas; and the schedules are measured. Prints a table of each; exit code 1 if something is not as it should be. Needs a driver, and no
Python package.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LIMIT = 600


def arrays(*texts):
    return [word for text in texts for word in ("--array", text)]


def product(size):
    matrix = f"randn:f16[{size},{size}]"
    return arrays(matrix, matrix, f"zeros:f32[{size},{size}]")


def attention(rows, depth):
    matrix = f"randn:f16[{rows},{depth}]"
    return arrays(matrix, matrix, matrix, f"zeros:f32[{rows},{depth}]")


# Each with the example, whether its tiles are enlarged to 128 by 128, and its arguments.
CASES = {
    "product 64": ("product", False, product(4096)),
    "product 128": ("product", True, product(4096)),
    "attention 64": ("attention", False, attention(16384, 64)),
    "attention 128": ("attention", True, attention(16384, 128)),
}


class Failure(Exception):
    pass


def run(command, environment=None):
    """Standard output and standard error of a command that has to succeed."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT, env={**os.environ, **(environment or {})}
        )
    except subprocess.TimeoutExpired as late:
        raise Failure(f"not done after {LIMIT} s: {' '.join(command)}") from late
    if done.returncode:
        raise Failure(f"exit {done.returncode}: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout, done.stderr


def require(holds, what):
    if not holds:
        raise Failure(what)


def source(binary, folder, name, is_large):
    """A file with the program of a case."""
    path = os.path.join(ROOT, "examples", "bytecode", f"{name}.13.5.tileirbc")
    if not is_large:
        return path
    text, _ = run([binary, "compile", path, "--emit", "cuda_tile"])
    for old, new in [
        (r"\b64x64\b", "128x128"),
        (r"\b64x64x", "128x128x"),
        (r"\b64x1x", "128x1x"),
        (r"tile<64x", "tile<128x"),
        (r"<i32: 64>", "<i32: 128>"),
    ]:
        text = re.sub(old, new, text)
    large = os.path.join(folder, f"{name}.cuda_tile")
    with open(large, "w") as file:
        file.write(text)
    return large


def microseconds(seconds):
    return "-" if seconds is None else f"{seconds * 1e6:.1f}"


def words(hints):
    return " ".join(f"{name}={value}" for name, value in hints.items()) or "as it is"


def tune(binary, path, arguments, budget, saved):
    """The ranking, the seconds that it took, and its warnings."""
    begin = time.monotonic()
    command = [binary, "tune", path, "--on", "gpu", "--json", "--budget", str(budget), "--save", saved, *arguments]
    out, err = run(command)
    took = time.monotonic() - begin
    ranking = json.loads(out)
    measured = [one for one in ranking if one["measured_seconds"] is not None]
    require(len(measured) >= 2, f"only {len(measured)} combinations were measured\n{err}")
    times = [one["measured_seconds"] for one in measured]
    require(times == sorted(times) and ranking[: len(measured)] == measured, "the ranking is not by measured times")
    require(any(not one["hints"] for one in measured), "the program as it is was not measured")
    require(took < budget + 15, f"it took {took:.0f} s with a budget of {budget} s")
    return ranking, took, err


def check_saved(binary, folder, path, target, best, saved):
    """Whether compilations with the file are those with its hints."""
    options = ["--target", target]
    hints = [word for name, value in best["hints"].items() for word in ("--hint", f"{name}={value}")]
    hinted, _ = run([binary, "compile", path, *options, *hints])
    tuned, said = run([binary, "compile", path, *options, "--tuned", saved])
    require("has tuned hints" in said, f"the hints were not found: {said}")
    require(tuned == hinted, "the code with --tuned is not that with --hint")
    try:
        run([binary, "compile", path, *options, "--emit", "cubin", "-o", os.path.join(folder, "cubin")])
    except Failure as failure:
        require("E0707" in str(failure), str(failure))
        return "no ptxas"
    bytecode = os.path.join(folder, "in.tileirbc")
    if path.endswith(".tileirbc"):
        bytecode = path
    else:
        run([binary, "compile", path, "--emit", "bytecode", "-o", bytecode])
    tileiras = os.path.join(folder, "tileiras")
    if not os.path.lexists(tileiras):
        os.symlink(binary, tileiras)
    gpu = re.match(r"sm_\d+", target)[0]
    command = [tileiras, bytecode, "-o", os.path.join(folder, "out"), "--gpu-name", gpu, "--remarks=schedule"]
    remarks, _ = run(command, {"TILEWRIGHT_TUNED": saved})
    require("Tuned hints replace those of the program" in remarks, f"no remark of tileiras: {remarks}")
    return "the same"


def measure(binary, folder, path, arguments):
    """The measured schedule, as JSON, beside the prediction."""
    svg = os.path.join(folder, "schedule.svg")
    out, _ = run([binary, "schedule", path, "--measure", "--json", "--svg", svg, *arguments])
    chart = json.loads(out)[0]
    with open(svg) as file:
        require("measured on" in file.read(), "the picture has no measured schedule")
    found = chart["measured"]
    require(found["seconds"] > 0 and found["block_cycles"] > 0, f"nothing was measured: {found}")
    require(found["loops"] and all(each["interval"] > 0 for each in found["loops"]), f"no loop was measured: {found}")
    text, _ = run([binary, "schedule", path, "--measure", *arguments])
    require("cycles of an iteration: measured, predicted" in text, f"no measured part:\n{text}")
    return chart, text


def table(rows):
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(flush=True)


def main():
    binary = os.path.abspath(sys.argv[1])
    budget = int(sys.argv[sys.argv.index("--budget") + 1]) if "--budget" in sys.argv else 60
    tuned = [("kernel", "as it is, us", "best, us", "gain", "measured", "took", "file", "hints")]
    schedules = [("kernel", "part", "cycles an iteration", "predicted", "block", "predicted", "launch, us", "predicted")]
    texts, wrong = [], []
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "tuned.json")
        for name, (example, is_large, arguments) in CASES.items():
            path = None
            try:
                path = source(binary, folder, example, is_large)
                ranking, took, said = tune(binary, path, arguments, budget, saved)
                for line in said.splitlines():
                    print(f"{name}: {line}")
                with open(saved) as file:
                    entry = json.load(file)["kernels"][-1]
                best, own = ranking[0], next(one for one in ranking if not one["hints"])
                require(entry["measured"], "the saved time is not a measured one")
                kept = check_saved(binary, folder, path, entry["target"], best, saved)
                gain = own["measured_seconds"] / best["measured_seconds"]
                count = sum(one["measured_seconds"] is not None for one in ranking)
                times = [microseconds(one["measured_seconds"]) for one in (own, best)]
                tuned.append((name, *times, f"{gain:.3f}", str(count), f"{took:.0f} s", kept, words(best["hints"])))
            except (Failure, KeyError, ValueError, OSError) as failure:
                wrong.append(f"{name}, tune: {failure!r}" if not isinstance(failure, Failure) else f"{name}, tune: {failure}")
            try:
                if path is None:
                    continue
                chart, text = measure(binary, folder, path, arguments)
                found = chart["measured"]
                texts.append(text)
                for at, each in enumerate(found["loops"]):
                    whole = [
                        str(found["block_cycles"]),
                        str(found["predicted_block_cycles"]),
                        microseconds(found["seconds"]),
                        microseconds(chart["seconds"]),
                    ]
                    interval = [each["agent"], str(each["interval"]), str(each["predicted"])]
                    schedules.append((name if at == 0 else "", *interval, *(whole if at == 0 else [""] * 4)))
            except (Failure, KeyError, ValueError, OSError) as failure:
                wrong.append(f"{name}, schedule: {failure}")
        table(tuned)
        table(schedules)
        for text in texts:
            print(text[text.index("measured on") :])
        if os.path.exists(saved):
            with open(saved) as file:
                print(file.read())
    for failure in wrong:
        print(failure)
    print(f"{len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
