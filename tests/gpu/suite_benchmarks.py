"""Compares compilers on the benchmarks of cuTile Python's tests: checks their results, and times their kernels.

    python3 tests/gpu/suite_benchmarks.py CHECKOUT NAME=TILEIRAS NAME=TILEIRAS [NAME=TILEIRAS ...] [--only EXPRESSION]

CHECKOUT is one of NVIDIA/cutile-python; pytest runs its `test/bench_*.py`, all in one process, each once for each compiler.
A benchmark compares its result with PyTorch's; then its launches of kernels, without the rest of its work, are repeated in
a CUDA graph. Times are medians of alternating bursts of 5 ms. Printed are the times, the ratios to those of the first
compiler, and for each family the geometric mean of the ratios and the largest. EXPRESSION is as for pytest's `-k`. Exit
code 1 if a result is wrong. Needs PyTorch, cuda-tile, pytest and pytest-benchmark.
"""

import collections
import math
import os
import statistics
import sys

import pytest
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import compilers, medians, once, select  # noqa: E402

# What a graph takes at least, as far as its repetitions can make it, so that its own start does not count.
GRAPH = 2e-4
REPETITIONS = 100


class Recorder:
    """Takes the place of pytest-benchmark's fixture: calls what is to be timed once, and keeps what that launches."""

    def __init__(self, suite):
        self.suite, self.extra_info, self.launches = suite, {}, []

    def pedantic(self, function, args=(), **_):
        self.suite.launches.clear()
        function(*args)
        torch.cuda.synchronize()
        self.launches = list(self.suite.launches)


class Suite:
    """The plugin of pytest: runs each benchmark for each compiler, and times it."""

    def __init__(self, tile, found):
        self.found, self.selected = found, None
        self.start, tile.launch = tile.launch, self.launch
        self.copies, self.launches = {}, []
        self.ratios = {name: collections.defaultdict(dict) for name in found}

    def select(self, name):
        self.selected = name
        select(self.found[name])

    def launch(self, stream, grid, kernel, arguments):
        """In place of `cuda.tile.launch`: a kernel has a copy for each compiler."""
        copies = self.copies.setdefault(id(kernel), (kernel, {}))[1]
        if self.selected not in copies:
            copies[self.selected] = kernel.replace_hints()
        self.launches.append((grid, copies[self.selected], arguments))
        self.start(stream, *self.launches[-1])

    def start_all(self, launches):
        stream = torch.cuda.current_stream()
        for launch in launches:
            self.start(stream, *launch)

    def graph(self, launches, repetitions):
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            graph.capture_begin()
            for _ in range(repetitions):
                self.start_all(launches)
            graph.capture_end()
        return graph

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if "torch" not in item.callspec.id.split("-")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        pyfuncitem.module.estimate_bench_iter = lambda *_, **__: (0, 1, 1)
        launches = {}
        for name in self.found:
            self.select(name)
            recorder = Recorder(self)
            arguments = {word: pyfuncitem.funcargs[word] for word in pyfuncitem._fixtureinfo.argnames}
            torch.manual_seed(1)
            try:
                pyfuncitem.obj(**arguments | {"benchmark": recorder})
            except Exception as error:
                raise AssertionError(f"{name}: {error}") from error
            launches[name] = recorder.launches
        self.launches.clear()
        seconds = once(lambda: self.start_all(next(iter(launches.values()))))
        repetitions = max(1, min(REPETITIONS, round(GRAPH / seconds)))
        graphs = {name: self.graph(found, repetitions) for name, found in launches.items()}
        times = medians({name: graph.replay for name, graph in graphs.items()})
        family, case = pyfuncitem.originalname.removeprefix("bench_"), pyfuncitem.callspec.id
        first = next(iter(times.values()))
        words = [f"{name} {time / repetitions:10.2f} us {time / first:6.3f}" for name, time in times.items()]
        print(f"{family:18} {case:48} {'  '.join(words)}", flush=True)
        for name, time in times.items():
            self.ratios[name][family][case] = time / first
        return True

    def summary(self):
        first = next(iter(self.found))
        for name, families in list(self.ratios.items())[1:]:
            for family, cases in families.items():
                mean = math.exp(statistics.fmean(map(math.log, cases.values())))
                worst = max(cases, key=cases.get)
                print(f"{family:18} {len(cases):3} cases  {name}/{first} {mean:.4f}  most {cases[worst]:.3f} {worst}")


def main():
    words = sys.argv[1:]
    only = words[words.index("--only") + 1 :][:1] if "--only" in words else []
    suite_folder = os.path.join(words[0], "test")
    found = compilers([word for word in words[1:] if word not in only])
    import cuda.tile as tile

    suite = Suite(tile, found)
    suite.select(next(iter(found)))
    files = sorted(file for file in os.listdir(suite_folder) if file.startswith("bench_") and file.endswith(".py"))
    options = ["-q", "-s", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-W", "ignore"]
    options += ["-k", only[0]] if only else []
    code = pytest.main([*options, *(os.path.join(suite_folder, file) for file in files)], plugins=[suite])
    suite.summary()
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
