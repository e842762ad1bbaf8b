"""Times every kernel that tests launch, compiled by several compilers, and compares what they write.

    python3 tests/gpu/launches.py NAME=TILEIRAS [NAME=TILEIRAS ...] --tests FILE [FILE ...] [--paths FOLDER ...] [--each N]
        [--spread N] [--jobs N] [--at-least MICROSECONDS] [--only EXPRESSION]

Each FILE is a file of pytest whose tests launch kernels of cuTile Python; `--paths` are folders to import from. Each test
function runs with N of its combinations of parameters (`--spread`, 4). First all files run, `--jobs` at a time (8): kernels are
compiled, tests check the results of the first compiler, and whatever a launch writes is compared with what the code of each other
compiler writes from the same memory. Then the files run one after the other, and at most N launches of each kernel (`--each`, 3)
with different arguments are timed: medians of alternating bursts of 5 ms, of launches in a CUDA graph. Where a library searches
for the best of many configurations, the first that can be launched is taken. Prints the ratio of the first compiler's time to
that of each other one, and geometric means over the launches that take long enough (`--at-least`, 0). EXPRESSION is as for pytest's `-k`. Exit code 1 if a test
failed or results differ.
"""

import argparse
import contextlib
import json
import math
import os
import sys
import tempfile
import types

import pytest
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import compilers, medians, once, repeated, repetitions, select, spread  # noqa: E402

CACHING = """#!/bin/sh
# Runs the selected compiler, or gives what it made of the same input before.
for word in "$@"; do
    case "$previous" in
        -o) output=$word ;;
        --gpu-name | --opt-level | -O) ;;
        *) case "$word" in -*) ;; *) input=$word ;; esac ;;
    esac
    previous=$word
done
key=$({ echo "$TILEIRAS_SELECTED"; cat "$input"; } | sha256sum | cut -d ' ' -f 1)
if [ ! -f "$TILEIRAS_CACHE/$key" ]; then
    timeout 100 "$TILEIRAS_SELECTED" "$@" || exit
    cp "$output" "$TILEIRAS_CACHE/$key.$$" && mv "$TILEIRAS_CACHE/$key.$$" "$TILEIRAS_CACHE/$key"
else
    cp "$TILEIRAS_CACHE/$key" "$output"
fi
"""


def tensors(value):
    """The tensors in an argument."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors(item)]
    return []


def described(value):
    """An argument as text: of tensors their types and shapes."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{len(value)} of {described(value[0])}]" if value else "[]"
    return str(value)


def distance(found, expected):
    """The largest difference of two tensors, relative to the largest number; 0 if they are equal."""
    if not found.is_floating_point():
        return float((found != expected).any())
    found, expected = found.double(), expected.double()
    largest = expected[expected.isfinite()].abs().max().item() if expected.isfinite().any() else 0.0
    unequal = (found - expected).abs() / (largest or 1.0)
    same = (found == expected) | (found.isnan() & expected.isnan())
    return torch.where(same, 0.0, unequal).nan_to_num(nan=math.inf).max().item() if found.numel() else 0.0


class Launches:
    """The plugin of pytest: compares, or times, what tests launch."""

    def __init__(self, tile, found, options, timing, results):
        self.found, self.options, self.timing, self.results = found, options, timing, results
        self.first = next(iter(found))
        self.start, tile.launch = tile.launch, self.launch
        self.kernels, self.seen = {}, {}

    def copies(self, kernel):
        """A copy of a kernel for each compiler."""
        if id(kernel) not in self.kernels:
            self.kernels[id(kernel)] = (kernel, {name: kernel.replace_hints() for name in self.found})
        return self.kernels[id(kernel)][1]

    def start_by(self, name, stream, grid, kernel, arguments):
        select(self.found[name])
        self.start(stream, grid, self.copies(kernel)[name], arguments)

    def launch(self, stream, grid, kernel, arguments):
        """In place of `cuda.tile.launch`."""
        name = getattr(getattr(kernel, "_pyfunc", None), "__name__", None) or getattr(kernel, "__name__", "kernel")
        key = " ".join(described(argument) for argument in arguments)
        known = self.seen.setdefault(name, set())
        if torch.cuda.is_current_stream_capturing() or key in known or len(known) >= self.options.each:
            return self.start_by(self.first, stream, grid, kernel, arguments)
        known.add(key)
        memory = {id(tensor): tensor for tensor in tensors(arguments)}.values()
        before = [tensor.clone() for tensor in memory]
        written, failed = {}, False
        for compiler in self.found:
            for tensor, old in zip(memory, before):
                tensor.copy_(old)
            try:
                self.start_by(compiler, stream, grid, kernel, arguments)
                torch.cuda.synchronize()
            except Exception as error:
                text = str(error).strip().splitlines()
                print(f"failed {compiler} {name} {grid} {key}"[:300], (text or [repr(error)])[-1][:300], flush=True)
                if compiler == self.first:
                    raise
                failed = True
                continue
            written[compiler] = [tensor.clone() for tensor in memory]
        for tensor, new in zip(memory, written[self.first]):
            tensor.copy_(new)
        if failed:
            return None
        if not self.timing:
            for compiler in list(self.found)[1:]:
                far = [distance(a, b) for a, b in zip(written[self.first], written[compiler])]
                if max(far, default=0.0) > 1e-2:
                    self.results({"differs": f"{name} {grid} {key}"[:300], "by": [f"{each:.2g}" for each in far]})
            return None
        calls = {
            compiler: (lambda compiler=compiler: self.start(torch.cuda.current_stream(), grid, self.copies(kernel)[compiler], arguments))
            for compiler in self.found
        }
        seconds = once(calls[self.first])
        count = repetitions(seconds)
        times = medians({compiler: repeated(call, count) for compiler, call in calls.items()})
        times = {compiler: time / count for compiler, time in times.items()}
        self.results({"kernel": name, "grid": list(grid), "key": key, "times": times})
        for tensor, new in zip(memory, written[self.first]):
            tensor.copy_(new)
        return None

    def pytest_collection_modifyitems(self, items):
        groups = {}
        for item in items:
            groups.setdefault((item.cls, getattr(item, "originalname", item.name)), []).append(item)
        items[:] = [item for group in groups.values() for item in spread(group, self.options.spread)]

    def pytest_runtest_logreport(self, report):
        if report.failed and not self.timing:
            text = str(report.longrepr).strip().splitlines()
            self.results({"failed": report.nodeid, "by": (text or ["?"])[-1][:200]})


def search(space, stream, grid, kernel, arguments, hints=None, **_):
    """The first configuration that can be launched, with the interface of cuTile's exhaustive search."""
    import cuda.tile as tile

    error = None
    for config in list(space):
        try:
            function = kernel if hasattr(kernel, "replace_hints") else kernel(config)
            function = function.replace_hints(**hints(config)) if hints else function
            tile.launch(stream, grid(config), function, arguments(config))
            torch.cuda.synchronize()
        except Exception as found:
            error = found
            continue
        measured = types.SimpleNamespace(config=config, mean_us=1.0)
        return types.SimpleNamespace(best=measured, successes=[measured], failures=[])
    raise RuntimeError(f"no configuration can be launched: {error}")


def run(file, found, options, timing, results):
    """In a process of its own: the tests of a file."""
    import importlib

    import cuda.tile as tile

    tune = importlib.import_module("cuda.tile.tune")
    tune.exhaustive_search = search
    select(found[next(iter(found))])
    words = ["-q", "-s", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", "--disable-warnings"]
    words += ["-k", options.only] if options.only else []
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing if not timing else sys.stderr):
        pytest.main([*words, file], plugins=[Launches(tile, found, options, timing, results)])


def forked(file, found, options, timing, folder):
    """Starts a process for the tests of a file; what it finds goes to a file of lines of JSON."""
    child = os.fork()
    if child:
        return child
    log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)

    def results(found):
        with open(os.path.join(folder, "times" if timing else "checks"), "a") as lines:
            lines.write(json.dumps({"file": os.path.basename(file)} | found) + "\n")

    try:
        run(file, found, options, timing, results)
    finally:
        os._exit(0)


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compilers", nargs="+")
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--paths", nargs="*", default=[])
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--spread", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--at-least", type=float, default=0.0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    found = compilers(options.compilers, CACHING)
    os.environ["TILEIRAS_CACHE"] = tempfile.mkdtemp()
    # NVIDIA's compiler takes the toolkit that this names for its own, of whatever version.
    os.environ.pop("CUDA_HOME", None)
    sys.path[:0] = [os.path.abspath(path) for path in options.paths]
    folder = tempfile.mkdtemp()
    running, left = set(), list(options.tests)
    while running or left:
        while left and len(running) < options.jobs:
            running.add(forked(left.pop(0), found, options, False, folder))
        running.discard(os.wait()[0])
    wrong = read(folder, "checks")
    for one in wrong:
        print("differs" if "differs" in one else "failed", one["file"], one.get("differs") or one.get("failed"), one["by"], flush=True)
    shown = 0
    for file in options.tests:
        os.waitpid(forked(file, found, options, True, folder), 0)
        times = read(folder, "times")
        for one in times[shown:]:
            first, *others = one["times"].values()
            ratios = " ".join(f"{time:9.1f} {first / time:6.3f}" for time in others)
            print(f"{one['file'][5:-3]:24} {one['kernel']:40} {first:9.1f} us {ratios}  {one['grid']} {one['key'][:150]}", flush=True)
        shown = len(times)
    for name in list(found)[1:]:
        ratios = {}
        for one in times:
            first = one["times"][next(iter(found))]
            if max(first, one["times"][name]) >= options.at_least:
                ratios[f"{one['file']} {one['kernel']} {one['key'][:60]}"] = first / one["times"][name]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            print(f"{len(ratios)} launches: time of {next(iter(found))} {mean:.3f} of {name}'s, most {max(ratios.values()):.3f}")
            for title in sorted(ratios, key=ratios.get, reverse=True)[:40]:
                print(f"  {ratios[title]:.3f} {title}")
    with open(os.path.join(folder, "log")) as log:
        failures = [line for line in log if line.startswith("failed ")]
    print(*failures[:60], sep="")
    sys.exit(bool(wrong))


main()
