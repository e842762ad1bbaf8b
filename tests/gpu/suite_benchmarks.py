"""Compares compilers on the benchmarks of cuTile Python's tests: checks their results, and times their kernels.

    python3 tests/gpu/suite_benchmarks.py CHECKOUT NAME=TILEIRAS [NAME=TILEIRAS ...] [--only EXPRESSION] [--torch] [--tuned]

CHECKOUT is one of NVIDIA/cutile-python; pytest runs its `test/bench_*.py`, all in one process, each once for each compiler.
A benchmark compares its result with PyTorch's; then its launches of kernels, without the rest of its work, are repeated in
a CUDA graph. Times are medians of alternating bursts of 5 ms. Printed are the times, the ratios to those of the first
compiler, and for each family the geometric mean of the ratios and the largest. With `--torch`, PyTorch's implementation of
each benchmark is the first of them. With `--tuned`, each compiler has the tiles that are the fastest with it on this GPU, of
those that the benchmark searches, instead of those that the checkout has for another GPU. What a graph cannot capture runs without one. EXPRESSION is as for pytest's `-k`. Exit
code 1 if a result is wrong. Needs PyTorch, cuda-tile, pytest and pytest-benchmark.
"""

import collections
import functools
import math
import os
import statistics
import sys

import pytest
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import compilers, medians, once, repeated, repetitions, select  # noqa: E402


class Recorder:
    """Takes the place of pytest-benchmark's fixture: calls what is to be timed once, and keeps what that launches."""

    def __init__(self, suite):
        self.suite, self.extra_info, self.launches = suite, {}, []

    def pedantic(self, function, args=(), **_):
        self.suite.launches.clear()
        function(*args)
        torch.cuda.synchronize()
        self.launches = list(self.suite.launches)
        self.call = lambda: function(*args)


class Suite:
    """The plugin of pytest: runs each benchmark for each compiler, and times it."""

    def __init__(self, tile, found, with_torch=False):
        self.found, self.with_torch, self.selected = found, with_torch, None
        self.start, tile.launch = tile.launch, self.launch
        self.copies, self.launches, self.configurations = {}, [], {}
        self.names = ["torch"] * with_torch + list(found)
        self.ratios = {name: collections.defaultdict(dict) for name in self.names}

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

    def tuned(self, tuning):
        """In place of the suite's `get_tuned_config`: the configuration that is the fastest with the selected compiler."""

        def configuration(tune, **arguments):
            arguments = tuning.tune_call_kwargs(tune, arguments)
            key = (self.selected, tune.__name__, repr(arguments))
            if key not in self.configurations:
                self.configurations[key] = tune(**arguments).best.config
                print(f"{self.selected} {tune.__name__}: {self.configurations[key]}", flush=True)
            return dict(self.configurations[key])

        return configuration

    def start_all(self, launches):
        stream = torch.cuda.current_stream()
        for launch in launches:
            self.start(stream, *launch)

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if "torch" not in item.callspec.id.split("-")]

    def peer(self, item, arguments):
        """The call of PyTorch's implementation of a benchmark; `None` if there is none."""
        name = "torch_" + item.originalname.removeprefix("bench_")
        if not self.with_torch or "backend" not in arguments or not hasattr(item.module, name):
            return None
        recorder = Recorder(self)
        torch.manual_seed(1)
        item.obj(**arguments | {"backend": getattr(item.module, name), "benchmark": recorder})
        return recorder.call

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
        calls = {name: functools.partial(self.start_all, found) for name, found in launches.items()}
        peer = self.peer(pyfuncitem, arguments)
        if peer is not None:
            calls = {"torch": peer} | calls
        self.launches.clear()
        seconds = once(calls[next(iter(self.found))])
        count = repetitions(seconds)
        times = medians({name: repeated(call, count) for name, call in calls.items()})
        family, case = pyfuncitem.originalname.removeprefix("bench_"), pyfuncitem.callspec.id
        first = next(iter(times.values()))
        words = [f"{name} {time / count:10.2f} us {time / first:6.3f}" for name, time in times.items()]
        print(f"{family:18} {case:48} {'  '.join(words)}", flush=True)
        for name, time in times.items():
            self.ratios[name][family][case] = time / first
        return True

    def summary(self):
        first = self.names[0]
        for name, families in list(self.ratios.items())[1:]:
            for family, cases in families.items():
                mean = math.exp(statistics.fmean(map(math.log, cases.values())))
                worst = max(cases, key=cases.get)
                print(f"{family:18} {len(cases):3} cases  {name}/{first} {mean:.4f}  most {cases[worst]:.3f} {worst}")


def main():
    words = sys.argv[1:]
    only = words[words.index("--only") + 1 :][:1] if "--only" in words else []
    suite_folder = os.path.join(words[0], "test")
    found = compilers([word for word in words[1:] if word not in only + ["--torch", "--tuned"]])
    import cuda.tile as tile

    suite = Suite(tile, found, "--torch" in words)
    suite.select(next(iter(found)))
    if "--tuned" in words:
        sys.path.insert(0, suite_folder)
        import benchmark_tuning

        benchmark_tuning.get_tuned_config = suite.tuned(benchmark_tuning)
    files = sorted(file for file in os.listdir(suite_folder) if file.startswith("bench_") and file.endswith(".py"))
    options = ["-q", "-s", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-W", "ignore"]
    options += ["-k", only[0]] if only else []
    code = pytest.main([*options, *(os.path.join(suite_folder, file) for file in files)], plugins=[suite])
    suite.summary()
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
